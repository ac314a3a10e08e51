"""Keeping the wall clock: pure, with the clock handed in."""

from dataclasses import dataclass, field

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_sim.nodes.lockstep.pacing import BATCH, IDLE_S, SERVING_S, ByBarrier, ByClock, pacing


@dataclass
class Simulator:
    """One that is as slow as a test wants it: it spins as the node does, and its clock is the test's."""

    cost: float = 0.002
    now: float = 100.0
    paused: bool = False
    step_due: bool = False
    lags: list[float] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    def __post_init__(self):
        self.pace = ByClock(lambda: self.now, pauses=self, tell=self.lags.append)

    @property
    def periods(self):
        return sum(self.batches)

    def spin(self, until):
        """Serve and run until the wall clock says `until`."""
        while self.now < until:
            self.now += max(1e-4, self.pace.wait())
            due = self.pace.due()
            for _ in range(due):
                self.now += self.cost
                self.pace.ran()
            if due:
                self.batches.append(due)


def test_a_simulator_that_is_fast_enough_keeps_the_wall_clock():
    sim = Simulator()
    sim.spin(110.0)
    assert sim.periods * PERIOD_S == pytest.approx(10.0, abs=2 * PERIOD_S)
    assert set(sim.batches) == {1}
    assert max(sim.lags) < 0.01


def test_a_hiccup_is_told_and_caught_up_with_in_batches():
    sim = Simulator()
    sim.spin(101.0)
    sim.now += 0.9
    sim.spin(103.0)
    assert max(sim.lags) == pytest.approx(0.9, abs=PERIOD_S)
    assert max(sim.batches) == BATCH
    assert sim.lags[-1] < 0.01
    assert sim.periods * PERIOD_S == pytest.approx(3.0, abs=2 * PERIOD_S)


def test_what_cannot_be_caught_up_with_is_told_as_a_lag_that_grows():
    sim = Simulator(cost=0.1)
    sim.spin(110.0)
    assert sim.lags[-1] == pytest.approx(10.0 - sim.periods * PERIOD_S, abs=0.5)
    assert sim.lags[-1] > 4.5
    assert sorted(sim.lags[::BATCH]) == sim.lags[::BATCH]
    assert max(sim.batches) == BATCH


def test_who_waits_is_served_between_two_batches():
    sim = Simulator(cost=0.1)
    sim.spin(102.0)
    assert sim.pace.due() == 0
    sim.now += SERVING_S
    assert sim.pace.due() == BATCH


def test_what_passes_while_somebody_pauses_is_not_caught_up_with():
    sim = Simulator()
    sim.spin(101.0)
    before, sim.paused = sim.periods, True
    sim.spin(111.0)
    assert sim.periods == before
    assert (sim.pace.flows, sim.pace.wait()) == (False, IDLE_S)
    sim.paused = False
    sim.spin(112.0)
    assert (sim.periods - before) * PERIOD_S == pytest.approx(1.0, abs=2 * PERIOD_S)
    assert max(sim.batches) == 1


def test_a_step_that_is_asked_for_meanwhile_runs_at_once():
    sim = Simulator(paused=True, step_due=True)
    assert (sim.pace.wait(), sim.pace.due()) == (0.0, 1)


def test_another_scene_begins_on_time():
    sim = Simulator()
    sim.now += 3.0
    sim.pace.restart()
    assert sim.pace.due() == 0
    sim.now += PERIOD_S + 1e-6
    assert sim.pace.due() == 1


def test_lockstep_waits_for_nothing_but_the_barrier():
    ready = True
    pace = pacing('lockstep', ready=lambda: ready, pauses=Simulator(), tell=pytest.fail)
    assert isinstance(pace, ByBarrier)
    assert (pace.wait(), pace.due(), pace.flows) == (0.0, 1, False)
    pace.ran()
    pace.restart()
    ready = False
    assert (pace.wait(), pace.due()) == (IDLE_S, 0)


def test_a_mode_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match=r"no mode called 'realtim'\. Did you mean realtime"):
        pacing('realtim', ready=lambda: True, pauses=Simulator(), tell=print)
