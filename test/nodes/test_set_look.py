"""A cue changes what the simulator's cameras show, before the next period, and nothing of its state."""

import json

import numpy as np
import pytest

pytest.importorskip('rclpy')

from running_bench import RunningBench

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color, Look, Texture
from vlm_bench_sim.core.objects.stock import COLORS, floating_marker
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.ros import names

OK, FAILED = 1, 4
GREEN = Look(Color('green', (0.0, 1.0, 0.0)))
STRIPED = Look(GREEN.color, Texture('stripe', COLORS['white'], 0.05))
MARKER = floating_marker('marker', Color('red', (1.0, 0.0, 0.0)), (0.45, 0.0, 0.35), radius=0.1)
PICTURE = names.COLOR.camera('front')


@pytest.fixture(scope='module')
def sim(tmp_path_factory, module_domain):
    made = RunningBench(module_domain, tmp_path_factory.mktemp('logs'), only=('sim_node',), cameras='vlmbench:front', width=64, height=64)
    made.client.ask(names.SIMULATOR_FEATURES, {}, again=True, seconds=60)
    load(made, 'look')
    yield made
    made.stop()


def show(sim, look):
    answer = sim.client.ask(names.SET_LOOK, {'name': 'marker', 'look': look}, again=True)
    assert answer.result.result == OK, answer.result.error_message


def load(sim, token):
    answer = sim.client.ask(names.LOAD_SCENE, {'scene': codec.dumps(Scene((MARKER,))), 'token': token}, again=True)
    assert answer.result.result == OK, answer.result.error_message


def shades(sim) -> tuple[int, int]:
    """How many pixels of a fresh picture are rather red, and rather green."""
    sim.client.listen(PICTURE)  # a newcomer is shown the world as it is while it pauses, and nothing that was sent before it came
    sim.client.wait(lambda: sim.client.heard(PICTURE), 'a picture')
    image = sim.client.heard(PICTURE)[-1]
    sim.client.deafen(PICTURE)
    r, g, b = np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3).astype(int).transpose(2, 0, 1)
    return int((r > 2 * np.maximum(g, b)).sum()), int((g > 2 * np.maximum(r, b)).sum())


def test_a_look_is_seen_in_the_next_picture_and_goes_with_the_scene(sim):
    red, green = shades(sim)
    assert red > 20 and green == 0
    show(sim, codec.dumps(GREEN))
    red, green = shades(sim)
    assert red == 0 and green > 20
    show(sim, codec.dumps(STRIPED))
    assert 0 < shades(sim)[1] < green
    show(sim, '')
    assert shades(sim) == (shades(sim)[0], 0), 'an empty look is that of the scene'
    show(sim, codec.dumps(GREEN))
    load(sim, 'look again')
    assert shades(sim)[0] > 20


def test_a_look_stays_when_the_scenery_changes(sim):
    pytest.importorskip('simulation_interfaces')
    load(sim, 'look on')
    show(sim, codec.dumps(GREEN))
    pose = {'pose': {'position': {'x': -0.3, 'y': 0.4, 'z': 0.1}, 'orientation': {'w': 1.0}}}
    # If it is asked again, there are two.
    asked = {'name': 'more', 'allow_renaming': True, 'entity_resource': {'uri': 'vlm_bench://cube'}, 'initial_pose': pose}
    assert sim.client.ask(names.SPAWN_ENTITY, asked, again=True).result.result == OK
    red, green = shades(sim)
    assert red == 0 and green > 20
    assert sim.client.ask(names.RESET_SIMULATION, {}, again=True).result.result == OK
    assert shades(sim)[1] > 20, 'the cue still says so'


@pytest.mark.parametrize(
    ('asked', 'why'),
    [
        ({'name': 'markr'}, 'Did you mean marker'),
        ({'name': 'marker', 'look': codec.dumps(Pose())}, 'that of a Pose'),
        ({'name': 'marker', 'look': 'red'}, 'cannot be read'),
        ({'name': 'marker', 'look': json.dumps(json.loads(codec.dumps(GREEN)) | {'color': 'red'})}, 'Look.color takes Color'),
    ],
    ids=['unknown', 'another value', 'no JSON', 'another type'],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(sim, asked, why):
    answer = sim.client.ask(names.SET_LOOK, asked, again=True)
    assert answer.result.result == FAILED
    assert why in answer.result.error_message
    load(sim, f'look {why}')
    assert shades(sim)[0] > 20, 'and nothing of it is shown later'
