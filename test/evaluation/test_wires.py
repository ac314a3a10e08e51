"""Policy servers of other projects: each is asked as it documents, and what it answers is actions or one fault."""

import io
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.server import ServerProtocol

from test.fuzz import tries
from test.policy_wires import CLOSES, GARBAGE, OBJECTS, PICKLE, REPORTS, SILENT, WIRES, running
from vlm_bench_sim.core.command import Both
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.actions.spaces import pose_numbers
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.faults import CLOSED, NOT_FINITE, RAISED, SHAPE, TYPE, PolicyFault
from vlm_bench_tasks.evaluation.faults import SILENT as LATE
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.server_observations import ServerObservations
from vlm_bench_tasks.evaluation.socket_player import Manners, SocketPlayer
from vlm_bench_tasks.evaluation.wires import gr00t, openvla_oft, vla_eval, websocket
from vlm_bench_tasks.evaluation.wires.link import TOKEN, Address
from vlm_bench_tasks.evaluation.wires.registry import wire_for
from vlm_bench_tasks.policy import EpisodeContext, Observation
from vlm_bench_tasks.run import Bench

TASK, TEXT = 'vlmbench/pick_place', 'Pick it up.'


@pytest.fixture(scope='module')
def bench():
    bench = Bench('panda', 'vlmbench:front,overhead,wrist', width=32, height=24)
    scene = catalogue.build(TASK, 'seen', 0, 'color').scene
    bench.world.load(scene)
    bench.renderer.load(scene)
    yield bench
    bench.close()


@pytest.fixture(scope='module')
def seen(bench):
    now = bench.world.snapshot
    return Observation(0.0, now.joints, now.tool, now.opening, pictures=bench.pictures(now), camera_poses=bench.camera_poses(now))


def player(bench, server, wire, form='openpi', **more):
    manners = Manners(server.address, action='delta_pose', wire=wire, **({'seconds': 5.0} | more))
    return SocketPlayer(manners, ServerObservations(form, bench.cameras, lambda: 0.05), kinematics=bench.kinematics)


def context(bench):
    return EpisodeContext(TEXT, bench.profile, cameras={camera.name: camera.calibration for camera in bench.cameras})


def asked(bench, seen, server, wire, *, times=1, **more):
    """What a server was sent, and the commands from its answers."""
    playing = player(bench, server, wire, **more)
    with closing(playing):
        playing.reset(context(bench))
        return server.asked, [playing.act(seen) for _ in range(times)]


@pytest.mark.parametrize('wire', WIRES)
def test_rows_become_commands_and_are_used_up_before_the_server_is_asked_again(bench, seen, wire):
    with running(wire) as server:
        told, commands = asked(bench, seen, server, wire, times=5)
    assert len(told) == 2  # four rows, and one of the next four
    assert all(isinstance(command, Both) for command in commands)


def test_vla_eval_is_greeted_told_of_the_episode_and_shown_pictures_states_and_the_task(bench, seen):
    with running('vla-eval') as server:
        (told,), _ = asked(bench, seen, server, 'vla-eval')
    assert server.heard == ['hello', 'episode_start', 'observation', 'episode_end']
    assert set(told) == {'images', 'intrinsics', 'camera_poses', 'task_description', 'states'}
    assert list(told['images']) == list(told['intrinsics']) == list(told['camera_poses'])
    assert told['camera_poses']['wrist'] == pytest.approx(pose_numbers(seen.camera_poses['wrist']), abs=1e-6)
    assert list(told['images']) == ['front', 'overhead', 'wrist']
    assert (told['images']['overhead'] == seen.pictures['overhead'].color).all() and told['images']['overhead'].dtype == np.uint8
    assert told['task_description'] == TEXT
    assert told['states'].shape == (8,) and told['states'][:3] == pytest.approx(seen.tool.position, abs=1e-6)


