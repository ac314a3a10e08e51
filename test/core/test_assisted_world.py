"""The gripper that is given, and the reading of its commands."""

from dataclasses import replace

import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.aids import GRASP, HAND
from vlm_bench_sim.core.assisted_world import AssistedWorld, GivenHand
from vlm_bench_sim.core.command import Chunk, Point, Stop
from vlm_bench_sim.core.errors import CommandError, SceneError
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.lent import NOTHING, Lent, read_lent
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
    same.begin(Scene(()), Lent(HANDS))
    run(same, motion(3))
    assert same.snapshot is inner.snapshot and same.gripper is inner.gripper
    given = AssistedWorld(inner, (HAND,), planner=unneeded)
    given.begin(Scene(()), Lent(HANDS))
    run(given, motion(3))
    assert round(given.snapshot.opening, 3) == 0.02


def grasp(**change) -> Lent:
    """Moves for 3 periods, rests for one, closes the hand, and is over after period 30."""
    return replace(Lent(grasp=((0, motion(3)), (4, Grip(0.02))), until=30), **change)


def test_a_given_grasp_is_carried_out_before_the_policy_is_asked():
    inner = KinematicWorld(PANDA)
    inner.load(Scene(()))
    given = AssistedWorld(inner, (GRASP,), planner=unneeded)
    given.begin(Scene(()), grasp())
    seen = []
    while given.assisting:
        given.apply(Grip(0.07))  # none of these has an effect
        given.apply(motion(9))
        given.hold_arm()
        given.hold_gripper()
        now = given.step()
        seen.append((given.arm is MotionState.RUNNING, round(now.opening, 3)))
    assert [moving for moving, _ in seen] == [True, True, False, *[False] * 27]
    assert len({opening for _, opening in seen[:4]}) == 1 and seen[-1][1] == 0.02
    given.apply(Grip(0.07))
    while given.gripper is MotionState.RUNNING:
        given.step()
    assert round(given.snapshot.opening, 3) == 0.07


@pytest.mark.parametrize('end', [lambda given: given.apply(Stop()), lambda given: given.give_up()], ids=['stop', 'give up'])
def test_a_given_grasp_can_be_ended(end):
    inner = KinematicWorld(PANDA)
    inner.load(Scene(()))
    given = AssistedWorld(inner, (GRASP,), planner=unneeded)
    assert not given.gives
    given.begin(Scene(()), NOTHING)
    assert not given.assisting
    given.begin(Scene(()), grasp())
    given.step()
    assert given.gives and given.assisting
    end(given)
    assert not given.assisting
    given.apply(Grip(0.07))
    while given.gripper is MotionState.RUNNING:
        given.step()
    assert round(given.snapshot.opening, 3) == 0.07


def test_a_command_during_a_given_grasp_does_not_count_for_a_given_hand():
    inner = KinematicWorld(PANDA)
    inner.load(Scene(()))
    given = AssistedWorld(inner, (GRASP, HAND), planner=unneeded)
    given.begin(Scene(()), grasp(hands=((Grip(0.03),), (Grip(0.05),))))
    while given.assisting:
        given.apply(motion(3))
        given.step()
    run(given, motion(3))
    assert round(given.snapshot.opening, 3) == 0.03


def test_what_is_lent_is_read_back_and_anything_else_is_refused():
    for lent in (Lent(HANDS), grasp(), grasp(hands=HANDS)):
        assert read_lent(codec.dumps(lent)) == lent
    assert read_lent('') == NOTHING
    for foreign in (
        '1',
        '{}',
        '[1]',
        codec.dumps(HANDS),
        codec.dumps(Grip(0.1)),
        '[' * 2000,
        codec.dumps(Lent(HANDS)).replace('Grip', 'Wait'),
    ):
        with pytest.raises(SceneError):
            read_lent(foreign)


MANY = 1001


@pytest.mark.parametrize(
    'change',
    [
        {'until': -1}, {'until': 10**9}, {'until': 4}, {'grasp': ((4, Grip(0.02)), (0, motion(3)))}, {'hands': ((),) * MANY},
        {'hands': ((Grip(0.0),) * MANY,)}, {'grasp': ((0, Grip(0.0)),) * MANY}, {'grasp': ((-1, Grip(0.0)),)},
        {'grasp': ((0, Chunk(motion(1).points * 20_001)),)}, {'grasp': (), 'until': -1},
    ],
)  # fmt: skip
def test_what_nobody_lends_is_refused(change):
    with pytest.raises(SceneError, match='at most 1000 with 20000'):
        grasp(**change)


@pytest.mark.parametrize(
    ('lent', 'said'),
    [
        (Lent(((Grip(1.0),),)), 'out of range'),
        (Lent(((Seal(True),),)), 'suction cups'),
        (Lent(grasp=((0, Chunk((Point(1, (0.0,) * 6),))),), until=1), '7'),
    ],
)
def test_commands_for_another_robot_are_refused(lent, said):
    lent_here = grasp(hands=HANDS)
    lent_here.check(PANDA)
    with pytest.raises(CommandError, match=said):
        lent.check(PANDA)
