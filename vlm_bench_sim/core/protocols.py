"""The ports of the house: what a world and a planner must offer. PyBullet, a fake and a real arm fit the same ones."""

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Protocol

from vlm_bench_sim.core.algebra import on_grid
from vlm_bench_sim.core.command import Chunk, Command, ToolPose
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot


class PlanCode(IntEnum):
    """Why planning failed; the numbers of MoveTcp and Plan."""

    OK = 1
    FAILED = 4
    UNREACHABLE = 101
    START_IN_COLLISION = 102
    GOAL_IN_COLLISION = 103
    NO_PATH = 104
    INVALID_POSE = 105


class MotionState(Enum):
    """What the last arm or gripper command came to."""

    IDLE = 'idle'
    RUNNING = 'running'
    SUCCEEDED = 'succeeded'
    PATH_TOLERANCE = 'path_tolerance'
    GOAL_TOLERANCE = 'goal_tolerance'
    STALLED = 'stalled'
    STOPPED = 'stopped'


@dataclass(frozen=True)
class Grasp:
    """How a gripper may take a prop: tool pose in the prop's frame, opening before closing (m), quality 0…1.

    All numbers are rounded to 1e-6 (`algebra.on_grid`), so that equally good grasps keep their order on every processor.
    """

    tool: Pose
    opening: float
    quality: float

    def __post_init__(self) -> None:
        x, y, z = map(on_grid, self.tool.position)
        i, j, k, w = map(on_grid, self.tool.orientation)
        if w == 0.0 and next((part for part in (i, j, k) if part), 1.0) < 0.0:
            i, j, k = -i + 0.0, -j + 0.0, -k + 0.0  # of the two that mean the same half turn
        object.__setattr__(self, 'tool', Pose((x, y, z), (i, j, k, w)))
        object.__setattr__(self, 'opening', on_grid(self.opening))
        object.__setattr__(self, 'quality', on_grid(self.quality))


@dataclass(frozen=True)
class PlanRequest:
    """One planning problem.

    Attributes:
        start: arm positions, rad.
        target: where the tool shall go.
        obstacles: props where they stand now, other than the held one. The table and the robot itself always count.
        held: the prop in the gripper with its pose in the tool frame, or None.
        seed: of the planner's randomness; the same request gives the same trajectory.
        opening: full width between the fingers on the way, m; None: fully open.
        floor: height of the table's top, m.
    """

    start: tuple[float, ...]
    target: ToolPose
    obstacles: tuple[Prop, ...] = ()
    held: Prop | None = None
    seed: int = 0
    opening: float | None = None
    floor: float = 0.0


@dataclass(frozen=True)
class Feasibility:
    """Answer to a question about a chain of tool poses: can it be reached, the joint travel in rad, and why not."""

    feasible: bool
    cost: float
    reason: str = ''


class Planner(Protocol):
    """Plans for one robot. Knows no simulator."""

    def plan(self, request: PlanRequest) -> Chunk:
        """Return a trajectory within the robot's limits, sampled once a control period, at rest at both ends.

        Raises:
            PlanError: none was found; its code says why.
        """
        ...

    def check(self, request: PlanRequest, chain: tuple[ToolPose, ...]) -> Feasibility:
        """Tell whether the tool poses of `chain` can be taken one after the other from `request.start` (`request.target` is not used).

        Only end poses are checked (inverse kinematics and collision), not the paths between them.
        """
        ...

    def grasps(self, prop: Prop) -> tuple[Grasp, ...]:
        """Return ways to take the prop, best first, diverse; empty when its gripper can take none."""
        ...


class World(Protocol):
    """A world with one robot, advanced one control period at a time."""

    profile: RobotProfile

    def load(self, scene: Scene) -> Snapshot:
        """Lay out the scene afresh, settle it and return the first snapshot (seq 0, step 0)."""
        ...

    def apply(self, command: Command) -> None:
        """Begin a command at the next period: Joints, Chunk, Grip, Seal or Stop. A running one of the same part is replaced.

        Raises:
            CommandError: the command is malformed, or needs a planner (ToolPose).
        """
        ...

    def hold_arm(self) -> None:
        """Stop the arm where it is; the gripper goes on."""
        ...

    def hold_gripper(self) -> None:
        """Stop the gripper where it is, with its force; the arm goes on."""
        ...

    def step(self) -> Snapshot:
        """Advance one control period."""
        ...

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        ...

    @property
    def arm(self) -> MotionState:
        """What the arm's last command came to."""
        ...

    @property
    def gripper(self) -> MotionState:
        """What the gripper's last command came to."""
        ...

    @property
    def commanded(self) -> tuple[float, ...]:
        """Where the arm is commanded to be now, rad."""
        ...

    def state_hash(self) -> str:
        """SHA-256 over every pose, velocity, joint and grasp."""
        ...

    def close(self) -> None:
        """Free the simulator."""
        ...


def obstacles(scene: Scene, snapshot: Snapshot) -> tuple[tuple[Prop, ...], Prop | None]:
    """Return what of the scene can be touched, where the snapshot saw it, and the held prop in the tool frame.

    Furniture is in it part by part, each under the full name of its link, held by the gripper or not.
    """
    props = [prop for prop in scene.now(snapshot) if not prop.ghost]
    solids = tuple(solid for mechanism in scene.mechanisms for solid in mechanism.solids(snapshot.mechanisms))
    free = (*(p for p in props if p.name != snapshot.held), *solids)
    held = next((p.at(snapshot.tool.inverse() @ p.pose) for p in props if p.name == snapshot.held), None)
    return free, held
