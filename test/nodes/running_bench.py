"""The nodes of a bench as processes in a ROS domain of their own, with a policy that talks to them."""

import os
import re
import subprocess
import sys
import time

from nursery import Forked
from policy_client import PolicyClient

from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.graph import bench, environment
from vlm_bench_tasks.launching.processes import command

OK, LEAVE = 1, 2
NOT_READY, NOT_READY_TRIES = 105, 2
RUNNING = 2  # of Status; it may have ended by the time that is heard
VLM_BENCH = (sys.executable, '-c', 'from vlm_bench_tasks.cli.main import app; app()')
PANDA = robot('panda')
PATIENT = {'policy_timeout': 90.0, 'participant_timeout': 60.0}
_PUBLIC = (names.TICK, names.REPORT, names.STATUS, names.JOINT_STATES, names.CLOCK, names.ROBOT_DESCRIPTION)
HEARD = (*_PUBLIC, names.WORLD_STATE, names.SCENE)
"""What a client hears of a bench; in each domain what the simulator latches comes last."""


def ros_environment(domain):
    """The environment of a process that belongs to a domain, and that says where it was if the machine stops it."""
    given = {name: value for name, value in os.environ.items() if not name.startswith(('ROS_DOMAIN', 'FASTDDS_'))}
    return environment(given) | given | {'ROS_DOMAIN_ID': str(domain), 'PYTHONFAULTHANDLER': '1'}


