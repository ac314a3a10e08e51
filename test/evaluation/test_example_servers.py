"""The example servers: each turns what the bench sends into its model's input, answers rows, and says what is wrong with a message."""

import sys
import threading
from contextlib import closing, contextmanager
from functools import partial
from types import ModuleType, SimpleNamespace

import msgpack
import numpy as np
import pytest

pytest.importorskip('moderngl')

from websockets.sync.client import connect

from examples.servers import formats, jat_server, octo_server, robo_flamingo_server, serving, stream_robo_lm_server
from examples.servers.formats import FormatError
from vlm_bench_sim.core.command import Stop
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation import wire
from vlm_bench_tasks.evaluation.faults import PolicyFault
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.server_observations import ServerObservations
from vlm_bench_tasks.evaluation.socket_player import Manners, SocketPlayer
from vlm_bench_tasks.language.pictures import FIRST_FRAME, PICTURES, WORDS
from vlm_bench_tasks.policy import Player
from vlm_bench_tasks.run import Bench

SERVERS = {
    'jat': (jat_server, ('base',)),
    'octo': (octo_server, ('base', 'hand')),
    'robo_flamingo': (robo_flamingo_server, ('base', 'hand')),
    'stream_robo_lm': (stream_robo_lm_server, ('base', 'hand')),
}
LIBRARIES = {'jat': 'jat.modeling_jat', 'octo': 'octo.model.octo_model', 'robo_flamingo': 'robot_flamingo.models.factory'}
CAMERAS, SIZE, PERIODS = 'clevrskills:base,hand', (64, 48), 5
PLACE, TEXT = 'clevrskills/place', 'Place <image 1> on <image 2>.'
EPISODES = ((PLACE, PICTURES), ('clevrskills/match_pose', FIRST_FRAME))


def options(name, **more):
    """What the command line of a server gives to it."""
    parser = serving.options(SERVERS[name][0].__doc__)
    return vars_set(parser.parse_args(['--random'] if not more else ['--checkpoint', 'weights']), **more)


def vars_set(asked, **more):
    for word, value in more.items():
        setattr(asked, word, value)
    return asked


@contextmanager
def running(make, **more):
    """The address of a server of these episodes."""
    with serving.serving(make, **more) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f'ws://127.0.0.1:{server.socket.getsockname()[1]}'
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope='module', params=SERVERS)
def name(request):
    return request.param


@pytest.fixture(scope='module')
def address(name):
    with running(SERVERS[name][0].maker(options(name))) as found:
        yield found


def observation(**more):
    """What the bench sends, as far as these servers read it."""
    chance = np.random.default_rng(7)
    pictures = {key: chance.integers(0, 256, (48, 64, 3), np.uint8) for key in ('observation.images.base', 'observation.images.hand')}
    shown = {f'prompt/image_{number}': chance.integers(0, 256, (256, 256, 3), np.uint8) for number in (1, 2)}
    return {**pictures, **shown, 'prompt/roles': ['object', 'object'], 'task': TEXT, 'tool_pose': np.zeros(7, np.float32), **more}


def without(key):
    return {name: value for name, value in observation().items() if name != key}


def exchanged(address, *messages):
    """The answers to messages on one connection: rows, or a text."""
    with connect(address, proxy=None) as connection:
        assert wire.unpack(connection.recv(5))['action'] == 'delta_pose_tenths'
        found = []
        for message in messages:
            connection.send(message if isinstance(message, str | bytes) else wire.pack(message))
            answer = connection.recv(5)
            found.append(answer if isinstance(answer, str) else wire.unpack(answer)['actions'])
        return found


@pytest.fixture(scope='module')
def bench():
    with closing(Bench('panda_vacuum', CAMERAS, width=SIZE[0], height=SIZE[1])) as bench:
        yield bench


class Brief(Player):
    """Plays for a few control periods, and keeps the commands."""

    def __init__(self, player):
        self.player, self.commands = player, []

    def reset(self, context):
        self.commands.clear()
        self.player.reset(context)

    def act(self, seen):
        if len(self.commands) == PERIODS:
            return Stop()
        self.commands.append(self.player.act(seen))
        return self.commands[-1]


def player(bench, address):
    manners = Manners(address, action='delta_pose_tenths', seconds=5.0, wire='openpi')
    return SocketPlayer(manners, ServerObservations('export', bench.cameras, lambda: 0.0), kinematics=bench.kinematics)


