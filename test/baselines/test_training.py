"""Training on a made-up table: it learns the words, goes on where it was stopped to the same bits, and refuses what does not belong."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from vlm_bench_baselines import checkpoint
from vlm_bench_baselines.checkpoint import load, save
from vlm_bench_baselines.curves import draw
from vlm_bench_baselines.data import Data
from vlm_bench_baselines.key_frame.card import KeyFrameCard
from vlm_bench_baselines.key_frame.lesson import KeyFrameLesson
from vlm_bench_baselines.key_frame.reading import Reader
from vlm_bench_baselines.key_frame.settings import KeyFrameTraining, NetworkSettings
from vlm_bench_baselines.training import BEST, CURVE, LAST, train
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import TopDown

SIZE = NetworkSettings(widths=(16, 24, 32), words=48, sentence=48, yaws=12)
SHORT = KeyFrameTraining(steps=6, batch=4, every=3)


def data(table, survey, train_seeds=range(60), held_out=range(1000, 1024)):
    return Data([table(seed) for seed in train_seeds], [table(seed) for seed in held_out], survey)


def run(given, folder, settings=SHORT):
    seen = []
    return train(KeyFrameLesson(given, network=SIZE, settings=settings), folder, told=lambda step, loss: seen.append((step, loss))), seen


@pytest.fixture(scope='module')
def taught(tmp_path_factory, one_thread):
    """The folder of a training that is long enough to understand the words, and how good it became on tables that it has not seen."""
    from test.baselines.conftest import PLOT, made
    from vlm_bench_baselines.demonstrations import Survey

    folder = tmp_path_factory.mktemp('taught')
    given = data(made, Survey(PLOT, 'vlmbench:front', 64, 48), range(1000))
    best, _ = run(given, folder, KeyFrameTraining(steps=300, batch=16, rate=3e-3, every=100, average=0.98, noise=0.0))
    return folder, best


def test_it_learns_to_find_what_the_words_name_on_tables_that_it_has_not_seen(taught):
    assert taught[1]['both'] >= 0.9  # by chance 1 of 12
    assert taught[1]['z'] < 0.005


def test_the_weights_read_a_map_as_they_were_taught(taught, table, plot):
    reader = Reader(taught[0] / BEST)
    right = {'': 0, 'words': 0}
    for seed in range(2000, 2020):
        one = table(seed)
        for blank in right:
            found = reader.read(TopDown(one.color, one.height, one.seen.astype('uint8')), one.sentence, blank=blank)
            away = [np.subtract(a.position, b.position)[:2] for a, b in ((found.pick, one.pick), (found.place, one.place))]
            right[blank] += bool(np.abs(away).max() < plot.pixel)
        assert found.heat.shape == (2, *plot.shape) and found.heat.sum(axis=(1, 2)) == pytest.approx([1.0, 1.0])
    assert right[''] >= 17 and right['words'] <= 8


def test_the_card_says_what_was_done(taught, survey):
    _, card = load(taught[0] / BEST, KeyFrameCard)
    assert card.tasks == ('made/up',) and card.seeds == (0, 999) and card.carries == (1000, 24) and card.step in (100, 200, 300)
    assert card.plot == survey.plot and (card.cameras, card.width, card.height) == ('vlmbench:front', 64, 48)
    assert card.score['both'] == taught[1]['both'] and 'red' in card.words


def test_the_curve_is_drawn(taught, tmp_path):
    draw(taught[0] / CURVE, tmp_path / 'curve.png', KeyFrameLesson.shares)
    assert (tmp_path / 'curve.png').read_bytes().startswith(b'\x89PNG')
    (tmp_path / 'none').write_text('{"step": 1}\n')
    with pytest.raises(ConfigError, match='holds no curve'):
        draw(tmp_path / 'none', tmp_path / 'none.png', {})
    (tmp_path / 'folder').mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ConfigError, match='folder cannot be written'):
        draw(taught[0] / CURVE, tmp_path / 'folder', KeyFrameLesson.shares)
    assert sorted(tmp_path.iterdir()) == before


def test_in_bfloat16_it_learns_nearly_the_same(table, survey, tmp_path):
    given = data(table, survey, range(8), range(1000, 1002))
    ends = [run(given, tmp_path / one, SHORT.model_copy(update={'precision': one}))[0]['loss'] for one in ('float32', 'bfloat16')]
    assert ends[0] != ends[1] == pytest.approx(ends[0], rel=0.05)


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(table, survey, tmp_path):
    given = data(table, survey, range(8), range(1000, 1002))
    whole, _ = run(given, tmp_path / 'whole')

    class Stopped(Exception):
        pass

    def stop(step, _loss):
        if step == 5:
            raise Stopped

    with pytest.raises(Stopped):
        train(KeyFrameLesson(given, network=SIZE, settings=SHORT), tmp_path / 'parts', told=stop)
    again, seen = run(given, tmp_path / 'parts')
    assert [step for step, _ in seen] == [4, 5, 6] and again == whole
    assert (tmp_path / 'whole' / CURVE).read_text() == (tmp_path / 'parts' / CURVE).read_text()
    one, other = (load(tmp_path / name / LAST, KeyFrameCard)[0] for name in ('whole', 'parts'))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_finished_training_is_not_trained_again(table, survey, tmp_path):
    given = data(table, survey, range(8), range(1000, 1002))
    first, _ = run(given, tmp_path)
    assert run(given, tmp_path) == (first, [])


def test_another_training_in_the_same_folder_is_refused(table, survey, tmp_path):
    given = data(table, survey, range(8), range(1000, 1002))
    run(given, tmp_path)
    for other, settings in ((given, SHORT.model_copy(update={'seed': 1})), (replace(given, train=given.train[:-1]), SHORT)):
        with pytest.raises(ConfigError, match='another training'):
            run(other, tmp_path, settings)


def test_with_other_threads_a_training_does_not_go_on(table, survey, tmp_path):
    given = data(table, survey, range(4), range(1000, 1002))
    before = torch.get_num_threads()
    run(given, tmp_path)
    try:
        torch.set_num_threads(before + 1)
        with pytest.raises(ConfigError, match='another training: it differs in threads'):
            run(given, tmp_path)
    finally:
        torch.set_num_threads(before)


def test_what_no_card_can_say_is_told_before_the_first_step(table, survey, tmp_path):
    given = data(table, survey, range(4), range(1000, 1002))
    odd = [replace(given.train[0], sentence='Put ' + 'a' * 70 + ' in.'), *given.train[1:]]
    with pytest.raises(ConfigError, match=r'These data cannot be learned from: words\.\d+ .*Leave that out'):
        run(replace(given, train=odd), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_network_whose_state_could_not_be_read_again_is_not_trained(table, survey, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, 'MOST_STATE', 1 << 20)
    with pytest.raises(ConfigError, match='MiB of state; 1 are allowed'):
        run(data(table, survey, range(4), range(1000, 1002)), tmp_path)


def test_two_do_not_train_in_one_folder(table, survey, tmp_path):
    given = data(table, survey, range(4), range(1000, 1002))

    def meanwhile(step, loss):
        with pytest.raises(ConfigError, match='Another process trains in'):
            run(given, tmp_path)

    train(KeyFrameLesson(given, network=SIZE, settings=SHORT), tmp_path, told=meanwhile)
    assert {path.name for path in tmp_path.iterdir()} == {BEST, LAST, CURVE}


def test_with_other_files_of_the_same_seeds_a_training_does_not_go_on(table, survey, tmp_path):
    given = data(table, survey, range(4), range(1000, 1002))
    run(given, tmp_path)
    with pytest.raises(ConfigError, match='another training'):
        run(replace(given, digests=('other', '')), tmp_path)


def test_numbers_beyond_all_measure_end_a_training_and_save_nothing(table, survey, tmp_path):
    one = table(0)
    given = data(table, survey, range(4), range(1000, 1002))
    with pytest.raises(ConfigError, match='The loss of step 1 is nan'):
        run(replace(given, train=[replace(one, height=np.full_like(one.height, np.nan))]), tmp_path)
    with pytest.raises(ConfigError, match='scores on validation data are no numbers'):
        run(replace(given, validation=[replace(one, height=np.full_like(one.height, np.nan))]), tmp_path)
    assert not list(tmp_path.iterdir())


DAMAGE = (
    'no curve', 'no json', 'another score', 'no number', 'too many steps', 'another network', 'no optimizer', 'a moment',
    'no best weights',
)  # fmt: skip


@pytest.mark.parametrize('damage', DAMAGE)
def test_a_folder_whose_training_cannot_go_on_is_refused_by_name(table, survey, tmp_path, damage):
    given = data(table, survey, range(8), range(1000, 1002))
    run(given, tmp_path / 'out')
    weights, card = load(tmp_path / 'out' / LAST, KeyFrameCard)
    if damage == 'no curve':
        (tmp_path / 'out' / CURVE).unlink()
    elif damage == 'no best weights':
        (tmp_path / 'out' / BEST).unlink()
    elif damage == 'no json':
        (tmp_path / 'out' / CURVE).write_text('{')
    elif damage == 'another score':
        save(tmp_path / 'out' / LAST, weights, card.model_copy(update={'score': {'good': 1.0}}))
    elif damage == 'no number':
        told = json.dumps(card.model_dump(mode='json') | {'score': card.score | {'both': float('nan')}})
        save_file(weights, tmp_path / 'out' / LAST, metadata={'card': told})
    elif damage == 'too many steps':
        save(tmp_path / 'out' / LAST, weights, card.model_copy(update={'step': 10**6}))
    elif damage == 'no optimizer':
        save(tmp_path / 'out' / LAST, {name: one for name, one in weights.items() if not name.startswith('optimizer')}, card)
    elif damage == 'a moment':
        save(tmp_path / 'out' / LAST, {name: one[:1] if name.endswith('0.exp_avg') else one for name, one in weights.items()}, card)
    else:
        save(tmp_path / 'out' / LAST, {name: one for name, one in weights.items() if 'heads' not in name}, card)
    with pytest.raises(ConfigError, match='out cannot go on'):
        run(given, tmp_path / 'out')


def test_a_place_that_cannot_be_written_is_told(table, survey, tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ConfigError, match='cannot be written'):
        run(data(table, survey, range(8), range(1000, 1002)), tmp_path / 'file' / 'out')


@pytest.mark.parametrize(
    'more', [{'pixel': 1e-6}, {'pixel': 0.0}, {'network': {'widths': (10**6, 10**6)}}, {'network': {'words': 10**9}}], ids=str
)
def test_a_card_that_asks_for_too_much_is_refused(taught, tmp_path, more):
    weights, card = load(taught[0] / BEST, KeyFrameCard)
    told = card.model_dump(mode='json') | more
    save_file({name: one.contiguous() for name, one in weights.items()}, tmp_path / 'w.safetensors', metadata={'card': json.dumps(told)})
    with pytest.raises(ConfigError):
        Reader(tmp_path / 'w.safetensors')


def test_a_map_is_read_alike_on_another_processor(taught, table, tmp_path):
    one = table(2000)
    np.savez(tmp_path / 'map.npz', color=one.color, height=one.height, seen=one.seen)
    script = (
        'import sys; import numpy as np; from pathlib import Path; from vlm_bench_sim.core.fusion import TopDown\n'
        'from vlm_bench_baselines.key_frame.reading import Reader\n'
        'd = np.load(sys.argv[2]); seen = TopDown(d["color"], d["height"], d["seen"].astype(np.uint8))\n'
        'found = Reader(Path(sys.argv[1])).read(seen, sys.argv[3]); print(found.pick, found.place)'
    )
    words = [sys.executable, '-c', script, str(taught[0] / BEST), str(tmp_path / 'map.npz'), one.sentence]
    old = {
        'ATEN_CPU_CAPABILITY': 'default',
        'ONEDNN_MAX_CPU_ISA': 'SSE41',
        'NPY_DISABLE_CPU_FEATURES': 'X86_V3 X86_V4',
        'OMP_NUM_THREADS': '2',
    }
    said = [subprocess.run(words, env=os.environ | more, capture_output=True, text=True, check=True).stdout for more in ({}, old)]
    assert said[0] == said[1] and 'Target' in said[0]


def test_what_lies_outside_its_map_is_refused(table, survey, tmp_path):
    given = data(table, survey, range(4), range(1000, 1002))
    astray = replace(given.train[0], pick=replace(given.train[0].pick, position=(9.0, 0.0, 0.0)))
    with pytest.raises(ConfigError, match='outside its map'):
        run(replace(given, train=[*given.train, astray]), tmp_path)