def test_gr00t_is_shown_batches_of_one_moment_under_the_keys_that_it_tells(bench, seen):
    with running('gr00t') as server:
        (told,), _ = asked(bench, seen, server, 'gr00t')
    assert server.heard == ['ping', 'get_modality_config', 'reset', 'get_action']
    assert set(told) == {'video', 'state', 'language'}
    assert {name: picture.shape for name, picture in told['video'].items()} == {
        'image': (1, 1, 24, 32, 3),
        'wrist_image': (1, 1, 24, 32, 3),
    }
    assert told['state']['x'].shape == (1, 1, 1) and told['state']['gripper'].shape == (1, 1, 2)
    assert told['state']['x'].dtype == np.float32
    assert told['language'] == {'annotation.human.action.task_description': [[TEXT]]}


def test_gr00t_is_shown_the_state_of_exports_if_asked(bench, seen):
    with running('gr00t') as server:
        (told,), _ = asked(bench, seen, server, 'gr00t', form='export')
    assert list(told['video']) == ['front', 'overhead', 'wrist']
    assert told['state']['arm'].shape == (1, 1, 7) and told['state']['gripper'].item() == pytest.approx(0.05)


def test_groups_of_columns_of_gr00t_stand_in_the_order_of_its_configuration(bench, seen):
    rows = np.arange(14.0).reshape(2, 7)
    with running('gr00t', rows) as server:
        link = Manners(server.address, action='delta_pose', seconds=5.0).open()
        found = link.actions(ServerObservations('openpi', bench.cameras, lambda: 0.0).seen(seen, context(bench)))
        link.close()
    assert (found == rows).all()


def test_openvla_oft_is_posted_pictures_state_and_instruction(bench, seen):
    with running('openvla-oft') as server:
        (told,), _ = asked(bench, seen, server, 'openvla-oft')
    assert server.heard == ['/act']
    assert set(told) == {'full_image', 'wrist_image', 'state', 'instruction'}
    assert (told['full_image'] == seen.pictures['front'].color).all()
    assert (told['wrist_image'] == seen.pictures['wrist'].color).all()
    assert told['instruction'] == TEXT and told['state'].shape == (8,)


def test_openvla_oft_may_answer_in_one_text(bench, seen):
    with running('openvla-oft', '[[0, 0, 0, 0, 0, 0, 0]]') as server:
        assert len(asked(bench, seen, server, 'openvla-oft', times=2)[0]) == 2


def test_starvla_is_sent_one_example_and_the_key_of_its_statistics(bench, seen):
    with running('starvla', metadata={'available_unnorm_keys': ['a', 'b']}) as server:
        (told,), _ = asked(bench, seen, server, 'starvla', options=(('unnorm_key', 'b'),))
    ((example,), key) = told['examples'], told['unnorm_key']
    assert key == 'b'
    assert set(example) == {'image', 'lang', 'state'}
    assert len(example['image']) == 3 and (example['image'][2] == seen.pictures['wrist'].color).all()
    assert example['lang'] == TEXT and example['state'].shape == (1, 8)


@pytest.mark.parametrize('chosen', [(), (('unnorm_key', 'c'),)])
def test_a_starvla_server_of_several_data_sets_needs_one_of_their_names(bench, seen, chosen):
    with running('starvla', metadata={'available_unnorm_keys': ['a', 'b']}) as server, pytest.raises(ConfigError, match='a, b'):
        asked(bench, seen, server, 'starvla', options=chosen)


BAD = {
    'reports': (REPORTS, RAISED),
    'closes': (CLOSES, CLOSED),
    'silent': (SILENT, LATE),
    'garbage': (GARBAGE, TYPE),
    'objects': (OBJECTS, TYPE),
    'words': ({'up': 1}, TYPE),
    'nan': (np.full((4, 7), np.nan), NOT_FINITE),
    'huge': (np.full((4, 7), 1e30), NOT_FINITE),
    'short': (np.zeros((4, 6)), SHAPE),
    'empty': (np.zeros((0, 7)), SHAPE),
}
OTHERWISE = {('closes', 'gr00t'): LATE, ('words', 'gr00t'): TYPE}
"""ZeroMQ connects again by itself: a server that is gone is silent."""


