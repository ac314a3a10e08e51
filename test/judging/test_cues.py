"""Cues change what markers look like, in order, from the period after the one that decided; never the physics."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

pytest.importorskip('moderngl')

from test.films import Flag, flags
from test.plays import Scripted, episode
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.errors import SceneError, TaskError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color, Look, Texture
from vlm_bench_sim.core.objects.stock import COLORS, block, floating_marker
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Task
from vlm_bench_tasks.goals.base import Leaf
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.judging.cues import Markers
from vlm_bench_tasks.run import Bench

RED, GREEN, YELLOW = (Look(Color(name, rgb)) for name, rgb in (('red', (1, 0, 0)), ('green', (0, 1, 0)), ('yellow', (1, 1, 0))))
FIRST, SECOND = (floating_marker(name, RED.color, (0.5, y, 0.3), radius=0.06) for name, y in (('first', 0.15), ('second', -0.15)))


@dataclass(frozen=True)
class From(Leaf):
    """Holds from a control period on."""

    seq: int

    def holds(self, now, start):
        return now.seq >= self.seq

    def distance(self, now, start):
        return 0.0

    def words(self):
        return f'from {self.seq}'

    def props(self):
        return ()


def cue(marker: str, goal: Leaf) -> Cue:
    return Cue(marker, goal, waiting=RED, next=GREEN, done=YELLOW)


def test_markers_wait_are_next_and_done_in_order_and_only_changes_are_told():
    markers = Markers((cue('m', Flag('a')), cue('n', Flag('b'))))
    told = [markers.see(now) for now in flags('', 'b', 'a', '', 'b', 'ab')]
    assert told == [{'m': GREEN, 'n': RED}, {}, {'m': YELLOW, 'n': GREEN}, {}, {'n': YELLOW}, {}]


def test_without_cues_nothing_is_told():
    assert Markers(()).see(flags('')[0]) == {}


def test_what_was_done_stays_done():
    markers = Markers((cue('m', Flag('a')),))
    assert [markers.see(now) for now in flags('a', '', 'a')] == [{'m': YELLOW}, {}, {}]


def middle(picture, camera: Camera, at) -> tuple[int, int, int]:
    x, y, z = camera.pose.inverse().apply([at])[0]
    u, v = (round(camera.width / 2 + value / z * camera.width / 2 / np.tan(camera.fov / 2)) for value in (x, y))
    return tuple(picture.color[v, u].tolist())


def hue(rgb) -> str:
    r, g, b = rgb
    return 'yellow' if min(r, g) > 1.6 * b and abs(r - g) < 60 else 'red' if r > g else 'green'


def test_a_run_shows_them_with_the_next_period_and_hashes_do_not_know():
    bench = Bench(cameras='vlmbench:front')
    camera = bench.cameras[0]
    plain = replace(episode(), scene=Scene((FIRST, SECOND, *episode().scene.props)), horizon=1.0)
    cued = replace(plain, cues=(cue('first', From(3)), cue('second', From(6))))
    waits = [Wait(0.05)] * 10
    runs = {}
    for one in (plain, cued):
        policy = Scripted(*waits)
        run = bench.run(one, policy)
        shown = [observation.pictures[camera.name] for observation in policy.seen]
        runs[bool(one.cues)] = (run, [tuple(hue(middle(picture, camera, m.pose.position)) for m in (FIRST, SECOND)) for picture in shown])
    bench.close()
    assert runs[True][0].hashes == runs[False][0].hashes
    assert set(runs[False][1]) == {('red', 'red')}
    hues = runs[True][1]
    assert hues[0] == ('red', 'red')
    assert hues[1:4] == [('green', 'red')] * 3
    assert hues[4:7] == [('yellow', 'green')] * 3
    assert hues[7:10] == [('yellow', 'yellow')] * 3


@pytest.fixture(scope='module')
def renderer():
    made = Renderer(robot('panda'))
    yield made
    made.close()


def test_another_look_changes_color_and_neither_depth_nor_ids(renderer):
    thing = replace(block('b', COLORS['red']), pose=Pose((0.5, 0.0, 0.02)))
    camera = Camera('c', Pose.look_at((0.3, -0.2, 0.3), (0.5, 0.0, 0.02)), fov=0.5, width=64, height=64)
    renderer.load(Scene((thing,)))
    before = renderer.render(camera, {'b': thing.pose}, {})
    renderer.dress({'b': Look(COLORS['blue'], Texture('stripe', COLORS['white']))})
    after = renderer.render(camera, {'b': thing.pose}, {})
    assert (before.ids == after.ids).all() and (before.depth == after.depth).all()
    changed = (before.color != after.color).any(axis=2)
    assert changed.any() and (after.ids[changed] == 3).all()
    renderer.load(Scene((thing,)))
    assert (renderer.render(camera, {'b': thing.pose}, {}).color == before.color).all()


def test_what_is_not_there_cannot_be_dressed(renderer):
    renderer.load(Scene((replace(block('b', COLORS['red']), pose=Pose((0.5, 0.0, 0.02))),)))
    with pytest.raises(SceneError, match="no prop called 'c'"):
        renderer.dress({'c': RED})
    fresh = Renderer(robot('panda'))
    with pytest.raises(WorldError, match='holds no scene'):
        fresh.dress({'b': RED})
    fresh.close()


def with_cue(name: str):
    return replace(episode(), cues=(Cue(name, episode().goal, RED, GREEN, YELLOW),))


def test_an_episode_with_cues_survives_json_and_one_without_their_marker_is_refused():
    cued = with_cue(episode().scene.props[0].name)
    assert loads(dumps(cued)) == cued
    with pytest.raises(SceneError, match="no prop called 'm'"):
        with_cue('m')


def test_a_task_with_cues_says_that_it_needs_them():
    made_by = Task(lambda _draw: with_cue(episode().scene.props[0].name), axes=('color',), horizon=60.0)
    with pytest.raises(TaskError, match=r"needs=\('cues',\)"):
        catalogue.episode(made_by, 'vlmbench/cued', 'seen', 0)
    assert catalogue.episode(replace(made_by, needs=('cues',)), 'vlmbench/cued', 'seen', 0).cues
