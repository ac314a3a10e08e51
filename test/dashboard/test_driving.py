"""Who may drive, what the arm is sent, and when it stops."""

import asyncio
import json

import numpy as np
import pytest

from test.dashboard.arm import TOOL, Arm
from vlm_bench_sim.core.codes import EpisodeState
from vlm_bench_sim.core.errors import CommandError, VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.operator import Operator, told
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.dashboard import driving as drives
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.driving import FASTEST, FASTEST_TURN, FINE, Driving
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.page import Page
from vlm_bench_tasks.dashboard.question import Question
from vlm_bench_tasks.dataset.reel import Moment


class Desk:
    """What pages ask, each in an event loop that is over before the next."""

    def __init__(self):
        self.live = Live()
        self.live.episode('a', {'robot': 'panda'})
        self.live.status('a', EpisodeState.RUNNING, 60.0)
        self.live.moment = lambda: (Moment(Snapshot(0, 0, {}, TOOL, 0.0), Scene(()), {}), 'panda')  # a bench that shows its truth
        self.arm = Arm(self.live)
        self.driving = Driving(self.live, self.arm)
        self.page = Page()

    def ask(self, do, page=None, **fields):
        ask = wire.read(json.dumps({'id': 1, 'do': do, **fields}))

        async def run():
            return await self.driving.answer(ask, page or self.page)

        return asyncio.run(run())


@pytest.fixture
def desk():
    made = Desk()
    made.ask('take', operator='anna')
    return made


def test_speeds_are_shares_of_what_a_person_may_stand_beside(desk):
    found = desk.ask('move', linear=[1, 0, 0], angular=[0, 0, -1])['tool']['position']
    assert found[0] == pytest.approx(TOOL.position[0] + FASTEST * PERIOD_S)
    desk.ask('move', linear=[1, 1, 1], angular=[1, 1, 1])
    desk.ask('move', linear=[1, 1, 1], fine=True)
    sent = [(np.linalg.norm(linear), np.linalg.norm(angular)) for linear, angular in desk.arm.sent]
    assert np.allclose(sent, [(FASTEST, FASTEST_TURN), (FASTEST, FASTEST_TURN), (FINE * FASTEST, 0)])


@pytest.mark.parametrize('wrong', [{'linear': [2, 0, 0]}, {'linear': [0, 0]}, {'angular': ['x', 0, 0]}, {'by': 'thought'}, {'speed': 1}])
def test_nothing_beyond_that_can_be_said(desk, wrong):
    with pytest.raises(CommandError, match='The page asked for what is not known'):
        desk.ask('move', **wrong)
    with pytest.raises(CommandError):
        wire.read('{"id": 1, "do": "move", "linear": [NaN, 0, 0]}')


def test_the_tool_nears_a_pose_evenly_and_arrives(desk):
    target = Pose.from_rpy((0.35, 0.2, 0.25), (np.pi, 0.3, 0.0))
    wanted = {'position': list(target.position), 'orientation': list(target.orientation)}
    for _ in range(100):
        found = desk.ask('reach', **wanted)
        if found['there']:
            break
    tool = desk.live.tool[1]
    assert found['there'] and tool.distance(target) < 0.001 and tool.angle(target) < 0.01
    speeds = [np.linalg.norm(linear) for linear, _ in desk.arm.sent]
    assert max(speeds) <= FASTEST * 1.0001 and speeds[-1] < 0.01 and len(speeds) < 60
    assert desk.arm.told[-1][0].devices == ('keyboard',)


def test_one_page_drives_at_a_time(desk):
    other = Page()
    with pytest.raises(CommandError, match='does not drive'):
        desk.ask('move', other, linear=[1, 0, 0])
    with pytest.raises(CommandError, match='Another page drives'):
        desk.ask('take', other)
    desk.page.leave()
    assert desk.arm.sent == ['hold']
    desk.ask('take', other, operator='bert')
    with pytest.raises(CommandError, match='does not drive'):
        desk.ask('alive')
    desk.ask('leave', other)
    desk.ask('take')


def test_who_started_the_window_stops_guests_and_takes_the_arm_from_them(desk):
    desk.page.leave()
    guest, watcher = Page('drive'), Page('drive')
    desk.ask('take', guest, operator='bert')
    desk.arm.sent.clear()
    with pytest.raises(CommandError, match='does not drive'):
        desk.ask('hold', watcher)
    assert desk.ask('hold') == {} and desk.arm.sent == ['hold']
    with pytest.raises(CommandError, match='Another page drives'):
        desk.ask('take', watcher)
    assert desk.ask('take') == {}
    with pytest.raises(CommandError, match='Another page drives'):
        desk.ask('take', guest)