@pytest.mark.parametrize(('task', 'prompt'), EPISODES)
def test_the_bench_plays_against_each_and_again_the_same(bench, address, task, prompt):
    """Two episodes of the same seed are the same, as a connection carries nothing over and the model is decided by its input."""
    with closing(player(bench, address)) as playing:
        brief = Brief(playing)
        runs = [(bench.run(catalogue.build(task, 'seen', 3, prompt=prompt), brief), list(brief.commands)) for _ in range(2)]
    (first, commands), (again, _) = runs
    assert len(commands) == PERIODS and len({repr(command) for command in commands}) == PERIODS
    assert first.hashes == again.hashes and len(first.hashes) > PERIODS


def test_an_evaluation_may_be_planned_against_each(address):
    plan = planned(
        Asked(address, PLACE, range(1), cameras=CAMERAS, prompt=PICTURES, observation='export', action='delta_pose_tenths', wire='openpi')
    )
    assert plan.manner.served and len(plan.trials) > 0


def test_rows_differ_by_what_is_seen_and_asked(name, address):
    other = observation()
    changed = other['observation.images.base'].copy()
    changed[:24] = 255 - changed[:24]
    (rows,), (again,), (seen,), (asked,), (shown,) = (
        exchanged(address, told)
        for told in (
            other,
            other,
            other | {'observation.images.base': changed},
            other | {'task': 'Throw <image 1> at <image 2>.'},
            other | {'prompt/image_2': 255 - other['prompt/image_2']},
        )
    )
    assert rows.shape == ((4, 7) if name == 'octo' else (1, 7)) and rows.dtype == np.float32
    assert np.abs(rows).max() <= 1.0
    assert (rows == again).all()
    assert all((rows != different).any() for different in (seen, asked, shown))


def test_an_instruction_in_words_alone_is_taken(address):
    told = {key: value for key, value in observation(task='Place the hexagon on the area.').items() if not key.startswith('prompt/')}
    (words,), (shown,) = exchanged(address, told), exchanged(address, observation(task=told['task']))
    assert words.shape[1] == 7 and (words != shown).any()


def test_what_was_seen_before_counts_until_another_instruction_is_given(address):
    told = observation()
    blank = told | {'observation.images.base': np.zeros((48, 64, 3), np.uint8), 'observation.images.hand': np.zeros((48, 64, 3), np.uint8)}
    (fresh,) = exchanged(address, told)
    _, later, _, anew = exchanged(address, blank, told, blank | {'task': 'Pick <image 1>.'}, told)
    assert (later != fresh).any()
    assert (anew == fresh).all()
    other = blank | {'prompt/image_1': 255 - told['prompt/image_1']}  # the same words, about another thing
    assert (exchanged(address, other, told)[1] == fresh).all()


def array(data, kind, shape):
    return msgpack.packb({'task': {b'__ndarray__': True, b'data': data, b'dtype': kind, b'shape': shape}})


WRONG = {
    'a text': ('hello', 'binary frame'),
    'garbage': (b'\xc1\xc1', 'not msgpack'),
    'an object': (array(b'12345678', '|O', [1]), r'the type of an array is such as <f4; found .\|O'),
    'an array of texts': (array(b'12345678', '<U2', [1]), r'the type of an array is such as <f4; found .<U2'),
    'half a type': (array(b'12345678', '(2,', [1]), 'the type of an array is such as <f4'),
    'a long picture': (
        observation(**{'prompt/image_2': np.zeros((1, 5000, 3), np.uint8)}),
        'at most 4096 pixels along a side; found 5000 x 1',
    ),
    'a lying array': (array(b'12345678', '<f8', [2]), 'not msgpack with arrays .* cannot reshape'),
    'an endless array': (array(b'', '<f8', [-1, 0]), r'lengths of an array are 0 or more; found \[-1, 0\]'),
    'a list': ([1, 2], 'is a map; found list'),
    'nothing': ({}, 'observation.images.base'),
    'no task': (without('task'), 'lacks task; found observation.images.base'),
    'no camera': (without('observation.images.base'), 'lacks observation.images.base'),
    'no words': (observation(task=' '), "task is the instruction in words; found ' '"),
    'a task in numbers': (observation(task=3), 'task is the instruction in words; found 3'),
    'a lost picture': (without('prompt/image_1') | {'prompt/roles': ['object']}, 'lacks prompt/image_1'),
    'an unknown picture': (observation(task='Place <image 3>.'), 'names <image 3>; found 2 pictures'),
    'too few roles': (observation(**{'prompt/roles': ['object']}), 'a role for each of 2 pictures'),
    'a flat picture': (observation(**{'observation.images.base': np.zeros((48, 64), np.uint8)}), r'uint8 of shape \(48, 64\)'),
    'an empty picture': (observation(**{'prompt/image_2': np.zeros((0, 64, 3), np.uint8)}), r'prompt/image_2 .*shape \(0, 64, 3\)'),
    'a picture in floats': (observation(**{'prompt/image_2': np.zeros((9, 9, 3), np.float32)}), 'prompt/image_2 .*found float32'),
    'a picture as a list': (observation(**{'observation.images.base': [[[0, 0, 0]]]}), 'observation.images.base .*found list'),
}


