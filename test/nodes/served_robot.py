"""A robot that is served by itself, over physics or over bare kinematics, and a plain client that has met it."""

from contextlib import contextmanager
from itertools import count

from plain_client import SUCCEEDED, PlainClient, duration, point
from policy_client import PolicyClient
from running_bench import RunningBench, ros_environment

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import names
from vlm_bench_tasks.graph import NodeSpec, bench

OK, POLICY, LEAVE = 1, 0, 2


class ServedRobot(RunningBench):
    """One node that serves one robot, and tells of it as long as it runs.

    Args:
        domain: of ROS.
        folder: for the output of the node.
        name: of the robot.
    """

    quiet_s = 0.12  # two joint states

    def __init__(self, domain, folder, name):
        self.name, self.profile, self.domain = name, robot(name), domain
        self.node = self._node()
        self.specs = {self.node.name: self.node}
        self._environment, self._folder, self.processes = ros_environment(domain), folder, {}
        self.start(self.node.name)
        self.plain = PlainClient(domain)

    def _node(self):
        return NodeSpec('fake_driver_node', 'vlm_bench_sim.nodes.fake_driver_node', {'robot': self.name})

    def __enter__(self):
        self.listen()
        self.plain.meet()
        return self

    def listen(self):
        """Have the robot listen to goals: a driver that knows no episodes does so anyway."""

    def ready(self):
        """Bring the robot home, and open its gripper or let go."""
        self.check()
        self.settle()  # what was heard last may be of a time before it moved
        plain = self.plain
        far = max(abs(q - h) for q, h in zip(plain.positions(), plain.home, strict=True))
        if far > 1e-3:
            way = point(max(0.3, far / 1.3), plain.home, [0.0] * len(plain.home))
            homeward = plain.move(way, goal_time_tolerance=duration(5.0)).result()  # it may still swing
            assert homeward.status == SUCCEEDED, homeward.result.error_string
        if plain.fingers and plain.opening() < self.profile.gripper.max_opening - 1e-3:
            assert plain.grip(self.widest).result().status == SUCCEEDED
        elif not plain.fingers:
            assert plain.grip(0.0).result().status == SUCCEEDED
        self.settle()
        return self

    @property
    def widest(self):
        """The position of a GripperCommand that opens the fingers, or makes the cups suck."""
        gripper = self.profile.gripper
        return gripper.max_opening * gripper.goal_scale if self.plain.fingers else 1.0

    def settle(self):
        """Listen until the robot rests."""
        self.plain.wait(self._rests, 'the robot to rest')

    def _rests(self):
        heard = self._listen()
        return bool(heard) and _still(heard)

    def _listen(self):
        """Return the joint states that come in a while."""
        before = len(self.plain.states)
        self.plain.rest(self.quiet_s)
        return self.plain.states[before:]

    def still(self):
        """Where the arm is once it rests, rad."""
        self.settle()
        return self.plain.positions()

    def pass_time(self):
        """Let time pass without a word to the arm."""
        assert self.plain.grip(0.0 if self.plain.fingers else self.widest).result().status == SUCCEEDED
        self.settle()

    @contextmanager
    def frozen(self):
        """Let no time pass, where time waits for somebody."""
        yield

    def said(self, since=0):
        """What the node has written, from that character on."""
        return self.log(self.node.name)[since:]

    def hears(self, words, since):
        """Wait for words in the log."""
        self.plain.wait(lambda: words in self.said(since), f'{words!r} in the log')

    def stop(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait(10)
        gone = self.plain.node.count_publishers
        self.plain.wait(lambda: not gone('/joint_states'), 'the robot to be gone')
        self.plain.close()


class SimulatedRobot(ServedRobot):
    """`sim_node` by itself, which is silent while nothing moves, with somebody who lays out scenes."""

    mode, quiet_s = 'lockstep', 0.04

    def __init__(self, domain, folder, name):
        super().__init__(domain, folder, name)
        self.overseer = PolicyClient(domain, name='overseer')
        self.overseer.listen(names.TICK)
        self._tokens = (f'{name}-{domain}-{i}' for i in count())

    def _node(self):
        return next(spec for spec in bench({'robot': self.name, 'cameras': 'none', 'mode': self.mode}) if spec.name == 'sim_node')

    def listen(self):
        self.overseer.ask(names.JOIN, {'participant': 'nobody', 'role': LEAVE}, again=True, seconds=60.0)
        self.lay()

    def lay(self, *props):
        """Lay out props, with the robot at home."""
        asked = {'token': next(self._tokens), 'scene': codec.dumps(Scene(props))}
        answer = self.overseer.ask(names.LOAD_SCENE, asked, again=True)
        assert answer.result.result == OK, answer.result.error_message

    @contextmanager
    def frozen(self):
        assert self.overseer.ask(names.JOIN, {'participant': 'brake', 'role': POLICY}).result.result == OK
        yield
        assert self.overseer.ask(names.JOIN, {'participant': 'brake', 'role': LEAVE}).result.result == OK

    def _rests(self):
        """Nothing comes, the simulator has nothing left to do, and the joint state of the newest tick has come, too."""
        if self._listen():  # also of an arm that stands still: what was told later of it may be on its way
            return False
        ticks, before = self.overseer.heard(names.TICK), -1
        while before < len(ticks):
            before = len(ticks)
            self.overseer.spin()
        self.overseer.ask(names.JOIN, {'participant': 'nobody', 'role': LEAVE}, again=True)
        self.overseer.spin()
        return len(ticks) == before and (not ticks or ticks[-1].header.stamp == self.plain.states[-1].header.stamp)

    def stop(self):
        super().stop()
        self.overseer.close()


def _still(states):
    return all(abs(v) < 1e-3 for state in states for v in state.velocity)


class RealtimeRobot(SimulatedRobot):
    """The same, keeping the wall clock: time waits for nobody."""

    mode, quiet_s = 'realtime', 0.12
    _rests = ServedRobot._rests

    @contextmanager
    def frozen(self):
        yield
