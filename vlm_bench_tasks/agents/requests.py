"""What a pick-and-place request asks for, said in words or shown by points, and how it is done."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.actor import NEAR, Doing, do, truth, ways
from vlm_bench_tasks.agents.moves import Move, item_at, item_said, target_said, understood
from vlm_bench_tasks.agents.points import Touch, after, carry, put_back
from vlm_bench_tasks.agents.roles import Problem, StepFault
from vlm_bench_tasks.agents.steps import said
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.placing import At
from vlm_bench_tasks.policy import Observation
from vlm_bench_tasks.skills import SkillContext


@dataclass(frozen=True)
class Request:
    """What is brought where.

    Attributes:
        pick: a description, or the point at which it is taken.
        place: a description, or the point on which it shall stand.
        sentence: a whole step; '' where pick and place say it.
        height: of what is taken, from its bottom to the point of pick, m; 0: it stands on the table.
    """

    pick: Touch | str
    place: Touch | str
    sentence: str = ''
    height: float = 0.0

    @property
    def privileged(self) -> bool:
        """True where words must be looked up in the truth."""
        return bool(self.sentence) or isinstance(self.pick, str) or isinstance(self.place, str)


def doing(
    asked: Request, now: Observation, skill_context: SkillContext, *, taken: Pose | None = None
) -> Doing[Snapshot] | Doing[Observation]:
    """Return the request as it is done, command by command; what is held from before is put down first.

    Args:
        asked: the request.
        now: what is seen.
        skill_context: what a skill may use.
        taken: the tool pose at which the hand last took hold of what it may hold still; None: it holds nothing.
    """
    pick, place = asked.pick, asked.place
    if isinstance(pick, Touch) and isinstance(place, Touch) and not asked.sentence:
        height = asked.height or pick.point[2] - skill_context.scene.table.top
        deed = carry(pick, place, height=height, profile=skill_context.profile)
        return Doing(deed if taken is None else after(put_back(taken, now, skill_context.profile), deed), lambda seen: seen)
    return Doing(do(lambda shown: meaning(asked, shown, skill_context.scene), truth(now), skill_context), truth)


def meaning(asked: Request, now: Snapshot, scene: Scene) -> tuple[Prop, tuple[Goal, ...]]:
    """Return what is brought, and the goals of which any will do.

    Raises:
        StepError: words or a point are not understood here.
    """
    pick, place = asked.pick, asked.place
    if asked.sentence or (isinstance(pick, str) and isinstance(place, str)):
        move = understood(asked.sentence or f'pick up {said(str(pick))} and place it on {said(str(place))}', scene, now)
        return move.item, ways(move, scene, now)
    item = item_said(pick, scene, now) if isinstance(pick, str) else item_at(pick.point, scene, now)
    if isinstance(place, str):
        return item, ways(Move(item, target_said(place, scene, now)), scene, now)
    return item, (At(item, Pose(place.point).shifted((0.0, 0.0, item.size[2] / 2)), near=NEAR),)


class Work:
    """A request that is understood at its first observation; what goes wrong is a problem, and never an error.

    Args:
        asked: what is asked for.
        skill_context: what a skill may use.
        taken: tool pose at which the hand took hold of what it may hold still; None: it holds nothing.
        closed: called once, when the hand has taken hold of something.

    Attributes:
        problem: what went wrong so far; None where nothing did.
        taken: tool pose at which the hand took hold of what it has not let go since; None where it has.
    """

    def __init__(self, asked: Request, skill_context: SkillContext, *, taken: Pose | None, closed: Callable[[], None]) -> None:
        self._asked, self._skill_context, self._closed = asked, skill_context, closed
        self._doing: Doing[Any] | None = None
        self._closing = self._told = False
        self.problem: Problem | None = None
        self.taken = taken

    def act(self, now: Observation) -> Command | None:
        """Return the next command; None when it is over."""
        if self._closing and now.outcome.stalled and self.taken is None:
            self.taken = now.tool
            if not self._told:
                self._told = True
                self._closed()
        try:
            self._doing = self._doing or doing(self._asked, now, self._skill_context, taken=self.taken)
            command = self._doing.act(now)
            self.problem = self._doing.problem
        except VlmBenchError as error:
            command, self.problem = None, getattr(error, 'problem', Problem(StepFault.FAILED, str(error)))
        self._closing = isinstance(command, Grip | Seal) and command == self._skill_context.profile.gripper.close()
        if isinstance(command, Grip | Seal) and not self._closing:
            self.taken = None
        return command
