"""Hears what a bench says."""

from collections.abc import Callable
from functools import partial
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EpisodeState
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.messages import read_event, read_report


class BenchEars:
    """Subscriptions to everything but pictures and the robot. In the second domain of a scored bench it hears nothing of the truth.

    Args:
        node: hears it.
        live: keeps it.
        heard: is called with the signature of each status.
    """

    def __init__(self, node: BenchNode, live: Live, *, heard: Callable[[bytes], None]) -> None:
        self._node, self._live, self._signed = node, live, heard
        rows = {
            names.EPISODE: self._on_episode, names.INSTRUCTION: self._on_instruction, names.STATUS: self._on_status,
            names.REPORT: self._on_report, names.LAG: lambda lag: live.lag(lag.data), names.EPISODE_TRUTH: self._on_truth,
            names.SCENE: self._on_scene, names.WORLD_STATE: self._on_state, names.RUNNING_REPORT: self._on_report,
            names.EVENTS: lambda event: live.event(event.token, read_event(event)),
        }  # fmt: skip
        for row, take in rows.items():
            if not (row.private and node.values['scored']):
                node.subscribe(row, partial(self._heard, take))

    def _heard(self, take: Callable[[Any], None], message: Any) -> None:
        try:
            take(message)
        except Exception as error:  # whatever another version or a forger says, the window goes on
            self._node.log.warning(f'What the bench said cannot be shown: {error!r:.300}', throttle_duration_sec=10.0)

    def _on_episode(self, told: Any) -> None:
        about = {name: getattr(told, name) for name in ('task', 'axis', 'split', 'robot', 'prompt')}
        self._live.episode(told.token, about)

    def _on_instruction(self, told: Any) -> None:
        self._live.instruction(told.token, told.text, tuple(bytes(picture.data) for picture in told.pictures))

    def _on_status(self, told: Any) -> None:
        self._signed(told.signature)
        self._live.status(told.token, EpisodeState(told.state), told.time_left)

    def _on_report(self, told: Any) -> None:
        self._live.report(told.token, read_report(told))

    def _on_truth(self, told: Any) -> None:
        self._live.truth(told.token, Episode.from_json(told.episode), seed=told.seed)

    def _on_scene(self, told: Any) -> None:
        self._live.laid(told.token, codec.read(told.scene, Scene))

    def _on_state(self, told: Any) -> None:
        self._live.moved(told.token, read_snapshot(told))