@pytest.mark.parametrize('wire', WIRES)
@pytest.mark.parametrize('how', BAD)
def test_a_bad_answer_is_one_fault(bench, seen, wire, how):
    answer, word = BAD[how]
    word = OTHERWISE.get((how, wire), word)
    with running(wire, SILENT if (how, wire) == ('closes', 'gr00t') else answer) as server:
        playing = player(bench, server, wire, seconds=0.5 if word == LATE else 5.0)
        playing.reset(context(bench))
        with pytest.raises(PolicyFault) as fault:
            playing.act(seen)
        playing.close()
    assert fault.value.word == word, fault.value
    assert 'out of memory' in str(fault.value) or how != 'reports' or wire == 'openvla-oft'


@pytest.mark.parametrize('wire', WIRES)
def test_an_episode_is_played_against_each(wire, tmp_path):
    """From the options of an evaluation to its report."""
    with running(wire, REPORTS) as server:
        plan = planned(Asked(server.address, TASK, range(1), axis='color', cameras='vlmbench:front,wrist', size='32x24', wire=wire))
        report = evaluated(plan, tmp_path / 'report.json', processes=1)
    (episode,) = report.episodes
    assert episode.causes[0].startswith('policy_raised: Its server reports: ')
    assert report.options['wire'] == wire and report.isolation == 'process'


@pytest.mark.parametrize('wire', WIRES)
def test_a_place_without_a_server_is_told_before_the_evaluation(wire):
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        address = f'{wire_scheme(wire)}://127.0.0.1:{free.getsockname()[1]}'
    with pytest.raises(ConfigError, match='does not answer'):
        planned(Asked(address, TASK, range(1), axis='color', cameras='vlmbench:front', answer_seconds=0.5, wire=wire))


def wire_scheme(name):
    return {'gr00t': 'tcp', 'openvla-oft': 'http'}.get(name, 'ws')


@pytest.mark.parametrize(
    ('address', 'more', 'text'),
    [
        ('ws://127.0.0.1:1', {'wire': 'gr00t'}, 'tcp://'),
        ('ws://127.0.0.1:1', {'wire': 'vla_eval'}, 'Did you mean vla-eval'),
        ('tcp://127.0.0.1:1', {'cameras': 'none'}, 'needs pictures'),
        ('tcp://127.0.0.1:1', {'policy_arg': ('unnorm_key=a',)}, 'has no option'),
        ('http://', {}, 'is not the address'),
        ('tcp://nowhere', {}, 'is not the address'),
        ('ws://127.0.0.1:80000', {}, 'is not the address of a policy server: Port out of range'),
        ('http://127.0.0.1:abc', {}, 'is not the address'),
        ('ws://[::1', {}, 'is not the address'),
        ('wss://a b:80', {}, 'it holds a space'),
        (f'http://{"a" * 64}:1', {}, 'is not the address'),
        ('ftp://127.0.0.1:1', {}, 'ws, wss, tcp, http'),
        ('still', {'wire': 'openpi'}, 'returns commands'),
        ('tcp://127.0.0.1:1', {'prompt': 'pictures', 'tasks': 'clevrskills/rotate', 'axis': 'look'}, 'no place for the pictures'),
    ],
)
def test_what_cannot_be_asked_is_said(address, more, text):
    given = {'tasks': TASK, 'cameras': 'vlmbench:front', 'axis': 'color'} | more
    with pytest.raises(ConfigError, match=text):
        planned(Asked(address, given.pop('tasks'), range(1), answer_seconds=0.5, **given))


def test_a_policy_of_several_moments_and_another_protocol_are_refused_by_name(bench, seen):
    moments = {'video': {'__ModalityConfig_class__': True, 'as_json': {'delta_indices': [-8, 0], 'modality_keys': ['image']}}}
    with running('gr00t', metadata=moments) as server, pytest.raises(ConfigError, match='2 moments of video'):
        asked(bench, seen, server, 'gr00t')
    with running('vla-eval', metadata={'protocol_version': 2}) as server, pytest.raises(ConfigError, match='version 2'):
        asked(bench, seen, server, 'vla-eval')


