"""The monitor has markers shown as their cues say, while an episode runs over ROS, and time goes on; what raises there ends the episode."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rclpy')

from running_bench import RunningBench

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.looks import Color, Look
from vlm_bench_sim.core.objects.stock import floating_marker
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.goals.logic import Not
from vlm_bench_tasks.goals.placing import Within

OK, TOKEN = 1, 'cued'
RED, GREEN, YELLOW = (Color(name, rgb) for name, rgb in (('red', (1.0, 0.0, 0.0)), ('green', (0.0, 1.0, 0.0)), ('yellow', (1.0, 1.0, 0.0))))
FIRST, SECOND = (floating_marker(name, RED, (0.45, y, 0.35), radius=0.08) for name, y in (('first', 0.2), ('second', -0.2)))
PICTURE = names.COLOR.camera('front')


@pytest.fixture(scope='module')
def bench(tmp_path_factory, module_domain):
    folder = tmp_path_factory.mktemp('logs')
    made = RunningBench(
        module_domain, folder, only=('sim_node', 'monitor_node'), cameras='vlmbench:front', width=64, height=64, camera_rate=20.0
    )
    made.client.listen(names.TICK, names.WORLD_STATE, names.REPORT, PICTURE, names.ROBOT_DESCRIPTION)
    try:
        made.wait(lambda: made.client.heard(names.ROBOT_DESCRIPTION), 'the simulator')  # it knows of the last topic, so of the pictures
        yield made
    finally:
        made.stop()


def hues(image) -> set[str]:
    r, g, b = np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3).astype(int).transpose(2, 0, 1)
    masks = {
        'red': r > 2 * np.maximum(g, b),
        'green': g > 2 * np.maximum(r, b),
        'yellow': (np.minimum(r, g) > 2 * b) & (abs(r - g) < 40),
    }
    return {hue for hue, mask in masks.items() if mask.sum() > 8}


def begin(bench, token, scene, episode):
    load = {'scene': codec.dumps(scene), 'token': token, 'participants': ['monitor_node']}
    bench.client.advertise(names.EPISODE_TRUTH)  # the monitor joins once it knows who describes the episodes
    bench.client.wait(lambda: bench.client.ask(names.LOAD_SCENE, load, again=True).result.result == OK, 'the monitor has joined')
    truth = {'token': token, 'task': episode.task, 'episode': codec.dumps(episode), 'judged_by': 'truth'}
    bench.client.say(names.EPISODE_TRUTH, truth)
    bench.token = token
    bench.wait(lambda: bench.ticks, 'the first tick')


def test_what_holds_is_done_and_what_does_not_is_next(bench):
    """The first goal holds from the start and the second never: after the first tick one marker is yellow and the other green."""
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0)
    looks = {'waiting': Look(RED), 'next': Look(GREEN), 'done': Look(YELLOW)}
    cues = (Cue('first', Not(episode.goal), **looks), Cue('second', episode.goal, **looks))
    scene = Scene((FIRST, SECOND, *episode.scene.props))
    begin(bench, TOKEN, scene, replace(episode, scene=scene, cues=cues))

    def shown():
        return [hues(image) for image in bench.client.heard(PICTURE)]

    bench.wait(lambda: {'red'} in shown(), 'them as in the scene, before the first tick was seen')
    bench.pass_time(0.02)
    assert len(bench.ticks) > 3, 'time went on while looks were changed'
    bench.wait(lambda: bench.client.heard(PICTURE)[-1].header.stamp == bench.ticks[-1].header.stamp, 'the newest picture')
    assert shown()[-1] == {'yellow', 'green'}, shown()
    assert 'cannot be shown' not in bench.log('monitor_node')


def test_a_cue_that_cannot_be_shown_is_a_fault_of_the_bench(bench):
    """The simulator lacks the marker: nothing can be said of a policy that was to see it."""
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0)
    scene = Scene((FIRST, *episode.scene.props))
    cue = Cue('first', episode.goal, waiting=Look(RED), next=Look(GREEN), done=Look(YELLOW))
    begin(bench, 'uncued', Scene(episode.scene.props), replace(episode, scene=scene, cues=(cue,)))
    report = bench.report()
    assert (report.verdict, report.seq) == (Verdict.UNOBSERVABLE.code, 0)
    assert report.causes[0].startswith('the cue first cannot be shown: ')


@pytest.mark.parametrize('where', ['goal', 'cue'])
def test_a_goal_that_raises_makes_the_episode_unobservable_and_costs_no_node(bench, where):
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0)
    faulty = Within(replace(episode.scene.props[0], kind='martian'), episode.scene.props[1])
    scene = Scene((FIRST, *episode.scene.props))
    cue = Cue('first', faulty, waiting=Look(RED), next=Look(GREEN), done=Look(YELLOW))
    begin(bench, f'faulty {where}', scene, replace(episode, scene=scene, **({'goal': faulty} if where == 'goal' else {'cues': (cue,)})))
    report = bench.report()
    assert (report.verdict, report.seq) == (Verdict.UNOBSERVABLE.code, 0)
    assert report.causes[0].startswith(f'the {"goal of a cue" if where == "cue" else "goal"} cannot be judged: SceneError: ')
    bench.check()
