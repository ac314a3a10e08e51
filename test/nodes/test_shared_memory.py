"""What a killed process left in shared memory is removed; what lives, or is being made, stays."""

import fcntl
import os

import pytest

from vlm_bench_sim.nodes import shared_memory

SEGMENTS = ('fastdds_00aa11bb22cc33dd', 'fastdds_ffffffffffffffff')
OTHERS = ('fastdds_port7411', 'fastdds_port7411_el', 'sem.fastdds_port7411_mutex', 'other')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_memory, 'YOUNG_S', 0.0)
    for name in (*SEGMENTS, *(f'{name}_el' for name in SEGMENTS), *OTHERS):
        (tmp_path / name).write_text('')
    return tmp_path


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_segments_without_a_living_owner_are_removed_whole_and_nothing_else(folder):
    assert shared_memory.clean(folder) == 2
    assert names(folder) == set(OTHERS)


def test_what_a_living_process_holds_stays(folder):
    with (folder / f'{SEGMENTS[0]}_el').open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert shared_memory.clean(folder) == 1
    assert names(folder) == {SEGMENTS[0], f'{SEGMENTS[0]}_el', *OTHERS}


def test_what_is_young_stays(folder, monkeypatch):
    monkeypatch.setattr(shared_memory, 'YOUNG_S', 60.0)
    before = names(folder)
    assert shared_memory.clean(folder) == 0
    assert names(folder) == before


def test_a_folder_that_is_missing_or_closed_is_no_error(folder, tmp_path):
    assert shared_memory.clean(tmp_path / 'nowhere') == 0
    if os.geteuid() != 0:
        folder.chmod(0o500)
        assert shared_memory.clean(folder) == 0
        folder.chmod(0o700)


def test_of_a_domain_that_nobody_is_in_the_ports_are_removed_and_no_others(folder):
    theirs = ('fastdds_port10161', 'fastdds_port10161_el', 'sem.fastdds_port10161_mutex')  # 7400 + 250 * 11 + 11
    for name in (*theirs, 'fastdds_port10400', 'fastdds_port10149'):
        (folder / name).write_text('')
    before = names(folder)
    assert shared_memory.clean_domain(11, folder) == len(theirs)
    assert names(folder) == before - set(theirs)
    assert shared_memory.clean_domain(0, folder) == 3
