"""A cue changes what the simulator's cameras show, before the next period, and nothing of its state."""

import numpy as np
import pytest

pytest.importorskip('rclpy')

from running_bench import RunningBench

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Colour, Texture
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.stock import COLOURS, floating_marker
from vlm_bench_sim.ros import names

OK, FAILED = 1, 4
GREEN = Colour('green', (0.0, 1.0, 0.0))
MARKER = floating_marker('marker', Colour('red', (1.0, 0.0, 0.0)), (0.45, 0.0, 0.35), radius=0.1)
PICTURE = names.COLOR.camera('front')
ROWS = iter(names.CAMERA_NAMES[1:])


@pytest.fixture(scope='module')
def sim(tmp_path_factory, domain):
    made = RunningBench(domain, tmp_path_factory.mktemp('logs'), only=('sim_node',), cameras='vlmbench:front', width=64, height=64)
    made.client.listen(PICTURE, names.WORLD_STATE)
    answer = made.client.ask(names.LOAD_SCENE, {'scene': codec.dumps(Scene((MARKER,))), 'token': 'look'}, again=True)
    assert answer.result.result == OK, answer.result.error_message
    yield made
    made.stop()


def shades(sim) -> tuple[int, int]:
    """How many pixels of a fresh picture are rather red, and rather green."""
    sim.client.rest(0.3)
    sim.client.forget()
    sim.client.listen(next(ROWS).camera('front'))  # a newcomer is shown the world while it pauses, and so is everybody else
    sim.client.wait(lambda: sim.client.heard(PICTURE), 'a picture')
    image = sim.client.heard(PICTURE)[-1]
    r, g, b = np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3).astype(int).transpose(2, 0, 1)
    return int((r > 2 * np.maximum(g, b)).sum()), int((g > 2 * np.maximum(r, b)).sum())


def test_a_look_is_seen_in_the_next_picture_and_goes_with_the_scene(sim):
    red, green = shades(sim)
    assert red > 20 and green == 0
    answer = sim.client.ask(names.SET_LOOK, {'name': 'marker', 'colour': codec.dumps(GREEN)})
    assert answer.result.result == OK, answer.result.error_message
    red, green = shades(sim)
    assert red == 0 and green > 20
    striped = {'name': 'marker', 'texture': codec.dumps(Texture('stripe', COLOURS['white'], 0.05))}
    assert sim.client.ask(names.SET_LOOK, striped).result.result == OK
    assert 0 < shades(sim)[1] < green
    sim.client.ask(names.LOAD_SCENE, {'scene': codec.dumps(Scene((MARKER,))), 'token': 'look again'})
    assert shades(sim)[0] > 20


@pytest.mark.parametrize(
    ('asked', 'why'),
    [
        ({'name': 'markr'}, 'Did you mean marker'),
        ({'name': 'marker', 'colour': codec.dumps(Pose())}, 'JSON of a Colour'),
        ({'name': 'marker', 'colour': 'red'}, 'Expected JSON'),
    ],
    ids=['unknown', 'another value', 'no JSON'],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(sim, asked, why):
    answer = sim.client.ask(names.SET_LOOK, asked)
    assert answer.result.result == FAILED
    assert why in answer.result.error_message
