"""A kinematic driver that is wrong on purpose, in the way that its parameter `fault` names."""

import sys

from rclpy.action import GoalResponse
from rclpy.qos import QoSProfile, ReliabilityPolicy

from vlm_bench_sim.core.command import Chunk, Point
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.nodes import fake_driver_node
from vlm_bench_sim.nodes.base import bench_node
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.driving.goal_server import Answer
from vlm_bench_sim.nodes.fake_driver_node import FakeDriverNode
from vlm_bench_sim.ros import fields, gripper, names

SECOND_NS = 10**9
fake_driver_node.PARAMETERS = fake_driver_node.PARAMETERS | {'fault': ''}


def degrees(content):
    return content | {'position': [57.3 * v for v in content['position']], 'velocity': [57.3 * v for v in content['velocity']]}


def stale(content):
    return content | {'header': fields.header(fields_ns(content) - 5 * SECOND_NS)}


def fields_ns(content):
    stamp = content['header']['stamp']
    return stamp['sec'] * SECOND_NS + stamp['nanosec']


def nameless(content):
    return content | {key: content[key][1:] for key in ('name', 'position', 'velocity', 'effort') if content.get(key)}


def speedless(content):
    return content | {'velocity': []}


def wrong_speeds(content):
    return content | {'velocity': [57.3 * v for v in content['velocity']]}


def moved(content):
    first, *rest = content['transforms']
    return {'transforms': [first | {'transform': first['transform'] | {'translation': fields.vector((0.0, 0.0, 0.433))}}, *rest]}


def shifted(content):
    pose = Pose(tuple(content['pose']['position'].values())).shifted((0.02, 0.0, 0.0))
    return content | {'pose': content['pose'] | {'position': fields.vector(pose.position)}}


def framed(content):
    return content | {'header': content['header'] | {'frame_id': 'base'}}


SAID = {
    'degrees': (names.JOINT_STATES, degrees), 'stale': (names.JOINT_STATES, stale), 'nameless': (names.JOINT_STATES, nameless),
    'speedless': (names.JOINT_STATES, speedless), 'wrong_speeds': (names.JOINT_STATES, wrong_speeds), 'base': (names.TF, moved),
    'tool': (names.TCP_POSE, shifted), 'frame': (names.TCP_POSE, framed),
}  # fmt: skip
"""What is told wrong: the topic, and what becomes of its content."""


class WrongDriverNode(FakeDriverNode):
    """A driver with one fault."""

    def __init__(self):
        super().__init__()
        driver = self._driver
        self.fault, self.sent = driver._node.values['fault'], 0
        send, arm = driver._send, driver._driver._arm.goals

        def sending(row, content):
            self.sent += row is names.JOINT_STATES
            if self.fault == 'slow' and row is names.JOINT_STATES and self.sent % 4:
                return
            changed, change = SAID.get(self.fault, (None, None))
            send(row, change(content) if row is changed else content)

        driver._send = sending
        if self.fault == 'accepts':
            read, world = arm._read, driver._world

            def anything(request):
                try:
                    return read(request)
                except CommandError:
                    return Chunk((Point(SECOND_NS, tuple(world.commanded)),))

            arm._read = anything
        if self.fault == 'no_room':
            consider = arm._consider
            arm._consider = lambda request: GoalResponse.REJECT if arm.busy else consider(request)
            arm._server._goal_callback = arm._consider
        if self.fault == 'deaf':
            driver._driver.serve_cancels = lambda: None
        if self.fault == 'early':
            update = driver._driver.update

            def updating():
                arm.finish(Answer('succeed', {'error_code': 0, 'error_string': ''}))
                update()

            driver._driver.update = updating


def has(fault):
    """Whether that fault is asked for, before there is a node."""
    return any(fault in word for word in sys.argv)


def main():
    if has('best_effort'):
        best_effort = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
        own = bench_node.qos
        bench_node.qos = lambda row: best_effort if row is names.JOINT_STATES else own(row)
    if has('volatile'):
        own = bench_node.qos
        bench_node.qos = lambda row: QoSProfile(depth=1) if row is names.ROBOT_DESCRIPTION else own(row)
    if has('width'):
        read = gripper.read
        gripper.read = lambda hand, position, effort: read(hand, position / 2.0, effort)
    sys.exit(run(WrongDriverNode))


if __name__ == '__main__':
    main()
