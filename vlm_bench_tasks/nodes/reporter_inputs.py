"""What a reporter sees: the truth, or the pictures of one camera. Each shows how things stand from a control period on."""

from typing import Any, Protocol

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.agents.models import colored
from vlm_bench_tasks.policy import Observation


class ReporterInput(Protocol):
    """Shows how things stand."""

    def at(self, token: str, seq: int, ns: int) -> Observation | None:
        """Return what is to be seen at control period `seq`, at `ns` of simulated time, or later; None: it has not come yet."""
        ...


class TruthInput:
    """Shows the truth.

    Args:
        node: that listens.
    """

    def __init__(self, node: BenchNode) -> None:
        self._newest: tuple[str, Snapshot] | None = None
        node.subscribe(names.WORLD_STATE, self._on_state)

    def at(self, token: str, seq: int, ns: int) -> Observation | None:
        """Return the newest state."""
        if self._newest is None or self._newest[0] != token or self._newest[1].seq < seq:
            return None
        now = self._newest[1]
        return Observation(now.step / PHYSICS_HZ, now.joints, now.tool, now.opening, truth=now)

    def _on_state(self, state: Any) -> None:
        self._newest = (state.token, fields.read_snapshot(state))


class CameraInput:
    """Shows the pictures of a camera, and no truth.

    Args:
        node: that listens.
        camera: whose pictures.
    """

    def __init__(self, node: BenchNode, camera: str) -> None:
        self._camera = camera
        self._began: tuple[str, int] = ('', 0)
        self._picture: Any = None
        node.subscribe(names.TICK, self._on_tick)
        node.subscribe(names.COLOR.camera(camera), self._on_picture)

    def at(self, token: str, seq: int, ns: int) -> Observation | None:
        """Return the newest picture."""
        if self._picture is None or self._began[0] != token:
            return None
        stamp = fields.read_stamp(self._picture.header.stamp)
        if stamp < max(ns, self._began[1]):
            return None
        seconds, seen = (stamp - self._began[1]) / fields.SECOND_NS, colored(fields.read_image(self._picture))
        return Observation(seconds, {}, Pose(), 0.0, pictures={self._camera: seen})

    def _on_tick(self, tick: Any) -> None:
        if tick.token != self._began[0]:
            self._began = (tick.token, fields.read_stamp(tick.header.stamp))

    def _on_picture(self, picture: Any) -> None:
        self._picture = picture
