"""A window asks for another robot, and the bench is started again around it."""

import json
import socket
import subprocess
import sys

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.graph import NodeSpec
from vlm_bench_tasks.launching import changes as changing
from vlm_bench_tasks.launching.changes import Changes

SLEEP = [sys.executable, '-c', 'import time; time.sleep(60)']


def specs(settings):
    if settings.get('robot') == 'rodent':
        raise ConfigError('There is no robot called rodent.')
    return (NodeSpec('sim_node', 'x', settings), NodeSpec('dash_node', 'x', {}))


@pytest.fixture
def bench(monkeypatch):
    """The processes of a bench, and what was started since."""
    started = []

    def start(spec, *, signed):
        started.append((spec.name, spec.parameters, signed))
        return subprocess.Popen(SLEEP)

    monkeypatch.setattr(changing, 'start', start)
    processes = {name: subprocess.Popen(SLEEP) for name in ('sim_node', 'old_node', 'dash_node')}
    everyone = dict(processes)
    yield processes, started
    for process in (*everyone.values(), *processes.values()):
        process.kill()
        process.wait()


def test_all_but_the_window_end_and_start_with_what_was_asked_so_far(bench):
    processes, started = bench
    old, window, waited = processes['sim_node'], processes['dash_node'], []
    with Changes(specs, before=lambda: waited.append(old.poll()), offered=True) as changes:
        leashed = changes.leashed(specs({}))
        (descriptor,) = changes.descriptors['dash_node']
        assert leashed[0] == specs({})[0] and leashed[1].parameters == {'leash': descriptor}
        theirs = socket.socket(fileno=descriptor)
        theirs.settimeout(5)
        assert not changes.turn(processes, print) and not waited
        theirs.sendall(json.dumps({'robot': 'ur5e'}).encode())
        assert changes.turn(processes, print) and theirs.recv(100) == b' '
        assert waited == [None], 'it was waited for what still ran'
        assert old.poll() is not None and processes['dash_node'] is window and window.poll() is None
        assert set(processes) == {'sim_node', 'dash_node'}
        theirs.sendall(json.dumps({'cameras': 'none', 'record': '/etc'}).encode())
        assert changes.turn(processes, print) and theirs.recv(100) == b' '
        assert started == [('sim_node', {'robot': 'ur5e'}, True), ('sim_node', {'robot': 'ur5e', 'cameras': 'none'}, True)]
        theirs.detach()


def test_what_is_refused_ends_nothing(bench):
    processes, started = bench
    before = dict(processes)
    with Changes(specs, before=lambda: None, offered=True) as changes:
        theirs = socket.socket(fileno=changes.descriptors['dash_node'][0])
        theirs.settimeout(5)
        theirs.sendall(json.dumps({'robot': 'rodent'}).encode())
        assert not changes.turn(processes, print) and b'rodent' in theirs.recv(100)
        theirs.sendall(b'no json')
        assert not changes.turn(processes, print)
        theirs.detach()
    assert processes == before and all(process.poll() is None for process in processes.values()) and not started


def test_where_it_is_not_offered_the_window_knows_of_nothing():
    with Changes(specs, before=lambda: None, offered=False) as changes:
        assert changes.leashed(specs({})) == specs({}) and changes.descriptors == {}