@pytest.mark.parametrize('how', WRONG)
def test_a_malformed_message_is_told_and_the_server_answers_the_next_one(address, how):
    message, text = WRONG[how]
    told, rows = exchanged(address, message, observation())
    assert isinstance(told, str), told
    with pytest.raises(FormatError, match=text):
        raise FormatError(told)
    assert rows.shape[1] == 7


def test_the_hand_is_asked_for_by_those_that_see_it(name, address):
    (answer,) = exchanged(address, without('observation.images.hand'))
    assert isinstance(answer, str) == ('hand' in SERVERS[name][1])


def test_a_model_that_remembers_plays_one_episode_at_a_time(monkeypatch):
    monkeypatch.setattr(serving, 'HANDOVER_S', 0.2)
    made = []

    class Remembers:
        def __init__(self):
            made.append(self)

        def answer(self, told):
            return np.full((1, 7), float(len(made)), np.float32)

    def ask(connection):
        connection.send(serving.pack(observation()))
        answer = connection.recv()
        return answer if isinstance(answer, str) else serving.unpack(answer)['actions'][0, 0]

    with running(Remembers, remembers=True) as address, connect(address) as second:
        second.recv()
        with connect(address) as first:
            first.recv()
            assert (ask(first), ask(first)) == (1.0, 1.0)
            assert ask(second) == serving.BUSY
        assert ask(second) == 2.0


def test_what_is_wrong_reaches_the_bench_as_a_fault(address):
    text = r'policy_raised: Its server reports: The observation lacks observation\.images\.base'
    with closing(Bench('panda_vacuum', 'clevrskills:hand', width=32, height=24)) as blind, closing(player(blind, address)) as playing:
        episode = catalogue.build(PLACE, 'seen', 3, prompt=WORDS)
        with pytest.raises(PolicyFault, match=text):
            blind.run(episode, playing)


@pytest.mark.parametrize('model', [[0.0] * 6, [float('nan')] * 7, [[[0.0] * 7]], 'up'])
def test_a_model_that_answers_no_rows_is_told(model):
    with pytest.raises(ValueError, match='could not convert' if model == 'up' else 'The action of the model'):
        formats.rows(model)
    assert formats.rows([3.0] * 7).tolist() == [[1.0] * 7]


@pytest.mark.parametrize('name', LIBRARIES)
def test_a_checkpoint_without_its_library_says_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, LIBRARIES[name].partition('.')[0], None)
    more = {'dataset': '', 'llm_name': '', 'language_model': '', 'open_flamingo': ''}
    with pytest.raises(serving.MissingLibraryError, match=f'needs the Python module {LIBRARIES[name]}.* clone .*--random'):
        SERVERS[name][0].maker(options(name, **more | {'random': False}))


def test_a_checkpoint_of_stream_robo_lm_is_loaded_by_an_adapter(monkeypatch):
    ask = partial(options, 'stream_robo_lm', random=False)
    for adapter, text in (('', 'needs --adapter'), ('nowhere_at_all:load', 'nowhere_at_all'), ('json:load_it', 'has no function load_it')):
        with pytest.raises(serving.MissingLibraryError, match=text):
            stream_robo_lm_server.maker(ask(adapter=adapter))
    monkeypatch.setattr(stream_robo_lm_server, 'loaded_here', lambda path: stream_robo_lm_server.RandomStream(), raising=False)
    episode = stream_robo_lm_server.maker(ask(adapter='examples.servers.stream_robo_lm_server:loaded_here'))()
    assert episode.answer(observation()).shape == (1, 7)


