"""Training on a made-up table: it learns the words, goes on where it was stopped to the same bits, and refuses what does not belong."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from vlm_bench_baselines.checkpoint import load
from vlm_bench_baselines.curves import draw
from vlm_bench_baselines.key_frame.reading import Reader
from vlm_bench_baselines.key_frame.settings import NetworkSettings, TrainingSettings
from vlm_bench_baselines.key_frame.training import BEST, CURVE, LAST, Data, KeyFrameCard, train
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.fusion import TopDown

SIZE = NetworkSettings(widths=(16, 24, 32), words=48, sentence=48, yaws=12)
SHORT = TrainingSettings(steps=6, batch=4, every=3)


@pytest.fixture(autouse=True, scope='module')
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def data(table, survey, train_seeds=range(60), held_out=range(1000, 1024)):
    return Data([table(seed) for seed in train_seeds], [table(seed) for seed in held_out], survey)


def run(given, folder, settings=SHORT):
    seen = []
    return train(given, folder, network=SIZE, settings=settings, told=lambda step, loss: seen.append((step, loss))), seen


@pytest.fixture(scope='module')
def taught(tmp_path_factory, one_thread):
    """The folder of a training that is long enough to understand the words, and how good it became on tables that it has not seen."""
    from test.baselines.conftest import PLOT, made
    from vlm_bench_baselines.demonstrations import Survey

    folder = tmp_path_factory.mktemp('taught')
    given = data(made, Survey(PLOT, 'vlmbench:front', 64, 48), range(600))
    best, _ = run(given, folder, TrainingSettings(steps=240, batch=16, rate=3e-3, every=80, average=0.98, noise=0.0))
    return folder, best


def test_it_learns_to_find_what_the_words_name_on_tables_that_it_has_not_seen(taught):
    assert taught[1].both >= 0.9  # by chance 1 of 12
    assert taught[1].z < 0.005


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
    assert card.tasks == ('made/up',) and card.seeds == (0, 599) and card.carries == (600, 24) and card.step in (80, 160, 240)
    assert card.plot == survey.plot and (card.cameras, card.width, card.height) == ('vlmbench:front', 64, 48)
    assert card.score['both'] == taught[1].both and 'red' in card.words


def test_the_curve_is_drawn(taught, tmp_path):
    draw(taught[0] / CURVE, tmp_path / 'curve.png')
    assert (tmp_path / 'curve.png').read_bytes().startswith(b'\x89PNG')
    (tmp_path / 'none').write_text('{"step": 1}\n')
    with pytest.raises(ConfigError, match='holds no curve'):
        draw(tmp_path / 'none', tmp_path / 'none.png')


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(table, survey, tmp_path):
    given = data(table, survey, range(8), range(1000, 1002))
    whole, _ = run(given, tmp_path / 'whole')

    class Stopped(Exception):
        pass

    def stop(step, _loss):
        if step == 5:
            raise Stopped

    with pytest.raises(Stopped):
        train(given, tmp_path / 'parts', network=SIZE, settings=SHORT, told=stop)
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


def test_what_lies_outside_its_map_is_refused(table, survey, tmp_path):
    given = data(table, survey, range(4), range(1000, 1002))
    astray = replace(given.train[0], pick=replace(given.train[0].pick, position=(9.0, 0.0, 0.0)))
    with pytest.raises(ConfigError, match='outside its map'):
        run(replace(given, train=[*given.train, astray]), tmp_path)
