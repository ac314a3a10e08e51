"""A driver that is not ours, for tests: serves FollowJointTrajectory and tells joint states; no simulator, no physics."""

import time
from threading import Thread

import numpy as np
import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor

from vlm_bench_sim.nodes.base.qos import qos
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import interface, message

PACE_S = 0.01


class StandIn:
    """Stands at the profile's home and goes from point to point, ten milliseconds each.

    Args:
        domain: of ROS.
        profile: of the robot.
    """

    def __init__(self, domain, profile):
        self._profile = profile
        self.arm, self.strays, self.canceled, self.goals = np.asarray(profile.home), np.zeros(len(profile.joints)), 0, []
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = rclpy.create_node('stand_in', context=self._context, enable_rosout=False, start_parameter_services=False)
        row, self._began = names.arm_names(profile)[0], time.monotonic_ns()
        self._type = interface(row.type)
        self._joints = self._node.create_publisher(interface(names.JOINT_STATES.type), names.JOINT_STATES.name, qos(names.JOINT_STATES))
        group = ReentrantCallbackGroup()
        self._server = ActionServer(
            self._node, self._type, row.name, self._execute, callback_group=group, cancel_callback=lambda _: CancelResponse.ACCEPT
        )
        self._timer = self._node.create_timer(0.05, self._tell, callback_group=group)
        self._executor = MultiThreadedExecutor(2, context=self._context)
        self._executor.add_node(self._node)
        self._thread = Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def _execute(self, handle):
        self.goals.append(handle.request)
        points = fields.read_trajectory(handle.request.trajectory, self._profile.joints).points
        for i, point in enumerate(points):
            if handle.is_cancel_requested:
                self.canceled += 1
                handle.canceled()
                return self._type.Result()
            # Off the path in its middle, back on it at its end.
            self.arm = np.asarray(point.positions) + np.sin(np.pi * i / (len(points) - 1)) * self.strays
            self._tell()
            time.sleep(PACE_S)
        handle.succeed()
        return self._type.Result()

    def _tell(self):
        rows = dict.fromkeys(self._profile.gripper.joints, 0.04) | dict(zip(self._profile.joints, self.arm.tolist(), strict=True))
        stamp = fields.header(time.monotonic_ns() - self._began)
        self._joints.publish(message(names.JOINT_STATES.type, {'header': stamp, 'name': list(rows), 'position': list(rows.values())}))

    def close(self):
        self._executor.shutdown()
        self._thread.join(5)
        self._server.destroy()
        self._node.destroy_node()
        self._context.try_shutdown()
