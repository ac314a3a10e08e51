"""Furniture is opened and closed by its handle, by every kind of hand, as far as the goal says."""

from dataclasses import replace
from math import radians

import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture import DOOR, LEVER, furniture
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.mechanisms import Opened, moved_by
from vlm_bench_tasks.judging.monitor import Limits, Monitor
from vlm_bench_tasks.language.sentences import say
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench, Run
from vlm_bench_tasks.skills import SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.variation.furnishing import TABLE

FULLY, SLIGHTLY = (0.8, 1.1), (0.4, 0.7)


def standing(model: str, yaw: float = 0.35, **start: float) -> Mechanism:
    return replace(furniture(model, 'piece'), pose=Pose.from_rpy((0.90 if 'door' not in model else 0.75, 0.0, 0.0), (0, 0, yaw))).started(
        **start
    )


def seen(piece: Mechanism, touching=(), held: str = '', contacts: bool = True, **at: float) -> Snapshot:
    """A snapshot in which the named joints are at those positions."""
    joints = {name: JointState(joint.start) for name, joint in piece.joints.items()}
    joints |= {piece.full(link): JointState(position) for link, position in at.items()}
    return Snapshot(0, 0, {}, Pose(), 0.08, held, mechanisms=joints, touching=tuple(touching), contacts=contacts)


def test_a_goal_holds_between_two_positions_once_the_piece_is_let_go():
    piece = standing('drawer1')
    goal, start = moved_by(piece, 'top', SLIGHTLY), seen(piece)
    assert (goal.low, goal.high) == pytest.approx((0.08, 0.14))
    for position, there in ((0.0, False), (0.079, False), (0.081, True), (0.139, True), (0.141, False)):
        assert goal.holds(seen(piece, top=position), start) is there
    assert not goal.holds(seen(piece, top=0.1, touching=[('piece/middle', 'robot')]), start)
    assert not goal.holds(seen(piece, top=0.1, held='piece/top'), start)
    assert goal.distance(seen(piece, top=0.04), start) == pytest.approx(0.2)
    assert goal.distance(seen(piece, top=0.1, held='piece/top'), start) == 0.0


def test_what_starts_open_is_closed_by_the_same_share():
    goal = moved_by(standing('drawer1', middle=0.2), 'middle', FULLY)
    assert (goal.low, goal.high) == pytest.approx((-0.02, 0.04))
    assert goal.target == pytest.approx(0.02)
    door = moved_by(standing('door1', door=radians(30.0)), DOOR, (10 / 30, 20 / 30), radians(30.0))
    assert (door.low, door.high) == pytest.approx((radians(10.0), radians(20.0)))


def test_a_goal_says_which_link_and_how_far():
    assert moved_by(standing('drawer1'), 'top', SLIGHTLY).words() == 'the top drawer of the cabinet is 8 to 14 cm open'
    assert moved_by(standing('door1'), DOOR, FULLY, radians(30.0)).words() == 'the door is 24 to 33° open'
    top = Opened(standing('drawer1'), 'top', 0.0, 0.1).joint
    far, shut = (Opened(standing('drawer1'), 'top', low, high) for low, high in ((0.16, top.upper + 0.02), (top.lower - 0.02, 0.04)))
    assert far.words() == 'the top drawer of the cabinet is at least 16 cm open'
    assert shut.words() == 'the top drawer of the cabinet is at most 4 cm open'


@pytest.mark.parametrize(
    ('make', 'says'),
    [
        (lambda piece: Opened(piece, 'body', 0.0, 0.1), 'is fixed'),
        (lambda piece: Opened(piece, 'top', 0.21, 0.3), 'moves from 0 to 0.2'),
        (lambda piece: Opened(piece, 'tpo', 0.0, 0.1), "no link called 'tpo'. Did you mean top"),
        (lambda piece: moved_by(piece, 'body', FULLY), 'piece/body does not move'),
    ],
)
def test_a_goal_that_no_joint_can_reach_is_refused(make, says):
    with pytest.raises(SceneError, match=says):
        make(standing('drawer1'))


def test_a_goal_reads_back_from_json():
    goal = moved_by(standing('door2'), DOOR, SLIGHTLY, radians(30.0))
    assert codec.loads(codec.dumps(goal)) == goal


def test_a_joint_that_nobody_sees_is_no_failure():
    piece = standing('drawer1')
    monitor = Monitor(moved_by(piece, 'top', FULLY), Limits(10.0))
    monitor.observe(replace(seen(piece), mechanisms={}))
    assert monitor.report.verdict is Verdict.UNOBSERVABLE
    assert 'piece/top' in monitor.report.causes[0]


