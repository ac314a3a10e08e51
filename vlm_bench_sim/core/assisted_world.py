"""A world whose robot gets the aids that move it: one place for a policy in this process and for a node over ROS."""

from collections import deque
from collections.abc import Callable, Collection
from math import pi, radians

from vlm_bench_sim.core.aids import GRASP, HAND, SNAPPING
from vlm_bench_sim.core.command import Chunk, Command, Joints, Stop, ToolPose
from vlm_bench_sim.core.control import ARRIVED
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.lent import NOTHING, Hands, Lent
from vlm_bench_sim.core.protocols import MotionState, Planner, PlanRequest, World
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.world_wrapper import WorldWrapper

SNAP_DISTANCE, SNAP_ANGLE = 0.05, radians(10.0)
"""Largest distance (m) and angle (rad) between the hand and a grasp for snapping."""


class GraspSnapping(WorldWrapper):
    """Moves a hand that is about to close onto the nearest grasp, if one is close enough, and then closes it.

    Until the hand is closed the gripper command counts as running, and arm commands and the same gripper command again have no effect.
    Another gripper command or a halt ends that.

    Args:
        world: the world to wrap.
        planner: knows the grasps, and plans the move.
    """

    def __init__(self, world: World, planner: Planner) -> None:
        super().__init__(world)
        self._planner, self._scene = planner, Scene(())
        self._kept: Grip | Seal | None = None
        self._grip: Grip | Seal | None = None
        self._closes = False

    def begin(self, scene: Scene) -> None:
        """Start an episode in a scene that was just loaded."""
        self._scene, self._kept, self._closes = scene, None, False

    def apply(self, command: Command) -> None:
        """Begin a command; for one that closes the gripper near a grasp, begin with the move."""
        if self.assisting and not isinstance(command, Stop) and (command == self._grip or not isinstance(command, Grip | Seal)):
            return
        self._give_up()
        if isinstance(command, Grip | Seal):
            self._grip = self.profile.gripper.checked(command)
            if (path := self._path(command)) is not None:
                self._kept = command
                self._world.apply(path)
                return
        self._world.apply(command)

    def step(self) -> Snapshot:
        """Advance one control period, and close the gripper once the move has ended."""
        now = self._world.step()
        if self._kept is not None and self._world.arm is not MotionState.RUNNING:
            self._world.apply(self._kept)
            self._kept, self._closes = None, True
        elif self._closes:
            self._closes = self._world.gripper is MotionState.RUNNING
        return now

    def hold_arm(self) -> None:
        """Stop the arm, and a move with it."""
        self._kept, self._closes = None, False
        super().hold_arm()

    def hold_gripper(self) -> None:
        """Stop the gripper, and a move with it."""
        self._give_up()
        super().hold_gripper()

    @property
    def gripper(self) -> MotionState:
        """State of the last gripper command; it runs from the beginning of the move."""
        return MotionState.RUNNING if self._kept is not None else self._world.gripper

    @property
    def assisting(self) -> bool:
        """True from the beginning of the move until the hand is closed."""
        return self._kept is not None or self._closes or super().assisting

    def grasp(self, command: Grip | Seal, now: Snapshot) -> ToolPose | None:
        """Return the tool pose of the nearest grasp if this command closes an empty hand near one; None otherwise."""
        closes = command.on if isinstance(command, Seal) else command.opening < now.opening - ARRIVED
        best, nearest = None, SNAP_DISTANCE
        for prop in self._scene.now(now) if closes and not now.held else ():
            if prop.ghost or prop.pose.distance(now.tool) > SNAP_DISTANCE + max(prop.size):
                continue
            for grasp in self._planner.grasps(prop):
                target = _likewise(prop.pose @ grasp.tool, now.tool)
                away = target.distance(now.tool)
                if away < nearest and target.angle(now.tool) < SNAP_ANGLE:
                    best, nearest = ToolPose(target, straight=True, allowed=(prop.name,)), away
        return best

    def _path(self, command: Grip | Seal) -> Chunk | None:
        now = self._world.snapshot
        target = self.grasp(command, now)
        if target is None:
            return None
        request = PlanRequest(now.arm(self.profile.joints), target, opening=now.opening, floor=self._scene.table.top)
        try:
            return self._planner.plan(request)
        except PlanError:
            return None

    def _give_up(self) -> None:
        if self._kept is not None:
            self.hold_arm()
        self._closes = False


