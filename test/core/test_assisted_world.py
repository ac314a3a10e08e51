"""The gripper that is given, and the reading of its commands."""

import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.aids import HAND
from vlm_bench_sim.core.assisted_world import AssistedWorld, GivenHand, read_hands
from vlm_bench_sim.core.command import Chunk, Point, Wait
from vlm_bench_sim.core.errors import CommandError, VlmBenchError
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.kinematic_world import KinematicWorld
from vlm_bench_sim.profiles import robot

PANDA = robot('panda')
REST = (0.0,) * 7
HANDS = ((Grip(0.02),), (), (Grip(0.06), Grip(0.01)))


def motion(periods: int, *, rests: bool = True) -> Chunk:
    """A trajectory that stays at home, as a planned one or as set points are sent."""
    end = REST if rests else ()
    return Chunk((Point(periods * 50_000_000, PANDA.home, end),))


@pytest.fixture
def world():
    inner = KinematicWorld(PANDA)
    inner.load(Scene(()))
    given = GivenHand(inner)
    given.begin(HANDS)
    return given


def run(world, command):
    world.apply(command)
    periods = 0
    while MotionState.RUNNING in (world.arm, world.gripper):
        world.step()
        periods += 1
    return periods


def test_after_each_motion_the_gripper_does_what_the_expert_did(world):
    openings = []
    for _ in range(4):
        run(world, motion(3))
        openings.append(round(world.snapshot.opening, 3))
    assert openings == [0.02, 0.02, 0.01, 0.01]


def test_a_gripper_command_of_the_policy_takes_a_period_and_does_nothing(world):
    before = world.snapshot.opening
    assert run(world, Grip(0.0)) == 1
    assert world.gripper is MotionState.SUCCEEDED
    assert world.snapshot.opening == before
    with pytest.raises(CommandError, match='out of range'):
        world.apply(Grip(1.0))


def test_set_points_and_a_motion_that_was_halted_are_no_tool_poses(world):
    before = world.snapshot.opening
    for _ in range(3):
        world.apply(motion(1, rests=False))
        world.step()
    world.apply(motion(5))
    world.step()
    world.hold_arm()
    for _ in range(5):
        world.step()
    assert world.snapshot.opening == before


def unneeded():
    pytest.fail('only grasp_snapping needs a planner')


def test_without_these_aids_the_world_is_unchanged():
    inner = KinematicWorld(PANDA)
    inner.load(Scene(()))
    same = AssistedWorld(inner, ('subgoals',), planner=unneeded)
    same.begin(Scene(()), HANDS)
    run(same, motion(3))
    assert same.snapshot is inner.snapshot and same.gripper is inner.gripper
    given = AssistedWorld(inner, (HAND,), planner=unneeded)
    given.begin(Scene(()), HANDS)
    run(given, motion(3))
    assert round(given.snapshot.opening, 3) == 0.02


def test_gripper_commands_are_read_back_and_anything_else_is_refused():
    assert read_hands(codec.dumps(HANDS)) == HANDS
    assert read_hands('') == ()
    for foreign in ('1', '{}', '[1]', '["ab"]', '[[1]]', codec.dumps((Grip(0.1),)), codec.dumps(((Wait(1.0),),)), '[' * 2000):
        with pytest.raises(VlmBenchError):
            read_hands(foreign)