def test_success_waits_until_the_drawer_stands_still():
    piece = standing('drawer1')
    monitor = Monitor(moved_by(piece, 'top', FULLY), Limits(10.0))
    for i in range(40):
        now = replace(seen(piece, top=0.0 if i == 0 else 0.18), seq=i, step=12 * i)
        if i < 20:
            now = replace(now, mechanisms=now.mechanisms | {'piece/top': JointState(0.18, 0.01)})
        monitor.observe(now)
        if monitor.report.verdict is not Verdict.RUNNING:
            break
    assert (i, monitor.report.verdict) == (30, Verdict.SUCCESS)


@pytest.fixture(scope='module')
def benches():
    made: dict[str, Bench] = {}
    yield lambda name: made.setdefault(name, Bench(name))
    for bench in made.values():
        bench.close()


def solve(bench: Bench, piece: Mechanism, goal: Opened) -> Run:
    scene = Scene((), TABLE, mechanisms=(piece,))
    return bench.run(Episode(scene, goal, say('Do it.'), task='vlmbench/test', split='seen', horizon=60.0), policy('oracle'))


OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in ('fr3', 'panda_vacuum', 'ur5e', 'xarm6')]


@pytest.mark.parametrize('robot', ['panda', *OTHERS])
def test_every_hand_opens_a_drawer(benches, robot):
    piece = standing('drawer1')
    run = solve(benches(robot), piece, moved_by(piece, 'top', SLIGHTLY))
    assert run.report.verdict is Verdict.SUCCESS, run.failures
    now = benches(robot).world.snapshot
    assert now.joint('piece/top').position == pytest.approx(0.11, abs=0.004)
    assert max(abs(now.joint(f'piece/{level}').position) for level in ('middle', 'bottom')) < 1e-3


@pytest.mark.parametrize('robot', ['panda', *OTHERS])
@pytest.mark.parametrize(
    ('model', 'link'), [('chest1', 'top_left'), ('chest2', 'bottom'), ('chest4', 'center'), ('cabinet1', DOOR), ('cabinet6', DOOR)]
)
def test_every_hand_takes_every_kind_of_handle(benches, robot, model, link):
    piece = standing(model)
    run = solve(benches(robot), piece, moved_by(piece, link, (0.25, 0.45)))
    assert run.report.verdict is Verdict.SUCCESS, run.failures


@pytest.mark.parametrize('robot', ['panda', *[pytest.param(name, marks=pytest.mark.slow) for name in ('xarm6', 'ur5e', 'panda_vacuum')]])
@pytest.mark.parametrize('model', ['door1', pytest.param('door2', marks=pytest.mark.slow)])
def test_every_hand_turns_the_handle_and_opens_the_door(benches, robot, model):
    piece = standing(model, 0.1)
    run = solve(benches(robot), piece, moved_by(piece, DOOR, (25 / 30, 35 / 30), radians(30.0)))
    assert run.report.verdict is Verdict.SUCCESS, run.failures
    assert benches(robot).world.snapshot.joint(f'piece/{LEVER}').position > piece.latches[0].threshold


@pytest.mark.slow
@pytest.mark.parametrize('robot', ['panda', 'xarm6'])
@pytest.mark.parametrize(
    ('model', 'link', 'start'), [('drawer3', 'middle', 0.3), ('door1', DOOR, radians(30.0)), ('cabinet', DOOR, radians(70.0))]
)
def test_what_is_open_is_closed(benches, robot, model, link, start):
    piece = standing(model, 0.3, **{link: start})
    run = solve(benches(robot), piece, moved_by(piece, link, FULLY, start))
    assert run.report.verdict is Verdict.SUCCESS, run.failures


def test_a_handle_out_of_reach_says_so(benches):
    bench = benches('panda')
    piece = replace(standing('drawer1'), pose=Pose((1.6, 0.0, 0.0)))
    run = solve(bench, piece, moved_by(piece, 'top', FULLY))
    assert run.report.verdict is Verdict.FAILURE
    assert 'Cannot take piece/top' in run.failures[0]
    assert 'cannot reach' in run.failures[0]


def test_a_link_without_a_handle_says_so(benches):
    bench = benches('panda')
    piece = standing('drawer1')
    bare = replace(piece, links=tuple(replace(link, handle=()) for link in piece.links))
    with pytest.raises(SkillFailed, match='piece/top has no handle'):
        next(
            skill_for(Opened(bare, 'top', 0.1, 0.2), seen(bare), SkillContext(bench.profile, Scene((), mechanisms=(bare,)), bench.planner))
        )
