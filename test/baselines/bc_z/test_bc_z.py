"""The BC-Z-like policy: what it learns on a made-up arm, what it reads, and what it refuses."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from test.baselines.test_train_command import WRITTEN
from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.bc_z.card import BcZCard
from vlm_bench_baselines.bc_z.inputs import asked_in, shades
from vlm_bench_baselines.bc_z.lesson import BcZLesson
from vlm_bench_baselines.bc_z.network import Network
from vlm_bench_baselines.bc_z.policy import BcZPolicy
from vlm_bench_baselines.bc_z.samples import Setting, Shown, episodes, prompts, scaled
from vlm_bench_baselines.bc_z.settings import BcZNetwork, BcZTraining
from vlm_bench_baselines.data import Data
from vlm_bench_baselines.training import BEST, train
from vlm_bench_sim.core.command import Both, Grip, Joints, Stop
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.policy import Played
from vlm_bench_tasks.run import Bench

SIDE, FRAMES = 32, 12
SIZE = BcZNetwork(side=SIDE, widths=(16, 24), words=16, sentence=16, hidden=64, rows=3)
SETTING = Setting(('front',), SIDE, SIDE, ('pan', 'tilt'))
COLORS = {'red': (220, 30, 30), 'blue': (30, 30, 220)}


def made(seed, pictured=False):
    """An arm that turns to where the block lies that the instruction names or shows, and whose fingers close half way.

    If it is shown, the arm always stands where it began, so that nothing else tells where to go.
    """
    chance = np.random.default_rng(seed)
    picture = np.full((SIDE, SIDE, 3), 120, np.uint8)
    places = {}
    for name, half in zip(COLORS, chance.permutation(2), strict=True):
        row, column = int(chance.integers(3, SIDE - 3)), int(half) * SIDE // 2 + int(chance.integers(3, SIDE // 2 - 3))
        picture[row - 2 : row + 3, column - 2 : column + 3] = COLORS[name]
        places[name] = np.array([row, column]) / SIDE - 0.5
    name = str(chance.choice(list(COLORS)))
    share = np.linspace(0, 0 if pictured else 1, FRAMES + 1)[:, None].astype(np.float32)
    way = (share * places[name]).astype(np.float32)
    grip = np.where(np.arange(FRAMES) < FRAMES // 2, 0.08, 0.0).astype(np.float32)
    pictures = np.repeat(picture[None, None], FRAMES, 0)
    block = np.full((64, 64, 3), 200, np.uint8)
    block[16:48, 16:48] = COLORS[name]
    words, shows = ('Reach for <image 1>.', [block]) if pictured else (f'Reach for the {name} block.', [])
    goal = np.repeat(places[name][None].astype(np.float32), FRAMES, 0)
    return Shown(words, 'made/up', '', 'seen', seed, pictures, way[:-1], goal, grip, prompts(shows))


def lesson(count=1000, pictured=False, **more):
    settings = BcZTraining(**{'steps': 375, 'batch': 16, 'every': 125, 'rate': 3e-3, 'average': 0.95, 'jitter': 0.0, 'shift': 0.0} | more)
    return BcZLesson(
        Data([made(i, pictured) for i in range(count)], [made(1000 + i, pictured) for i in range(30)], SETTING),
        network=SIZE,
        settings=settings,
    )


@pytest.fixture(scope='module')
def taught(tmp_path_factory, one_thread):
    folder = tmp_path_factory.mktemp('taught')
    return folder / BEST, train(lesson(), folder, told=lambda *_: None)


def test_it_learns_to_go_where_the_words_say(taught):
    """The blocks lie in different halves: going to the wrong one is wrong by 0.3 rad or so, going between them by 0.15."""
    assert taught[1]['joints'] < 0.06
    assert taught[1]['grip'] > 0.8  # the joints tell how much of the time is over


def test_it_learns_to_go_where_a_picture_says(tmp_path):
    found = train(lesson(pictured=True), tmp_path, told=lambda *_: None)
    assert found['joints'] < 0.03
    assert checkpoint.load(tmp_path / BEST, BcZCard)[1].network.pictures


def test_pictures_stand_where_the_words_name_them():
    shows = prompts([np.full((64, 64, 3), shade, np.uint8) for shade in (0, 255)])
    found = asked_in([('Wait.', prompts([])), ('Put <image 2> on <image 1>, not on <image 3>.', shows)])
    assert found.at.tolist() == [[1, 2], [1, 5]] and found.pixels.flatten(1).mean(1).tolist() == [1.0, -1.0]
    assert asked_in([('Wait.', prompts([]))]) is None


def test_the_card_says_what_was_done(taught):
    _, card = checkpoint.load(taught[0], BcZCard)
    assert (card.cameras, card.joints, card.grips) == (('front',), ('pan', 'tilt'), (0.0, 0.08))
    assert card.episodes == (1000, 30) and card.seeds == (0, 999) and card.score == taught[1]


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(tmp_path):
    short = {'steps': 4, 'every': 2, 'batch': 4, 'shift': 0.1, 'jitter': 0.01}
    whole = train(lesson(10, **short), tmp_path / 'whole', told=lambda *_: None)

    def stop(step, _loss):
        if step == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(lesson(10, **short), tmp_path / 'parts', told=stop)
    assert train(lesson(10, **short), tmp_path / 'parts', told=lambda *_: None) == whole
    one, other = (checkpoint.load(tmp_path / name / BEST, BcZCard)[0] for name in ('whole', 'parts'))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_without_the_joints_it_does_not_see_them(taught):
    card = checkpoint.load(taught[0], BcZCard)[1]
    torch.manual_seed(0)
    pictures, tokens = shades(made(0).pictures[:1]), torch.tensor([[2, 3]])
    for state, same in ((True, False), (False, True)):
        network = Network(SIZE.model_copy(update={'state': state}), card.scope).eval()
        one, other = (network(pictures, joints, tokens)[0] for joints in (torch.zeros(1, 2), torch.ones(1, 2)))
        assert torch.equal(one, other) is same


def test_too_many_commands_of_the_gripper_are_refused():
    odd = [replace(made(0), grip=np.full(FRAMES, i * 0.01, np.float32)) for i in range(40)]
    with pytest.raises(ConfigError, match='40 commands'):
        BcZLesson(Data(odd, odd[:1], SETTING), network=SIZE, settings=BcZTraining())


def write(path, seed=0, pictured=False, **more):
    """Write an episode as an export does, but of a small arm."""
    one = made(seed, pictured)
    about = {'bag': {'instruction': one.sentence, 'task': one.task, 'axis': 'color', 'seed': str(seed)}, 'fps': 20, 'action': 'joints'}
    about |= {'names': {'action': ['pan', 'tilt', 'gripper.opening']}} | more
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = np.column_stack([one.asked, one.grip])
    state = np.column_stack([one.state, one.grip])
    shows = {f'prompt/image_{i}': picture for i, picture in enumerate(one.prompt, start=1)}
    seen = {'observation.state': state, 'observation.images.front': one.pictures[:, 0]}
    np.savez(path, metadata=json.dumps(about), action=rows, **seen, **shows)


@pytest.mark.parametrize('pictured', [False, True])
def test_what_was_exported_is_read(tmp_path, pictured):
    write(tmp_path / 'a' / '1.npz', 3, pictured)
    (one,), setting, _ = episodes(SIDE).examples(tmp_path)
    wanted = made(3, pictured)
    assert setting == SETTING and one.scene == ('made/up', '', 3) and one.sentence == wanted.sentence
    assert all(np.array_equal(getattr(one, name), getattr(wanted, name)) for name in ('pictures', 'state', 'asked', 'grip', 'prompt'))


@pytest.mark.parametrize(
    'damage', [{'action': 'pose'}, {'fps': 10}, {'names': {'action': ['pan', 'gripper.opening']}}, {'names': {}}, {'bag': {}}]
)
def test_what_was_exported_otherwise_is_refused_by_name(tmp_path, damage):
    write(tmp_path / 'odd.npz', **damage)
    with pytest.raises(ConfigError, match=r'odd\.npz holds no episode'):
        episodes(SIDE).examples(tmp_path)


def test_an_empty_folder_a_file_of_noise_and_other_cameras_are_refused(tmp_path):
    with pytest.raises(ConfigError, match='no episodes'):
        episodes(SIDE).examples(tmp_path)
    write(tmp_path / 'a.npz')
    write(tmp_path / 'b.npz', names={'action': ['tilt', 'pan', 'gripper.opening']})
    with pytest.raises(ConfigError, match='made in different ways'):
        episodes(SIDE).examples(tmp_path)
    (tmp_path / 'a.npz').write_bytes(b'PK\x03\x04noise')
    with pytest.raises(ConfigError, match=r'a\.npz'):
        episodes(SIDE).examples(tmp_path)


def test_pictures_come_in_the_order_of_their_names():
    found = scaled({'wrist': np.full((64, 48, 3), 9, np.uint8), 'front': np.full((64, 48, 3), 7, np.uint8)}, 32)
    assert found.shape == (2, 32, 32, 3) and found[0].max() == 7 and found[1].min() == 9


def test_the_command_trains_and_draws_the_curve(tmp_path):
    write(tmp_path / 'data' / 'a.npz')
    write(tmp_path / 'val' / 'a.npz', 80000)
    words = ['train', 'bc-z', str(tmp_path / 'data'), '--validation', str(tmp_path / 'val'), '--out', str(tmp_path / 'out'), '--side', '32']
    done = CliRunner().invoke(app, [*words, '--steps', '2', '--batch', '2', '--every', '1', '--threads', '1'])
    assert done.exit_code == 0 and 'gripper right' in done.output, done.output
    assert {path.name for path in (tmp_path / 'out').iterdir()} == WRITTEN
    done = CliRunner().invoke(app, [*words[:4], str(tmp_path / 'data'), *words[5:]])
    assert done.exit_code == 2 and 'Keep them apart' in done.stderr


@pytest.fixture(scope='module')
def panda():
    """Weights for a Panda that were never trained."""
    profile = robot('panda')
    like = {'joints': profile.joints, 'middle': profile.home, 'spread': (1.0,) * 7, 'reach': (0.01,) * 7}
    card = lesson(2).card().model_copy(update=like | {'cameras': ('front',), 'width': 64, 'height': 64})
    torch.manual_seed(0)
    return card, Network(card.network, card.scope).state_dict()


def test_in_the_bench_it_plays_to_a_verdict_and_the_same_again(panda, tmp_path):
    card, weights = panda
    checkpoint.save(tmp_path / 'w.safetensors', weights, card)
    policy = BcZPolicy(str(tmp_path / 'w.safetensors'), rows='3')
    bench = Bench(cameras='vlmbench:front', width=64, height=64)
    try:
        commands = []
        act = policy.act
        policy.act = lambda seen: commands.append(act(seen) if len(commands) % 31 < 30 else Stop()) or commands[-1]
        one, other = (bench.run(catalogue.build('vlmbench/pick_place', 'seen', 1001), Played(policy)) for _ in range(2))
    finally:
        bench.close()
    assert one.hashes == other.hashes and len(commands) == 62
    moves = [command for command in commands if command != Stop()]
    assert all(isinstance(move, Both) and isinstance(move.arm, Joints) for move in moves)
    assert sum(isinstance(move.gripper, Grip) for move in moves) < len(moves)  # it is told when it changes


def test_other_robots_other_cameras_and_wrong_arguments_are_refused(panda, tmp_path):
    card, weights = panda
    path = tmp_path / 'w.safetensors'
    checkpoint.save(path, weights, card)
    for rows in ('0', '4', 'x'):
        with pytest.raises(ConfigError, match='rows is a number from 1 to 3'):
            BcZPolicy(str(path), rows=rows)
    larger = Bench(cameras='vlmbench:front', width=128, height=64)
    try:
        with pytest.raises(ConfigError, match=r'found front of 128 x 64\. Choose them with --cameras and --size 64x64'):
            larger.run(catalogue.build('vlmbench/pick_place', 'seen', 1001), Played(BcZPolicy(str(path))))
    finally:
        larger.close()
    bench = Bench()
    try:
        with pytest.raises(ConfigError, match=r'found none\. Choose them'):
            bench.run(catalogue.build('vlmbench/pick_place', 'seen', 1001), Played(BcZPolicy(str(path))))
        checkpoint.save(path, weights, card.model_copy(update={'joints': ('a',) * 7}))
        with pytest.raises(ConfigError, match='the robot panda has'):
            bench.run(catalogue.build('vlmbench/pick_place', 'seen', 1001), Played(BcZPolicy(str(path))))
    finally:
        bench.close()
    for wrong in ({'middle': (0.0,) * 3}, {'spread': (0.0,) * 7}, {'reach': (float('inf'),) * 7}, {'grips': (float('nan'),)}):
        checkpoint.save(path, weights, card.model_copy(update=wrong))
        with pytest.raises(ConfigError, match='holds no card'):
            BcZPolicy(str(path))
    weights = dict(weights)
    weights.popitem()
    checkpoint.save(path, weights, card)
    with pytest.raises(ConfigError, match='do not fit their card'):
        BcZPolicy(str(path))