ODD = np.arange(3)
LATER = {'available_unnorm_keys': ['a', 'b'], 'default_unnorm_key': ODD}


@pytest.mark.parametrize(
    ('wire', 'metadata', 'text'), [('starvla', LATER, 'a, b'), ('vla-eval', {'protocol_version': ODD}, 'version array')]
)
def test_what_a_server_says_of_itself_may_be_anything(bench, seen, wire, metadata, text):
    with running(wire, metadata=metadata) as server, pytest.raises(ConfigError, match=text):
        asked(bench, seen, server, wire)


def test_an_episode_ends_with_its_connection(tmp_path):
    with running('vla-eval', REPORTS) as server:
        plan = planned(Asked(server.address, TASK, range(2), axis='color', cameras='vlmbench:front', size='32x24', wire='vla-eval'))
        assert evaluated(plan, tmp_path / 'report.json', processes=1).overall.causes == {'policy_raised': 2}
    assert server.heard == ['hello', *(['hello', 'episode_start', 'observation', 'episode_end'] * 2)]


@pytest.mark.parametrize('seconds', [1e-9, 1.9999999, 1e5])
def test_any_timeout_of_an_answer_may_be_asked_for(seconds):
    with running('starvla') as server:
        try:
            websocket.Websocket(Address(server.address, seconds, {})).close()
        except PolicyFault as fault:
            assert (fault.word, seconds) == (CLOSED, 1e-9)  # too short to connect


def test_a_server_that_reads_nothing_is_late():
    greeter = ServerProtocol()
    with socket.create_server(('127.0.0.1', 0)) as listening, ThreadPoolExecutor(1) as other:
        opening = other.submit(websocket.Websocket, Address(f'ws://127.0.0.1:{listening.getsockname()[1]}', 0.5, {}))
        connection, _ = listening.accept()
        with connection:
            greeter.receive_data(connection.recv(65536))
            (request,) = greeter.events_received()
            greeter.send_response(greeter.accept(request))
            connection.sendall(b''.join(greeter.data_to_send()))
            with (
                closing(opening.result()) as opened,
                pytest.raises(PolicyFault, match=r'policy_timeout: Its server has read'),
            ):
                opened.send(bytes(32 << 20))  # more than the buffers on the way hold


def test_an_answer_that_is_too_large_is_told_as_that(bench, seen, monkeypatch):
    monkeypatch.setitem(websocket._MANNERS, 'max_size', 4000)
    with (
        running('vla-eval', np.zeros((100, 7))) as server,
        pytest.raises(PolicyFault, match=r'policy_wrong_type: The answer .* more than 64 MiB'),
    ):
        asked(bench, seen, server, 'vla-eval')


def test_a_secret_is_sent_and_never_told_even_if_the_server_echoes_it(bench, seen, monkeypatch):
    monkeypatch.setenv(TOKEN, 'hunter2')
    with running('gr00t', REPORTS) as server:
        plan = planned(Asked(server.address, TASK, range(1), axis='color', cameras='vlmbench:front', size='32x24'))
        with pytest.raises(PolicyFault, match=r'token \*\*\*') as fault:
            asked(bench, seen, server, 'gr00t')
        assert server.token == 'hunter2'
    assert 'hunter2' not in repr(plan) + str(fault.value)
    with running('vla-eval', {'hunter2': 1}) as server, pytest.raises(PolicyFault, match=r'\*\*\*'):
        asked(bench, seen, server, 'vla-eval')
    with running('starvla', {'a': 'x' * 87 + 'hunter2'}) as server, pytest.raises(PolicyFault) as fault:  # cut within the secret
        asked(bench, seen, server, 'starvla')
    assert 'hun' not in str(fault.value)
    with running('vla-eval', metadata={'protocol_version': 'hunter2'}) as server, pytest.raises(ConfigError, match=r'version .\*\*\*'):
        asked(bench, seen, server, 'vla-eval')
    monkeypatch.setenv(TOKEN, 'two\nlines')
    with running('vla-eval') as server, pytest.raises(ConfigError, match='must be printable ASCII'):
        asked(bench, seen, server, 'vla-eval')


