"""The simulator, where a robot's driver would stand."""

import sys
from collections import deque
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import PERIOD_NS, steps_to_ns
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.answers import EventKind, Events
from vlm_bench_sim.nodes.barrier_server import BarrierServer
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.camera_publisher import CameraPublisher
from vlm_bench_sim.nodes.goal_server import Port
from vlm_bench_sim.nodes.gripper_server import GripperServer
from vlm_bench_sim.nodes.process import run
from vlm_bench_sim.nodes.stage_server import StageServer
from vlm_bench_sim.nodes.state_publisher import StatePublisher
from vlm_bench_sim.nodes.trajectory_server import TrajectoryServer
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros import names

MOST_VIOLATIONS = 100  # that are told of the time before an episode
PARAMETERS = {'robot': 'panda', 'cameras': 'vlmbench', 'width': 256, 'height': 256, 'camera_rate': 10.0, 'participant_timeout': 10.0}


class SimNode:
    """A world in lockstep behind a driver's interface."""

    def __init__(self) -> None:
        self._node = BenchNode('sim_node', PARAMETERS)
        values = self._node.values
        profile = profiles.robot(values['robot'])
        cameras = profiles.cameras(values['cameras'], values['width'], values['height'])
        self._token, self._open, self._offset_ns = '', False, 0
        self._violations: deque[str] = deque(maxlen=MOST_VIOLATIONS)
        self._world, self._kinematics, self._renderer = BulletWorld(profile), Kinematics(profile), Renderer(profile)
        self._barrier = BarrierServer(self._node, patience=values['participant_timeout'], token=lambda: self._token)
        self._states, self._events = StatePublisher(self._node, profile, cameras=cameras), Events(self._node, 'sim_node')
        self._cameras = CameraPublisher(self._node, self._renderer, cameras=cameras, rate=values['camera_rate'])
        self._arm = TrajectoryServer(self._node, profile, port=self._port(self._world.hold_arm))
        self._hand = GripperServer(self._node, profile, port=self._port(self._world.hold_gripper))
        StageServer(self._node, self._barrier, listeners=lambda: self._node.listeners(names.WORLD_STATE), load=self._load)
        self._reports = self._node.subscribe(names.REPORT, self._on_report)
        self._load(Scene(()), '', [])

    def spin_once(self) -> None:
        """Serve what has come in, and run a period when the barrier lets it."""
        self._node.spin_once(0.0 if self._ready() else 0.05)
        self._arm.goals.serve_cancel()
        self._hand.goals.serve_cancel()
        if self._ready():
            self._world.step()
            self._publish()
            self._arm.update(self._world)
            self._hand.update(self._world)
        elif not self._busy() and (not self._open or self._barrier.bench_is_ready()):  # without an episode nobody acknowledges
            self._show(pausing=True)
            self._states.greet()
        for cause in self._barrier.drop_silent() if self._open else ():
            self._tell(EventKind.FAULT, cause)

    def close(self) -> None:
        """Abort what runs and free the world."""
        self._abort('The simulator shuts down.')
        self._node.close()
        self._world.close()

    @property
    def _clock_ns(self) -> int:
        return self._offset_ns + steps_to_ns(self._world.snapshot.step)

    def _port(self, halt: Any) -> Port:
        return Port(self._world.apply, halt, self._gate, lambda: self._clock_ns)

    def _busy(self) -> bool:
        return MotionState.RUNNING in (self._world.arm, self._world.gripper)

    def _ready(self) -> bool:
        return self._open and self._barrier.ready(busy=self._busy())

    def _gate(self, what: str) -> bool:
        self._node.serve_now(self._reports)
        if not self._open:
            self._node.log.warning(f'Ignored {what}: no episode is running.')
            self._violations.append(f'{what} while no episode was running')
        return self._open

    def _tell(self, kind: EventKind, text: str) -> None:
        self._events.tell(kind, text, token=self._token, seq=self._world.snapshot.seq)

    def _load(self, scene: Scene, token: str, participants: list[str]) -> str:
        """Lay out a scene; the clock goes on. Without a token nobody may move the robot."""
        if token:
            self._abort('The scene is being reset.')
            self._offset_ns = self._clock_ns + PERIOD_NS
        self._open = False
        self._world.load(scene)
        self._token, self._open = token, bool(token)
        self._cameras.load(scene, token)
        self._states.publish_scene(token, scene, self._renderer.renderer_string)
        self._barrier.restart(participants)
        self._publish()
        while self._violations and token:  # now somebody is there to hear of them, and a bag to hold them
            self._tell(EventKind.VIOLATION, self._violations.popleft())
        return self._world.state_hash()

    def _publish(self) -> None:
        snapshot = self._world.snapshot
        self._links = self._kinematics.link_poses({name: joint.position for name, joint in snapshot.joints.items()})
        self._states.publish(snapshot, self._links, ns=self._clock_ns, token=self._token)
        self._show(pausing=False)
        self._barrier.tick(snapshot.seq)
        self._states.publish_tick(self._world, ns=self._clock_ns, token=self._token)

    def _show(self, *, pausing: bool) -> None:
        self._cameras.publish(self._world.snapshot, self._links, ns=self._clock_ns, pausing=pausing)

    def _on_report(self, report: Any) -> None:
        if report.token == self._token and self._open:
            self._open = False
            self._abort('The episode has ended.')
            self._world.apply(Stop())

    def _abort(self, reason: str) -> None:
        self._arm.goals.abort(reason)
        self._hand.goals.abort(reason)


def main() -> None:
    """Run the node."""
    sys.exit(run(SimNode))


if __name__ == '__main__':
    main()