def test_the_first_command_waits_until_somebody_hears_it(desk):
    desk.arm.hears = False

    async def run():
        moving = asyncio.create_task(desk.driving.answer(wire.Move(id=1, do='move', linear=(1.0, 0.0, 0.0)), desk.page))
        await asyncio.sleep(0.1)
        assert not [sent for sent in desk.arm.sent if sent != 'hold']
        desk.arm.hears = True
        await asyncio.wait_for(moving, 5)

    asyncio.run(run())
    assert len(desk.arm.sent) == 1


def test_while_the_bench_asks_a_person_the_arm_rests(desk):
    desk.live.asked(Question(id='1', kind='judge', text='Is it true?'))
    desk.arm.sent.clear()
    for do, fields in (('move', {}), ('grasp', {'closed': False}), ('go', {'position': [0, 0, 0.3], 'orientation': [1, 0, 0, 0]})):
        with pytest.raises(CommandError, match='The arm rests'):
            desk.ask(do, **fields)
    assert desk.arm.sent == []
    desk.live.withdrawn('1')
    desk.ask('move')


def test_a_planned_motion_stops_when_the_bench_asks_a_person(desk, monkeypatch):
    monkeypatch.setattr(drives, 'DEAD_S', 5.0)
    desk.arm.answer = None
    going = wire.Go(id=1, do='go', position=(0.4, 0.0, 0.3), orientation=(1.0, 0.0, 0.0, 0.0))

    async def run():
        moving = asyncio.create_task(desk.driving.answer(going, desk.page))
        await asyncio.sleep(0)
        desk.live.asked(Question(id='1', kind='judge', text='Is it true?'))
        with pytest.raises(CommandError, match='The arm rests'):
            await asyncio.wait_for(moving, 10)

    desk.arm.sent.clear()
    asyncio.run(run())
    assert desk.arm.sent[-1] == 'hold' and len(desk.arm.sent) == 2


def test_a_page_that_is_silent_loses_the_arm_to_the_next(desk, monkeypatch):
    monkeypatch.setattr(drives, 'GONE_S', -1.0)
    desk.ask('take', Page())
    desk.page.leave()
    assert 'hold' not in desk.arm.sent, 'who has lost the arm stops nobody'


def test_a_planned_motion_stops_if_the_page_falls_silent(desk, monkeypatch):
    monkeypatch.setattr(drives, 'DEAD_S', 0.05)
    desk.arm.answer = None
    with pytest.raises(CommandError, match='was silent'):
        desk.ask('go', position=[0.4, 0, 0.3], orientation=[1, 0, 0, 0])
    assert desk.arm.sent[-1] == 'hold'


@pytest.mark.parametrize('do', [{'do': 'go', 'position': [0.4, 0, 0.3], 'orientation': [1, 0, 0, 0]}, {'do': 'grasp', 'closed': True}])
def test_what_the_robot_says_is_passed_on(desk, do):
    assert desk.ask(**do)['tool']['position'] == list(TOOL.position)
    desk.arm.answer = 'There is no way.'
    with pytest.raises(VlmBenchError, match='There is no way'):
        desk.ask(**do)
    assert desk.arm.sent[0] in (True, Pose.of((0.4, 0, 0.3), (1, 0, 0, 0)))


def test_the_bench_is_told_who_drives_with_what_and_again_while_somebody_is_there(desk, monkeypatch):
    assert desk.arm.told == [(Operator('anna'), 'a')]
    desk.ask('move', linear=[1, 0, 0])
    desk.ask('move', linear=[1, 0, 0])
    desk.ask('alive')
    desk.ask('move', linear=[1, 0, 0], by='gamepad')
    both = Operator('anna', ('gamepad', 'keyboard'))
    assert [by for by, _ in desk.arm.told] == [Operator('anna'), Operator('anna', ('keyboard',)), both]
    monkeypatch.setattr(drives, 'AGAIN_S', -1.0)
    desk.ask('alive')
    assert desk.arm.told[3:] == [(both, 'a')]
    desk.live.episode('b', {'robot': 'panda'})
    desk.ask('alive')
    assert desk.arm.told[-1] == (Operator('anna'), 'b')


def test_who_takes_the_arm_again_has_still_used_what_was_used(desk):
    desk.ask('move', linear=[1, 0, 0], by='gamepad')
    desk.ask('leave')
    desk.ask('take', operator='anna')
    assert desk.arm.told[-1][0] == Operator('anna', ('gamepad',))
    desk.ask('take', operator='bert')
    assert desk.arm.told[-1][0] == Operator('bert')


def test_of_a_bench_that_hides_its_truth_nobody_is_told_who_drives():
    desk = Desk()
    desk.live.moment = lambda: None
    desk.ask('take', operator='anna')
    desk.ask('move', linear=[1, 0, 0])
    assert desk.arm.told == [] and len(desk.arm.sent) == 1


