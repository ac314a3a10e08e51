"""Handle an open vessel that holds beads: take it by its wall so that it can be tilted, carry it upright, level it and put it down."""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import cos, pi, radians, sin

from vlm_bench_sim.core.command import Command, ToolPose
from vlm_bench_sim.core.constraint import upright
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.matter import fill, inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.matter import seen
from vlm_bench_tasks.skills.grasping import back, lifted, reach, take
from vlm_bench_tasks.skills.skill import CommandFailed, Skill, SkillContext, SkillFailed
from vlm_bench_tasks.skills.tilting import SPOKES, Mouth, Pouring, alike, off_handle, walls
from vlm_bench_tasks.skills.trace import traced

ASKEW = radians(8.0)  # tilt of a vessel in the hand beyond which it is set upright
LIPS = 2  # lips that the first grip may pour over, farthest from the hand; later grips use any
TRIES = 5  # greatest number of grasps to try, and of ways to pour per grip
TAKEN, CARRIED = 0.8, 0.8  # shares of the arm's speed
_LOWERED = 0.35  # share of the arm's speed
_DROP = 0.003  # m


@dataclass(frozen=True)
class Work:
    """Beads that are poured out of a vessel over a mouth.

    Attributes:
        beads: name of the group of beads.
        vessel: the vessel.
        mouth: what they are poured into.
        tilts: tilts that are checked beforehand, rad, from 0 on.
        context: context of the skill.
    """

    beads: str
    vessel: Prop
    mouth: Mouth
    tilts: tuple[float, ...]
    context: SkillContext

    def left(self, now: Snapshot) -> float:
        """Return the share of the beads that are in the vessel."""
        return fill(self.vessel.at(now.pose(self.vessel.name)), seen(now.beads, self.beads))

    @traced
    def take(self, now: Snapshot, tried: list[Grasp]) -> Skill:
        """Grasp the vessel by its wall so that it can be tilted over the mouth, and lift it. Grasps like those in `tried` are skipped.

        Raises:
            SkillFailed: it cannot be grasped, or the robot has no fingers.
        """
        gripper, name = self.context.profile.gripper, self.vessel.name
        if gripper.suction:
            raise SkillFailed(f'Suction cups cannot grip the wall of {name}. Use a robot with fingers.')
        causes: list[str] = []
        for grasp in islice(self._feasible(now, causes, tried), TRIES):
            tried.append(grasp)
            at = now.pose(name) @ grasp.tool
            try:
                yield gripper.open()
                now = yield from take(at, grasp, self.context, allowed=(name,), speed=TAKEN)
                now = yield ToolPose(lifted(now.tool), straight=True, allowed=(name,), speed=TAKEN)
                if now.held == name:
                    return now
                causes.append(f'{name} was not held')
            except CommandFailed as failed:
                causes.append(str(failed).rstrip('.'))
            now = yield gripper.open()
        raise SkillFailed(f'Cannot take {name}: {"; ".join(causes[-3:]) or "its wall is out of reach"}.')

    def ways(
        self, held: Prop, now: Snapshot, *, lips: int, way: tuple[ToolPose, ...] = (), carries: tuple[bool, ...] = (True, False)
    ) -> Iterator[Pouring]:
        """Yield ways to pour that the arm can follow after the motion `way`, for a vessel with the pose in the tool frame of `held`.

        What the arm can follow depends on its joint positions after carrying. Ways with straight carrying come first, because a straight
        line determines these positions.
        """
        hand = -held.pose.inverse().rotation[:, 2]
        spokes = [2 * pi * k / SPOKES for k in range(SPOKES)]
        over = [lip for lip in spokes if off_handle(held, lip) and hand[0] * cos(lip) + hand[1] * sin(lip) < 0.1]
        over.sort(key=lambda lip: round(float(hand[0] * cos(lip) + hand[1] * sin(lip)), 3))
        ahead = self.mouth.bearing
        # The wrist has the largest range if the flow is perpendicular to the arm's reach.
        flows = sorted((ahead + spoke for spoke in spokes), key=lambda flow: round(abs(cos(flow - ahead)), 6))
        for straight, lip, flow in product(carries, over[:lips], flows):
            for pouring in Pouring(held, self.mouth, lip, flow).higher():
                tilts = tuple(ToolPose(pouring.pose(tilt) @ held.pose.inverse(), straight=straight or tilt > 0.0) for tilt in self.tilts)
                answer = self.context.check(now, (*way, *tilts), held=held, opening=0.005)
                if answer.feasible:
                    yield pouring
                if answer.feasible or self.mouth.name not in answer.reason.split():
                    break  # higher helps only if the receiver is in the way

    def _feasible(self, now: Snapshot, causes: list[str], tried: list[Grasp]) -> Iterator[Grasp]:
        """Yield reachable grasps of the vessel's wall from which it can be tilted over the mouth."""
        before, reached = tuple(tried), []
        for grasp in walls(self.vessel):
            if any(alike(grasp, other) for other in before):
                continue
            at = now.pose(self.vessel.name) @ grasp.tool
            # The vessel is an obstacle: the fingers open wide enough for its wall, and a palm that touches it would press on its rim.
            answer = self.context.check(now, reach(at), opening=grasp.opening)
            if not answer.feasible:
                causes.append(answer.reason.rstrip('.'))
                continue
            one = (grasp, (*reach(at), ToolPose(lifted(at), straight=True)))
            if self._pours(now, one, straight=True):
                yield grasp
            else:
                reached.append(one)
                causes.append(f'with this grasp {self.vessel.name} cannot be tilted over {self.mouth.name or "the ground"}')
        yield from (one[0] for one in reached if self._pours(now, one, straight=False))

    def _pours(self, now: Snapshot, reached: tuple[Grasp, tuple[ToolPose, ...]], *, straight: bool) -> bool:
        """Return whether the vessel can be tilted over the mouth after the given grasp and lift."""
        held = self.vessel.at(reached[0].tool.inverse())
        return next(self.ways(held, now, lips=LIPS, way=reached[1], carries=(straight,)), None) is not None


