"""Jobs on a Ray cluster: what workers of this machine promise holds there."""

import sys
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from test.chores import chore
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.dataset.over_ray import play
from vlm_bench_tasks.workers import Lost

ROOT = Path(__file__).parents[2]


def test_where_ray_is_not_installed_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, 'ray', None)
    with pytest.raises(ConfigError, match='pip install ray'):
        next(play(['pid'], chore, workers=1))


@pytest.mark.slow
@pytest.mark.timeout(500)
@pytest.mark.skipif(find_spec('ray') is None, reason='ray is not installed: pip install ray')
def test_what_raises_dies_or_takes_too_long_is_told_and_the_others_are_done(monkeypatch):
    monkeypatch.setenv('PYTHONPATH', str(ROOT))  # of Ray's workers
    jobs = ['sleep 0', 'raise no such cube', 'die', 'sleep 600', 'sleep 0.1', 'sleep 0.2']
    found = dict(play(jobs, chore, workers=2, patience=60.0))
    assert found.keys() == set(jobs)
    assert [found[job] for job in jobs if job.startswith('sleep 0')] == ['slept'] * 3
    assert found['raise no such cube'].cause == 'ValueError: no such cube'
    assert 'chores.py' in found['raise no such cube'].trace
    assert isinstance(found['die'], Lost) and found['die'].cause.startswith('Ray gave no result')
    assert found['sleep 600'] == Lost('It took longer than 60 s and was ended.')


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(find_spec('ray') is None, reason='ray is not installed: pip install ray')
def test_a_cluster_is_given_no_more_at_a_time_than_it_has_cpus(monkeypatch):
    """What waits in the cluster for a place would spend its patience there."""
    monkeypatch.setenv('PYTHONPATH', str(ROOT))
    monkeypatch.setenv('RAY_ADDRESS', 'local')  # a cluster that has what this machine has, whatever is asked for
    given = []
    cpus = psutil.cpu_count()
    jobs = (given.append(i) or f'sleep 0.0{i}' for i in range(1, 3 * cpus))
    doing = play(jobs, chore, workers=4 * cpus)
    next(doing)
    assert len(given) <= cpus + 1
    assert list(dict(doing).values()) == ['slept'] * (3 * cpus - 2)