def frames(count, kind=np.float32):
    return np.zeros((1, count, 4, 84, 84), kind)


JAT = {'image_observations': frames(2), 'continuous_actions': np.zeros((1, 2, 7), np.float32), 'rewards': np.zeros((1, 2), np.float32)}


@pytest.mark.parametrize(
    ('more', 'text'),
    [
        ({'image_observations': frames(2) + 2}, 'within -1 and 1; found 2'),
        ({'image_observations': frames(2)[..., :80]}, r'4, 84, 84\); found'),
        ({'image_observations': frames(2, np.float64)}, 'found float64'),
        ({'continuous_actions': np.zeros((1, 3, 7), np.float32)}, r'\(1, 2, 7\); found'),
        ({'rewards': np.full((1, 2), np.nan, np.float32)}, 'rewards lies within'),
        ({'continuous_observations': np.zeros((1, 2, 9), np.float32)}, 'found continuous_observations as well'),
        ({'input_ids': np.array([[50257]])}, 'found image_observations, continuous_actions, rewards as well'),
        ({'return_loss': True}, 'return_loss=False'),
    ],
)
def test_the_random_jat_takes_what_jat_takes_alone(more, text):
    assert jat_server.forward_at_random(**JAT, return_loss=False).pred_actions.shape == (1, 2, 7)
    with pytest.raises(FormatError, match=text):
        jat_server.forward_at_random(**({**JAT, 'return_loss': False, 'use_cache': True} | more))


def test_a_prompt_that_leaves_jat_no_room_is_refused():
    episode = jat_server.maker(options('jat'))()
    with pytest.raises(FormatError, match=r'512 tokens, and the model has 512 positions.*fewer words'):
        episode.answer(observation(task='Place <image 1> on <image 2>.' + ' Now.' * 310))
    assert episode.answer(observation()).shape == (1, 7)


def test_jat_forgets_the_oldest_frames_when_it_has_no_room_for_more():
    lengths = []

    def forward(**given):
        lengths.append(given.get('image_observations', np.zeros((1, 0))).shape[1])
        return jat_server.forward_at_random(**given)

    episode = jat_server.JatEpisode(jat_server.Jat(jat_server.processed_at_random, forward, positions=214), 'base')
    for _ in range(9):
        episode.answer(observation())
    assert lengths[-9:] == [1, 2, 3, 4, 5, 6, 6, 6, 6]  # 196 tokens of a picture and 6 words: 202 of 214


def test_jat_observes_three_colors_and_their_grey():
    picture = np.zeros((84, 84, 3), np.uint8) + np.array([255, 0, 0], np.uint8)
    assert jat_server.observed(picture, 4)[0, 0].tolist() == [255, 0, 0, 76]
    assert jat_server.observed(picture, 3).shape == (84, 84, 3)


def octo_window(**more):
    views = {name: np.zeros((1, 2, side, side, 3), np.uint8) for name, side in (('image_primary', 256), ('image_wrist', 128))}
    return {**views, 'timestep_pad_mask': np.array([[False, True]]), **more}


@pytest.mark.parametrize(
    ('window', 'text'),
    [
        (octo_window(image_wrist=np.zeros((1, 2, 256, 256, 3), np.uint8)), 'image_wrist .*128, 128'),
        (octo_window(image_primary=np.zeros((1, 2, 256, 256, 3), np.float32)), 'image_primary .*found float32'),
        (octo_window(timestep_pad_mask=np.array([[0.0, 1.0]])), 'timestep_pad_mask .*array of bool'),
        (octo_window(timestep_pad_mask=np.array([[True, False]])), 'no padding'),
        (octo_window(proprio=np.zeros((1, 2, 7), np.float32)), 'found proprio as well'),
        ({'image_primary': octo_window()['image_primary']}, 'lacks image_wrist, timestep_pad_mask'),
    ],
)
def test_the_random_octo_takes_what_octo_takes_alone(window, text):
    octo = octo_server.random_octo()
    task = octo.model.create_tasks(texts=['Pick it up.'])
    sample = partial(octo.model.sample_actions, tasks=task, unnormalization_statistics=octo.statistics, rng=1)
    assert sample(octo_window()).shape == (1, 4, 7)
    with pytest.raises(FormatError, match=text):
        sample(window)
    with pytest.raises(FormatError, match='goals or texts'):
        octo.model.create_tasks()
    with pytest.raises(FormatError, match='found image_side as well'):
        octo.model.create_tasks(goals={'image_side': np.zeros((1, 256, 256, 3), np.uint8)})


