"""The interfaces that a world and a planner must implement: PyBullet, a fake or a real arm."""

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
    """Why planning failed, as numbered in MoveTcp and Plan."""

    OK = 1
    FAILED = 4
    UNREACHABLE = 101
    START_IN_COLLISION = 102
    GOAL_IN_COLLISION = 103
    NO_PATH = 104
    INVALID_POSE = 105


class MotionState(Enum):
    """State of the last arm or gripper command."""

    IDLE = 'idle'
    RUNNING = 'running'
    SUCCEEDED = 'succeeded'
    PATH_TOLERANCE = 'path_tolerance'
    GOAL_TOLERANCE = 'goal_tolerance'
    STALLED = 'stalled'
    STOPPED = 'stopped'


@dataclass(frozen=True)
class Grasp:
    """A grasp of a prop: tool pose in the prop's frame, opening before closing (m), quality 0…1.

    All numbers are rounded to 1e-6 (`algebra.on_grid`), so that equally good grasps have the same order on every processor.
    """

    tool: Pose
    opening: float
    quality: float

    def __post_init__(self) -> None:
        x, y, z = map(on_grid, self.tool.position)
        i, j, k, w = map(on_grid, self.tool.orientation)
        if w == 0.0 and next((part for part in (i, j, k) if part), 1.0) < 0.0:
            i, j, k = -i + 0.0, -j + 0.0, -k + 0.0  # q and -q are the same half turn: keep one
        object.__setattr__(self, 'tool', Pose((x, y, z), (i, j, k, w)))
        object.__setattr__(self, 'opening', on_grid(self.opening))
        object.__setattr__(self, 'quality', on_grid(self.quality))


@dataclass(frozen=True)
class PlanRequest:
    """One planning problem.

    Attributes:
        start: arm positions, rad.
        target: goal of the motion.
        obstacles: props at their current poses, except the held one. The table and the robot itself are always obstacles.
        held: the prop in the gripper with its pose in the tool frame, or None.
        seed: random seed of the planner; the same request gives the same trajectory.
        opening: full width between the fingers during the motion, m; None: fully open.
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
    """Whether a chain of tool poses can be taken in turn.

    Attributes:
        feasible: whether all of them can be taken.
        cost: joint travel up to the last one that can, rad.
        reason: why the next one cannot; '' if all can.
        reached: number of poses that can be taken, from the first on.
        arms: arm positions at these poses, rad. Along straight lines they lead into one another without a jump.
    """

    feasible: bool
    cost: float
    reason: str = ''
    reached: int = 0
    arms: tuple[tuple[float, ...], ...] = ()


class Planner(Protocol):
    """A motion planner for one robot, independent of the simulator."""

    def plan(self, request: PlanRequest) -> Chunk:
        """Return a trajectory within the robot's limits, sampled once a control period, at rest at both ends.

        Raises:
            PlanError: no trajectory was found; its code says why.
        """
        ...

    def check(self, request: PlanRequest, chain: tuple[ToolPose, ...]) -> Feasibility:
        """Return whether the arm can take the poses of `chain` in turn, from `request.start` on. `request.target` is not used.

        Only the poses are checked (inverse kinematics and collision), not the paths between them.
        """
        ...

    def grasps(self, prop: Prop) -> tuple[Grasp, ...]:
        """Return diverse grasps of a prop, best first; empty if the gripper can take none."""
        ...


class World(Protocol):
    """A world with one robot, advanced one control period at a time."""

    profile: RobotProfile

    def load(self, scene: Scene) -> Snapshot:
        """Reset the world to a scene, let it settle and return the first snapshot (seq 0, step 0)."""
        ...

    def apply(self, command: Command) -> None:
        """Begin a command at the next period: Joints, Chunk, Grip, Seal or Stop. It replaces a running one of the same part (arm, gripper).

        Raises:
            CommandError: the command is malformed, or needs a planner (ToolPose).
        """
        ...

    def hold_arm(self) -> None:
        """Stop the arm where it is; the gripper continues."""
        ...

    def hold_gripper(self) -> None:
        """Stop the gripper where it is, with its force; the arm continues."""
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
        """State of the last arm command."""
        ...

    @property
    def gripper(self) -> MotionState:
        """State of the last gripper command."""
        ...

    @property
    def assisting(self) -> bool:
        """True while an aid moves the robot. Arm commands then have no effect, and no policy is asked for one."""
        ...

    @property
    def commanded(self) -> tuple[float, ...]:
        """The currently commanded arm positions, rad."""
        ...

    def state_hash(self) -> str:
        """SHA-256 of every pose, velocity, joint and grasp."""
        ...

    def close(self) -> None:
        """Release the simulator."""
        ...


def obstacles(scene: Scene, snapshot: Snapshot) -> tuple[tuple[Prop, ...], Prop | None]:
    """Return the props that can be touched, at their poses in the snapshot, and the held prop with its pose in the tool frame.

    Each part of furniture is a prop of its own under its link's full name, whether the gripper holds the link or not, and each solid part
    of the room is one under the name `room`.
    """
    props = [prop for prop in scene.now(snapshot) if not prop.ghost]
    solids = tuple(solid for mechanism in scene.mechanisms for solid in mechanism.solids(snapshot.mechanisms))
    free = (*(p for p in props if p.name != snapshot.held), *solids, *scene.neighbours)
    held = next((p.at(snapshot.tool.inverse() @ p.pose) for p in props if p.name == snapshot.held), None)
    return free, held
