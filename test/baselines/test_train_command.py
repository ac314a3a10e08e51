"""`vlm-bench train`: what it makes, and what it refuses before it trains."""

import pytest
from typer.testing import CliRunner

from test.baselines.test_demonstrations import write
from vlm_bench_baselines.training import Training
from vlm_bench_tasks.cli.main import app

WRITTEN = {'best.safetensors', 'last.safetensors', 'curve.jsonl', 'curve.png', 'cost.jsonl'}


def train(tmp_path, *more):
    return CliRunner().invoke(
        app, ['train', 'key-frame', str(tmp_path / 'data'), '--validation', str(tmp_path / 'val'), '--out', str(tmp_path / 'out'), *more]
    )


def test_it_trains_and_draws_the_curve(tmp_path):
    write(tmp_path / 'data' / 'a.npz', shape=(2, 4))
    write(tmp_path / 'val' / 'a.npz', shape=(2, 4), seed=80000)
    done = train(tmp_path, '--steps', '2', '--batch', '1', '--every', '1', '--threads', '1', '--widths', '28,24')
    assert done.exit_code == 0, done.output
    assert 'right to 2 cm: pick and place' in done.output
    assert {path.name for path in (tmp_path / 'out').iterdir()} == WRITTEN


def test_a_stopped_training_says_where_it_goes_on_and_a_finished_one_that_it_is(tmp_path, monkeypatch):
    write(tmp_path / 'data' / 'a.npz', shape=(2, 4))
    write(tmp_path / 'val' / 'a.npz', shape=(2, 4), seed=80000)
    words = ('--steps', '4', '--batch', '1', '--every', '2', '--threads', '1', '--widths', '28,24')
    advance, seen = Training.advance, []

    def interrupted(training):
        if len(seen) == 3:
            raise KeyboardInterrupt
        seen.append(training.step)
        return advance(training)

    with monkeypatch.context() as patch:
        patch.setattr(Training, 'advance', interrupted)
        done = train(tmp_path, *words)
    assert done.exit_code == 130 and 'goes on from the last validation' in done.output.replace('\n', ' ')
    done = train(tmp_path, *words)
    assert done.exit_code == 0 and 'goes on after batch 2' in done.output
    done = train(tmp_path, *words)
    assert done.exit_code == 0 and 'was finished already' in done.output.replace('\n', ' ')
    done = train(tmp_path, *words[2:], '--steps', '6')
    assert done.exit_code == 2 and 'it differs in steps (4 there, 6 here)' in done.stderr.replace('\n', ' ')


def test_seeds_in_both_parts_are_refused(tmp_path):
    for part in ('data', 'val'):
        write(tmp_path / part / 'a.npz')
    done = train(tmp_path)
    assert done.exit_code == 2 and 'in the training and in the validation data' in done.stderr


WRONG = {
    '--steps': '0',
    '--batch': '-1',
    '--seed': '-1',
    '--blank': 'sound',
    '--widths': 'wide,wider',
    '--precision': 'float8',
    '--threads': '-1',
}


@pytest.mark.parametrize(('option', 'value'), [*WRONG.items(), ('--widths', '32')])
def test_a_value_that_cannot_be_is_refused_by_name(tmp_path, option, value):
    write(tmp_path / 'data' / 'a.npz')
    write(tmp_path / 'val' / 'a.npz', seed=80000)
    done = train(tmp_path, option, value)
    assert done.exit_code == 2 and option.removeprefix('--') in done.stderr and not (tmp_path / 'out').exists()


def test_a_folder_without_maps_is_refused(tmp_path):
    done = train(tmp_path)
    assert done.exit_code == 2 and 'no maps' in done.stderr
