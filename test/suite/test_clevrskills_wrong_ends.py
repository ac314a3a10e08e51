"""ClevrSkills' tasks, played by physics to ends that look nearly right and must not pass, beside an end of each that is right."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from math import atan2, hypot, pi, radians

import pytest

from test.plays import Film, Scripted, bench
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Command, Stop, ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Seal
from vlm_bench_sim.core.objects.balance import LEFT
from vlm_bench_sim.core.props import Prop
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.authoring import At, Carried, Goal, Grasped, Moved, Never, Not, On, Once, Slid, Toppled, Touching, Turned, all_of, then
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.units import leaves_of
from vlm_bench_tasks.judging.monitor import Limits, judge
from vlm_bench_tasks.judging.report import Report
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import Observation, Player
from vlm_bench_tasks.suite.clevrskills.rotate_restore import there_and_back

Cases = dict[tuple[str, str], tuple[int, Callable[[Episode], Goal]]]
"""By task and what is wrong: the seed, and what is done instead."""


def meant(episode: Episode) -> Prop:
    """What the goal names first."""
    return episode.goal.props()[0]


def spare(episode: Episode, noun: str = 'object') -> Prop:
    """Another thing of a noun, with which the goal wants nothing done."""
    return next(prop for prop in episode.scene.props if prop.noun == noun and prop not in wanted(episode))


def wanted(episode: Episode) -> list[Prop]:
    """The things with which the goal wants something done."""
    return [prop for leaf in leaves_of(episode.goal) for prop in leaf.props()]


def every(episode: Episode, done: Callable[[Prop], Goal]) -> Goal:
    """The same is done to all things, first to those with which the goal wants nothing done."""
    return all_of(*map(done, sorted(episode.scene.props, key=wanted(episode).__contains__)))


def aside(prop: Prop, x: float, y: float, turn: float = 0.0) -> At:
    """The prop lies so far from where it began, m, turned by so many degrees."""
    turned = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, radians(turn))) @ Pose(orientation=prop.pose.orientation)
    return At(prop, Pose(prop.pose.shifted((x, y, 0.0)).position, turned.orientation), near=0.02, turn=radians(2.0))


def nearer(episode: Episode, share: float) -> Pose:
    """Where the first prop of the goal is after a share of the way to the second."""
    item, target = episode.goal.props()
    (x, y, _), (u, v, _) = item.pose.position, target.pose.position
    return item.pose.shifted((share * (u - x), share * (v - y), 0.0))


def lying(prop: Prop) -> Pose:
    """The pose of a post that lies on its side where it stood."""
    x, y, _ = prop.pose.position
    return Pose.from_rpy((x, y, prop.size[0] / 2), (0.0, pi / 2, 0.0))


def turn(episode: Episode, *, more: float = 0.0, way: float = 1.0) -> Turned:
    """The first turn of the goal by so many degrees more, or the other way."""
    wanted = next(leaf for leaf in episode.goal.leaves() if isinstance(leaf, Turned))
    return replace(wanted, angle=way * wanted.angle + radians(more), within=radians(3.0))


def unturned(leaf: At) -> Pose:
    """The place of a goal, as its prop lies now."""
    return Pose(leaf.pose.position, leaf.prop.pose.orientation)


def moves(episode: Episode) -> list[Slid]:
    """The pushes that the goal asks for."""
    return [leaf for leaf in episode.goal.leaves() if isinstance(leaf, Slid)]


def stacked(episode: Episode, *order: int) -> Goal:
    """The stack of the goal with its things in another order, counted from the lowest."""
    things = (episode.goal.parts[0].base, *(part.prop for part in episode.goal.parts))
    return all_of(*(On(things[above], things[below]) for below, above in pairwise(order)))


def loads(goal: Goal) -> tuple[Carried, ...]:
    """What a plan puts on a balance, the left plate first."""
    return tuple(sorted((leaf for leaf in goal.leaves() if isinstance(leaf, Carried)), key=lambda leaf: leaf.links))


def weighed(goal: Goal, *which: int) -> Goal:
    """Only these of the loads of a plan, in balance."""
    return all_of(*(loads(goal)[i] for i in which), goal.parts[-1])


INSTEAD: Cases = {
    ('balance', 'only one of both'): (0, lambda e: all_of(loads(e.plan)[0])),
    ('balance', 'only two of four'): (2, lambda e: weighed(e.plan, 0, 2)),
    ('balance', 'all on one plate'): (0, lambda e: all_of(*(replace(load, links=(LEFT,)) for load in loads(e.plan)))),
    ('balance', 'the blocks of the other look'): (0, lambda e: e.alternatives[0]),
    ('balance', 'the blocks of both looks'): (0, lambda e: all_of(*loads(all_of(e.plan, e.alternatives[0])), e.plan.parts[-1])),
    ('pick', 'only pushed'): (3, lambda e: Moved(meant(e), 0.10)),
    ('pick', 'only touched'): (3, lambda e: Once(Touching(meant(e)))),
    ('pick', 'another object'): (3, lambda e: Grasped(e.goal.props()[1])),
    ('place', 'on another base'): (1, lambda e: On(meant(e), spare(e, 'base'))),
    ('place', 'beside the base'): (1, lambda e: At(meant(e), e.goal.base.pose.shifted((0.0, -0.13, 0.01)), near=0.03)),
    ('push', 'away from it'): (4, lambda e: Slid(meant(e), nearer(e, -0.3))),
    ('push', 'not far enough'): (2, lambda e: Slid(meant(e), nearer(e, 0.15))),
    ('push', 'the other is brought to it'): (5, lambda e: At(e.goal.props()[1], nearer(e, 0.5), near=0.02)),
    ('rotate', 'too far'): (0, lambda e: turn(e, more=18.0)),
    ('rotate', 'not far enough'): (0, lambda e: turn(e, more=-18.0)),
    ('rotate', 'the other way'): (0, lambda e: turn(e, way=-1.0)),
    ('rotate', 'until it looks alike'): (0, lambda e: turn(e, more=90.0)),
    ('rotate', 'another object'): (3, lambda e: replace(turn(e), prop=spare(e))),
    ('rotate', 'carried elsewhere'): (0, lambda e: aside(meant(e), 0.0, 0.12, 90.0)),
    ('rotate_restore', 'not restored'): (0, lambda e: e.goal.goals[0]),
    ('rotate_restore', 'nothing changed'): (0, lambda e: e.goal.goals[1]),
    ('rotate_restore', 'carried away and back'): (0, lambda e: then(aside(meant(e), 0.0, 0.15), aside(meant(e), 0.0, 0.0))),
    ('rotate_restore', 'turned too little and back'): (0, lambda e: then(turn(e, more=-18.0), aside(meant(e), 0.0, 0.0))),
    ('rotate_restore', 'the other way and back'): (0, lambda e: there_and_back(meant(e), turn(e, way=-1.0).angle)),
    ('rotate_restore', 'restored elsewhere'): (0, lambda e: then(e.goal.goals[0], aside(meant(e), 0.0, 0.10))),
    ('rotate_symmetry', 'only one of both'): (0, lambda e: e.goal.goals[0]),
    ('rotate_symmetry', 'one the other way'): (0, lambda e: all_of(e.goal.goals[0], replace(turn(e, way=-1.0), prop=e.goal.props()[1]))),
    ('rotate_symmetry', 'one of another look'): (2, lambda e: all_of(e.goal.goals[0], replace(turn(e), prop=spare(e)))),
    ('rotate_symmetry', 'all of them'): (2, lambda e: every(e, lambda prop: replace(turn(e), prop=prop))),
    ('simple_manipulation', 'on another base'): (4, lambda e: On(meant(e), spare(e, 'base'))),
    ('simple_manipulation', 'another object'): (4, lambda e: On(spare(e), e.goal.base)),
    ('sort', 'on areas of another look'): (1, lambda e: e.alternatives[0]),
    ('sort', 'only one of both'): (1, lambda e: e.goal.goals[0]),
    ('sort_stack', 'of two looks'): (1, lambda e: e.alternatives[0]),
    ('stack_topple', 'only stacked'): (1, lambda e: e.goal.goals[0]),
    ('stack_topple', 'in another order'): (1, lambda e: e.alternatives[1]),
    ('stack', 'two upside down'): (3, lambda e: stacked(e, 1, 0)),
    ('stack', 'three upside down'): (2, lambda e: stacked(e, 2, 1, 0)),
    ('stack', 'only two of three'): (2, lambda e: stacked(e, 0, 1)),
    ('stack', 'the upper two exchanged'): (2, lambda e: stacked(e, 0, 2, 1)),
    ('stack_reversed', 'as they are named'): (1, lambda e: stacked(e, 2, 1, 0)),
    ('stack_reversed', 'only two of three'): (1, lambda e: stacked(e, 0, 1)),
    ('swap', 'only one of both'): (3, lambda e: all_of(e.goal.goals[0])),
    ('swap', 'with a third one'): (3, lambda e: e.alternatives[0]),
    ('swap_push', 'with a third one'): (2, lambda e: e.alternatives[1]),
    ('swap_rotate', 'not turned'): (1, lambda e: all_of(*(replace(leaf, pose=unturned(leaf)) for leaf in e.plan.leaves()))),
    ('swap_rotate', 'the other way'): (1, lambda e: e.alternatives[0]),
    ('throw_sort', 'on areas of another look'): (1, lambda e: e.alternatives[0]),
    ('touch', 'moved by 4 cm'): (0, lambda e: Moved(meant(e), 0.04)),
    ('touch', 'another object'): (0, lambda e: Once(Touching(spare(e)))),
    ('touch', 'everything'): (0, lambda e: every(e, lambda prop: Once(Touching(prop)))),
    ('touch_push', 'not far enough'): (1, lambda e: Moved(meant(e), 0.04)),
    ('touch_push', 'another object'): (1, lambda e: Moved(spare(e), 0.10)),
    ('touch_push', 'everything'): (1, lambda e: every(e, lambda prop: Moved(prop, 0.12))),
    ('touch_topple', 'only touched'): (1, lambda e: Once(Touching(meant(e)))),
    ('touch_topple', 'another object'): (1, lambda e: Toppled(spare(e))),
    ('touch_topple', 'everything'): (1, lambda e: every(e, Toppled)),
    ('trace', 'in the reverse order'): (3, lambda e: then(*reversed(e.goal.goals))),
    ('trace', 'three in the reverse order'): (2, lambda e: then(*reversed(e.goal.goals))),
    ('trace', 'all but the last'): (2, lambda e: then(*e.goal.goals[:-1])),
    ('trace', 'all but the first'): (2, lambda e: then(*e.goal.goals[1:])),
}

BROKEN = {('touch', 'moved by 4 cm'), ('touch', 'another object'), ('touch', 'everything')}
"""What has failed as soon as it is done."""

GRASPED: Cases = {
    ('push', 'carried nearer'): (2, lambda e: At(meant(e), nearer(e, 0.5), near=0.03)),
    ('swap_push', 'carried'): (1, lambda e: all_of(*(At(leaf.prop, leaf.pose, near=0.03) for leaf in moves(e)))),
    ('touch', 'picked up'): (0, lambda e: Grasped(meant(e))),
    ('touch_push', 'carried'): (1, lambda e: aside(meant(e), -0.15, 0.0)),
    ('touch_topple', 'laid on its side'): (9, lambda e: At(meant(e), lying(meant(e)), turn=radians(20.0))),
}
"""The right end, but for a grasp."""

HELD = {
    ('place', 1): 1, ('rotate', 0): 1, ('rotate_restore', 0): 2, ('simple_manipulation', 4): 1, ('sort', 1): 2, ('stack', 3): 1,
}  # fmt: skip
"""The right end, but for the last release: by task and seed, the number of releases."""

THROWS = (('throw', 1), ('throw', 4), ('throw_topple', 21))
SOON = {('pick', 'only pushed'), ('rotate', 'too far'), ('touch', 'moved by 4 cm'), ('trace', 'in the reverse order')}
RIGHT = sorted({(task, seed) for (task, _), (seed, _) in (INSTEAD | GRASPED).items()} | set(THROWS))


def some(cases: Iterable[tuple], fast: set[tuple]) -> list:
    """The cases of a table as parameters; those that are not in `fast` are slow."""
    return [pytest.param(*case, marks=() if case in fast else pytest.mark.slow, id=' '.join(map(str, case))) for case in cases]


class Clinging(Oracle):
    """The expert, except that it stops where it would let go for the last time."""

    def __init__(self, releases: int) -> None:
        super().__init__()
        self.releases = releases

    def act(self, observation: Observation) -> Command:
        command = super().act(observation)
        self.releases -= command == Seal(on=False) and observation.truth is not None and bool(observation.truth.held)
        return command if self.releases > 0 else Stop()


def built(task: str, seed: int) -> Episode:
    return catalogue.build(f'clevrskills/{task}', 'seen', seed)


def played(episode: Episode, player: Player) -> tuple[Report, Film]:
    film = Film()
    return bench('xarm6').run(episode, player, film).report, film


def judged(goal: Goal, episode: Episode, film: Film) -> Report:
    """What the film is judged to be where this is the goal."""
    return judge(goal, Limits(episode.horizon), film.snapshots, film.events)


def outwards(distance: float, bearing: float, height: float) -> Pose:
    """The pose of a tool that points away from the robot."""
    return Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, bearing)) @ Pose.from_rpy((distance, 0.0, height), (pi, -pi / 2, 0.0))


@pytest.mark.parametrize(('task', 'seed'), some(RIGHT, {('trace', 3)}))
def test_a_right_end_passes(task, seed):
    report, _ = played(built(task, seed), policy('oracle'))
    assert report.verdict is Verdict.SUCCESS, report.causes


@pytest.mark.parametrize(('task', 'what'), some(INSTEAD, SOON))
def test_what_is_done_instead_fails(task, what):
    seed, instead = INSTEAD[task, what]
    episode = built(task, seed)
    report, film = played(replace(episode, plan=instead(episode)), policy('oracle'))
    assert report.verdict is Verdict.FAILURE
    if (task, what) in BROKEN:
        assert report.causes[0].startswith('broken: never')
        return
    assert judged(instead(episode), episode, film).verdict is Verdict.SUCCESS, 'it is as meant'
    assert report.causes == ('stopped',)


@pytest.mark.slow
@pytest.mark.parametrize(('task', 'what'), GRASPED)
def test_what_is_right_but_for_a_grasp_fails(task, what):
    seed, instead = GRASPED[task, what]
    episode = built(task, seed)
    report, film = played(replace(episode, goal=instead(episode)), policy('oracle'))
    assert report.verdict is Verdict.SUCCESS, 'it is as meant'
    others = all_of(*(part for part in episode.goal.parts if not isinstance(part, (Never, Once))))
    assert others.holds(film.snapshots[-1], film.snapshots[0]), 'all else is right'
    wrong = judged(episode.goal, episode, film)
    assert wrong.verdict is Verdict.FAILURE
    assert wrong.causes[0].endswith('is grasped')


@pytest.mark.parametrize(('task', 'seed'), some(HELD, {('place', 1)}))
def test_what_is_right_but_still_held_fails(task, seed):
    episode = built(task, seed)
    report, film = played(episode, Clinging(HELD[task, seed]))
    first, last = film.snapshots[0], film.snapshots[-1]
    assert last.held in [prop.name for prop in episode.goal.props()]
    there = leaves_of(episode.goal, lambda parts: len(parts.goals) - 1)
    assert all(leaf.distance(last, first) == 0.0 for leaf in there), 'all else is right'
    assert (report.verdict, report.causes) == (Verdict.FAILURE, ('stopped',))


@pytest.mark.slow
def test_a_scale_whose_last_block_is_still_held_is_not_in_balance():
    report, film = played(built('balance', 0), Clinging(2))
    assert film.snapshots[-1].held == loads(built('balance', 0).plan)[-1].prop.name
    assert (report.verdict, report.causes) == (Verdict.FAILURE, ('stopped',))


@pytest.mark.slow
@pytest.mark.parametrize(('task', 'seed'), THROWS)
def test_a_slab_that_stays_in_the_hand_is_no_throw(task, seed):
    report, film = played(built(task, seed), Scripted())
    assert film.snapshots[-1].held == meant(built(task, seed)).name
    assert (report.verdict, report.causes) == (Verdict.FAILURE, ('stopped',))


@pytest.mark.slow
@pytest.mark.parametrize('seed', [21, 30])
def test_a_post_that_is_struck_with_the_slab_in_the_hand_is_not_hit_by_a_throw(seed):
    episode = built('throw_topple', seed)
    slab, post = episode.goal.props()
    x, y, _ = post.pose.position
    way = [outwards(hypot(x, y) + ahead, atan2(y, x), 0.2) for ahead in (-0.18, 0.02)]
    allowed = (slab.name, post.name)
    report, film = played(episode, Scripted(ToolPose(way[0], allowed=allowed), ToolPose(way[1], straight=True, allowed=allowed, speed=0.3)))
    last = film.snapshots[-1]
    assert any(now.touches(*allowed) for now in film.snapshots)
    assert last.held == slab.name
    assert Toppled(post).holds(last, film.snapshots[0])
    assert (report.verdict, report.causes) == (Verdict.FAILURE, ('stopped',))


@pytest.mark.slow
def test_a_post_that_is_pushed_at_its_foot_and_still_stands_is_not_toppled():
    episode = built('touch_topple', 3)
    post = meant(episode)
    x, y, _ = post.pose.position
    before, behind, end = (Pose.from_rpy((x, y + dy, z), (pi, 0.0, 0.0)) for dy, z in ((-0.12, 0.3), (-0.12, 0.03), (0.02, 0.03)))
    push = ToolPose(end, straight=True, allowed=(post.name,), speed=0.2)
    report, film = played(episode, Scripted(ToolPose(before), ToolPose(behind, straight=True), push))
    pushed = all_of(Moved(post, 0.04), Not(Toppled(post)))
    assert pushed.holds(film.snapshots[-1], film.snapshots[0])
    assert (report.verdict, report.causes) == (Verdict.FAILURE, ('stopped',))


def test_a_touch_is_not_done_twice():
    run = bench('xarm6').run(built('touch', 0), policy('oracle'))
    assert (run.report.verdict, run.failures) == (Verdict.SUCCESS, ())
