"""The next step by the planner by rules, from the truth."""

from dataclasses import replace

import pytest
from tabletop import first

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.agents.step_aid import next_steps

TASK = 'lohoravens/pick_and_place'


def told(seed=3, axis='color'):
    episode = catalogue.build(TASK, 'train', seed, axis)
    return episode, first(episode.scene), next_steps(episode.instruction.text, episode.scene)


def test_a_step_is_named_until_it_is_done():
    episode, start, step = told()
    item, target = (prop.name for prop in episode.goal.props()[:2])
    words = step(start, start)
    assert words.startswith('pick up ') and step(start, replace(start, seq=1)) == words
    under = start.pose(target)
    above = Pose((*under.position[:2], under.position[2] + 0.04), under.orientation)
    assert step(start, replace(start, seq=2, bodies=start.bodies | {item: Body(above)})) == ''


def test_pictures_and_what_no_rule_matches_are_refused():
    shown = catalogue.build('lohoravens/stack_same_color', 'train', 0, prompt='pictures,first_frame')
    with pytest.raises(VlmBenchError, match='reads text alone'):
        next_steps(shown.instruction.text, shown.scene)
    episode, start, _ = told()
    with pytest.raises(VlmBenchError, match='No rule matches'):
        next_steps('Sing a song.', episode.scene)(start, start)
