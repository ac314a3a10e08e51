"""What a page is answered about a running bench."""

import asyncio
import json
from concurrent.futures import Future
from struct import unpack

import numpy as np
import pytest

pytest.importorskip('moderngl')

from test.dashboard.arm import Arm
from test.plays import bench, episode
from vlm_bench_sim.core.codes import EpisodeState
from vlm_bench_sim.core.errors import CommandError, VlmBenchError
from vlm_bench_sim.render.jpeg import pixels
from vlm_bench_tasks.dashboard import waiting, wire
from vlm_bench_tasks.dashboard import watching as watches
from vlm_bench_tasks.dashboard.access import Access
from vlm_bench_tasks.dashboard.answering import Answering
from vlm_bench_tasks.dashboard.driving import Driving
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.mission_desk import MissionDesk
from vlm_bench_tasks.dashboard.orbit import Orbit
from vlm_bench_tasks.dashboard.outfit import Outfit
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.starter import Starter
from vlm_bench_tasks.dashboard.studio import Studio
from vlm_bench_tasks.dashboard.watching import Watching

SIZE = {'width': 64, 'height': 48}


class Told:
    """A bench that says what it was asked."""

    def __init__(self, says=''):
        self.says, self.asked = says, []

    def begin(self, **asked):
        self.asked.append(asked)
        return self._answer()

    def halt(self):
        self.asked.append('halt')
        return self._answer()

    def _answer(self):
        answer = Future()
        if self.says is not None:
            answer.set_result(self.says)
        return answer


@pytest.fixture(scope='module')
def studio():
    made = Studio()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(waiting, 'PATIENCE_S', 0.3)
    monkeypatch.setattr(watches, 'BETWEEN_S', 0.02)


def watching(studio, live, told):
    driving, starter = Driving(live, Arm(live)), Starter(live, told, outfit=Outfit())
    desk = MissionDesk(live, starter, driving=driving, studio=studio)
    return Watching(live, starter, driving=driving, answering=Answering(live, None), missions=desk, studio=studio, access=Access())


def ask(desk, do, **fields):
    return asyncio.run(desk.answer(wire.read(json.dumps({'id': 1, 'do': do, **fields})), Page()))


def test_who_wants_another_view_does_not_wait_for_the_last_one(studio, monkeypatch):
    monkeypatch.setattr(waiting, 'PATIENCE_S', 60.0)
    live = laid()
    desk, page = watching(studio, live, Told()), Page()

    async def run():
        def see(number, **fields):
            return desk.answer(wire.read(json.dumps({'id': number, 'do': 'see', **SIZE, **fields})), page)

        first = await see(1)
        late = asyncio.create_task(see(2, since=unpack('<I', first[:4])[0]))
        await asyncio.sleep(0.1)
        assert not late.done()
        other = await see(3, orbit={'azimuth': 1.5})
        assert await asyncio.wait_for(late, 5) == {'shown': 1}
        assert other[4:] != first[4:]

    asyncio.run(run())


def laid():
    live, of = Live(), episode()
    world = bench().lay_out(of.scene, of.seeded_perturbation)
    live.laid('a', of.scene)
    live.episode('a', {'robot': 'panda'})
    live.moved('a', world.snapshot)
    return live


def test_the_tasks_that_can_be_begun_are_told(studio):
    told = ask(watching(studio, Live(), Told()), 'hello')
    pick = next(task for task in told['tasks'] if task['name'] == 'vlmbench/pick_place')
    assert told['live'] and pick == {
        'name': 'vlmbench/pick_place', 'robot': 'panda', 'axes': ['color', 'shape', 'size', 'relative'], 'splits': ['seen', 'unseen'],
        'prompts': ['words', 'pictures'],
    } | {'axes': pick['axes']}  # fmt: skip


def test_news_come_at_once_and_otherwise_after_a_while(studio):
    live = laid()
    desk = watching(studio, live, Told())
    assert ask(desk, 'watch')['version'] == live.version
    assert ask(desk, 'watch', since=live.version)['version'] == live.version

    async def later():
        waiting = asyncio.create_task(desk.answer(wire.read(json.dumps({'id': 1, 'do': 'watch', 'since': live.version})), Page()))
        await asyncio.sleep(0.01)
        live.status('a', EpisodeState.RUNNING, 7.0)
        return await waiting

    assert asyncio.run(later())['left'] == 7.0


