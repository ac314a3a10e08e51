"""The expert of LoHoRavens: occupied targets are cleared, what is dropped or falls is taken up again, and it always comes to an end."""

from dataclasses import replace
from itertools import groupby, pairwise

import pytest

from test import plays
from test.plays import Film, Hand
from vlm_bench_sim.core.areas import WORKSPACE
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.stock import COLORS, block, bowl, zone
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.logic import all_of
from vlm_bench_tasks.goals.placing import At, Inside, On, Within
from vlm_bench_tasks.goals.towers import Tower, tower
from vlm_bench_tasks.language.sentences import say
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.skills.clearing import free_spots, in_the_way

RED, BLUE, GREEN, PINK = (COLORS[name] for name in ('red', 'blue', 'green', 'pink'))


def lying(what, x: float, y: float, z: float = 0.0):
    return replace(what, pose=Pose((x, y, z + what.size[2] / 2)))


A, B, C, D = (
    lying(block(f'block_{i}', c), 0.45, y) for i, (c, y) in enumerate(zip((RED, BLUE, GREEN, PINK), (-0.2, 0.0, 0.2, 0.35), strict=True))
)
ON_B = lying(replace(D), 0.45, 0.0, 0.04)
BOWL = lying(bowl('bowl_1', BLUE), 0.42, 0.0)
IN_BOWL = lying(D, 0.42, 0.0, 0.008)
ZONE = lying(zone('zone_1', BLUE), 0.42, -0.05)


@pytest.fixture(scope='module')
def bench():
    made = Bench('ur5e')
    yield made
    made.close()


def episode(goal, *props, horizon: float = 120.0) -> Episode:
    return Episode(Scene(props), goal, say('Do it.'), task='lohoravens/any', split='train', horizon=horizon)


@pytest.mark.parametrize(
    ('goal', 'props', 'moved'),
    [
        (all_of(On(A, B)), (A, B, C, ON_B), True),
        (all_of(Inside(A, BOWL)), (A, BOWL, C, IN_BOWL), True),
        (tower((B,), (A,)), (A, B, C, ON_B), True),
        (all_of(Within(B, ZONE)), (lying(A, 0.6, 0.1), B, C, ON_B, lying(ZONE, 0.45, -0.3)), True),
        (tower((A, B, C), (A, B, C), (A, B, C), place=ZONE), (A, lying(B, 0.45, 0.12), C, lying(D, 0.42, -0.05), ZONE), False),
    ],
    ids=['on', 'inside', 'tower', 'laden', 'zone'],
)
def test_what_occupies_a_target_is_put_aside(bench, goal, props, moved):
    run = bench.run(episode(goal, *props), policy('oracle'))
    assert (run.report.verdict, run.failures, run.report.score) == (Verdict.SUCCESS, (), 100.0)
    aside = bench.world.snapshot.pose(D.name)
    assert (aside.position[2] == pytest.approx(0.02, abs=2e-3)) or not moved


TRAY = lying(Prop('tray_1', 'tray', (0.30, 0.20, 0.05), BLUE, 0.15, fixed=True), 0.45, 0.0)
PLATE = lying(Prop('plate_1', 'cube', (0.20, 0.10, 0.03), BLUE, 0.5), 0.45, 0.0)


@pytest.mark.parametrize(
    ('robot', 'word', 'base', 'height'),
    [pytest.param('panda', Inside, TRAY, 0.004, marks=pytest.mark.long), ('ur5e', On, PLATE, 0.03)],
    ids=['tray', 'plate'],
)
def test_two_that_belong_in_one_place_are_brought_there_one_beside_the_other_and_once(robot, word, base, height):
    """A third that lies there, and belongs elsewhere, is put aside."""
    here = replace(D, pose=Pose((0.45, 0.0, height + D.size[2] / 2)))
    goal, film = all_of(*(word(cube, base) for cube in (lying(A, 0.45, -0.2), C))), Film()
    run = plays.bench(robot).run(episode(goal, base, lying(A, 0.45, -0.2), C, here), policy('oracle'), film)
    assert (run.report.verdict, run.failures) == (Verdict.SUCCESS, ())
    taken = [name for name, _ in groupby(now.held for now in film.snapshots if now.held)]
    assert sorted(taken) == [A.name, C.name, D.name]


