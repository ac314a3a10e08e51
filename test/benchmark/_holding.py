"""Does a grasp hold? Picks a prop from the table, shakes it along three axes, holds it for 5 s, and measures how far it slipped."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import Chunk, Command, Point, ToolPose
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Floats, Pose, Vector
from vlm_bench_sim.core.gripper import Grip, Seal, SuctionProfile
from vlm_bench_sim.core.picks import Pick, picks
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import MotionState, PlanRequest
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S, seconds_to_periods
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.profiles import robot

SLIP = 0.01
"""How far any part of the prop may move in the gripper, m."""

AMPLITUDE, HZ, CYCLES = 0.05, 1.0, 3
"""Of the shaking along each axis: m, Hz; the first and the last cycle swell and fade, so at least one is full."""

HOLD_S = 5.0
PRESS = 0.001
"""How far suction cups press on what they shall seal, m."""

FRICTION = 0.71
"""Of what is taken."""

PLACE = (0.45, 0.0)
_PATIENCE = 400
_RED = Color('red', (1.0, 0.0, 0.0))


@dataclass(frozen=True)
class Thing:
    """Something to take: its shape, extents (m) and mass (kg)."""

    kind: str
    size: Vector
    mass: float

    def __str__(self) -> str:
        return f'{self.kind} {" × ".join(f"{1000 * extent:g}" for extent in self.size)} mm, {1000 * self.mass:g} g'


_BOTH = (
    Thing('cube', (0.042, 0.042, 0.042), 0.073),
    Thing('cube', (0.060, 0.060, 0.060), 0.30),
    Thing('cube', (0.030, 0.120, 0.030), 0.15),
    Thing('cube', (0.050, 0.050, 0.120), 0.35),
    Thing('cylinder', (0.046, 0.046, 0.042), 0.068),
    Thing('cylinder', (0.066, 0.066, 0.100), 0.40),
    Thing('star', (0.055, 0.052, 0.035), 0.05),
    Thing('triangular_prism', (0.046, 0.040, 0.039), 0.05),
    Thing('triangular_prism', (0.060, 0.052, 0.050), 0.12),
    Thing('cross', (0.078, 0.080, 0.039), 0.10),
    Thing('letter_t', (0.080, 0.079, 0.040), 0.10),
    Thing('tray', (0.200, 0.125, 0.050), 0.15),
)
FINGERS = (
    *_BOTH,
    Thing('cube', (0.050, 0.160, 0.050), 0.50),
    Thing('moon', (0.054, 0.055, 0.039), 0.056),
    Thing('mug1', (0.100, 0.139, 0.108), 0.25),
)
CUPS = (
    *_BOTH,
    Thing('cube', (0.200, 0.150, 0.020), 0.50),
    Thing('cylinder', (0.100, 0.100, 0.020), 0.20),
    Thing('moon', (0.080, 0.081, 0.050), 0.10),
)


@dataclass(frozen=True)
class Outcome:
    """What came of a trial: the most that any part of the prop moved in the gripper (m), and what went wrong, '' for nothing."""

    slip: float
    fault: str = ''

    @property
    def held(self) -> bool:
        return not self.fault and self.slip < SLIP

    def __str__(self) -> str:
        return f'{1000 * self.slip:.1f}' if self.held else self.fault or f'slipped {1000 * self.slip:.0f} mm'


class Hand:
    """One robot with its world and its planner, for one trial after the other."""

    def __init__(self, profile: RobotProfile) -> None:
        self.profile, self.planner, self.world = profile, _planner(profile.name), BulletWorld(profile)
        self._sucks = isinstance(profile.gripper, SuctionProfile)

    def close(self) -> None:
        """Free the world."""
        self.world.close()

    def hold(self, thing: Thing, yaw: float = 0.4) -> Outcome:
        """Pick one thing, turned by `yaw` rad, by its best feasible grasp, shake it, hold it, and say what came of it."""
        pose = Pose.from_rpy((*PLACE, thing.size[2] / 2 + 5e-4), (0.0, 0.0, yaw))
        prop = Prop('thing', thing.kind, thing.size, _RED, thing.mass, FRICTION, pose)
        prop = prop.at(self.world.load(Scene((prop,))).pose('thing'))
        found = picks(self.planner, prop, PlanRequest(self._arm(), ToolPose(Pose()), (prop,)))
        if not found:
            return Outcome(0.0, 'no grasp')
        try:
            self._take(found[0], prop)
            film = [self.world.snapshot, *self._lift(prop), *self._shake(), *self._wait(HOLD_S)]
        except VlmBenchError as error:
            return Outcome(0.0, str(error))
        slip = slipped(film, prop)
        lost = next((shot.seq - film[0].seq for shot in film if shot.held != prop.name), None)
        return Outcome(slip, '' if lost is None else f'lost after {lost * PERIOD_S:.1f} s')

    def _take(self, pick: Pick, prop: Prop) -> None:
        self._do(self._plan(pick.chain[0], prop))
        if not self._sucks:
            self._do(Grip(pick.grasp.opening))
        at = pick.chain[1]
        press = Pose((0.0, 0.0, PRESS)) if self._sucks else Pose()
        self._do(self._plan(ToolPose(at.pose @ press, straight=True, allowed=at.allowed, speed=0.5), prop))
        self._do(Seal(on=True) if self._sucks else Grip(0.0))

    def _lift(self, prop: Prop) -> Iterator[Snapshot]:
        up = ToolPose(self.world.snapshot.tool.shifted((0.0, 0.0, 0.15)), straight=True, speed=0.5)
        yield from self._play(self._plan(up))

    def _shake(self) -> Iterator[Snapshot]:
        for axis in np.eye(3):
            yield from self._play(shaking(self.planner, self.world.commanded, axis))

    def _wait(self, seconds: float) -> Iterator[Snapshot]:
        for _ in range(seconds_to_periods(seconds)):
            yield self.world.step()

    def _plan(self, target: ToolPose, *props: Prop) -> Chunk:
        return self.planner.plan(PlanRequest(self._arm(), target, props, opening=self.world.snapshot.opening))

    def _arm(self) -> tuple[float, ...]:
        return self.world.commanded

    def _do(self, command: Command) -> None:
        for _ in self._play(command):
            pass

    def _play(self, command: Command) -> Iterator[Snapshot]:
        self.world.apply(command)
        for _ in range(_PATIENCE):
            yield self.world.step()
            if MotionState.RUNNING not in (self.world.arm, self.world.gripper):
                return
        raise TimeoutError(f'{command} has not ended after {_PATIENCE} periods.')


def shaking(planner: MotionPlanner, start: tuple[float, ...], axis: Floats) -> Chunk:
    """Return a chunk that swings the tool about where it is along an axis of the world, its orientation kept, and ends at rest there."""
    count = round(CYCLES / HZ / PERIOD_S)
    time = np.arange(count + 1) * PERIOD_S
    swell = np.clip(np.minimum(time, time[-1] - time) * HZ, 0.0, 1.0)
    offsets = AMPLITUDE * np.sin(2 * np.pi * HZ * time) * swell * swell * (3 - 2 * swell)
    middle, arm, arms = planner.kinematics.tool_pose(start), np.asarray(start), []
    for offset in offsets:
        found = planner.kinematics.solve(middle.shifted(offset * axis), arm)
        if found is None:
            raise ValueError(f'{planner.profile.name} cannot be shaken along {axis} at {middle}.')
        arm = found
        arms.append(arm)
    arms[-1] = np.asarray(start)
    speeds = np.gradient(np.array(arms), PERIOD_S, axis=0)
    speeds[[0, -1]] = 0.0
    if (np.abs(speeds) > np.asarray(planner.profile.velocity)).any():
        raise ValueError(f'{planner.profile.name} is too slow to be shaken along {axis} at {middle}.')
    points = [Point(i * PERIOD_NS, tuple(arms[i].tolist()), tuple(speeds[i].tolist())) for i in range(1, count + 1)]
    return Chunk(tuple(points))


def slipped(film: list[Snapshot], prop: Prop) -> float:
    """Return the most that any corner of the prop's box moved in the tool's frame since the first snapshot, m."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * prop.size
    places = [(shot.tool.inverse() @ shot.pose(prop.name)).apply(corners) for shot in film]
    return float(max(np.linalg.norm(place - places[0], axis=1).max() for place in places))


@cache
def _planner(name: str) -> MotionPlanner:
    return MotionPlanner(robot(name))
