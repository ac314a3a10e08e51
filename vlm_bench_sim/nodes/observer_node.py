"""The observer on a real arm: makes one world state per control period from the driver's joint states and a tracker's poses."""

import math
import sys
import time
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import SceneError, VlmBenchError
from vlm_bench_sim.core.frames import ROOT
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_sim.core.timing import CONTROL_HZ, PERIOD_S
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.observed import Observation
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.base.tracking import TRACKER, accuracy
from vlm_bench_sim.nodes.lockstep.barrier import Standing
from vlm_bench_sim.nodes.lockstep.barrier_server import BarrierServer
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message

PARAMETERS = {'robot': 'panda', 'patience': 1.0, 'participants': ['monitor_node']} | TRACKER
"""`patience`: seconds of silence after which the driver counts as gone, a prop as unseen, or missed periods as a fault;
`participants`: nodes that must have joined before the first period is published, and must receive every one."""
SLICE_S = 0.005


class ObserverNode:
    """Counts control periods by the system's clock, from the moment the scene is laid out until the report."""

    def __init__(self) -> None:
        self._node = BenchNode('observer_node', PARAMETERS)
        values = self._node.values
        self._patience, kinematics = values['patience'], Kinematics(profiles.robot(values['robot']))
        self._observation = Observation(kinematics, patience_ns=round(values['patience'] * 1e9), accuracy=accuracy(values))
        self._token, self._seq, self._due = '', 0, 0.0
        self._count = len(self._observation.silent(time.time_ns()))
        self._states, self._events = self._node.publisher(names.WORLD_STATE), Events(self._node, 'observer_node')
        self._standing = Standing(self._patience)
        self._barrier = BarrierServer(self._node, patience=self._patience, token=lambda: self._token)
        self._node.subscribe(names.JOINT_STATES, self._on_joints)
        self._node.subscribe(names.TRACKED, self._on_poses)
        self._node.subscribe(names.SCENE, self._on_scene)
        self._node.subscribe(names.REPORT, self._on_report)

    def spin_once(self) -> None:
        """Handle pending callbacks, and publish the period that is due."""
        self._node.spin_once(SLICE_S)
        now = time.monotonic()
        if not self._token or now < self._due or (self._seq == 0 and self._waits(now)):
            return
        if silent := self._observation.silent(time.time_ns()):
            if not self._seq and now - self._due <= self._patience:
                return  # the stage has discovered the driver; this node may receive its first joint state later
            whose = f' of {", ".join(silent)}' if len(silent) < self._count else ''
            self._give_up(f'the driver is silent: no joint states{whose} for {self._patience:g} s')
        elif self._seq and now - self._due > self._patience:
            self._give_up(f'the observer is {now - self._due:.1f} s late')
        elif self._seq % CONTROL_HZ == 0 and (deaf := self._deaf()):
            self._give_up(f'{", ".join(deaf)} no longer receives the world state')
        else:
            self._tell(self._observation.snapshot(self._seq, time.time_ns()))
            self._due = (self._due if self._seq else now) + PERIOD_S
            self._seq += 1

    def close(self) -> None:
        """Free the node."""
        self._node.close()

    def _waits(self, now: float) -> bool:
        """Return whether a participant has not joined or cannot be reached, and log once which one."""
        absent = self._absent()
        awaited = tuple(absent or self._deaf())
        if self._standing.notice(awaited, now):
            what = 'to join' if absent else 'to receive the world state'
            self._node.log.warning(f'The episode has waited {self._patience:g} s for {", ".join(awaited)} {what}. Check that node.')
        return bool(awaited)

    def _absent(self) -> list[str]:
        """Return the participants that have not joined: discovery here does not ensure that they would receive the first period."""
        return self._barrier.missing(self._node.values['participants'])

    def _deaf(self) -> list[str]:
        """Return the participants that would miss the next period because their subscription is not discovered."""
        return sorted(set(self._node.values['participants']) - self._node.listeners(names.WORLD_STATE))

    def _tell(self, now: Snapshot) -> None:
        content = fields.world_state(now, ns=time.time_ns(), token=self._token, state_hash=state_hash(now))
        self._states.publish(message(names.WORLD_STATE.type, content))

    def _give_up(self, cause: str) -> None:
        self._node.log.error(f'{cause}; the episode cannot be observed.')
        self._events.tell(EventKind.FAULT, cause, token=self._token, seq=max(0, self._seq - 1))
        self._token = ''

    def _on_joints(self, state: Any) -> None:
        try:
            joints = fields.read_joints(state)
        except ValueError:
            self._node.log.error(
                f'Ignored a joint state: it has {len(state.name)} names and another number of values. Send one value per name.'
            )
            return
        if wrong := [name for name, joint in joints.items() if not math.isfinite(joint.position)]:
            self._node.log.error(f'Ignored the positions of {", ".join(wrong[:3])}: they are not finite.')
        self._observation.hear(joints, _when(state.header))

    def _on_poses(self, poses: Any) -> None:
        for transform in poses.transforms:
            if transform.header.frame_id != ROOT:
                self._node.log.error(f'A pose in {transform.header.frame_id!r} was ignored: the tracker must give poses in {ROOT!r}.')
                continue
            ((_, pose),) = fields.read_transforms(type(poses)(transforms=[transform])).values()
            try:
                self._observation.see(transform.child_frame_id, pose, _when(transform.header))
            except VlmBenchError as error:
                self._node.log.error(f'A pose of {transform.child_frame_id!r} was ignored: {error}')

    def _on_scene(self, scene: Any) -> None:
        try:
            self._observation.lay_out(codec.read(scene.scene, Scene, SceneError))
        except VlmBenchError as error:
            self._node.log.error(f'A scene that cannot be read was ignored: {error}')
            return
        self._token, self._seq, self._due = scene.token, 0, time.monotonic()

    def _on_report(self, report: Any) -> None:
        if report.token == self._token:
            self._token = ''


def _when(header: Any) -> int:
    """Return the time of a measurement, ns: its stamp, if it has one that is not ahead of the clock, after which nothing would be newer."""
    now = time.time_ns()
    return min(fields.read_stamp(header.stamp) or now, now)


def main() -> None:
    """Run the node."""
    sys.exit(run(ObserverNode))


if __name__ == '__main__':
    main()