def test_a_server_that_is_another_one_by_the_next_episode_fails_that_episode_alone(tmp_path):
    """It speaks another version from the second connection on."""
    with running('vla-eval') as server:
        plan = planned(Asked(server.address, TASK, range(1), axis='color', cameras='vlmbench:front', size='32x24', wire='vla-eval'))
        server.metadata['protocol_version'] = 2
        (episode,) = evaluated(plan, tmp_path / 'report.json', processes=1).episodes
    assert (episode.verdict, 'version 2' in episode.causes[0]) == ('failure', True), episode.causes


def test_an_address_says_its_wire_unless_one_is_named():
    assert [wire_for(address).name for address in ('ws://a:1', 'tcp://a:1', 'https://a:1')] == ['openpi', 'gr00t', 'openvla-oft']
    assert wire_for('ws://a:1', 'starvla').name == 'starvla'


NESTED = b'\x93NUMPY\x01\x00' + (3000).to_bytes(2, 'little') + b'(' * 3000
LYING = io.BytesIO()
np.lib.format.write_array_header_1_0(LYING, {'descr': '<f8', 'fortran_order': False, 'shape': (10**12,)})


@pytest.mark.parametrize(
    ('reader', 'value'),
    [
        (gr00t.reader, {'__ndarray_class__': True, 'as_npy': LYING.getvalue()}),
        (gr00t.reader, {'__ndarray_class__': True, 'as_npy': b'\x93NUMPY'}),
        (gr00t.reader, {'__ndarray_class__': True}),
        (gr00t.reader, {b'nd': True, b'type': '|O', b'kind': b'O', b'shape': [1], b'data': PICKLE}),
        (gr00t.reader, {b'nd': False, b'type': '|O', b'data': PICKLE}),
        (gr00t.reader, {b'nd': False, b'type': '<f4', b'data': b''}),
        (gr00t.reader, {'__ndarray_class__': True, 'as_npy': NESTED}),
        (wire.openpi_reader, {b'__ndarray__': True, b'data': b'1234', b'dtype': '(1,,2)f4', b'shape': [1]}),
        (vla_eval.reader, {'__ndarray__': True, 'data': b'12345678', 'dtype': '<f8', 'shape': [2]}),
        (vla_eval.reader, {'__ndarray__': True, 'data': PICKLE, 'dtype': '|O', 'shape': [1]}),
        (openvla_oft.reader, {'__numpy__': 'AAAA', 'dtype': '<f8', 'shape': [1]}),
        (openvla_oft.reader, {'__numpy__': '!', 'dtype': '<f8', 'shape': [1]}),
    ],
)
def test_arrays_that_are_not_what_they_say_are_refused(reader, value):
    with pytest.raises(ValueError, match=r'.'):
        wire.unpack(msgpack.packb(value), reader)


def test_both_ways_in_which_gr00t_writes_arrays_are_read():
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    newer = {b'nd': True, b'type': '<f4', b'kind': b'', b'shape': [2, 3], b'data': given.tobytes()}
    assert (wire.unpack(msgpack.packb({'a': newer}), gr00t.reader)['a'] == given).all()
    assert (wire.unpack(wire.pack({'a': given}, gr00t.writer), gr00t.reader)['a'] == given).all()


@tries(60)
@given(data=st.binary(max_size=80))
def test_any_bytes_are_values_or_an_error_and_never_objects(data):
    for reader in (gr00t.reader, vla_eval.reader):
        try:
            found = wire.unpack(data, reader)
        except ValueError:
            continue
        assert not isinstance(found, np.ndarray) or found.dtype.kind in 'biuf'