class RunningBench:
    """Starts what `vlm_bench_tasks.graph` names, and never leaves a process behind.

    Args:
        domain: of ROS; a scored bench uses the one above, too.
        folder: for the output of the nodes.
        only: nodes to start; none named: all.
        settings: of the graph; unless given: no cameras, no pictures of prompts, episodes begin when a test begins them, and the patience
            of a busy machine.
    """

    joints = PANDA.joints
    token = ''

    def __init__(self, domain, folder, *, only=(), **settings):
        values = {'autostart': False, 'cameras': 'none', 'pictures': False} | PATIENT | settings
        self.specs = {spec.name: spec for spec in bench(values)}
        self.domain, self.started = domain, time.time()
        self._environment, self._folder = ros_environment(domain), folder
        self.processes = {}
        self.client = PolicyClient(domain, scored=values.get('scored', False))
        for name in only or self.specs:
            self.start(name)

    def start(self, name):
        self.processes[name] = Forked(command(self.specs[name]), env=self._environment, output=self._folder / f'{name}.log')

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def log(self, name):
        return re.sub(r'\x1b\[[0-9;]*m', '', (self._folder / f'{name}.log').read_text(errors='replace'))

    def check(self):
        """Fail, with what it said last, if a node has ended."""
        for name, process in self.processes.items():
            assert process.poll() is None, f'{name} has ended with {process.returncode}:\n{self.log(name)[-3000:]}'

    def stop(self):
        self.client.close()
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __enter__(self):
        self.client.listen(*HEARD)
        # The simulator has heard of the last of them in each domain, which are latched: so it has of all, and nothing of it will be missed.
        self.wait(lambda: all(map(self.client.heard, (names.ROBOT_DESCRIPTION, names.SCENE))), 'the simulator')
        # Answers are lost while the two sides of a service have not discovered each other: ask something harmless until one comes.
        self.client.ask(names.START_EPISODE, {'task': '?'}, again=True)
        return self

    def __exit__(self, *_):
        self.stop()

    def forget(self):
        """Drop what was heard of before."""
        self.client.forget()

    def ask_to_begin(self, **asked):
        """Ask for an episode, and again if on a busy machine a node joins later than the task node waits for it; return the answer."""
        for _ in range(1 + NOT_READY_TRIES):
            answer = self.start_episode(asked)
            if answer.result.result != NOT_READY:
                break
            self.check()
        return answer

    def start_episode(self, asked):
        """Ask for an episode once; return the answer."""
        return self.client.ask(names.START_EPISODE, asked, seconds=60)

    def begin(self, **asked):
        """Start an episode and return its token once its first tick has come; nothing moves then."""
        answer = self.ask_to_begin(**asked)
        assert answer.result.result == OK, answer.result.error_message
        self.token = answer.token
        self.wait(lambda: self.ticks and self.states, 'the first tick and its world state')
        self.wait(
            lambda: any(said.token == self.token and said.state >= RUNNING for said in self.client.heard(names.STATUS)),
            'the status says that it runs',
        )
        return answer.token

    @property
    def runs(self):
        """True while an episode runs, as far as has been heard."""
        return self.token != '' and self.token not in [report.token for report in self.client.heard(names.REPORT)]

    def wait(self, done, what, seconds=30.0):
        self.client.wait(done, what, seconds)

    @property
    def ticks(self):
        """The ticks of the episode, each once."""
        return _once(tick for tick in self.client.heard(names.TICK) if tick.token == self.token)

    @property
    def states(self):
        """The world states of the episode, each once."""
        return _once(state for state in self.client.heard(names.WORLD_STATE) if state.token == self.token)

    @property
    def now(self):
        """The newest snapshot of the episode, as new as what else has been heard of it."""
        self._catch_up()
        return fields.read_snapshot(self.states[-1])

    @property
    def arm(self):
        """Where the arm is, rad, when nothing more happens."""
        self.settle()
        return self.now.arm(PANDA.joints)

    @property
    def speeds(self):
        """How fast its joints turn then, rad/s."""
        self.settle()
        return tuple(self.now.joints[name].velocity for name in PANDA.joints)

    def settle(self):
        """Hear everything that was told, until nothing more comes."""
        self.wait(lambda: self._quiet(0.1) and self._idle(), 'the world to pause')
        self._catch_up()

    def pass_time(self, opening=0.0):
        """Let simulated time pass without a word to the arm: move the fingers."""
        goal = self.client.send(GRIPPER, {'command': {'position': opening / 2}})
        assert goal.result().status == 4
        self.settle()

    def report(self, token=None, seconds=30.0):
        """Wait for the report of the episode."""
        wanted = token or self.token
        self.wait(lambda: any(r.token == wanted for r in self.client.heard(names.REPORT)), f'the report of {wanted}', seconds)
        return next(r for r in self.client.heard(names.REPORT) if r.token == wanted)

    def stop_episode(self):
        """End the episode as a policy that is done does."""
        assert self.client.ask(names.STOP_EPISODE, {}).result.result == OK
        report = self.report()
        self.wait(lambda: self.client.heard(names.STATUS)[-1].state == 3, 'the status says that it has ended')
        return report

    def still(self, seconds=0.4):
        """Tell whether the world, once it pauses, goes on pausing for so long, s of wall clock."""
        self.settle()
        return self._quiet(seconds)

    def _catch_up(self):
        """Wait for the world state of the newest tick and of the report: one topic may overtake another."""
        told = [said.seq for row in (names.TICK, names.REPORT) for said in self.client.heard(row) if said.token == self.token]
        self.wait(lambda: self.states and self.states[-1].seq >= max(told, default=0), 'the world state of what was told')

    def _idle(self):
        """Tell whether arm and simulator have dealt with what was sent to them and no time has passed by it."""
        before = self._periods()
        if 'arm_node' in self.processes:
            self.client.ask(names.PLAN, {}, again=True)
        self.client.ask(names.JOIN, {'participant': 'nobody', 'role': LEAVE}, again=True)
        self.client.spin()
        return self._periods() == before

    def _periods(self):
        return len(_once(self.client.heard(names.TICK)))

    def _quiet(self, seconds):
        before, end = self._periods(), time.monotonic() + seconds
        while time.monotonic() < end:
            self.client.spin(0.05)
        return self._periods() == before


def _once(told):
    """Leave out what was told again: the simulator does so where somebody comes late, or where the bench does not answer."""
    return list({(said.token, fields.read_stamp(said.header.stamp)): said for said in told}.values())


FOLLOW, CHUNK, GRIPPER = names.arm_names(PANDA)
