"""What a training costs."""

import json
import time

import pytest

from vlm_bench_baselines.cost import COST, measured, minutes
from vlm_bench_sim.core.errors import ConfigError


def test_each_run_is_counted_also_one_that_was_stopped(tmp_path):
    with measured(tmp_path, 2) as spent:
        spent.steps += 3
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
    with pytest.raises(KeyboardInterrupt), measured(tmp_path, 1) as spent:
        spent.steps += 1
        raise KeyboardInterrupt
    first, second = (json.loads(line) for line in (tmp_path / COST).read_text().splitlines())
    assert (first['steps'], first['threads'], second['steps']) == (3, 2, 1) and first['cpu_s'] >= 0.3
    assert minutes(tmp_path) == pytest.approx((first['cpu_s'] + second['cpu_s']) / 60)


def test_a_run_without_a_step_is_not_counted(tmp_path):
    with measured(tmp_path, 1):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('content', [None, 'noise', '{"steps": 1}', '[]'])
def test_a_folder_that_does_not_tell_is_refused(tmp_path, content):
    if content is not None:
        (tmp_path / COST).write_text(content)
    with pytest.raises(ConfigError, match='does not tell'):
        minutes(tmp_path)