def fullest(beads: str, now: Snapshot, context: SkillContext, *, but: str) -> Prop:
    """Return the vessel that holds the most beads of a group, except for the one named `but`.

    Raises:
        SkillFailed: no other vessel holds any.
    """
    centres = seen(now.beads, beads)
    vessels = [p for p in context.scene.props if p.solid.cavity is not None and p.name != but]
    held = {p.name: int(inside(p.at(now.pose(p.name)), centres).sum()) for p in vessels}
    best = max(vessels, key=lambda p: held[p.name], default=None)
    if best is None or not held[best.name]:
        raise SkillFailed(f'There are no beads of {beads} in anything but {but}: nothing can be poured.')
    return best


def level(vessel: Prop, now: Snapshot) -> Skill:
    """Set the vessel upright in the air if it has turned in the hand, so that it can be carried upright."""
    at = now.pose(vessel.name)
    if at.rotation[2, 2] > cos(ASKEW):
        return now
    return (yield from eased(Pose.from_rpy(at.position, (0.0, 0.0, at.yaw)) @ (now.tool.inverse() @ at).inverse(), now))


def eased(tool: Pose, now: Snapshot, allowed: tuple[str, ...] = ()) -> Skill:
    """Move one step while tilting the vessel back, in a straight line if possible. An unreachable step is skipped."""
    went = yield from first(ToolPose(tool, straight=straight, allowed=allowed, speed=CARRIED) for straight in (True, False))
    return went or now


def first(moves: Iterable[ToolPose]) -> Generator[Command, Snapshot, Snapshot | None]:
    """Make the first feasible move, and return the snapshot after it; None if no move is feasible."""
    for move in moves:
        try:
            return (yield move)
        except CommandFailed:
            continue
    return None


def put_back(vessel: Prop, now: Snapshot, context: SkillContext) -> Skill:
    """Put the vessel down where it stood when the episode began."""
    return (yield from put_down(vessel, (context.start or now).pose(vessel.name), now, context))


@traced
def put_down(vessel: Prop, stood: Pose, now: Snapshot, context: SkillContext) -> Skill:
    """Put the vessel down at the position and yaw of a pose."""
    now = yield from level(vessel, now)
    to_tool = (now.tool.inverse() @ now.pose(vessel.name)).inverse()
    down = Pose.from_rpy((*stood.position[:2], stood.position[2] + _DROP), (0.0, 0.0, stood.yaw)) @ to_tool
    now = yield ToolPose(lifted(down), constraint=upright(to_tool.inverse()), speed=CARRIED)
    now = yield ToolPose(down, straight=True, allowed=('table',), speed=_LOWERED)
    now = yield context.profile.gripper.release(now.opening)
    return (yield ToolPose(back(now.tool), straight=True, allowed=(vessel.name,)))
