"""Judges the episode from the ground truth, or from what is observed. While a verdict is computed, it holds the barrier."""

import sys
import time
from dataclasses import replace
from typing import Any

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.engine import NO_ENGINE
from vlm_bench_sim.nodes.base.answers import SUPERSEDED, Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.base.tracking import TRACKER, accuracy
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks.contact_guess import Guessing
from vlm_bench_tasks.judging.fold import Fold
from vlm_bench_tasks.judging.judges import TRUTH, read_episode
from vlm_bench_tasks.judging.late import late, too_late
from vlm_bench_tasks.judging.messages import read_event, report_fields
from vlm_bench_tasks.judging.report import UNTIMED, Event, Report
from vlm_bench_tasks.nodes.episodes.early import Early
from vlm_bench_tasks.nodes.episodes.simulator_hooks import SimulatorHooks
from vlm_bench_tasks.suites import versions_for

NAME = 'monitor_node'
PARAMETERS = {'robot': 'panda', 'policy_timeout': 60.0, 'observer_timeout': 5.0} | TRACKER  # s, of the wall clock


class MonitorNode:
    """Passes ROS messages to a Monitor."""

    def __init__(self) -> None:
        self._node = BenchNode(NAME, PARAMETERS)
        self._participant = Participant(self._node, NAME, bench=True, told=(names.EPISODE_TRUTH, names.WORLD_STATE))
        self._final, self._running = self._node.publisher(names.REPORT), self._node.publisher(names.RUNNING_REPORT)
        self._events = Events(self._node, NAME)
        self._hooks = SimulatorHooks(self._node, lambda why, seq: self._tell(EventKind.FAULT, why, seq))
        self._judged_by, self._perturbations, self._tasks = TRUTH, tuple[str, ...](), tuple[str, ...]()
        self._guess = Guessing(self._node.values['robot'], accuracy(self._node.values))
        self._monitor: Fold | None = None
        self._token, self._seq, self._stamp_ns, self._heard = '', -1, 0, time.monotonic()
        self._early, self._own, self._made = Early(), set[Event](), ('unknown', NO_ENGINE, '')  # the last: renderer, engine, robot
        heard = {names.EPISODE_TRUTH: self._on_episode, names.SCENE: self._on_scene, names.WORLD_STATE: self._on_state}
        for row, take in (heard | {names.EVENTS: self._on_event}).items():
            self._node.subscribe(row, take)
        if self._node.values['scored'] and not self._node.signed:
            self._node.log.warning('This scored bench has no key, so another node can forge its messages. Start it with `vlm-bench up`.')

    def spin_once(self) -> None:
        """Process callbacks, and detect timeouts."""
        self._node.spin_once(0.1)
        self._participant.keep_joined()
        simulated = self._judged_by == TRUTH
        patience = self._node.values['policy_timeout' if simulated else 'observer_timeout']
        if self._monitor is not None and time.monotonic() - self._heard > patience:
            self._heard = time.monotonic()
            if not self._monitor.begun:
                self._conclude(self._monitor.give_up(f'no world state of the episode arrived within {patience:g} s'))
                return
            kind, text = EventKind.POLICY_TIMEOUT, f'the policy was silent for {patience:g} s'
            if not simulated:  # the real world never pauses
                kind, text = EventKind.FAULT, f'the observer was silent for {patience:g} s'
            elif not self._node.is_told(names.WORLD_STATE):
                kind, text = EventKind.FAULT, 'the simulator is gone'
            self._tell(kind, text, self._monitor.report.seq)

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_episode(self, truth: Any) -> None:
        if self._monitor is not None and truth.token != self._token:  # the event that reports this may arrive later
            gone = Event(self._monitor.report.seq, EventKind.ABANDONED, text=SUPERSEDED)
            self._conclude(self._monitor.event(gone) if self._monitor.begun else self._monitor.give_up(SUPERSEDED))
        self._token, self._seq, self._own = truth.token, -1, set[Event]()
        self._heard, self._judged_by = time.monotonic(), truth.judged_by or TRUTH
        episode, self._monitor = read_episode(truth.episode, self._judged_by, self._guess)
        self._perturbations, self._tasks = (episode.perturbation.labels, (episode.task,)) if episode else ((), ())
        self._hooks.begin(episode.cues if episode else (), simulated=self._judged_by == TRUTH)
        self._early.describe(self._token)

    def _on_scene(self, scene: Any) -> None:
        self._made = scene.renderer, scene.engine, scene.robot

    def _on_state(self, state: Any) -> None:
        if self._monitor is None or state.token != self._token:
            self._early.keep(state, self._on_state)
            return
        if state.seq == self._seq:
            return  # a paused world publishes its state again for late subscribers
        self._heard, self._stamp_ns, self._seq = time.monotonic(), fields.read_stamp(state.header.stamp), state.seq
        report = self._monitor.observe(snapshot := fields.read_snapshot(state))
        self._running.publish(self._message(report, names.RUNNING_REPORT))
        self._hooks.see(snapshot, report, lambda: self._conclude(report))

    def _on_event(self, event: Any) -> None:
        told = read_event(event)
        if event.token != self._token:
            self._early.keep(event, self._on_event)
        elif told.kind is EventKind.OPERATED:
            self._heard = time.monotonic()  # a person thinks, and time stands still meanwhile
        elif self._monitor is None and told not in self._own and told.seq < self._seq:
            self._publish(late(told, UNTIMED, NAME))
        elif self._monitor is not None and told not in self._own:  # our own events were already counted when published
            seq = self._monitor.report.seq
            if told.seq == UNTIMED or too_late(told, seq):
                self._publish(late(told, seq, NAME))
                told = replace(told, seq=seq)
            self._count(told)

    def _tell(self, kind: EventKind, text: str, seq: int) -> None:
        """Publish an event at a control period, and count it here at once."""
        self._publish(Event(seq, kind, NAME, text))
        self._count(Event(seq, kind, NAME, text))

    def _publish(self, event: Event) -> None:
        self._own.add(event)
        self._events.tell(event.kind, event.text, token=self._token, seq=event.seq)

    def _count(self, event: Event) -> None:
        if self._monitor is not None and (self._monitor.event(event).verdict is not Verdict.RUNNING or self._monitor.begun):
            self._conclude(self._monitor.report)

    def _conclude(self, report: Report) -> None:
        """Acknowledge the tick, or publish the verdict. Without the acknowledgement the world stops at the deciding period."""
        if self._monitor is None:
            return
        if report.verdict is Verdict.RUNNING:
            self._participant.ack(self._token, report.seq, wants=int(self._monitor.wants_time()))
            return
        self._final.publish(self._message(report, names.REPORT))
        self._node.log.info(f'{report.verdict.value} after {report.sim_seconds:.2f} s {"; ".join(report.causes)}')
        self._monitor = None

    def _message(self, report: Report, row: names.Name) -> Any:
        said: dict[str, Any] = {'judged_by': self._judged_by, 'isolation': 'domain' if self._node.values['scored'] else 'names'}
        made = (*versions_for(*self._made[:2], tasks=self._tasks, robots=self._made[2:]), *self._guess.said(self._judged_by))
        signed = replace(report, token=self._token, perturbations=self._perturbations, versions=made, **said)
        return message(row.type, report_fields(signed, self._stamp_ns))


def main() -> None:
    """Run the node."""
    sys.exit(run(MonitorNode))


if __name__ == '__main__':
    main()
