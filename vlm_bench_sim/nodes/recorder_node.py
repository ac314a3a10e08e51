"""Records every episode into its own bag."""

import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.bags.choice import read_choice
from vlm_bench_sim.bags.folder import check_folder
from vlm_bench_sim.bags.session import Session
from vlm_bench_sim.core.aids import read
from vlm_bench_sim.core.arithmetic import processor
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import message
from vlm_bench_sim.ros.names import Name

NAME = 'recorder_node'
FAULT = 3
SETTLE_S = 0.25
PARAMETERS = {'folder': 'bags', 'robot': 'panda', 'cameras': 'vlmbench', 'topics': '', 'leave_out': '', 'rate': 0.0, 'assist': ''}
"""`topics`, `leave_out`, `rate`: the content of a bag, as in `Choice`; words separated by commas, for example 'segmentation,/tf'.
`assist`: aids of the policies; what they show is public."""


class RecorderNode:
    """Raw subscriptions to the topics of a bag, and a participant of the barrier: no control period is lost."""

    def __init__(self) -> None:
        self._interrupted = False
        signal.signal(signal.SIGINT, self._interrupt)
        self._node = BenchNode(NAME, PARAMETERS)
        values = self._node.values
        self._choice = read_choice(values['topics'], values['leave_out'], values['rate'])
        rows, aids = self._rows(), read([values['assist']])
        folder = check_folder(Path(values['folder']).absolute())
        about = {'processor': processor(), 'signed': 'yes' if self._node.signed else 'no'}
        self._events = self._node.publisher(names.EVENTS)
        self._participant = Participant(self._node, NAME, bench=True)
        self._session = Session(folder, rate=self._choice.rate, about=about, late=lambda: self._participant.late)
        self._acknowledged, self._said, self._settled = self._session.acknowledged, 0, time.monotonic()
        for row in rows:
            heard_as = row.shown(*aids)
            self._node.subscribe(heard_as, partial(self._take, row), raw=True)

    def spin_once(self) -> None:
        """Record what has arrived, and close the bag of an episode that is over."""
        if self._interrupted:
            raise KeyboardInterrupt
        try:
            self._node.spin_once(SETTLE_S)
            self._participant.keep_joined()
            self._settle()
            self._answer()
        except Exception:
            # A signal can end rclpy's context at any moment, and any later use of it raises: that is no error.
            if self._node.ok():
                raise

    def close(self) -> None:
        """Close the bag; without a report the bag says so."""
        if self._node.ok():
            self._participant.leave()  # messages that arrive meanwhile belong in the bag
        try:
            if self._session.awaits:
                self._node.log.warning(f'Interrupted before {self._session.awaits}: the bag says that its verdict is not known.')
            self._guarded(self._session.finish)
            self._say()
        finally:
            self._node.close()

    def _interrupt(self, *_: Any) -> None:
        # An exception in the middle of a chunk would damage the bag.
        self._interrupted = True

    def _rows(self) -> tuple[Name, ...]:
        values = self._node.values
        cameras = tuple(camera.name for camera in profiles.cameras(values['cameras']))
        return self._choice.of(names.recorded(profiles.robot(values['robot']), cameras))

    def _take(self, row: Name, data: bytes) -> None:
        self._guarded(partial(self._session.take, row, data))
        if row.name in (names.TICK.name, names.WORLD_STATE.name, names.EPISODE_TRUTH.name):
            self._answer()

    def _settle(self) -> None:
        if time.monotonic() - self._settled > SETTLE_S:
            self._settled = time.monotonic()
            self._guarded(self._session.settle)
            self._say()

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            action()
        except BagError as error:
            self._node.log.error(str(error))
            if self._node.ok():
                fault = {'token': self._session.token, 'seq': self._acknowledged[1], 'kind': FAULT, 'source': NAME, 'text': str(error)}
                self._events.publish(message(names.EVENTS.type, fault))

    def _answer(self) -> None:
        if self._session.acknowledged != self._acknowledged:
            self._acknowledged = self._session.acknowledged
            self._participant.ack(*self._acknowledged)

    def _say(self) -> None:
        for path in self._session.finished[self._said :]:
            self._node.log.info(f'Recorded {path}')
        self._said = len(self._session.finished)


def main() -> None:
    """Run the node."""
    sys.exit(run(RecorderNode))


if __name__ == '__main__':
    main()
