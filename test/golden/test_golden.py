"""The same task, split and seed give the same episode and the same states: as committed, in any process, by any number of workers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from test.golden import _digests
from test.golden._digests import differences, episodes, finals, golden, same_machine, stage_hash
from vlm_bench_tasks import catalogue

TASKS = catalogue.tasks()
ROOT = Path(__file__).parents[2]


def test_episodes_are_those_of_the_golden_digests():
    assert differences(episodes(TASKS), golden()['tasks'], 'episodes') == []


def test_a_stage_with_one_of_each_thing_comes_to_the_golden_state():
    same_machine()
    assert stage_hash() == golden()[_digests.STAGE], (
        'Physics, shapes or masses came to another state than before. If it is meant, raise the revision of every task '
        'whose scores change and renew the digests: python -m test.golden'
    )


@pytest.mark.long
def test_processes_with_other_hash_seeds_build_the_same_episodes():
    """The one above, whose hash seed is drawn, is one of them."""
    found = subprocess.run(
        [sys.executable, '-m', 'test.golden', '--print'],
        cwd=ROOT, env=os.environ | {'PYTHONHASHSEED': '4242'}, stdout=subprocess.PIPE, text=True, check=True, timeout=500,
    ).stdout  # fmt: skip
    assert differences(json.loads(found), golden()['tasks'], 'episodes') == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_what_the_oracle_comes_to_is_golden_by_one_worker_and_by_two():
    one, two = finals(TASKS, workers=1), finals(TASKS, workers=2)
    assert one == two
    same_machine()
    found = {task: now | {'finals': two[task]} for task, now in episodes(TASKS).items()}
    assert differences(found, golden()['tasks'], 'finals') == []


BEFORE = {'a/b': {'revision': 2, 'episodes': {'0': 'x'}, 'finals': {'0': 'y'}}}


@pytest.mark.parametrize(
    ('found', 'said'),
    [
        ({'a/b': {'revision': 2, 'episodes': {'0': 'x'}}}, []),
        ({'a/b': {'revision': 2, 'episodes': {'0': 'z'}}}, ['raise its revision to 3']),
        ({'a/b': {'revision': 3, 'episodes': {'0': 'z'}}}, ['has risen. Renew']),
        ({'a/b': {'revision': 2, 'episodes': {'0': 'x'}}, 'a/c': {'revision': 1, 'episodes': {'0': 'x'}}}, ['a/c has no golden']),
        ({}, ['a/b is gone']),
    ],
    ids=['same', 'changed', 'changed and revised', 'new', 'gone'],
)
def test_it_says_which_task_changed_and_what_to_do(found, said):
    told = differences(found, BEFORE, 'episodes')
    assert len(told) == len(said)
    assert all(words in line for words, line in zip(said, told, strict=True))
