"""The simulator, where a robot's driver would stand."""

import sys
import time
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import CONTROL_HZ, PERIOD_NS, steps_to_ns
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.bench_node import BenchNode, run
from vlm_bench_sim.nodes.camera_publisher import CameraPublisher
from vlm_bench_sim.nodes.goal_server import Port
from vlm_bench_sim.nodes.gripper_server import GripperServer
from vlm_bench_sim.nodes.lockstep import Lockstep, Role
from vlm_bench_sim.nodes.state_publisher import StatePublisher
from vlm_bench_sim.nodes.trajectory_server import TrajectoryServer
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import message

OK, INCORRECT_STATE, SCENE_INVALID = 1, 3, 101
VIOLATION, FAULT = 4, 3
ENDED = 3
LEAVE = 2
PARAMETERS = {'robot': 'panda', 'cameras': 'vlmbench', 'width': 256, 'height': 256, 'camera_rate': 10.0, 'participant_timeout': 10.0}


class SimNode:
    """A world in lockstep behind a driver's interface."""

    def __init__(self) -> None:
        self._node = BenchNode('sim_node', PARAMETERS)
        values = self._node.values
        profile = profiles.robot(values['robot'])
        cameras = profiles.cameras(values['cameras'], values['width'], values['height'])
        self._world, self._kinematics = BulletWorld(profile), Kinematics(profile)
        self._barrier = Lockstep()
        self._states = StatePublisher(self._node, profile, cameras)
        every = max(1, round(CONTROL_HZ / values['camera_rate']))
        self._renderer = Renderer(profile)
        self._cameras = CameraPublisher(self._node, self._renderer, cameras, every=every)
        arm = Port(self._begin, self._world.hold_arm, self._gate, lambda: self._clock_ns)
        hand = Port(self._begin, self._world.hold_gripper, self._gate, lambda: self._clock_ns)
        self._arm, self._hand = TrajectoryServer(self._node, profile, arm), GripperServer(self._node, profile, hand)
        self._events = self._node.publisher(names.EVENTS)
        self._node.service(names.JOIN, self._join)
        self._node.service(names.LOAD_SCENE, self._load_scene)
        self._node.subscribe(names.ACK, self._acknowledge)
        self._node.subscribe(names.STATUS, self._on_status)
        self._token, self._open, self._offset_ns = '', False, 0
        self._load(Scene(()), '')

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
        elif not self._busy():
            self._show(pausing=True)
        self._look_for_silence()

    def close(self) -> None:
        """Abort what runs and free the world."""
        self._arm.goals.abort('The simulator shuts down.')
        self._hand.goals.abort('The simulator shuts down.')
        self._node.close()
        self._world.close()

    @property
    def _clock_ns(self) -> int:
        return self._offset_ns + steps_to_ns(self._world.snapshot.step)

    def _busy(self) -> bool:
        return MotionState.RUNNING in (self._world.arm, self._world.gripper)

    def _ready(self) -> bool:
        return self._open and self._barrier.ready(busy=self._busy())

    def _begin(self, command: Command) -> None:
        self._world.apply(command)

    def _gate(self, what: str) -> bool:
        if not self._open:
            self._node.log.warning(f'Ignored {what}: no episode is running.')
            self._report(VIOLATION, f'{what} while no episode was running')
        return self._open

    def _report(self, kind: int, text: str) -> None:
        fields = {'token': self._token, 'seq': self._world.snapshot.seq, 'kind': kind, 'source': 'sim_node', 'text': text}
        self._events.publish(message(names.EVENTS.type, fields))

    def _load_scene(self, request: Any, response: Any) -> Any:
        missing = [name for name in request.participants if name not in self._barrier.participants]
        if missing:
            return _answer(response, INCORRECT_STATE, f'{", ".join(missing)} has not joined yet. Start it, or wait.')
        try:
            self._load(codec.loads(request.scene), request.token)
        except VlmBenchError as error:
            return _answer(response, SCENE_INVALID, str(error))
        response.state_hash = self._world.state_hash()
        return _answer(response, OK, '')

    def _load(self, scene: Scene, token: str) -> None:
        self._arm.goals.abort('The scene is being reset.')
        self._hand.goals.abort('The scene is being reset.')
        if token:
            self._offset_ns = self._clock_ns + PERIOD_NS
        self._open = False
        self._world.load(scene)
        self._token, self._open = token, bool(token)
        self._cameras.load(scene, token)
        self._states.publish_scene(token, scene, self._renderer.renderer_string)
        self._barrier.restart(time.monotonic())
        self._publish()

    def _publish(self) -> None:
        snapshot = self._world.snapshot
        self._links = self._kinematics.link_poses({name: joint.position for name, joint in snapshot.joints.items()})
        self._states.publish(snapshot, self._links, ns=self._clock_ns, token=self._token)
        self._show(pausing=False)
        self._barrier.tick(snapshot.seq, time.monotonic())
        arm, hand = (state is MotionState.RUNNING for state in (self._world.arm, self._world.gripper))
        self._states.publish_tick(snapshot, ns=self._clock_ns, token=self._token, arm_busy=arm, gripper_busy=hand)

    def _show(self, *, pausing: bool) -> None:
        self._cameras.publish(self._world.snapshot, self._links, ns=self._clock_ns, pausing=pausing)

    def _join(self, request: Any, response: Any) -> Any:
        if request.role == LEAVE:
            self._barrier.leave(request.participant)
        else:
            self._barrier.join(request.participant, Role(request.role), time.monotonic())
        return _answer(response, OK, '')

    def _acknowledge(self, ack: Any) -> None:
        if ack.token == self._token:
            self._barrier.ack(ack.participant, ack.seq, ack.periods_wanted)

    def _on_status(self, status: Any) -> None:
        if status.state == ENDED and status.token == self._token and self._open:
            self._open = False
            self._arm.goals.abort('The episode has ended.')
            self._hand.goals.abort('The episode has ended.')

    def _look_for_silence(self) -> None:
        silent = self._barrier.silent(Role.BENCH, time.monotonic(), self._node.values['participant_timeout']) if self._open else ()
        for name in silent:
            self._report(FAULT, f'{name} silent for {self._node.values["participant_timeout"]:g} s')
            self._barrier.leave(name)


def _answer(response: Any, code: int, text: str) -> Any:
    response.result.result, response.result.error_message = code, text
    return response


def main() -> None:
    """Run the node."""
    sys.exit(run(SimNode))


if __name__ == '__main__':
    main()
