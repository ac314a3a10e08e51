"""A client that knows ROS 2 and no robot, and imports nothing of ours: what it moves, and under which names, the robot itself tells it."""

import time
from xml.etree import ElementTree

import rclpy
from builtin_interfaces.msg import Duration, Time
from control_msgs.action import FollowJointTrajectory, GripperCommand, ParallelGripperCommand
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient, get_action_server_names_and_types_by_node
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

SUCCEEDED, CANCELED, ABORTED = 4, 5, 6
DEADLINE_S = 30.0
ACTIONS = {'arm': FollowJointTrajectory, 'gripper': GripperCommand, 'joints': ParallelGripperCommand}


class Sent:
    """A goal that was sent: accepted or not, and what comes back."""

    def __init__(self, client, handle, feedback):
        self._client, self._handle, self.feedback = client, handle, feedback
        self._result = handle.get_result_async() if handle.accepted else None

    @property
    def accepted(self):
        return self._handle.accepted

    def result(self, seconds=DEADLINE_S):
        """Wait for the result: the status of the goal and the fields of its result."""
        assert self.accepted, 'The goal was rejected; the log of its server says why.'
        return self._client.future(self._result, 'the result of a goal', seconds)

    def cancel(self):
        """Ask to cancel, and return the answer."""
        return self._client.future(self._handle.cancel_goal_async(), 'the answer to a cancel request')


class PlainClient:
    """One node that listens to a robot and sends it goals.

    Attributes:
        model: URDF of the robot.
        arm: its turning joints, in the order of the URDF.
        limits: lowest and highest position of each, rad.
        fingers: its sliding joints.
        home: where each arm joint stood when it was first heard of, rad.
    """

    def __init__(self, domain):
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self.node = rclpy.create_node('somebody', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self.states, self._models, self._actions = [], [], {}
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(String, '/robot_description', self._models.append, latched)
        self.node.create_subscription(JointState, '/joint_states', self.states.append, 100)

    def meet(self, seconds=60.0):
        """Learn what robot there is and who moves it."""
        self.wait(lambda: self._models and self.states, 'a robot that tells its model and its joints', seconds)
        self.model = ElementTree.fromstring(self._models[0].data)
        turning = [joint for joint in self.model.iter('joint') if joint.get('type') in ('revolute', 'continuous')]
        self.arm = [joint.get('name') for joint in turning]
        self.limits = [tuple(float(joint.find('limit').get(end)) for end in ('lower', 'upper')) for joint in turning]
        self.fingers = [joint.get('name') for joint in self.model.iter('joint') if joint.get('type') == 'prismatic']
        self.home = self.positions()
        self.wait(lambda: len(self._served()) == len(ACTIONS), 'the actions of an arm and a gripper')
        self.names = self._served()
        self._actions = {kind: ActionClient(self.node, type_, self.names[kind]) for kind, type_ in ACTIONS.items()}
        self.topic = self.names['arm'].rpartition('/')[0] + '/joint_trajectory'
        self._publisher = self.node.create_publisher(JointTrajectory, self.topic, 10)
        for client in self._actions.values():
            self.wait(client.server_is_ready, 'an action server')
        self.wait(self._publisher.get_subscription_count, 'a subscriber of the trajectory topic')
        self.rest(0.5)  # the other side may know of us a little later

    def _served(self):
        served = {}
        for node in self.node.get_node_names_and_namespaces():
            served |= {type_: name for name, types in get_action_server_names_and_types_by_node(self.node, *node) for type_ in types}
        known = {kind: f'control_msgs/action/{type_.__name__}' for kind, type_ in ACTIONS.items()}
        return {kind: served[type_] for kind, type_ in known.items() if type_ in served}

    @property
    def seconds(self):
        """Time of the newest joint state, s."""
        stamp = self.states[-1].header.stamp
        return stamp.sec + stamp.nanosec * 1e-9

    def positions(self, state=None):
        """Return where the arm is by a joint state, the newest unless another is given, rad."""
        state = state or self.states[-1]
        return [state.position[list(state.name).index(name)] for name in self.arm]

    def opening(self):
        """Return how far the fingers are apart, m."""
        return sum(self.states[-1].position[list(self.states[-1].name).index(name)] for name in self.fingers)

    def away(self, by=0.3, joint=0):
        """Return home with one joint turned, rad."""
        return [q + by * (i == joint) for i, q in enumerate(self.home)]

    def trajectory(self, *points, joints=None, start=None):
        """Return a trajectory; `start` is the time in s at which it begins, left out: now."""
        message = JointTrajectory(joint_names=self.arm if joints is None else joints, points=list(points))
        if start is not None:
            message.header.stamp = Time(sec=int(start), nanosec=round(start % 1 * 1e9) % 10**9)
        return message

    def move(self, *points, joints=None, start=None, **more):
        """Send a trajectory to the arm's action."""
        return self.send('arm', trajectory=self.trajectory(*points, joints=joints, start=start), **more)

    def grip(self, position, effort=0.0):
        """Send a GripperCommand in the unit of the robot's driver."""
        goal = GripperCommand.Goal()
        goal.command.position, goal.command.max_effort = position, effort
        return self._send('gripper', goal)

    def grip_joints(self, *positions, names=(), velocity=(), effort=()):
        """Send a ParallelGripperCommand."""
        command = JointState(name=list(names), position=list(positions), velocity=list(velocity), effort=list(effort))
        return self.send('joints', command=command)

    def send(self, kind, **fields):
        """Send a goal and return it once it was accepted or rejected."""
        return self._send(kind, ACTIONS[kind].Goal(**fields))

    def _send(self, kind, goal):
        feedback = []
        handle = self._actions[kind].send_goal_async(goal, feedback_callback=lambda message: feedback.append(message.feedback))
        return Sent(self, self.future(handle, 'an answer to a goal'), feedback)

    def publish(self, *points, **more):
        """Send a trajectory on the topic."""
        self._publisher.publish(self.trajectory(*points, **more))

    def future(self, future, what, seconds=DEADLINE_S):
        self.wait(future.done, what, seconds)
        return future.result()

    def wait(self, done, what, seconds=DEADLINE_S):
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, f'Waited {seconds} s for {what}.'
            self.spin()

    def rest(self, seconds):
        """Listen for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.spin()

    def spin(self):
        self._executor.spin_once(timeout_sec=0.02)

    def close(self):
        for client in self._actions.values():
            client.destroy()
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()


def point(seconds, positions, velocities=(), accelerations=()):
    """Return a point of a trajectory."""
    whole, rest = divmod(round(seconds * 1e9), 10**9)
    return JointTrajectoryPoint(
        time_from_start=Duration(sec=whole, nanosec=rest),
        positions=list(positions), velocities=list(velocities), accelerations=list(accelerations),
    )  # fmt: skip


def duration(seconds):
    """Return a duration; negative ones are whole seconds."""
    whole, rest = divmod(round(seconds * 1e9), 10**9)
    return Duration(sec=whole, nanosec=rest)


def tolerances(value, *joints):
    """Return one tolerance for each joint, rad."""
    return [JointTolerance(name=name, position=float(value)) for name in joints]
