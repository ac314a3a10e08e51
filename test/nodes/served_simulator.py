"""A simulator that is served by itself, for clients of simulation_interfaces, with a client in each domain that it uses."""

import os
import subprocess
import sys

import pytest
from nursery import Forked
from policy_client import PolicyClient
from running_bench import ros_environment

from vlm_bench_sim import profiles
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.simulation import State

OK, LEAVE = 1, 2
PANDA = profiles.robot('panda')
FOLLOW, CHUNK, GRIPPER = names.arm_names(PANDA)
RED = Color('red', (1.0, 0.0, 0.0))
SCENE = Scene((
    Prop('star', 'star', (0.055, 0.052, 0.035), RED, 0.04, pose=Pose((0.5, 0.2, 0.018)), noun='star'),
    Prop('pillar', 'cube', (0.04, 0.04, 0.3), RED, 1.0, pose=Pose((0.6, -0.4, 0.15)), fixed=True),
))  # fmt: skip
HEARD = (names.TICK, names.CLOCK, names.JOINT_STATES, names.WORLD_STATE, names.EVENTS, names.SCENE)


class Simulator:
    """A sim_node of its own, and a client in each domain that it uses."""

    def __init__(self, domain, output, *, scored=False):
        parameters = ['-p', 'cameras:=none', '-p', f'scored:={str(scored).lower()}', '-p', 'participant_timeout:=1.0']
        command = [sys.executable, '-m', 'vlm_bench_sim.nodes.sim_node', '--ros-args', *parameters]
        self.process, self.output = Forked(command, env=ros_environment(domain), output=output), output
        self.client = PolicyClient(domain, name='test_client')
        self.private = PolicyClient(domain + 1, name='test_overseer') if scored else self.client
        self.count = 0

    def __enter__(self):
        self.private.listen(*(row for row in HEARD if row.private))
        self.client.listen(*(row for row in HEARD if not row.private))
        self.private.ask(names.SIMULATOR_FEATURES, {}, again=True, seconds=60)
        self.client.ask(names.JOIN, {'participant': 'nobody', 'role': LEAVE}, again=True)  # harmless; the public names are discovered then
        return self

    def __exit__(self, *_):
        self.client.close()
        if self.private is not self.client:
            self.private.close()
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, row, *, again=False, **content):
        """Ask a private service and return its response; `again`: until it answers."""
        assert self.process.poll() is None, 'the simulator has ended'
        return self.private.ask(row, content, again=again)

    def code(self, row, **content):
        """Ask, and return the code; every refusal comes with a sentence."""
        result = self.ask(row, **content).result
        assert result.result == OK or len(result.error_message.split()) > 3
        return result.result

    def begin(self):
        """Load the scene afresh, as an episode, and play; nothing is left of the test before."""
        if self.ask(names.SIMULATION_STATE, again=True).state.state != State.PLAYING:
            assert self.code(names.SET_SIMULATION_STATE, state={'state': State.PLAYING}) == OK
        self.count += 1
        self.token = f'episode-{os.getpid()}-{self.count}'
        self.client.forget()
        self.private.forget()
        assert self.code(names.LOAD_SCENE, again=True, token=self.token, scene=codec.dumps(SCENE)) == OK
        self.client.wait(self.level, 'the first tick, and clock and joints of it')

    @property
    def ticks(self):
        """Those of the episode, each once: who comes late is told again."""
        told = (tick for tick in self.client.heard(names.TICK) if tick.token == self.token)
        return list({fields.read_stamp(tick.header.stamp): tick for tick in told}.values())

    @property
    def clocks(self):
        return [fields.read_stamp(clock.clock) for clock in self.client.heard(names.CLOCK)]

    def level(self, since=0):
        """Tell whether ticks have come of that time (ns) or later, and clock and joint states as far: one topic may overtake another."""
        stamps = [fields.read_stamp(tick.header.stamp) for tick in self.ticks]
        joints = [fields.read_stamp(state.header.stamp) for state in self.client.heard(names.JOINT_STATES)]
        return min(max(told, default=-1) for told in (stamps, joints, self.clocks)) >= max((since, *stamps))

    def arm(self):
        """The newest arm positions."""
        joints = fields.read_joints(self.client.heard(names.JOINT_STATES)[-1])
        return [joints[name].position for name in PANDA.joints]

    def at_home(self):
        """Wait until the arm is where it starts from."""
        self.client.wait(lambda: self.arm() == pytest.approx(PANDA.home, abs=2e-3), 'the arm to be at home')

    def quiet(self, seconds=0.3):
        """Wait until no tick comes for a while, and all that was told has been heard."""

        def rests():
            before = len(self.client.heard(names.TICK))
            self.client.rest(seconds)
            return self.level(fields.read_stamp(self.state('robot').header.stamp)) and len(self.client.heard(names.TICK)) == before

        self.client.wait(rests, 'the world to stand still')

    def move(self, *, turn=0.4, seconds=3.0):
        """Send the arm away from home; return the goal."""
        point = {'positions': [p + turn for p in PANDA.home], 'time_from_start': fields.stamp(round(seconds * 1e9))}
        return self.client.send(FOLLOW, {'trajectory': {'joint_names': list(PANDA.joints), 'points': [point]}})

    def moving(self):
        """Send the arm away, on a way that takes longer than whatever a test then asks for, and wait until it is no longer at home."""
        goal = self.move(seconds=300.0)
        self.client.wait(lambda: max(abs(a - h) for a, h in zip(self.arm(), PANDA.home, strict=True)) > 0.02, 'the arm to move')
        return goal

    def pause(self):
        assert self.code(names.SET_SIMULATION_STATE, state={'state': State.PAUSED}) == OK

    def spawn(self, uri='vlm_bench://cube', position=(0.45, -0.1, 0.1), **given):
        return self.ask(names.SPAWN_ENTITY, **wish(uri, position, **given))

    def names(self, **filters):
        return list(self.ask(names.ENTITIES, filters=filters).entities)

    def state(self, name):
        answer = self.ask(names.ENTITY_STATE, entity=name)
        assert answer.result.result == OK, answer.result.error_message
        return answer.state


def wish(uri='vlm_bench://cube', position=(0.45, -0.1, 0.1), orientation=(0.0, 0.0, 0.0, 1.0), frame='', definition='', **given):
    x, y, z, w = orientation
    pose = {'position': fields.vector(position), 'orientation': {'x': x, 'y': y, 'z': z, 'w': w}}
    return {
        'entity_resource': {'uri': uri, 'resource_string': definition},
        'initial_pose': {'header': {'frame_id': frame}, 'pose': pose},
    } | given  # fmt: skip
