"""Chance by counting: a place of a stream gives the same numbers however it was come to."""

import os
import subprocess
import sys

import numpy as np
import pytest

from vlm_bench_sim.core.chance import Chance
from vlm_bench_sim.core.errors import TaskError


def test_what_a_place_gives_depends_on_nothing_that_was_asked_before():
    fresh = Chance(7).at('pixels/front', 12).random(5).tolist()
    for step in (0, 24, 12):
        Chance(7).at('pixels/wrist', step).random(1000)
    assert Chance(7).at('pixels/front', 12).random(5).tolist() == fresh


@pytest.mark.parametrize('other', [(8, 'pixels/front', 12), (7, 'pixels/wrist', 12), (7, 'pixels/front', 13)])
def test_another_seed_stream_or_place_gives_other_numbers(other):
    seed, stream, place = other
    here, there = Chance(7).at('pixels/front', 12).standard_normal(4000), Chance(seed).at(stream, place).standard_normal(4000)
    assert abs(np.corrcoef(here, there)[0, 1]) < 0.06


def test_places_do_not_run_into_one_another():
    long = Chance(1).at('a', 0).random(400_000)
    assert not np.isin(Chance(1).at('a', 1).random(100), long).any()


def test_the_numbers_do_not_depend_on_the_process():
    program = 'from vlm_bench_sim.core.chance import Chance; print(Chance(5).at("drop", 3).random(4).tolist())'
    told = set()
    for seed in ('0', '12345'):
        environment = os.environ | {'PYTHONHASHSEED': seed}
        told.add(subprocess.run([sys.executable, '-c', program], env=environment, check=True, capture_output=True, text=True).stdout)
    assert told == {f'{Chance(5).at("drop", 3).random(4).tolist()}\n'}


@pytest.mark.parametrize('seed', [-1, 1.5, True, '3'])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(TaskError, match='whole number'):
        Chance(seed)


def test_the_largest_seed_of_a_message_is_a_seed():
    assert 0.0 <= Chance(2**64 - 1).at('drop').random() < 1.0
