"""Policies behind a websocket: what they are sent, how their answers are read, and what becomes of those that answer badly."""

import socket

import msgpack
import numpy as np
import pytest

from test.policy_server import STAYS, TRACEBACK, closes, running, silent
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Both, Joints
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.render.jpeg import pixels
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.actions import action_space
from vlm_bench_tasks.actions.rotations import rotation_vector
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.dataset.exports.cameras import intrinsics_numbers
from vlm_bench_tasks.dataset.exports.frames import Wish, frames
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.faults import PolicyFault
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.server_observations import IMAGE, PROMPT, STATE, WRIST_IMAGE, ServerObservations
from vlm_bench_tasks.evaluation.socket_player import Manners, SocketPlayer, read_rows
from vlm_bench_tasks.evaluation.wires.link import Address
from vlm_bench_tasks.evaluation.wires.websocket import Websocket
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policy import EpisodeContext, Observation
from vlm_bench_tasks.run import Bench

TASK = 'vlmbench/pick_place'
ANSWERS = {
    'stays': (STAYS, 'time_limit'),
    'fails': (TRACEBACK, 'policy_raised: Its server reports: RuntimeError: out of memory'),
    'closes': (closes, 'policy_closed: Its server closed the connection.'),
    'silent': (silent, 'policy_timeout: Its server gave no answer in 2 s.'),
    'nan': (np.full((4, 7), np.nan), 'policy_not_finite: The actions of its server hold NaN'),
    'short': (np.zeros((4, 6)), 'policy_wrong_shape: delta_pose takes rows of 7 numbers for panda; found an array of shape (4, 6).'),
    'words': (wire.pack({'actions': 'up'}), 'policy_wrong_type: Its actions are not rows of numbers'),
    'garbage': (b'\xc1\xc1', 'policy_wrong_type: The answer of its server is not msgpack'),
    'absent': (wire.pack({'poses': [1, 2]}), 'policy_wrong_type: Its server answered'),
}


def instruction(seed):
    return catalogue.build(TASK, 'seen', seed, 'color').instruction.text


def asked(server, seeds, **more):
    return Asked(server.address, TASK, seeds, axis='color', cameras='vlmbench:front,wrist', size='32x24', answer_seconds=2.0, **more)


def test_bad_answers_of_a_server_are_failures_of_their_episodes_alone(tmp_path):
    moods = {mood: answer for mood, answer in ANSWERS.items() if mood != 'stays'}
    with running({instruction(seed): answer for seed, (answer, _) in enumerate(moods.values())}) as server:
        report = evaluated(planned(asked(server, range(len(moods)))), tmp_path / 'report.json', processes=1)
        assert server.connections == len(moods) + 1  # each episode has one of its own, and one asked whether there is a server
    for episode, (_, cause) in zip(report.episodes, moods.values(), strict=True):
        assert episode.verdict == 'failure'
        assert episode.causes[0].startswith(cause)
    assert report.overall.unobservable == 0
    assert report.isolation == 'process'
    assert report.options == {'wire': 'openpi', 'action': 'delta_pose', 'rows': 'all', 'observation': 'openpi'}


@pytest.fixture(scope='module')
def bench():
    bench = Bench('panda', 'vlmbench:front,wrist', width=32, height=24)
    yield bench
    bench.close()


@pytest.fixture
def context(bench):
    return EpisodeContext('Pick it up.', bench.profile, cameras={camera.name: camera.calibration for camera in bench.cameras})


def seen(bench):
    """What a policy sees of a scene at its start."""
    now = bench.world.load(catalogue.build(TASK, 'seen', 0, 'color').scene)
    bench.renderer.load(catalogue.build(TASK, 'seen', 0, 'color').scene)
    return Observation(0.0, now.joints, now.tool, now.opening, pictures=bench.pictures(now), camera_poses=bench.camera_poses(now))


def player(bench, server, **more):
    told = ServerObservations('openpi', bench.cameras, lambda: bench.world.snapshot.opening)
    return SocketPlayer(Manners(server.address, **({'action': 'delta_pose', 'seconds': 5.0} | more)), told, kinematics=bench.kinematics)


