"""A kinematic driver in a ROS domain of its own, with the face of a `RunningBench`, so that the same tests run over both."""

import time
from types import SimpleNamespace

from policy_client import PolicyClient
from running_bench import FOLLOW, GRIPPER, PANDA, RunningBench, ros_environment

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.graph import NodeSpec

NEVER = {'joint_names': ['?']}


class RunningDriver(RunningBench):
    """Nothing but `fake_driver_node` and what else is named; there are no episodes, and time passes by itself."""

    def __init__(self, domain, folder, *, others=(), **parameters):
        specs = (NodeSpec('fake_driver_node', 'vlm_bench_sim.nodes.fake_driver_node', {'robot': 'panda'} | parameters), *others)
        self.specs = {spec.name: spec for spec in specs}
        self.domain = domain
        self._environment, self._folder = ros_environment(domain), folder
        self.processes = {}
        self.client = PolicyClient(domain)
        for name in self.specs:
            self.start(name)

    def __enter__(self):
        self.client.listen(names.JOINT_STATES, names.TF, names.TCP_POSE)
        self.client.wait(lambda: self.client.heard(names.JOINT_STATES), 'joint states', 60.0)
        # Answers are lost while the two sides of an action have not discovered each other: ask something harmless until one comes.
        assert not self.client.send(FOLLOW, {'trajectory': NEVER}).accepted
        self.begin()
        return self

    def log(self, name):
        return super().log('fake_driver_node' if name == 'sim_node' else name)

    def begin(self, **_):
        """Bring the robot home, open, and count from there."""
        way = max(abs(a - b) for a, b in zip(self.now.arm(PANDA.joints), PANDA.home, strict=True))
        home = {'positions': list(PANDA.home), 'time_from_start': fields.stamp(round((0.05 + way / 2.0) * 1e9))}
        assert self.client.send(FOLLOW, {'trajectory': {'joint_names': list(PANDA.joints), 'points': [home]}}).result().status == 4
        opened = self.client.send(GRIPPER, {'command': {'position': PANDA.gripper.max_opening * PANDA.gripper.goal_scale}})
        assert opened.result().status == 4
        self.settle()
        self.client.forget()
        self.client.wait(lambda: self.client.heard(names.JOINT_STATES), 'joint states')

    @property
    def ticks(self):
        """Numbered from 0: one for `begin`, and one for each joint state since then at which the robot was on its way."""
        moving = [state for state in self.client.heard(names.JOINT_STATES) if any(state.velocity)]
        return [SimpleNamespace(seq=i) for i in range(len(moving) + 1)]

    @property
    def now(self):
        """The newest joint states, as far as they make a snapshot."""
        joints = fields.read_joints(self.client.heard(names.JOINT_STATES)[-1])
        return Snapshot(0, 0, joints, Pose(), sum(joints[name].position for name in PANDA.gripper.joints))

    def settle(self):
        """Hear joint states until the robot rests."""
        self.wait(lambda: self._quiet(0.15), 'the robot to rest')

    def _quiet(self, seconds):
        end = time.monotonic() + seconds
        before = len(self.client.heard(names.JOINT_STATES))
        while time.monotonic() < end or len(self.client.heard(names.JOINT_STATES)) < before + 2:
            self.client.spin(0.02)
        return not any(any(state.velocity) for state in self.client.heard(names.JOINT_STATES)[before:])
