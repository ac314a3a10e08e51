"""Hears what a bench says, and serves the window that shows it and drives the arm. It takes no part in the barrier: nobody waits for it."""

import sys
from pathlib import Path
from typing import Any

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_tasks.dashboard.access import LOOPBACK, Access, encryption
from vlm_bench_tasks.dashboard.answering import Answering
from vlm_bench_tasks.dashboard.driving import Driving
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.mission_desk import MissionDesk
from vlm_bench_tasks.dashboard.missions import Missions
from vlm_bench_tasks.dashboard.outfit import Outfit
from vlm_bench_tasks.dashboard.server import Server
from vlm_bench_tasks.dashboard.starter import Starter
from vlm_bench_tasks.dashboard.studio import Studio
from vlm_bench_tasks.dashboard.watching import Watching
from vlm_bench_tasks.dashboard.window import Window
from vlm_bench_tasks.nodes.window.bench_calls import BenchCalls
from vlm_bench_tasks.nodes.window.bench_ears import BenchEars
from vlm_bench_tasks.nodes.window.camera_ears import CameraEars
from vlm_bench_tasks.nodes.window.person import WindowPerson
from vlm_bench_tasks.nodes.window.pilot import Pilot

PARAMETERS = {
    'port': 8100, 'host': LOOPBACK, 'name': '', 'certificate': '', 'key': '', 'missions': '', 'folder': '', 'task': '', 'robot': '',
    'cameras': '', 'leash': -1,
}  # fmt: skip
"""Where the window is served, as in `Access`; PEM files; a file of missions, and the folder of the bags; with what the bench was started;
`leash`: descriptor of the socket to who started it, and would start it again; -1: none."""
SEARCH_S = 1.0  # between two looks for cameras


class DashNode:
    """The node."""

    def __init__(self) -> None:
        self._node = node = BenchNode('dash_node', PARAMETERS)
        self._live, self._studio = Live(), Studio()
        self._pilot = Pilot(node, self._live)
        BenchEars(node, self._live, heard=self._pilot.heard)
        self._person = WindowPerson(node, self._live, signs=lambda: self._pilot.signs)
        self._calls = BenchCalls(node, leash=node.values['leash'])
        node.public.create_timer(SEARCH_S, CameraEars(node, self._live).search)
        host, port, name, *files = (node.values[key] for key in ('host', 'port', 'name', 'certificate', 'key'))
        tls = encryption(*files)
        self._access = Access(host, port, name, secure=tls is not None)
        watching = self._watching(node.values)
        server = Server(self._access, watching.answer, tls=tls)
        self._window = Window(server, self._told)

    def _watching(self, values: dict[str, Any]) -> Watching:
        outfit = Outfit(**{name: values[name] for name in ('task', 'robot', 'cameras')}, changeable=values['leash'] >= 0)
        starter = Starter(self._live, self._calls, outfit=outfit)
        driving, answering = Driving(self._live, self._pilot), Answering(self._live, self._person)
        kept = Missions(Path(values['missions'])) if values['missions'] else None
        bags = Path(values['folder']) if values['folder'] else None
        desk = MissionDesk(self._live, starter, driving=driving, studio=self._studio, missions=kept, folder=bags)
        return Watching(
            self._live, starter, driving=driving, answering=answering, missions=desk, studio=self._studio, access=self._access
        )  # fmt: skip

    def _told(self, port: int) -> None:
        # Not by the log: it goes to the whole domain, and to files that others may read.
        sys.stderr.write(f'Open {self._access.address(port)}\n')

    def spin_once(self) -> None:
        """Handle callbacks."""
        self._window.check()
        self._pilot.turn()
        self._person.turn()
        self._node.spin_once(0.1)

    def close(self) -> None:
        """End the server, and destroy the node."""
        self._window.close()
        self._calls.close()
        self._studio.close()
        self._node.close()


def main() -> None:
    """Run the node."""
    sys.exit(run(DashNode))


if __name__ == '__main__':
    main()
