"""The checks of a robot: that its profile says of it what its URDF and its world do."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from math import cos, degrees, pi, radians, sin
from xml.etree import ElementTree

import numpy as np

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal, SuctionProfile
from vlm_bench_sim.core.perturbation import NONE, SeededPerturbation
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.hand import Extent, extents
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.reach import AZIMUTHS, HEIGHTS, YAWS, Reach
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.conformance.check import Check
from vlm_bench_tasks.execution import Execution
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.variation.streams import PUBLIC

PICK = 'vlmbench/pick_place'
"""What the expert plays with the robot."""

_SLACK = 0.001  # m: of openings and cups
_TIPS = -0.002, 0.03  # m: how far fingertips may end beyond the tool centre point
_MIDDLE = 0.003  # m: how far the middle between the fingers may be from it
_SQUARE = cos(radians(1.0))
_ABOVE = 0.05  # m: of the tool at home, above the table
_LONGEST = 400  # control periods that a gripper gets
_SHOWN = 3  # places that are told


@dataclass
class RobotSubject:
    """A robot under test.

    Attributes:
        profile: it.
        plays: number of episodes that the expert plays with it.
        watch: called with each episode before it is played.
    """

    profile: RobotProfile
    _: KW_ONLY
    plays: int = 3
    watch: Callable[[str], None] = lambda _: None

    @cached_property
    def bench(self) -> Bench:
        """The bench with it."""
        return Bench(self.profile.name)

    @cached_property
    def kinematics(self) -> Kinematics:
        """Its kinematics."""
        return Kinematics(self.profile)

    def hand(self, opening: float) -> dict[str, Extent]:
        """Return the extent of each finger or cup in the frame of the tool centre point, m."""
        return extents(self.kinematics, opening)


def _limited(robot: RobotSubject) -> Iterator[str]:
    profile = robot.profile
    for name, (low, high), home in zip(profile.joints, profile.limits, profile.home, strict=True):
        if not low < home < high:
            yield f'{name} is at {home} rad at home; its limits in the URDF are {low} and {high} rad'
    fastest = {
        joint.attrib['name']: float(limit.attrib.get('velocity', 'inf'))
        for joint in ElementTree.fromstring(profile.urdf).iter('joint')
        if (limit := joint.find('limit')) is not None
    }
    for name, velocity in zip(profile.joints, profile.velocity, strict=True):
        if velocity > fastest[name] * 1.001:
            yield f'the profile lets {name} move at {velocity} rad/s; the URDF allows {fastest[name]} rad/s'


def _clear_at_home(robot: RobotSubject) -> Iterator[str]:
    scene = CollisionModel(robot.kinematics).scene(opening=robot.profile.gripper.max_opening)
    for first, second in sorted(scene.contacts(np.asarray(robot.profile.home), 0.0)):
        yield f'at home {first} touches {second}'
    tool = robot.kinematics.tool_pose(robot.profile.home)
    if tool.position[2] < _ABOVE:
        yield f'at home the tool centre point is {tool.position[2]:.3f} m above the table; at least {_ABOVE} m are needed'
    if tool.position[0] <= 0.0:
        yield f'at home the tool centre point is at x = {tool.position[0]:.3f} m; the table lies in front of the robot, along x'


def _between_the_fingers(robot: RobotSubject) -> Iterator[str]:
    found = robot.hand(0.0)
    if missing := [link for link in robot.profile.gripper.links if link not in found]:
        yield f'{" and ".join(missing)} of the gripper has no collision shape in the URDF, so it touches nothing'
        return
    if isinstance(robot.profile.gripper, SuctionProfile):
        low, high = found[robot.profile.gripper.links[0]]
        off = np.array([*((low + high) / 2)[:2], high[2]])
        if np.abs(off).max() > _SLACK:
            yield f'the tip of the first cup is {_mm(off)} mm from the tool centre point, as x, y, z; correct `tool`'
        return
    low, high = np.min([a for a, _ in found.values()], axis=0), np.max([b for _, b in found.values()], axis=0)
    across = ((low + high) / 2)[:2]
    if np.abs(across).max() > _MIDDLE:
        yield f'the middle between the fingers is {_mm(across)} mm from the tool centre point, as x and y; correct `tool`'
    if not _TIPS[0] <= high[2] <= _TIPS[1]:
        wanted = f'{1000 * _TIPS[0]:g} to {1000 * _TIPS[1]:g} mm'
        yield f'the fingertips end {1000 * high[2]:.1f} mm beyond the tool centre point along its z; {wanted} was expected; correct `tool`'


def _opens_as_said(robot: RobotSubject) -> Iterator[str]:
    gripper = robot.profile.gripper
    if isinstance(gripper, SuctionProfile):
        yield from _sucks(robot)
        return
    half = gripper.max_opening / 2
    for link, (low, _) in robot.hand(0.0).items():
        way = robot.hand(gripper.max_opening)[link][0] - low
        length = float(np.linalg.norm(way))
        if abs(length - half) > _SLACK:
            yield f'{link} moves by {1000 * length:.1f} mm for an opening of {1000 * gripper.max_opening:g} mm; half of it was expected'
        elif abs(way[1]) < _SQUARE * length:
            yield f'{link} moves along {_mm(way)} mm in the tool frame; y was expected; correct the rpy of `tool`'
    world = robot.bench.lay_out(Scene(()), SeededPerturbation(NONE, 0))
    execution = Execution(world, robot.bench.planner, streams=PUBLIC, truth=False)
    for opening in (gripper.max_opening, half, 0.0):
        execution.begin(Grip(opening))
        for _ in range(_LONGEST):
            if not execution.busy:
                break
            world.step()
        if abs(world.snapshot.opening - opening) > _SLACK:
            yield f'the fingers stand {1000 * world.snapshot.opening:.1f} mm open when {1000 * opening:.1f} mm were commanded'


def _sucks(robot: RobotSubject) -> Iterator[str]:
    world = robot.bench.lay_out(Scene(()), SeededPerturbation(NONE, 0))
    for on in (True, False):
        world.apply(Seal(on))
        now = world.step()
        if now.held:
            yield f'with nothing there the cups hold {now.held}'


def _reaches(robot: RobotSubject) -> Iterator[str]:
    reach, near_far = Reach(robot.profile), settings.workspace().reach
    radii = (near_far[0], sum(near_far) / 2, near_far[1])
    heights = [height for height in HEIGHTS if height <= settings.WORK_HEIGHT]
    missed = [
        f'{radius:.2f} m from its axis, {degrees(azimuth):.0f}° to the side, {height} m high'
        for height in heights for radius in radii for azimuth in AZIMUTHS
        if not all(reach.down(radius, azimuth, height, yaw) for yaw in YAWS)
    ]  # fmt: skip
    places = len(heights) * len(radii) * len(AZIMUTHS)
    if missed:
        yield f'at {len(missed)} of {places} places the tool cannot point down at every yaw, such as {"; ".join(missed[:_SHOWN])}'


def _moves(robot: RobotSubject) -> Iterator[str]:
    near, far = settings.workspace().reach
    for azimuth in AZIMUTHS:
        radius = (near + far) / 2
        above = Pose.from_rpy((radius * cos(azimuth), radius * sin(azimuth), 0.15), (pi, 0.0, 0.0))
        try:
            there = robot.bench.planner.plan(PlanRequest(robot.profile.home, ToolPose(above)))
            robot.bench.planner.plan(PlanRequest(there.points[-1].positions, ToolPose(above.shifted((0.0, 0.0, -0.08)), straight=True)))
        except PlanError as error:
            yield f'no way to {_mm(np.array(above.position))} mm and straight down by 80 mm: {error}'


def _picks(robot: RobotSubject) -> Iterator[str]:
    split = catalogue.splits(PICK)[0]
    for seed in range(robot.plays):
        robot.watch(f'{PICK} seed {seed}')
        run = robot.bench.run(catalogue.build(PICK, split, seed), policy('oracle'))
        if run.report.verdict.value != 'success':
            told = '; '.join((*run.report.causes, *run.failures))
            yield f'the expert fails: {told} (--task {PICK} --seed {seed} --robot {robot.profile.name})'


def _mm(numbers: 'np.typing.NDArray[np.float64]') -> str:
    return '(' + ', '.join(f'{1000 * number:.1f}' for number in numbers) + ')'


ROBOT_CHECKS = (
    Check('limits', 'home lies within the limits of the joints, and no joint is faster than its URDF allows', _limited),
    Check('home', 'at home the arm touches neither itself nor the table, and its tool is above the table', _clear_at_home),
    Check('tool', 'the tool centre point lies between the fingertips, or at the tip of the first cup', _between_the_fingers),
    Check(
        'gripper',
        'fingers open along y of the tool, as far as they are told, in m; cups hold nothing where nothing is',
        _opens_as_said,
    ),
    Check('reach', 'the tool points straight down wherever props are placed', _reaches),
    Check('plan', 'ways from home to above the table and straight down are found', _moves),
    Check('pick', f'the expert solves {PICK}', _picks, plays=True),
)
"""All of them; the last one plays episodes."""