def test_octo_sees_two_moments_and_pictures_as_one_goal():
    octo, windows, tasks = octo_server.random_octo(), [], []
    sample, create = octo.model.sample_actions, octo.model.create_tasks
    octo.model.sample_actions = lambda window, task, **more: (windows.append(window), sample(window, task, **more))[1]
    octo.model.create_tasks = lambda **more: (tasks.append(more), create(**more))[1]
    episode = octo_server.OctoEpisode(octo, 'base', 'hand')
    told = observation()
    for seen in (told, told | {'observation.images.base': told['observation.images.hand']}):
        episode.answer(seen)
    assert [window['timestep_pad_mask'].tolist() for window in windows] == [[[False, True]], [[True, True]]]
    assert (windows[1]['image_primary'][0, 0] == windows[0]['image_primary'][0, 1]).all()
    assert (windows[1]['image_primary'][0, 1] != windows[1]['image_primary'][0, 0]).any()
    (task,) = tasks
    goal = task['goals']['image_primary'][0]
    assert task['texts'] == [TEXT]
    assert (goal[:128, 128:] == formats.resized(told['prompt/image_2'], 128, 128)).all() and not goal[128:].any()
    assert (formats.sheet([told['prompt/image_1']], 256, 256) == told['prompt/image_1']).all()


def test_a_checkpoint_of_octo_is_scaled_by_the_statistics_of_its_data(monkeypatch):
    model, scale = octo_server.RandomOcto(), {'mean': np.full(7, 0.5), 'std': np.zeros(7), 'mask': np.arange(7) < 6}
    model.dataset_statistics = {'bridge': {'action': scale}}
    monkeypatch.setitem(sys.modules, 'octo', ModuleType('octo'))
    monkeypatch.setitem(sys.modules, 'octo.model', ModuleType('octo.model'))
    monkeypatch.setitem(
        sys.modules, 'octo.model.octo_model', SimpleNamespace(OctoModel=SimpleNamespace(load_pretrained=lambda path: model))
    )
    monkeypatch.setitem(sys.modules, 'jax', ModuleType('jax'))
    monkeypatch.setitem(sys.modules, 'jax.random', SimpleNamespace(PRNGKey=lambda number: number))
    rows = octo_server.maker(options('octo', random=False, dataset='bridge'))().answer(observation())
    assert (rows[:, :6] == 0.5).all() and (rows[:, 6] != 0.5).all()
    with pytest.raises(FormatError, match='lacks action; found bridge'):
        octo_server.maker(options('octo', random=False, dataset=''))


def flamingo_input(**more):
    picture = np.zeros((1, 1, 1, 3, 224, 224), np.float32)
    ids = np.array([[robo_flamingo_server.VOCABULARY, 5, robo_flamingo_server.VOCABULARY + 1]])
    words = {'lang_x': ids, 'attention_mask': np.ones_like(ids)}
    return {'vision_x': picture, 'vision_gripper': picture, **words, 'state_tensor': None, 'return_feature': True, **more}


@pytest.mark.parametrize(
    ('more', 'text'),
    [
        ({'vision_x': np.zeros((1, 1, 3, 224, 224), np.float32)}, 'vision_x is an array .*n, 1, 3, 224, 224'),
        ({'vision_x': np.full((1, 1, 1, 3, 224, 224), 255.0, np.float32)}, 'vision_x lies within -1.8 and 2.2'),
        ({'vision_gripper': np.zeros((1, 2, 1, 3, 224, 224), np.float32)}, 'vision_gripper is an array'),
        ({'vision_gripper': None}, 'vision_gripper .*found NoneType'),
        ({'lang_x': np.array([[5, 6, 7]])}, 'found 0 pictures'),
        ({'lang_x': np.full((1, 3), robo_flamingo_server.VOCABULARY)}, 'found 1 in vision_x'),
        ({'attention_mask': np.ones((1, 4), np.int64)}, 'attention_mask'),
        ({'state_tensor': np.zeros((1, 1, 1, 15), np.float32)}, 'without a state'),
        ({'labels': None}, 'found labels as well'),
    ],
)
def test_the_random_robo_flamingo_takes_what_it_takes_alone(more, text):
    model = robo_flamingo_server.RandomRoboFlamingo()
    model.lm_head.window_size = 1
    pose, closed = model(**flamingo_input()).logits
    assert (pose.shape, closed.shape) == ((1, 1, 6), (1, 1, 1)) and np.abs(pose).max() < 1.0 and 0.0 < closed[0, 0, 0] < 1.0
    with pytest.raises(FormatError, match=text):
        model(**flamingo_input(**more))


