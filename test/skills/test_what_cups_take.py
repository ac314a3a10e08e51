"""Cups take and put down round, hollow and narrow things: the sampler finds only seals that the simulation closes."""

from dataclasses import replace
from math import pi

import pytest

from test.plays import bench, episode
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.objects.stock import area_marker
from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks.authoring import On
from vlm_bench_tasks.policies import policy

RED, BLUE = Color('red', (1.0, 0.0, 0.0)), Color('blue', (0.0, 0.0, 1.0))
PLATE = replace(area_marker('plate', BLUE, size=(0.20, 0.20)), pose=Pose((0.45, -0.2, 0.0055)))
LYING = Pose.from_rpy((0.45, 0.1, 0.0105), (pi / 2, 0.0, 0.3))

THINGS = {
    'ball': Prop('it', 'ball', (0.066,) * 3, RED, 0.058, pose=Pose((0.45, 0.1, 0.034))),
    'bowl': Prop('it', 'bowl', (0.161, 0.161, 0.055), RED, 0.147, pose=Pose((0.45, 0.1, 0.0285))),
    'marker': Prop('it', 'cylinder', (0.019, 0.019, 0.121), RED, 0.016, pose=LYING),
    'letter': Prop('it', 'letter_t', (0.06, 0.06, 0.03), RED, 0.06, pose=Pose((0.45, 0.1, 0.016))),
}


@pytest.mark.parametrize('robot', ['xarm6', pytest.param('panda_vacuum', marks=pytest.mark.long)])
@pytest.mark.parametrize('thing', THINGS)
def test_cups_put_a_thing_on_a_plate(thing, robot):
    it = THINGS[thing]
    made = replace(episode().scene, props=(it, PLATE), mechanisms=())
    run = bench(robot).run(replace(episode(), scene=made, goal=On(it, PLATE), plan=None, alternatives=()), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS, run.report.causes
