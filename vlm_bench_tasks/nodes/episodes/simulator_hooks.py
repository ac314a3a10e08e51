"""What the judge asks of the simulator after each control period: draw a key step, then change the markers as the cues require."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import names
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.judging.key_steps import KeySteps
from vlm_bench_tasks.judging.report import Report
from vlm_bench_tasks.nodes.episodes.cue_applier import CueApplier


class SimulatorHooks:
    """Calls the services of the simulator for one episode at a time.

    Args:
        node: calls the services.
        fault: called with a reason and the control period if a cue cannot be shown or judged.
    """

    def __init__(self, node: BenchNode, fault: Callable[[str, int], None]) -> None:
        self._node, self._dresser = node, CueApplier(node, fault)
        self._client = node.client(names.DRAW_KEY_STEP)
        self._key_steps, self._simulated, self._episode = KeySteps(), True, 0
        self._due: deque[tuple[Snapshot, Callable[[], None]]] = deque()
        self._drawing = 0

    def begin(self, cues: Sequence[Cue], *, simulated: bool) -> None:
        """Start another episode; pending answers for the old one are ignored. Without a simulator nothing is asked."""
        self._dresser.begin(cues if simulated else ())
        self._key_steps, self._simulated = KeySteps(), simulated
        self._due.clear()
        self._episode, self._drawing = self._episode + 1, 0

    def see(self, now: Snapshot, report: Report, then: Callable[[], None]) -> None:
        """Process a snapshot and its report, and call `then` once the simulator has done what they ask for.

        A key step is drawn before the markers change: they change between two control periods. Where time goes on meanwhile, the next
        snapshots wait their turn. A simulator that does not draw key steps is not asked to.
        """
        self._due.append((now, then))
        if self._key_steps.see(report) and self._simulated and self._client.service_is_ready():
            self._drawing += 1
            self._node.call(self._client, {}).add_done_callback(partial(self._drawn, self._episode))
        self._dress()

    def _drawn(self, episode: int, _: Any) -> None:
        if episode == self._episode:
            self._drawing -= 1
            self._dress()

    def _dress(self) -> None:
        while self._due and not self._drawing:
            self._dresser.see(*self._due.popleft())