def test_it_names_what_is_in_the_way_from_the_top(bench):
    stacked = lying(C, 0.45, 0.0, 0.08)
    scene = Scene((A, B, ON_B, stacked))
    now = bench.world.load(scene)

    def names(goal):
        return in_the_way(goal, now, scene)

    assert names(On(A, B)) == (C.name, D.name)
    assert names(On(D, B)) == (C.name,)
    assert names(On(B, A)) == names(Within(B, ZONE)) == (C.name, D.name)
    assert names(On(C, A)) == names(Within(A, ZONE)) == ()
    assert names(Tower(((A,), (B,)))) == ()
    assert names(At(A, B.pose)) == names(At(A, B.pose.shifted((0.055, 0.0, 0.0)))) == (C.name, D.name, B.name)
    assert names(At(B, B.pose)) == names(At(B, A.pose.shifted((0.065, 0.0, 0.0)))) == (C.name, D.name)
    assert names(At(C, B.pose.shifted((0.0, 0.0, 0.1)))) == (), 'it is to hover above the tower'


@pytest.mark.slow
@pytest.mark.parametrize(('robot', 'count'), [('panda', 2), ('xarm6', 2), ('ur5e', 3)])
def test_things_change_places_by_way_of_one_free_spot(robot, count):
    """Two or three in a ring: each place is occupied, so one waits elsewhere, where nothing else is to stand; then each moves once."""
    near = tuple(lying(block(f'block_{i}', c), 0.42, 0.1 * i) for i, c in enumerate((RED, BLUE, GREEN)[:count]))
    ring, film = [At(one, other.pose, near=0.02) for one, other in zip(near, (*near[1:], near[0]), strict=True)], Film()
    run = plays.bench(robot).run(episode(all_of(*ring), *near), policy('oracle'), film)
    assert (run.report.verdict, run.failures) == (Verdict.SUCCESS, ()), run.report.causes
    assert len([name for name, _ in groupby(now.held for now in film.snapshots) if name]) == count + 1


def test_free_spots_are_clear_of_all_things(bench):
    scene = Scene((A, B, C))
    now = bench.world.load(scene)
    spots = free_spots(D, WORKSPACE, scene, now)
    assert spots and all(spot.distance(other.pose) > 0.06 for spot in spots for other in scene.props)


@pytest.mark.long
def test_what_is_dropped_is_taken_up_again(bench):
    film = Film()
    built = catalogue.build('lohoravens/stack_in_area', 'test', 100_000)
    harder = catalogue.perturbed(built, catalogue.perturbation(['drop_rate=0.3']))
    run = bench.run(harder, policy('oracle'), film)
    kinds = [event.kind for event in film.events]
    assert run.report.verdict is Verdict.SUCCESS
    assert run.report.drops == kinds.count(EventKind.DROPPED) >= 3


@pytest.mark.long
def test_a_tower_that_falls_is_built_again(bench):
    built = catalogue.build('lohoravens/stack_alternate', 'test', 100_000)
    goal = built.goal.parts[-1]
    top = {}

    def third_level(now) -> bool:
        stands = goal.standing(now)
        if len(stands) == 3 and not now.held:
            top['name'] = stands[-1].name
        return len(stands) == 3 and not now.held

    names = [prop.name for prop in built.scene.props if prop.noun == 'block']
    hands = [
        Hand(bench.world, name, Pose((0.55, 0.3, 0.05)), lambda now, name=name: third_level(now) and top['name'] == name) for name in names
    ]
    film = Film()
    run = bench.run(built, policy('oracle'), film, *hands)
    assert [hand.moved_at is not None for hand in hands].count(True) == 1
    assert run.report.verdict is Verdict.SUCCESS
    heights = [len(goal.standing(now)) for now in film.snapshots]
    assert any(before == 3 and after == 2 for before, after in pairwise(heights))


@pytest.mark.long
def test_a_tower_of_five_stands_for_ten_seconds(bench):
    built = catalogue.build('lohoravens/stack_alternate', 'test', 100_001)
    assert bench.run(built, policy('oracle')).report.verdict is Verdict.SUCCESS
    start = bench.world.snapshot
    for _ in range(200):
        now = bench.world.step()
    assert now.step - start.step == 10 * 240
    assert built.goal.holds(now, start) and len(built.goal.parts[-1].standing(now)) == 5
    assert max(now.pose(prop.name).distance(start.pose(prop.name)) for prop in built.goal.props()) < 2e-3  # it creeps until it sleeps


def test_the_time_limit_ends_the_expert(bench):
    built = replace(catalogue.build('lohoravens/stack_same_size', 'test', 3), horizon=6.0)
    report = bench.run(built, policy('oracle')).report
    assert (report.verdict, report.causes, report.sim_seconds) == (Verdict.FAILURE, ('time_limit',), 6.0)


@pytest.mark.long
@pytest.mark.timeout(60)
def test_two_towers_of_which_one_stands_in_the_way_are_both_built(bench):
    """The feet lie so that a tower on the easiest of them cannot be reached past the other."""
    run = bench.run(catalogue.build('lohoravens/stack_same_size', 'test', 3), policy('oracle'))
    assert run.report.verdict is Verdict.SUCCESS