def test_a_server_is_sent_pictures_state_and_prompt_and_its_rows_are_used_up_before_it_is_asked_again(bench, context):
    observation = seen(bench)
    with running() as server:
        playing = player(bench, server)
        playing.reset(context)
        commands = [playing.act(observation) for _ in range(5)]
        playing.close()
    assert len(server.asked) == 2  # four rows, and one of the next four
    told = server.asked[0]
    cameras = {f'{what}.{view}' for what in ('intrinsics', 'camera_pose') for view in ('image', 'wrist_image')}
    assert set(told) == {IMAGE, WRIST_IMAGE, STATE, PROMPT} | cameras
    by_view = {'image': 'front', 'wrist_image': 'wrist'}
    for view, name in by_view.items():
        assert told[f'camera_pose.{view}'] == pytest.approx(pose_numbers(observation.camera_poses[name]), abs=1e-6)
        matrix = context.cameras[name].intrinsics
        assert told[f'intrinsics.{view}'] == pytest.approx([matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2]])
    assert told[PROMPT] == 'Pick it up.'
    assert told[IMAGE].shape == told[WRIST_IMAGE].shape == (24, 32, 3)
    assert told[IMAGE].dtype == np.uint8
    assert (told[IMAGE] == observation.pictures['front'].color).all()
    assert (told[WRIST_IMAGE] == observation.pictures['wrist'].color).all()
    assert told[STATE].dtype == np.float32
    assert told[STATE] == pytest.approx([*observation.tool.position, *rotation_vector(observation.tool), 0.04, -0.04], abs=1e-3)
    assert all(isinstance(command, Both) and isinstance(command.arm, Joints) for command in commands)


def test_no_more_rows_of_an_answer_are_carried_out_than_was_said(bench, context):
    observation = seen(bench)
    with running() as server:
        playing = player(bench, server, rows=2)
        playing.reset(context)
        for _ in range(5):
            playing.act(observation)
        playing.close()
    assert len(server.asked) == 3


def test_a_server_that_answers_no_ping_while_it_thinks_is_waited_for():
    with running() as server:
        link = Websocket(Address(server.address, 5.0, {}))
        assert link.connection.ping_interval is None  # else its keepalive hangs up after 40 s, whatever --answer-timeout is
        link.close()
    assert server.connections == 1


def test_where_there_is_no_server_or_no_camera_it_was_asked_for_wrongly():
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        nobody = f'ws://127.0.0.1:{free.getsockname()[1]}'
    with pytest.raises(ConfigError, match='does not answer: policy_closed: No policy server accepted the connection'):
        planned(Asked(nobody, TASK, range(1), cameras='vlmbench:front', answer_seconds=2.0))
    with pytest.raises(ConfigError, match='needs pictures'):
        planned(Asked(nobody, TASK, range(1)))
    with pytest.raises(ConfigError, match='is not the address'):
        planned(Asked('ws://', TASK, range(1), cameras='vlmbench:front'))
    with pytest.raises(ConfigError, match='Did you mean delta_pose'):
        planned(Asked(nobody, TASK, range(1), cameras='vlmbench:front', action='delta_poses'))
    with pytest.raises(ConfigError, match='returns commands'):
        planned(Asked('still', TASK, range(1), action='delta_pose'))


def test_arrays_and_numbers_travel_as_openpi_writes_them():
    told = {'a': np.arange(6, dtype=np.float32).reshape(2, 3), 'b': np.float32(0.5), 'c': ['x', None, True], 'd': np.zeros((0, 7))}
    back = wire.unpack(wire.pack(told))
    assert (back['a'] == told['a']).all()
    assert back['a'].dtype == np.float32
    assert (back['b'], type(back['b'])) == (0.5, np.float32)
    assert back['c'] == told['c']
    assert back['d'].shape == (0, 7)
    raw = msgpack.unpackb(wire.pack(np.array([1, 2], dtype='<i4')))
    assert raw == {b'__ndarray__': True, b'data': b'\x01\0\0\0\x02\0\0\0', b'dtype': '<i4', b'shape': [2]}


