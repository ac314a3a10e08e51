"""Inputs of a reporter: the ground truth, or the pictures of one camera. Each shows the scene at or after a given control period."""

from typing import Any, Protocol

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.agents.models import colored
from vlm_bench_tasks.policy import Observation


class ReporterInput(Protocol):
    """Provides observations of the scene."""

    def at(self, token: str, seq: int, ns: int) -> Observation | None:
        """Return an observation at control period `seq` (simulated time `ns`) or later; None if it has not arrived yet."""
        ...


class TruthInput:
    """Provides the ground truth.

    Args:
        node: subscribes to the topic.
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
    """Provides the pictures of one camera, and no ground truth.

    Args:
        node: subscribes to the topics.
        camera: name of the camera.
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