def test_robo_flamingo_is_told_a_sentence_with_each_picture_in_its_place():
    model, sentences, stacked = robo_flamingo_server.RandomRoboFlamingo(), [], []

    def tokens(given, **more):
        sentences.extend(given)
        return robo_flamingo_server.tokens_at_random(given, **more)

    told = observation()
    flamingo = robo_flamingo_server.RoboFlamingo(
        model, formats.clip_pixels, tokens, '</s>', lambda array: (stacked.append(array), array)[1]
    )
    rows = robo_flamingo_server.RoboFlamingoEpisode(flamingo, 'base', 'hand').answer(told)
    assert sentences == ['<image>Place <image> on <image> .<|endofchunk|></s>']
    assert rows[0, -1] in (-1.0, 1.0)
    for stack, camera in zip(stacked, ('base', 'hand'), strict=False):
        shown = [told[key] for key in (f'observation.images.{camera}', 'prompt/image_1', 'prompt/image_2')]
        assert (stack == np.stack([formats.clip_pixels(picture) for picture in shown])[None, :, None]).all()


def test_episodes_of_robo_flamingo_do_not_share_its_memory_and_remember_twelve_moments():
    make = robo_flamingo_server.maker(options('robo_flamingo'))
    told = observation()
    moments = [told | {'observation.images.base': np.full((48, 64, 3), value, np.uint8)} for value in range(14)]
    alone = make()
    wanted = [alone.answer(moment) for moment in moments]
    one, other = make(), make()
    found = []
    for moment, more in zip(moments, reversed(moments), strict=True):
        found.append(one.answer(moment))
        other.answer(more)
    assert np.array_equal(found, wanted)
    late = make()
    assert (np.array([late.answer(moment) for moment in moments[2:]])[-1] == wanted[-1]).all()
    late = make()
    assert (np.array([late.answer(moment) for moment in moments[3:]])[-1] != wanted[-1]).any()


def test_stream_robo_lm_reads_words_and_pictures_in_their_order():
    prompts = []

    class Heard(stream_robo_lm_server.RandomStream):
        def start(self, prompt):
            prompts.append(prompt)
            return super().start(prompt)

    told = observation(task='Put <image 2> on <image 1>.')
    stream_robo_lm_server.StreamRoboLmEpisode(Heard(), 'base', 'hand').answer(told)
    ((put, second, on, first, stop),) = prompts
    assert (put, on, stop) == ('Put', 'on', '.')
    assert (second == told['prompt/image_2']).all() and (first == told['prompt/image_1']).all()


def test_the_random_stream_robo_lm_takes_what_a_stream_takes_alone():
    stream, picture = stream_robo_lm_server.RandomStream(), np.zeros((256, 256, 3), np.uint8)
    memory = stream.start(['Pick', picture])
    for prompt, text in (([picture], 'has words'), (['Pick', picture[:9]], 'prompt is an array')):
        with pytest.raises(FormatError, match=text):
            stream.start(prompt)
    for seen, text in (({'base': picture}, 'lacks hand'), ({'base': picture, 'hand': picture / 255.0}, 'hand .*found float64')):
        with pytest.raises(FormatError, match=text):
            stream.step(memory, seen)
    with pytest.raises(FormatError, match='memory'):
        stream.step(np.zeros(3, np.float32), {'base': picture, 'hand': picture})


def test_pictures_are_resized_by_area_and_normalised_as_for_clip():
    stripes = np.zeros((4, 6, 3), np.uint8)
    stripes[:, ::2] = 200
    assert (formats.resized(stripes, 2, 3) == 100).all()
    assert (formats.resized(stripes, 8, 12)[::2, ::2] == stripes).all()
    grey = formats.clip_pixels(np.full((48, 64, 3), 255, np.uint8))
    assert grey.shape == (3, 224, 224) and grey.dtype == np.float32
    assert grey[:, 0, 0] == pytest.approx([1.9303, 2.0749, 2.1459], abs=1e-3)
