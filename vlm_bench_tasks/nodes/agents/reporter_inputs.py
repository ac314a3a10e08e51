"""Inputs of a reporter: the ground truth, or the pictures of one camera. Each shows the scene at or after a given control period."""

import time
from typing import Any, Protocol

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.agents.models import colored
from vlm_bench_tasks.contact_guess import Beliefs
from vlm_bench_tasks.policy import Observation


class ReporterInput(Protocol):
    """Provides observations of the scene."""

    def at(self, token: str, seq: int, ns: int) -> Observation | None:
        """Return an observation at control period `seq` (simulated time `ns`) or later; None if it has not arrived yet."""
        ...


class TruthInput:
    """Provides the ground truth, or what is observed and believed around a real arm.

    Args:
        node: subscribes to the topic.
        beliefs: adds contacts and the grasp where nothing sees them; None: a simulator does.
    """

    def __init__(self, node: BenchNode, beliefs: Beliefs | None = None) -> None:
        self._newest: tuple[str, Snapshot] | None = None
        self._beliefs = beliefs
        node.subscribe(names.WORLD_STATE, self._on_state)

    def at(self, token: str, seq: int, ns: int) -> Observation | None:
        """Return the newest state."""
        if self._newest is None or self._newest[0] != token or self._newest[1].seq < seq:
            return None
        now = self._newest[1]
        return Observation(now.step / PHYSICS_HZ, now.joints, now.tool, now.opening, truth=now)

    def _on_state(self, state: Any) -> None:
        now = fields.read_snapshot(state)
        self._newest = (state.token, now if self._beliefs is None else self._beliefs.of(now))


class CameraInput:
    """Provides the pictures of one camera, and no ground truth.

    Args:
        node: subscribes to the topics.
        camera: name of the camera.
        simulated: whether a simulator tells the time; otherwise the system's clock does.
    """

    def __init__(self, node: BenchNode, camera: str, *, simulated: bool = True) -> None:
        self._camera = camera
        self._began: tuple[str, int] = ('', 0)
        self._picture: Any = None
        if simulated:
            node.subscribe(names.TICK, lambda tick: self._begin(tick.token, fields.read_stamp(tick.header.stamp)))
        else:
            node.subscribe(names.EPISODE, lambda episode: self._begin(episode.token, time.time_ns()))
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

    def _begin(self, token: str, ns: int) -> None:
        if token != self._began[0]:
            self._began = (token, ns)

    def _on_picture(self, picture: Any) -> None:
        self._picture = picture