def test_the_free_view_is_drawn_from_the_newest_state(studio):
    live = laid()
    desk = watching(studio, live, Told())
    answer = ask(desk, 'see', **SIZE)
    assert unpack('<I', answer[:4]) == (1,) and pixels(answer[4:]).shape == (48, 64, 3)
    assert ask(desk, 'see', since=1, **SIZE) == {'shown': 1}
    turned = ask(desk, 'see', orbit={'azimuth': 2.5}, **SIZE)
    assert np.abs(pixels(turned[4:]).astype(float) - pixels(answer[4:])).mean() > 5


def test_pictures_of_the_policy_are_passed_on_as_they_are(studio):
    live = Live()
    desk = watching(studio, live, Told())
    assert ask(desk, 'see', camera='front') == ask(desk, 'see') == {'shown': 0}
    live.picture('front', b'jpeg')
    assert ask(desk, 'see', camera='front') == b'\x01\x00\x00\x00jpeg'
    live.episode('a', {'robot': 'panda'})
    live.instruction('a', 'Take <image 1>.', (b'png',))
    assert ask(desk, 'image', number=1) == b'png'
    with pytest.raises(CommandError, match='no picture number 2'):
        ask(desk, 'image', number=2)


def test_episodes_are_begun_and_ended_as_asked(studio):
    told = Told()
    desk = watching(studio, Live(), told)
    ask(desk, 'begin', task='vlmbench/stack', seed=5, split='unseen', perturb='light=0.4')
    ask(desk, 'halt')
    begun, halted = told.asked
    assert (begun['task'], begun['seed'], begun['words']) == ('vlmbench/stack', 5, {'split': 'unseen', 'axis': '', 'prompt': ''})
    assert '0.4' in begun['perturbation'] and halted == 'halt'
    ask(desk, 'begin', task='vlmbench/stack')
    assert told.asked[-1]['perturbation'] == ''


def test_what_the_bench_refuses_is_said_in_its_words(studio, monkeypatch):
    with pytest.raises(CommandError, match='no such task'):
        ask(watching(studio, Live(), Told('There is no such task.')), 'begin', task='x')
    with pytest.raises(VlmBenchError, match='lihgt'):
        ask(watching(studio, Live(), Told()), 'begin', task='vlmbench/stack', perturb='lihgt=1')
    monkeypatch.setattr(waiting, 'ANSWER_S', 0.05)
    with pytest.raises(CommandError, match='has not answered'):
        ask(watching(studio, Live(), Told(None)), 'halt')


def test_a_window_of_bags_and_one_of_a_bench_answer_their_own_questions(studio):
    with pytest.raises(VlmBenchError, match='--bags'):
        ask(watching(studio, Live(), Told()), 'open', episode=0)


def test_a_place_in_the_free_view_is_one_on_the_table_or_on_a_thing(studio):
    live = laid()
    desk = watching(studio, live, Told())
    moment, _ = live.moment()
    name, body = next((name, body) for name, body in moment.state.bodies.items() if body.pose.position[2] < 0.1)
    camera = Orbit(target=(0.45, 0.0, 0.0), elevation=1.5).camera(480, 360)
    seen = camera.pose.inverse().apply([body.pose.position])[0]
    share = [0.5 + camera.focal * seen[i] / seen[2] / size for i, size in enumerate((480, 360))]
    where = {'orbit': {'target': [0.45, 0.0, 0.0], 'elevation': 1.5}}
    found = ask(desk, 'aim', **where, x=share[0], y=share[1])['position']
    assert np.hypot(*np.subtract(found, body.pose.position)[:2]) < 0.02 and found[2] > 0.002, name
    table = ask(desk, 'aim', orbit={'target': [0.75, 0.3, 0.0], 'elevation': 1.5, 'distance': 0.3}, x=0.5, y=0.5)['position']
    assert table == pytest.approx([0.75, 0.3, 0.0], abs=0.003)
    with pytest.raises(CommandError, match='nothing at this place'):
        ask(desk, 'aim', orbit={'elevation': -0.5, 'target': [0.45, 0.0, 3.0]}, x=0.5, y=0.1)


def test_who_drives_is_answered_by_the_arm(studio):
    live = Live()
    live.episode('a', {'robot': 'panda'})
    live.status('a', EpisodeState.RUNNING, 60.0)
    with pytest.raises(CommandError, match='does not drive'):
        ask(watching(studio, live, Told()), 'move')
