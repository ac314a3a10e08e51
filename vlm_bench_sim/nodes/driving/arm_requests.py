"""Turns MoveTcp goals and Plan requests into planning problems."""

from dataclasses import KW_ONLY, dataclass, field
from math import isfinite
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.constraint import MotionConstraint
from vlm_bench_sim.core.errors import CommandError, PlanError, SceneError, VlmBenchError
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import PlanCode, PlanRequest, obstacles
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.constraints import FREE, read_constraint

STATIC, GIVEN, TRUTH = 0, 1, 2
INVALID_CONSTRAINT = 110
_SMALLEST, _LARGEST = 1e-3, 2.0  # m
MOST_POSES, MOST_BOXES = 64, 256
"""Limits of one request. The world waits for planning, and a policy that delays it too long makes its episode unobservable."""
_GREY = Color('gray', (0.5, 0.5, 0.5))


@dataclass
class ArmState:
    """What the arm node knows: joint states of any driver, the newest stamp (ns), and the ground truth where there is one."""

    profile: RobotProfile
    _: KW_ONLY
    joints: dict[str, JointState] = field(default_factory=dict)
    joints_ns: int = 0
    snapshot: Snapshot | None = None
    scene: Scene = field(default_factory=lambda: Scene(()))
    token: str = ''
    running: bool = False

    @property
    def knows_arm(self) -> bool:
        """True once every arm joint has been reported."""
        return all(name in self.joints for name in self.profile.joints)

    @property
    def arm(self) -> tuple[float, ...]:
        """Measured arm positions, rad.

        Raises:
            CommandError: a joint has not been reported yet.
        """
        return _positions(self.profile.joints, self.joints)

    @property
    def speeds(self) -> tuple[float, ...]:
        """Measured arm velocities, rad/s; 0 if the driver reports none."""
        return tuple(self.joints[name].velocity for name in self.profile.joints)

    @property
    def opening(self) -> float:
        """Full width between the fingers, m; unreported fingers count as closed."""
        return sum(self.joints[name].position for name in self.profile.gripper.joints if name in self.joints)

    @property
    def seq(self) -> int:
        """Number of the newest control period whose ground truth is known; 0: none is."""
        return self.snapshot.seq if self.snapshot else 0


def code(error: VlmBenchError) -> int:
    """Return the result code of MoveTcp and Plan for an error."""
    if isinstance(error, PlanError):
        return int(error.code)
    return int(PlanCode.INVALID_POSE if isinstance(error, CommandError) else PlanCode.FAILED)


def read_prop(text: str) -> Prop:
    """Return the prop of a Grasps request.

    Raises:
        SceneError: the value is no prop, or has impossible extents.
        VlmBenchError: the text cannot be decoded.
    """
    prop = codec.read(text, Prop, SceneError)
    if not all(_SMALLEST <= extent <= _LARGEST for extent in prop.size) or prop.friction < 0:
        raise SceneError(
            f'A prop needs three extents in {_SMALLEST}…{_LARGEST} m and a friction of 0 or more; found {prop.size} and {prop.friction}.'
        )
    return prop


def read_target(goal: Any) -> ToolPose:
    """Return the target tool pose of a MoveTcp goal.

    Raises:
        CommandError: the pose is malformed, its frame is not world, or the speed is out of range.
        PlanError: the constraint is invalid.
    """
    frame = goal.target.header.frame_id
    if frame not in ('', 'world'):
        raise CommandError(f'A target must be given in the frame world; found {frame!r}. Transform it first.')
    if not 0.0 <= goal.speed <= 1.0:
        raise CommandError(f'A speed is a share of the limits in 0…1; found {goal.speed}.')
    pose, kept = fields.checked_pose(goal.target.pose), [_constraint(given) for given in goal.constraint]
    return ToolPose(pose, goal.straight, tuple(goal.allowed_contacts), goal.speed or 1.0, kept[0] if kept else None)