class GivenHand(WorldWrapper):
    """Opens and closes the gripper as the expert did in the same episode. For policies that output one waypoint after another.

    After each arm motion that ends at rest (a tool pose, or another trajectory that gives velocities) come the expert's gripper commands
    after its tool pose of that number. A gripper command of the policy takes one control period and does nothing.

    Args:
        world: the world to wrap.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.begin(())

    def begin(self, hands: Hands) -> None:
        """Start an episode, with the expert's gripper commands after each of its tool poses."""
        self._hands, self._queue = deque(hands), deque[Grip | Seal]()
        self._moves = self._ignores = self._ignored = False

    def apply(self, command: Command) -> None:
        """Begin a command of the arm; ignore one of the gripper."""
        if isinstance(command, Grip | Seal):
            self.profile.gripper.checked(command)
            self._ignores = self._ignored = True
            return
        self._world.apply(command)
        if isinstance(command, Chunk | Joints):
            self._moves = isinstance(command, Chunk) and _rests(command)

    def step(self) -> Snapshot:
        """Advance one control period, and begin the expert's gripper commands that are due."""
        now = self._world.step()
        self._ignores = False
        if self._moves and self._world.arm is not MotionState.RUNNING:
            self._moves = False
            self._queue.extend(self._hands.popleft() if self._hands else ())
        if self._queue and self._world.gripper is not MotionState.RUNNING:
            self._world.apply(self._queue.popleft())
            self._ignored = False
        return now

    def hold_arm(self) -> None:
        """Stop the arm; its motion does not count."""
        self._moves = False
        super().hold_arm()

    def hold_gripper(self) -> None:
        """Stop the gripper."""
        self._queue.clear()
        super().hold_gripper()

    @property
    def gripper(self) -> MotionState:
        """State of the last gripper command, the policy's or the expert's."""
        own = self._world.gripper
        if self._ignores or self._queue or own is MotionState.RUNNING:
            return MotionState.RUNNING
        return MotionState.SUCCEEDED if self._ignored and own is not MotionState.STALLED else own


class GivenGrasp(WorldWrapper):
    """Does what the expert did up to its first grasp. Meanwhile nobody else may move the robot, and the policy is not asked.

    Args:
        world: the world to wrap.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.begin(NOTHING)

    def begin(self, lent: Lent) -> None:
        """Start an episode in a scene that was just loaded."""
        self._given, self._until = deque(lent.grasp), lent.until if lent.grasp else 0

    def step(self) -> Snapshot:
        """Advance one control period, after beginning the commands that are due."""
        while self._given and self._given[0][0] <= self._world.snapshot.seq:
            self._world.apply(self._given.popleft()[1])
        return self._world.step()

    @property
    def gives(self) -> bool:
        """True until the grasp is complete."""
        return self._until > 0 and self._world.snapshot.seq < self._until

    @property
    def assisting(self) -> bool:
        """The same, and while an inner aid moves the robot."""
        return self.gives or super().assisting


class AssistedWorld(WorldWrapper):
    """A world with those of the aids in use that act on the robot; without any, it changes nothing.

    Args:
        world: the world to wrap.
        aids: names of all aids in use.
        planner: returns a planner for the robot; called only for grasp_snapping.
    """

    def __init__(self, world: World, aids: Collection[str], *, planner: Callable[[], Planner]) -> None:
        self._grasp = GivenGrasp(world) if GRASP in aids else None
        given = self._grasp or world
        self._snapping = GraspSnapping(given, planner()) if SNAPPING in aids else None
        self._hand = GivenHand(self._snapping or given) if HAND in aids else None
        super().__init__(self._hand or self._snapping or given)

    def begin(self, scene: Scene, lent: Lent) -> None:
        """Start an episode in a scene that was just loaded, with what the aids take from the expert."""
        if self._grasp is not None:
            self._grasp.begin(lent)
        if self._snapping is not None:
            self._snapping.begin(scene)
        if self._hand is not None:
            self._hand.begin(lent.hands)

    @property
    def gives(self) -> bool:
        """True while the aid given_grasp moves the robot. Commands, but for `Stop`, and halts then have no effect."""
        return self._grasp is not None and self._grasp.gives

    def give_up(self) -> None:
        """End what the aid given_grasp does; the robot may be moved."""
        if self._grasp is not None:
            self._grasp.begin(NOTHING)

    def apply(self, command: Command) -> None:
        """Begin a command."""
        if isinstance(command, Stop):
            self.give_up()
        if not self.gives:
            super().apply(command)

    def hold_arm(self) -> None:
        """Stop the arm."""
        if not self.gives:
            super().hold_arm()

    def hold_gripper(self) -> None:
        """Stop the gripper."""
        if not self.gives:
            super().hold_gripper()


def _rests(chunk: Chunk) -> bool:
    """Return whether a trajectory ends at rest. Streamed set points give no velocities."""
    last = chunk.points[-1].velocities
    return bool(last) and not any(last)


def _likewise(target: Pose, tool: Pose) -> Pose:
    """Return the target or its half turn about its own axis, whichever is nearer to the tool. A two-finger gripper grasps both alike."""
    other = target @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, pi))
    return target if target.angle(tool) <= other.angle(tool) else other
