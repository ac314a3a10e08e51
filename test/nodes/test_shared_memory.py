"""What a killed process left in shared memory is removed; what lives, or is being made, stays."""

import fcntl
import os
import signal
import time
from contextlib import suppress

import pytest

from vlm_bench_sim.nodes.base import shared_memory
from vlm_bench_sim.ros.names import JOIN

PATIENCE_S = 2.0  # two thirds of `healthy_check_timeout_ms` in config/fastdds.xml
SEGMENTS = ('fastdds_00aa11bb22cc33dd', 'fastdds_ffffffffffffffff')
LEAVE = 2  # of JoinRequest
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


@pytest.mark.ros
def test_a_node_that_gets_no_time_for_a_while_keeps_its_ports(shared):
    """Fast DDS by itself would take it for dead: what is said to it meanwhile would come seconds late, and some of it never."""
    sim, kept = shared.processes['sim_node'], []
    for _ in range(3):
        shared.client.ask(JOIN, {'participant': 'nobody', 'role': LEAVE}, again=True)  # it gets time until now
        before, began = ports(shared.domain, sim.pid), time.monotonic()
        sim.send_signal(signal.SIGSTOP)
        shared.client.rest(1.7)
        sim.send_signal(signal.SIGCONT)
        shared.client.rest(0.2)
        after = files(shared.domain)
        if time.monotonic() - began < PATIENCE_S:  # else this machine took longer to wake it
            kept.append(before != {} and before.items() <= after.items())
    if not kept:
        pytest.skip('This machine is too busy to stop a process for less than two seconds.')
    assert all(kept)


def files(domain):
    """The files of the ports of a domain by name, each with its number, which is another where a port was made anew."""
    found = {}
    for path in shared_memory._ports(domain, shared_memory.FOLDER):
        with suppress(FileNotFoundError):  # those of a client that an earlier test closed may be gone only now
            found[path.name] = path.stat().st_ino
    return found


def ports(domain, pid):
    """The ports of a process in a domain, as files: beside each it holds a lock."""
    found, rows = files(domain), [line.split() for line in shared_memory.LOCKS.read_text().splitlines()]
    held = {int(row[5].rpartition(':')[2]) for row in rows if row[1:2] == ['FLOCK'] and row[4] == str(pid)}
    return {name: number for name, number in found.items() if found.get(f'{name}_el') in held}