@pytest.mark.parametrize(
    'array',
    [
        {b'__ndarray__': True, b'data': b'12345678', b'dtype': '|O', b'shape': [1]},
        {b'__ndarray__': True, b'data': b'12345678', b'dtype': '<f8', b'shape': [2]},
        {b'__ndarray__': True, b'data': b'123', b'dtype': '<f8', b'shape': [1]},
        {b'__ndarray__': True, b'data': b'12345678', b'dtype': 'nonsense', b'shape': [1]},
        {b'__ndarray__': True, b'data': b'12345678', b'dtype': '<f8', b'shape': [-1]},
        {b'__ndarray__': True, b'data': b'', b'dtype': '<f8', b'shape': [-1, 0]},
        {b'__ndarray__': True, b'data': b'12345678', b'dtype': '<f8', b'shape': 1},
        {b'__ndarray__': True, b'dtype': '<f8'},
        {b'__npgeneric__': True, b'data': 1, b'dtype': '|V8'},
    ],
)
def test_arrays_that_are_not_what_they_say_are_refused(array):
    with pytest.raises(ValueError):
        wire.unpack(msgpack.packb(array))
    with pytest.raises(TypeError):
        wire.pack(np.array([object()]))


@pytest.mark.parametrize(
    ('robot', 'action', 'fps'),
    [
        pytest.param('panda', 'joints', 10, marks=pytest.mark.slow),
        pytest.param('ur5e', 'pose', 10, marks=pytest.mark.slow),
    ],
)
def test_what_an_export_writes_as_action_solves_its_episode_again(tmp_path, robot, action, fps):
    bench, episode = Bench(robot), catalogue.build(TASK, 'seen', 0, 'color')
    recorder = Recorder(bench, episode, folder=tmp_path)
    bag = recorder.close(bench.run(episode, policy('oracle'), recorder).report)
    rows = frames(bag, Wish(fps=fps, action=action)).columns['action']
    with running({episode.instruction.text: rows}) as server:
        playing = player(bench, server, action=action)
        report = bench.run(episode, playing).report
        playing.close()
    bench.close()
    assert report.verdict is Verdict.SUCCESS


@pytest.mark.parametrize('actions', ['up', [[0.0] * 6], [], np.zeros((2, 2, 7)), None, {'a': 1}, [['0.1'] * 7], True, [[0.0], [0.0, 1.0]]])
def test_what_are_no_rows_is_a_fault(bench, actions):
    with pytest.raises(PolicyFault, match=r'policy_wrong_(shape|type)'):
        read_rows(actions, action_space('delta_pose'), bench.profile)
    assert read_rows([0.0] * 7, action_space('delta_pose'), bench.profile).shape == (1, 7)


def test_a_server_can_be_sent_exactly_what_an_export_of_the_bag_holds(tmp_path):
    """Row by row: state, tool, and where each camera stands; pictures but for the jpeg that a bag holds."""
    asked_for = {'action': 'joints', 'rows': 1, 'observation': 'export', 'record': str(tmp_path / 'bags')}

    def moves(connection, server):
        rows = np.array([0.1, -0.5, 0.2, -2.0, 0.1, 1.8, 0.7, 0.02])
        connection.send(TRACEBACK if len(server.asked) > 50 else wire.pack({'actions': rows}))  # fails at last, so the episode is short

    with running({instruction(3): moves}) as server:
        plan = planned(asked(server, range(3, 4), perturb=('camera_position=0.02',), **asked_for))
        found = evaluated(plan, tmp_path / 'report.json', processes=1)
    assert found.options == {'wire': 'openpi', 'action': 'joints', 'rows': '1', 'observation': 'export'}
    exported = frames(tmp_path / 'bags' / found.circumstances.bags[0], Wish(fps=20))
    names = ('observation.state', 'tool_pose', 'camera_pose.front', 'camera_pose.wrist')
    count = min(len(exported), len(server.asked), 40)
    assert count == 40
    for name in names:
        every = 2 if name.startswith('camera') else 1  # a bag holds a picture every other control period, and where it was taken from
        assert [told[name].tolist() for told in server.asked[:count:every]] == exported.columns[name][:count:every].tolist(), name
    for camera in ('front', 'wrist'):
        told = server.asked[0][f'intrinsics.{camera}']
        assert told.tolist() == intrinsics_numbers(exported.intrinsics[camera]).tolist()
        shown = [pixels(exported.pictures[camera][0]), server.asked[0][f'observation.images.{camera}']]
        assert np.abs(shown[0].astype(int) - shown[1]).mean() < 8.0
    assert server.asked[0]['task'] == exported.about['instruction']
    more = {f'{word}.{camera}' for word in ('observation.images', 'intrinsics') for camera in ('front', 'wrist')}
    assert set(server.asked[0]) == {*names, 'task'} | more
