"""The judge has key steps drawn before markers change, snapshot after snapshot, and waits for nobody who does not draw."""

from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy')

from test.films import snapshot
from vlm_bench_sim.ros import names
from vlm_bench_tasks.judging.report import LeafReport, Report
from vlm_bench_tasks.nodes.episodes.simulator_hooks import SimulatorHooks


class Simulator:
    """Stands for the node and the simulator behind it: keeps the calls, whose answers the test gives."""

    def __init__(self, *, ready: bool = True) -> None:
        self.ready, self.calls = ready, []

    def client(self, row):
        return SimpleNamespace(row=row, service_is_ready=lambda: self.ready)

    def call(self, client, _):
        assert client.row == names.DRAW_KEY_STEP
        self.calls.append(Future())
        return self.calls[-1]


def watched(simulator, *rows: str, simulated: bool = True):
    """Hooks that saw a report for each row, a capital letter for a clause that holds; and the periods that they are done with."""
    hooks, done = SimulatorHooks(simulator, lambda *_: None), []
    hooks.begin((), simulated=simulated)
    for seq, row in enumerate(rows):
        report = Report(seq=seq, leaves=tuple(LeafReport(letter, letter.isupper(), 0.0) for letter in row))
        hooks.see(replace(snapshot(), seq=seq), report, lambda seq=seq: done.append(seq))
    return hooks, done


def test_a_period_with_a_key_step_is_over_once_it_is_drawn():
    simulator = Simulator()
    _, done = watched(simulator, 'a', 'A')
    assert (done, len(simulator.calls)) == ([0], 1)
    simulator.calls[0].set_result(None)
    assert done == [0, 1]


def test_where_time_goes_on_the_next_periods_wait_their_turn():
    simulator = Simulator()
    _, done = watched(simulator, 'ab', 'Ab', 'Ab', 'AB', 'AB')
    assert (done, len(simulator.calls)) == ([0], 2)
    simulator.calls[1].set_result(None)
    assert done == [0]
    simulator.calls[0].set_result(None)
    assert done == [0, 1, 2, 3, 4]


def test_an_answer_about_an_earlier_episode_counts_for_nothing():
    simulator = Simulator()
    hooks, done = watched(simulator, 'a', 'A')
    hooks.begin((), simulated=True)
    simulator.calls[0].set_result(None)
    assert done == [0]


@pytest.mark.parametrize(('ready', 'simulated'), [(False, True), (True, False)])
def test_who_does_not_draw_is_not_waited_for(ready, simulated):
    simulator = Simulator(ready=ready)
    _, done = watched(simulator, 'a', 'A', simulated=simulated)
    assert (done, simulator.calls) == ([0, 1], [])
