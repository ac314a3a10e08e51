"""The node with which `vlm-bench up` listens to the bench it started. Its only message is a fault."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from vlm_bench_sim.core.codes import EventKind
from vlm_bench_tasks.judging.report import UNTIMED

IDLE, LOADING, RUNNING = 0, 1, 2  # of vlm_bench_msgs/Status
SETTLED_S = 30.0  # time until nodes that were killed are no longer discovered
IDLE_S = 1.0  # time for the task node's log to say why it could not begin


def nodes_of_benches(node: Any, *, beyond: int = 0) -> list[str]:
    """Return the names of the nodes of benches that a ROS node sees more than `beyond` times, in alphabetical order."""
    from vlm_bench_sim.ros import names

    told = node.get_publishers_info_by_topic
    signs = names.STATUS, names.TICK, names.REPORT
    ends = {row.server: sum(end.node_name == row.server for end in told(row.name)) for row in signs}
    return sorted(name for name, count in ends.items() if count > beyond)


class Listener:
    """A node that listens for reports.

    Args:
        wanted: JSON of the expected episode; the first matching one that starts is used; '': any episode.

    Attributes:
        report: the newest report of such an episode; None if there was none.
        idle_since: wall-clock time when the bench became idle, s; None if it is not idle, or has not been heard of yet.
    """

    def __init__(self, wanted: str = '') -> None:
        from vlm_bench_sim.nodes.base.bench_node import BenchNode
        from vlm_bench_sim.ros import names
        from vlm_bench_sim.ros.convert import message

        self.report: Any = None
        self.idle_since: float | None = None
        self._status: Any = None
        self._node, self._row, self._message = BenchNode('vlm_bench_up', {}), names.EVENTS, message
        self._events = self._node.publisher(names.EVENTS)
        self._wanted, self._tokens = wanted, set[str]()
        self._last: Any = None  # report of any episode
        self._overtaken: float | None = None  # time when another episode than the expected one started
        self._node.subscribe(names.EPISODE_TRUTH, self._on_truth)
        self._node.subscribe(names.REPORT, self._on_report)
        self._node.subscribe(names.STATUS, self._on_status)
        self._node.subscribe(names.EVENTS, self._on_event)
        self._fault, self._settles = ('', '', 0.0), 0.0
        self._start = self._node.client(names.START_EPISODE)

    @property
    def expects_report(self) -> bool:
        """True while an episode without report runs or may run; on a busy machine the status topic is discovered late."""
        return self._status is None or self._status.state == LOADING or self.running

    @property
    def running(self) -> bool:
        """True while an episode is known to run and its report has not arrived."""
        status, report = self._status, self._last
        return status is not None and status.state == RUNNING and (report is None or report.token != status.token)

    def renewed(self) -> None:
        """The bench starts again: what was heard of the last one is over, and its ends are discovered to be gone later."""
        self._fault, self._status, self._last, self._overtaken = ('', '', 0.0), None, None, None
        self._wanted, self._tokens = '', set()
        self._settles = time.monotonic() + SETTLED_S

    def others(self) -> str:
        """Return the bench nodes that exist more than once, since then another bench uses this domain; '' if there are none.

        Other publishers on their topics are no bench, and their messages are ignored.
        """
        if time.monotonic() < self._settles:
            return ''
        return ', '.join(nodes_of_benches(self._node.public, beyond=1))

    @property
    def begun(self) -> bool:
        """Whether the first episode has started, as far as is known."""
        return self._last is not None or (self._status is not None and self._status.state != LOADING)

    def unheard(self, seconds: float) -> str:
        """Return the running episode's fault if the monitor has ignored it for `seconds`; '' otherwise."""
        token, text, since = self._fault
        return text if self.running and token == self._status.token and time.monotonic() - since > seconds else ''

    def overtaken(self, seconds: float) -> bool:
        """Return whether another episode started at least `seconds` ago and the expected report has not arrived."""
        return self.report is None and self._overtaken is not None and time.monotonic() - self._overtaken > seconds

    @property
    def refused(self) -> bool:
        """True if an episode failed to start and the bench has been idle since; the task node's log gives the reason."""
        return self.idle_since is not None and time.monotonic() - self.idle_since > IDLE_S

    def spin(self, seconds: float) -> None:
        """Process messages for the given time, s."""
        self._node.spin_once(seconds)

    def answers(self) -> 'Future[Any]':
        """Send a harmless request to the task node; once the future is done, no later answer will be lost."""
        return self._node.call(self._start, {'task': '?'})

    def begin(self, fields: Mapping[str, Any]) -> Any:
        """Request an episode once, with the fields of vlm_bench_msgs/StartEpisode; the future holds the answer."""
        from vlm_bench_sim.ros.convert import fill

        return self._start.call_async(fill(self._start.srv_type.Request(), dict(fields)))

    def tell_fault(self, cause: str) -> None:
        """Report to the monitor that the bench has failed. The episode then ends as unobservable."""
        if self.running:
            fields = {'token': self._status.token, 'seq': UNTIMED, 'kind': int(EventKind.FAULT), 'source': 'vlm_bench_up', 'text': cause}
            self._events.publish(self._message(self._row.type, fields))

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_truth(self, truth: Any) -> None:
        if not self._wanted or (truth.episode == self._wanted and not self._tokens):
            self._tokens.add(truth.token)
        elif self._tokens and truth.token not in self._tokens and self._overtaken is None:
            self._overtaken = time.monotonic()
        if self._last is not None and self._last.token == truth.token:
            self._on_report(self._last)

    def _on_report(self, report: Any) -> None:
        self._last = report
        if report.token in self._tokens:
            self.report = report

    def _on_event(self, event: Any) -> None:
        if event.kind == EventKind.FAULT and event.token != self._fault[0]:
            self._fault = (event.token, event.text, time.monotonic())

    def _on_status(self, status: Any) -> None:
        self.idle_since = (self.idle_since or time.monotonic()) if status.state == IDLE else None
        self._status = status


@contextmanager
def listener(*, scored: bool, wanted: str = '', variables: Mapping[str, str] | None = None) -> Iterator[Listener]:
    """Join the bench's domain, and for a scored bench also the second one, where faults are published.

    Args:
        scored: whether it is scored.
        wanted: as in `Listener`.
        variables: of the environment while it joins; None: no others.
    """
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    variables = variables or {}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        rclpy.init(args=['--ros-args', '-p', f'scored:={json.dumps(scored)}'], signal_handler_options=SignalHandlerOptions.NO)
        ear = Listener(wanted)
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
    try:
        yield ear
    finally:
        ear.close()
        rclpy.try_shutdown()
