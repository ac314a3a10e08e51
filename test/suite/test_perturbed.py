"""Every task can be perturbed, and stays the task that it was: nothing here names one."""

from dataclasses import replace

import pytest

from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_tasks import catalogue

EVERYTHING = Perturbation(light=0.5, texture=0.5, distractors=2, friction=0.3, mass=0.3, table_height=0.05)
SEEDS = range(2)


@pytest.mark.parametrize('name', catalogue.tasks())
def test_a_task_that_is_perturbed_means_what_it_meant(name):
    for seed in SEEDS:
        before = catalogue.build(name, catalogue.splits(name)[0], seed)
        after = catalogue.perturbed(before, EVERYTHING)
        assert loads(dumps(after)) == after
        shown = tuple((picture.role, picture.camera) for picture in before.instruction.pictures)  # a key step follows the table
        assert tuple((picture.role, picture.camera) for picture in after.instruction.pictures) == shown
        assert replace(after.instruction, pictures=()) == replace(before.instruction, pictures=()) and after.horizon == before.horizon
        scene = {prop.name: prop for prop in after.scene.props}
        named = (*after.goal.props(), *(after.plan.props() if after.plan else ()))
        assert [prop.name for prop in named if prop.name in scene and scene[prop.name] != prop] == []
        for ref in after.instruction.refs.values():
            assert (ref.words(after.scene), ref.denotes(after.scene)) == (ref.words(before.scene), ref.denotes(before.scene))
        assert len(after.scene.props) == len(before.scene.props) + 2
