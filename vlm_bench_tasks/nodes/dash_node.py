"""Hears what a bench says, and serves the window that shows it and drives the arm. It takes no part in the barrier: nobody waits for it."""

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from vlm_bench_sim.core.codes import OK
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import fill
from vlm_bench_tasks.dashboard.access import LOOPBACK, Access, encryption
from vlm_bench_tasks.dashboard.answering import Answering
from vlm_bench_tasks.dashboard.driving import Driving
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.mission_desk import MissionDesk
from vlm_bench_tasks.dashboard.missions import Missions
from vlm_bench_tasks.dashboard.server import Server
from vlm_bench_tasks.dashboard.studio import Studio
from vlm_bench_tasks.dashboard.watching import Watching
from vlm_bench_tasks.dashboard.window import Window
from vlm_bench_tasks.nodes.window.bench_ears import BenchEars
from vlm_bench_tasks.nodes.window.camera_ears import CameraEars
from vlm_bench_tasks.nodes.window.person import WindowPerson
from vlm_bench_tasks.nodes.window.pilot import Pilot

PARAMETERS = {'port': 8100, 'host': LOOPBACK, 'name': '', 'certificate': '', 'key': '', 'missions': '', 'folder': ''}
"""Where the window is served, as in `Access`; PEM files; a file of missions, and the folder of the bags."""
SEARCH_S = 1.0  # between two looks for cameras


class DashNode:
    """The node."""

    def __init__(self) -> None:
        self._node = node = BenchNode('dash_node', PARAMETERS)
        self._live, self._studio = Live(), Studio()
        self._pilot = Pilot(node, self._live)
        self._begin, self._halt = node.client(names.START_EPISODE), node.client(names.STOP_EPISODE)
        BenchEars(node, self._live, heard=self._pilot.heard)
        self._person = WindowPerson(node, self._live)
        node.public.create_timer(SEARCH_S, CameraEars(node, self._live).search)
        host, port, name, *files = (node.values[key] for key in ('host', 'port', 'name', 'certificate', 'key'))
        tls = encryption(*files)
        self._access = Access(host, port, name, secure=tls is not None)
        watching = self._watching(node.values['missions'], node.values['folder'])
        server = Server(self._access, watching.answer, tls=tls)
        self._window = Window(server, self._told)

    def _watching(self, missions: str, folder: str) -> Watching:
        driving = Driving(self._live, self._pilot)
        kept, bags = Missions(Path(missions)) if missions else None, Path(folder) if folder else None
        desk = MissionDesk(self._live, self, driving=driving, studio=self._studio, missions=kept, folder=bags)
        answering = Answering(self._live, self._person)
        return Watching(
            self._live, self, driving=driving, answering=answering, missions=desk, studio=self._studio, access=self._access
        )  # fmt: skip

    def _told(self, port: int) -> None:
        # Not by the log: it goes to the whole domain, and to files that others may read.
        sys.stderr.write(f'Open {self._access.address(port)}\n')

    def spin_once(self) -> None:
        """Handle callbacks."""
        self._window.check()
        self._pilot.turn()
        self._node.spin_once(0.1)

    def close(self) -> None:
        """End the server, and destroy the node."""
        self._window.close()
        self._studio.close()
        self._node.close()

    def begin(self, *, task: str, seed: int, words: Mapping[str, str], perturbation: str) -> 'Future[str]':
        """Begin an episode; the future holds the text of an error, or ''. Who cancels it wants no episode any more."""
        told: Future[str] = Future()
        wanted = {'task': task, 'seed': seed, 'perturbation': perturbation, **words}

        def ask(_: Any) -> None:
            if not told.cancelled():
                request = fill(self._begin.srv_type.Request(), wanted)
                self._begin.call_async(request).add_done_callback(partial(_tell, told))

        # Something harmless comes first, until it is answered: answers are lost until both sides have discovered each other.
        self._until_cancelled(told, self._node.call(self._begin, {'task': '?'}), ask)
        return told

    def halt(self) -> 'Future[str]':
        """End the running episode; the future holds the text of an error, or ''."""
        told: Future[str] = Future()
        self._until_cancelled(told, self._node.call(self._halt, {}), partial(_tell, told))
        return told

    def _until_cancelled(self, told: 'Future[str]', answer: 'Future[Any]', then: Callable[[Any], None]) -> None:
        """Go on once a service has answered; nobody asks it any longer if the page does not want to know."""
        answer.add_done_callback(lambda found: None if found.cancelled() else then(found))
        told.add_done_callback(lambda found: answer.cancel() if found.cancelled() else None)


def _tell(told: 'Future[str]', found: Any) -> None:
    """Put the text of the error that a service has answered into a future, '' if there is none; unless nobody waits for it."""
    result = found.result().result
    if told.set_running_or_notify_cancel():
        told.set_result('' if result.result == OK else result.error_message or f'The bench refuses with the code {result.result}.')


def main() -> None:
    """Run the node."""
    sys.exit(run(DashNode))


if __name__ == '__main__':
    main()
