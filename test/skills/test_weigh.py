"""How long the expert waits for a balance, without a simulator: it is shown what the balance does."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, repeat
from math import radians

import pytest

from test.films import snapshot
from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.objects.balance import BEAM, LEFT, RIGHT, balance
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks.goals.scales import Level
from vlm_bench_tasks.skills import SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.weigh import LOOKS

SCALE = balance('scale')


def at(beam: float, speed: float) -> Snapshot:
    """The beam at so many degrees and degrees a second."""
    joints = {BEAM: JointState(radians(beam), radians(speed)), LEFT: JointState(0.0), RIGHT: JointState(0.0)}
    return replace(snapshot(), mechanisms={SCALE.full(link): joint for link, joint in joints.items()})


def waited(*shown: Snapshot, then: Iterable[Snapshot] = ()) -> int:
    """How often the expert looks again until the beam is level, where it is shown this."""
    films = chain(shown, then)
    skill = skill_for(Level(SCALE, BEAM), next(films), SkillContext(robot('xarm6'), Scene(()), planner=None))
    looks = 0
    try:
        command = next(skill)
        while True:
            assert isinstance(command, Wait)
            looks += 1
            command = skill.send(next(films))
    except StopIteration:
        return looks


def test_a_beam_at_rest_is_looked_at_twice():
    assert waited(at(2.0, 0.0), at(2.0, 0.0)) == 1


def test_where_a_swing_turns_back_the_beam_is_not_at_rest():
    assert waited(at(5.0, 20.0), at(9.0, 0.0), at(5.0, -20.0), at(2.0, 0.1), at(2.0, 0.0)) == 4


def test_a_beam_that_rests_at_its_stop_is_out_of_balance():
    with pytest.raises(SkillFailed, match='scale/beam does not come into balance'):
        waited(at(-20.0, 0.0), at(-20.0, 0.0))


def test_a_beam_that_swings_for_ever_is_given_up():
    with pytest.raises(SkillFailed, match='scale/beam did not come to rest'):
        waited(at(0.0, 30.0), then=repeat(at(0.0, 30.0), LOOKS))