def chain(request: Any) -> tuple[ToolPose, ...]:
    """Return the tool poses of a Plan request.

    Raises:
        CommandError: there are no poses, one is malformed, or `straight` or `constraints` has another length.
        PlanError: a constraint is invalid.
    """
    if not request.poses:
        raise CommandError('Plan needs at least one pose; found none.')
    count = len(request.poses)
    if count > MOST_POSES:
        raise CommandError(f'Plan takes at most {MOST_POSES} poses; found {count}. Split the chain into several requests.')
    straight = list(request.straight) or [False] * count
    kept = [None if given == FREE else given for given in map(_constraint, request.constraints)] or [None] * count
    for name, found in (('straight', straight), ('constraints', kept)):
        if len(found) != count:
            raise CommandError(f'Plan was given {count} poses and {len(found)} entries of {name}. Give one for each pose, or none.')
    allowed = tuple(request.allowed_contacts)
    return tuple(
        ToolPose(fields.checked_pose(pose), line, allowed, constraint=keep)
        for pose, line, keep in zip(request.poses, straight, kept, strict=True)
    )


def _constraint(message: Any) -> MotionConstraint:
    try:
        return read_constraint(message)
    except CommandError as error:
        raise PlanError(str(error), INVALID_CONSTRAINT) from error


def plan_request(state: ArmState, asked: Any, target: ToolPose) -> PlanRequest:
    """Return the planning problem of a MoveTcp goal or a Plan request.

    Raises:
        CommandError: there is no such collision scene, the state it needs has not been received yet, or a box is malformed.
    """
    if asked.collision_scene not in (STATIC, GIVEN, TRUTH):
        raise CommandError(f'There is no collision scene {asked.collision_scene}. Send 0 (static), 1 (given) or 2 (truth).')
    if len(asked.boxes) > MOST_BOXES:
        raise CommandError(
            f'At most {MOST_BOXES} boxes are allowed; found {len(asked.boxes)}. Replace boxes that are close together by a larger one.'
        )
    if asked.collision_scene == TRUTH:
        if state.snapshot is None:
            raise CommandError('TRUTH was requested, but no world state has arrived. Use STATIC or GIVEN where there is no ground truth.')
        joints = state.snapshot.joints
        props, held = _as_if_held(state, asked, *obstacles(state.scene, state.snapshot))
    else:
        joints = state.joints
        given = asked.collision_scene == GIVEN
        props = tuple(_box(f'box_{i}', box) for i, box in enumerate(asked.boxes)) if given else ()
        held = _box('held', asked.held_box[0]) if given and asked.held_box else None
    start = tuple(float(q) for q in getattr(asked, 'start', ())) or _positions(state.profile.joints, joints)
    opening = getattr(asked, 'opening', -1.0)
    if opening < 0:
        opening = sum(_positions(state.profile.gripper.joints, joints))
    return PlanRequest(start, target, props, held, int(asked.planner_seed), opening, state.scene.table.top)


def _as_if_held(state: ArmState, asked: Any, props: tuple[Prop, ...], held: Prop | None) -> tuple[tuple[Prop, ...], Prop | None]:
    name = getattr(asked, 'held', '')
    if not name:
        return props, held
    fields.checked_pose(asked.held_pose)
    return tuple(p for p in props if p.name != name), state.scene.prop(name).at(fields.read_pose(asked.held_pose))


def _positions(wanted: tuple[str, ...], joints: dict[str, JointState]) -> tuple[float, ...]:
    missing = [name for name in wanted if name not in joints]
    if missing:
        raise CommandError(f'No joint state of {missing[0]} has been seen. Is the driver running?')
    return tuple(joints[name].position for name in wanted)


def _box(name: str, box: Any) -> Prop:
    size = fields.read_vector(box.size)
    if not all(isfinite(extent) and extent > 0 for extent in size):
        raise CommandError(f'A box needs positive, finite extents; found {size}.')
    return Prop(name, 'cube', size, _GREY, 0.0, pose=fields.checked_pose(box.pose))
