"""What a killed process left in shared memory is removed; what lives, or is being made, stays."""

import fcntl
import os

import pytest

from vlm_bench_sim.nodes import shared_memory

FILES = (
    'fastdds_00aa', 'fastdds_00aa_el', 'fastdds_port7411', 'fastdds_port7411_el', 'sem.fastdds_port7411_mutex', 'fastdds_port7413',
    'sem.fastdds_port7413_mutex', 'fastdds_port7400', 'fastdds_port7400_sl', 'other',
)  # fmt: skip
LOCKS = [('fastdds_port7411_el', fcntl.LOCK_EX), ('fastdds_port7400_sl', fcntl.LOCK_SH), ('fastdds_00aa_el', fcntl.LOCK_EX)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_memory, 'YOUNG_S', 0.0)
    for name in FILES:
        (tmp_path / name).write_text('')
    return tmp_path


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_segments_and_ports_without_a_living_owner_are_removed_whole(folder):
    assert shared_memory.clean(folder) == 4
    assert names(folder) == {'other'}


@pytest.mark.parametrize(('lock', 'kind'), LOCKS)
def test_what_a_living_process_holds_stays(folder, lock, kind):
    before = {name for name in names(folder) if lock[:-3] in name}
    with (folder / lock).open() as file:
        fcntl.flock(file, kind)
        assert shared_memory.clean(folder) == 3
    assert names(folder) == before | {'other'}


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