def test_a_command_that_waits_is_not_sent_once_it_was_stopped(desk):
    """A command comes no sooner than a period after the last one."""
    desk.ask('move', linear=[1, 0, 0])

    async def run():
        second = asyncio.create_task(desk.driving.answer(wire.Move(id=2, do='move', linear=(1.0, 0.0, 0.0)), desk.page))
        await asyncio.sleep(0)
        await desk.driving.answer(wire.Hold(id=3, do='hold'), desk.page)
        with pytest.raises(CommandError, match='was stopped'):
            await second

    asyncio.run(run())
    assert len(desk.arm.sent) == 2 and desk.arm.sent[-1] == 'hold'


def test_who_begins_anew_first_lets_the_arm_come_to_rest(desk, monkeypatch):
    """Time was stopped in the middle of the motion, and the arm would go on in the old direction."""
    desk.arm.inertia = 0.5
    for _ in range(5):
        desk.ask('move', linear=[1, 0, 0])
    desk.ask('grasp', closed=True)
    *moves, grasp = desk.arm.sent
    braking = moves[5:]
    assert grasp is True and 3 <= len(braking) <= 20 and all(linear == (0, 0, 0) for linear, _ in braking)
    desk.ask('move', linear=[1, 0, 0])
    desk.ask('move', linear=[0, 1, 0])
    assert [linear[1] > 0 for linear, _ in desk.arm.sent[-2:]] == [False, True], 'who goes on does not wait'
    monkeypatch.setattr(drives, 'PAUSE_S', -1.0)
    before = len(desk.arm.sent)
    desk.ask('move', linear=[0, 1, 0])
    assert len(desk.arm.sent) > before + 2


def test_a_robot_that_does_not_follow_is_told(desk, monkeypatch):
    monkeypatch.setattr(drives, 'FOLLOWED_S', 0.05)
    desk.arm.follows = False
    with pytest.raises(CommandError, match='has not moved'):
        desk.ask('move', linear=[1, 0, 0])


def test_a_planned_motion_that_does_not_end_when_it_is_stopped_is_given_up(desk, monkeypatch):
    monkeypatch.setattr(drives, 'STOPPED_S', 0.05)
    desk.arm.answer = None

    async def run():
        going = wire.Go(id=2, do='go', position=(0.4, 0.0, 0.3), orientation=(1.0, 0.0, 0.0, 0.0))
        motion = asyncio.create_task(desk.driving.answer(going, desk.page))
        await asyncio.sleep(0.01)
        await desk.driving.answer(wire.Hold(id=3, do='hold'), desk.page)
        with pytest.raises(CommandError, match='was stopped'):
            await motion

    asyncio.run(run())


def test_a_hand_that_does_not_answer_is_told(desk, monkeypatch):
    monkeypatch.setattr(drives, 'GRASPED_S', 0.05)
    desk.arm.answer = None
    with pytest.raises(CommandError, match='hand has not answered'):
        desk.ask('grasp', closed=True)


def test_outside_an_episode_nothing_moves(desk):
    desk.live.status('a', EpisodeState.ENDED, 0.0)
    with pytest.raises(CommandError, match='No episode is running'):
        desk.ask('move', linear=[1, 0, 0])
    assert desk.arm.sent == []


def test_a_window_that_could_not_name_the_driver_lets_nobody_drive():
    desk = Desk()
    desk.arm.refusal = 'This window has no key.'
    with pytest.raises(CommandError, match='has no key'):
        desk.ask('take')


def test_a_pose_towards_which_nobody_knows_the_way_is_refused():
    desk = Desk()
    desk.live._tool = None
    desk.ask('take')
    with pytest.raises(CommandError, match='has not said where its tool is'):
        desk.ask('reach', position=[0, 0, 0], orientation=[0, 0, 0, 1])
    with pytest.raises(CommandError, match='quaternion other than zero'):
        desk.ask('reach', position=[0, 0, 0], orientation=[0, 0, 0, 0])


@pytest.mark.parametrize(
    'wrong', [{'name': 'a\nb'}, {'name': '<b>'}, {'name': 'x' * 61}, {'devices': ('foot',)}, {'attempt': -1}, {'attempt': True}]
)
def test_an_operator_that_no_bag_could_name_is_refused(wrong):
    with pytest.raises(CommandError, match=r'operator|attempt'):
        Operator(**wrong)


def test_a_bag_is_told_the_mission_if_there_is_one():
    assert told([]) == {}
    assert told([Operator('anna', ('keyboard', 'gamepad'))]) == {'operator': 'anna', 'devices': 'gamepad keyboard'}
    said = told([Operator('anna', ('keyboard',)), Operator('', ('handle',), 'shelf', 2)])
    assert said == {'operator': 'anna, ', 'devices': 'handle keyboard', 'mission': 'shelf', 'attempt': '2'}
