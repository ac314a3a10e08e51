"""The PerAct-like policy: what it learns on a tiny grid, what it reads, how it moves, and what it refuses."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.data import Data
from vlm_bench_baselines.demonstrations import Target
from vlm_bench_baselines.per_act.card import PerActCard
from vlm_bench_baselines.per_act.frames import VOXELS, KeyFrame, Setting, cube, varied
from vlm_bench_baselines.per_act.inputs import given, hottest
from vlm_bench_baselines.per_act.lesson import PerActLesson
from vlm_bench_baselines.per_act.network import Network
from vlm_bench_baselines.per_act.policy import PerActPolicy
from vlm_bench_baselines.per_act.settings import PerActNetwork, PerActTraining
from vlm_bench_baselines.training import BEST, train
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.voxels import Grid, Voxels
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.policy import Played
from vlm_bench_tasks.run import Bench

GRID = Grid((0.0, 0.0, 0.0), 0.24, 12)
SETTING = Setting(GRID, 'vlmbench', 64, 64)
SIZE = PerActNetwork(patch=4, width=16, latents=16, latent=32, depth=2, heads=4, words=16, sentence=16, yaws=6)
TRAINING = PerActTraining(steps=160, batch=8, every=40, rate=3e-3, decay=0.0, average=0.95, turned=(), moved=())
COLORS = {'red': (220, 30, 30), 'blue': (30, 30, 220)}
DOWN = (0.0, 0.0, -1.0)


def made(seed):
    """A floor with a block of each color. An open hand goes to the block that the sentence names, a closed one to the corner."""
    chance = np.random.default_rng(seed)
    floor = np.array([(x, y, 0) for x in range(GRID.cells) for y in range(GRID.cells)])
    at, color = [floor], [np.full((len(floor), 3), 120)]
    spots = {}
    for name, spot in zip(COLORS, chance.permutation(9)[:2], strict=True):
        spots[name] = np.array([4 * (spot // 3) + 1, 4 * (spot % 3) + 1, 1])
        at.append(spots[name][None])
        color.append(np.array([COLORS[name]]))
    name, closed = str(chance.choice(list(COLORS))), bool(chance.integers(2))
    where = (np.array([10, 10, 6]) if closed else spots[name]) + 0.5 + 0.25
    target = Target(tuple((where * GRID.edge).tolist()), DOWN, 0.6 if closed else -0.6)
    seen = Voxels(np.concatenate(at), np.concatenate(color).astype(np.uint8))
    return KeyFrame(f'Take the {name} block.', 'made/up', '', 'seen', seed, seen, closed, 0.04 if closed else 0.08, target, not closed)


def lesson(count=8, settings=TRAINING):
    shown = [made(i) for i in range(count)]
    return PerActLesson(Data(shown, shown, SETTING), network=SIZE, settings=settings)


@pytest.fixture(scope='module')
def taught(tmp_path_factory, one_thread):
    folder = tmp_path_factory.mktemp('taught')
    return folder / BEST, train(lesson(), folder, told=lambda *_: None)


def test_it_learns_a_few_key_frames_by_heart(taught):
    assert taught[1]['near'] == 1.0 and taught[1]['hand'] == 1.0


def test_it_tells_the_target_between_voxels_and_the_angle(taught):
    weights, card = checkpoint.load(taught[0], PerActCard)
    network = Network(card.network, len(card.words) + 2, cells=card.cells).eval()
    network.load_state_dict(weights)
    for seed in range(8):
        one = made(seed)
        words = torch.tensor([[2 + card.words.index(word) for word in ('take', 'the', one.sentence.split()[2], 'block')]])
        answer = network(*given([one.seen], [(one.closed, one.opening)], GRID), words)
        cell = hottest(answer.heat)
        details = network.details(answer, cell)
        found = ((cell[0] + 0.5 + details.offset[0]) * GRID.edge).tolist()
        assert found == pytest.approx(one.target.position, abs=0.003)
        assert details.yaw.argmax() == (4 if one.closed else 1)


def test_the_card_says_what_was_done(taught):
    card = checkpoint.load(taught[0], PerActCard)[1]
    assert card.grid == GRID and card.frames == (8, 8) and card.seeds == (0, 7) and card.score == taught[1]
    with pytest.raises(ValueError, match='larger than 256'):
        PerActCard.model_validate(card.model_dump() | {'cells': 300})
    with pytest.raises(ValueError, match='numbers each'):
        PerActCard.model_validate(card.model_dump() | {'cells': 256, 'network': {'width': 1024}})
    with pytest.raises(ValueError, match='heads'):
        PerActNetwork(latent=30, heads=4)


def test_patches_that_do_not_fit_are_filled_up():
    network = Network(SIZE.model_copy(update={'patch': 5}), 5, cells=12)
    answer = network(*given([made(0).seen], [(False, 0.08)], GRID), torch.tensor([[2, 3]]))
    assert answer.heat.shape == (1, 12, 12, 12) and answer.features.shape == (1, 16, 12, 12, 12)


def test_the_hand_and_every_word_matter():
    torch.manual_seed(0)
    network = Network(SIZE, 8, cells=12).eval()
    cubes, hand = given([made(0).seen], [(False, 0.08)], GRID)
    first, *others = (
        network(cubes, now, torch.tensor([words])).heat
        for now, words in ((hand, [2, 3]), (hand, [2, 4]), (hand, [3, 2]), (hand * 0.5, [2, 3]))
    )
    assert all(not torch.allclose(first, other, atol=1e-6) for other in others)


def test_a_cube_shows_colors_where_voxels_are():
    found = cube(Voxels(np.array([[1, 2, 3]]), np.array([[255, 0, 51]], np.uint8)), GRID)
    assert found.shape == (7, 12, 12, 12) and found[3].sum() == 1.0
    assert found[:4, 1, 2, 3].tolist() == pytest.approx([1.0, -1.0, -0.6, 1.0], abs=0.01)
    assert found[4:, 11, 0, 0].tolist() == [1.0, -1.0, -1.0]


def test_what_is_turned_and_moved_keeps_its_target_on_the_block():
    one = replace(made(3), axis='color', closed=False)
    block, color = next((row, tuple(color)) for row, color in zip(one.seen.at, one.seen.color, strict=True) if row[2] == 1)
    one = replace(one, target=replace(one.target, position=tuple(((block + 0.5) * GRID.edge).tolist())))
    settings = PerActTraining(shift=0.02)
    moved = 0
    for seed in range(20):
        after = varied(one, GRID, settings=settings, chance=np.random.default_rng(seed))
        away = np.abs(after.seen.at - GRID.voxel(after.target.position)).max(axis=1)
        assert color in [tuple(found) for found, far in zip(after.seen.color, away, strict=True) if far <= 1]
        moved += after.target.position != one.target.position
        assert after.target.yaw != one.target.yaw or after is one
    assert moved >= 15
    still = varied(replace(one, axis='region'), GRID, settings=settings, chance=np.random.default_rng(0))
    assert still.target == one.target and np.array_equal(still.seen.at, one.seen.at)


def write(path, seed=0, **damage):
    """Write a key frame as an export does."""
    one = made(seed)
    about = {
        'bag': {'instruction': one.sentence, 'task': one.task, 'axis': 'color', 'seed': str(seed)},
        'cube': {'cameras': 'vlmbench', 'width': 64, 'height': 64}, 'grid': {'low': GRID.low, 'side': GRID.side, 'cells': GRID.cells},
    }  # fmt: skip
    arrays = {
        'metadata': json.dumps(about | {key: damage.pop(key) for key in ('bag', 'grid') if key in damage}),
        'voxel.frame': np.zeros(len(one.seen.at), np.uint16), 'voxel.at': one.seen.at.astype(np.uint16), 'voxel.color': one.seen.color,
        'closed': np.array([one.closed]), 'opening': np.array([one.opening]), 'next.closed': np.array([one.closes]),
        'next.tool': np.array([[*one.target.position, 1.0, 0.0, 0.0, 0.0]]),
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays | damage)


def test_what_was_exported_is_read(tmp_path):
    write(tmp_path / 'a' / '1.npz', 3)
    (one,), setting, _ = VOXELS.examples(tmp_path)
    wanted = made(3)
    assert setting == SETTING and one.scene == ('made/up', '', 3)
    assert (one.sentence, one.closed, one.closes) == (wanted.sentence, wanted.closed, wanted.closes)
    assert np.array_equal(one.seen.at, wanted.seen.at) and np.array_equal(one.seen.color, wanted.seen.color)
    assert one.target.position == wanted.target.position and one.target.approach == pytest.approx(DOWN)


@pytest.mark.parametrize(
    'damage',
    [
        {'voxel.at': np.zeros((3, 3), np.uint16)}, {'voxel.at': np.full((146, 3), 12, np.uint16)}, {'next.tool': np.zeros((2, 7))},
        {'bag': {}}, {'grid': {'low': (0.0, 0.0, 0.0), 'side': 0.0, 'cells': 12}}, {'closed': np.zeros(3)},
        {'opening': np.array([np.nan])}, {'next.tool': np.full((1, 7), np.inf)},
        {'grid': {'low': (0.0, 0.0, 0.0), 'side': 1.0, 'cells': 1000}},
    ],
    ids=['voxels', 'outside', 'poses', 'bag', 'grid', 'hands', 'opening', 'infinite', 'too fine'],
)  # fmt: skip
def test_a_damaged_file_is_refused_by_name(tmp_path, damage):
    write(tmp_path / 'odd.npz', **damage)
    with pytest.raises(ConfigError, match=r'odd\.npz holds no voxels'):
        VOXELS.examples(tmp_path)


def test_an_empty_folder_and_targets_outside_are_refused(tmp_path):
    with pytest.raises(ConfigError, match='no voxels'):
        VOXELS.examples(tmp_path)
    astray = replace(made(0), target=replace(made(0).target, position=(9.0, 0.0, 0.0)))
    with pytest.raises(ConfigError, match='out of the grid'):
        PerActLesson(Data([astray], [made(0)], SETTING), network=SIZE, settings=TRAINING)


def test_the_command_trains_and_refuses_a_gpu_that_is_not_there(tmp_path):
    write(tmp_path / 'data' / 'a.npz')
    write(tmp_path / 'val' / 'a.npz', 80000)
    words = ['train', 'per-act', str(tmp_path / 'data'), '--validation', str(tmp_path / 'val'), '--out', str(tmp_path / 'out')]
    words += ['--steps', '1', '--batch', '1', '--threads', '1', '--latents', '8', '--latent', '16']
    done = CliRunner().invoke(app, [*words, '--device', 'cpu'])
    assert done.exit_code == 0 and 'right to 2 cm' in done.output, done.output
    for device in ('tpu', *([] if torch.cuda.is_available() else ['cuda'])):
        done = CliRunner().invoke(app, [*words, '--device', device])
        assert done.exit_code == 2 and '--device cpu' in done.stderr


@pytest.fixture(scope='module')
def bench():
    bench = Bench(cameras='vlmbench', width=64, height=64)
    yield bench
    bench.close()


@pytest.fixture(scope='module')
def weights(tmp_path_factory):
    """Weights for the workspace that were never trained."""
    path = tmp_path_factory.mktemp('weights') / 'w.safetensors'
    card = lesson(2).card().model_copy(update={'low': (0.05, -0.5, -0.1), 'side': 1.0})
    torch.manual_seed(0)
    checkpoint.save(path, Network(card.network, len(card.words) + 2, cells=card.cells).state_dict(), card)
    return path


class Told(PerActPolicy):
    """Its network is told by the test what to answer."""

    def _read(self):
        return self.answers.pop(0)


def test_key_frames_that_are_told_right_are_carried_out(weights, bench):
    """The way, the hand and the looks are right: what is left to learn is where."""
    policy = Told(str(weights))
    # From the expert's episode with this seed: the purple ring stands at (0.641, 0.051), the maroon container at (0.325, -0.038).
    pick, place = ((0.6414, 0.0512), -0.069), ((0.3246, -0.0381), -0.906)
    stops = ((pick, 0.12, False), (pick, 0.022, True), (pick, 0.15, True), (place, 0.15, True), (place, 0.03, False), (place, 0.15, False))
    policy.answers = [(Target((*at, z), DOWN, yaw), closes) for (at, yaw), z, closes in stops] * 2
    report = bench.run(catalogue.build('vlmbench/pick_place', 'seen', 1001), Played(policy)).report
    assert report.verdict is Verdict.SUCCESS, report.reason


def test_what_was_never_trained_plays_to_a_verdict_and_the_same_again(weights, bench):
    policy = PerActPolicy(str(weights), frames='2')
    one, other = (bench.run(catalogue.build('vlmbench/pick_place', 'seen', 1001), Played(policy)) for _ in range(2))
    assert one.report.verdict is Verdict.FAILURE and one.hashes == other.hashes


def test_no_cameras_wrong_arguments_and_weights_that_do_not_fit_are_refused(weights, tmp_path):
    for frames in ('0', 'x', '1001'):
        with pytest.raises(ConfigError, match='frames is a number'):
            PerActPolicy(str(weights), frames=frames)
    with pytest.raises(ConfigError, match='PyTorch cannot compute on'):
        PerActPolicy(str(weights), device='nowhere')
    found, card = checkpoint.load(weights, PerActCard)
    found.popitem()
    checkpoint.save(tmp_path / 'w.safetensors', found, card)
    with pytest.raises(ConfigError, match='Was the file changed'):
        PerActPolicy(str(tmp_path / 'w.safetensors'))
    blind = Bench()
    try:
        with pytest.raises(ConfigError, match='--cameras vlmbench --size 64x64'):
            blind.run(catalogue.build('vlmbench/pick_place', 'seen', 1001), Played(PerActPolicy(str(weights))))
    finally:
        blind.close()
