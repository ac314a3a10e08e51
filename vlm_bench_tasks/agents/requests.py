"""Pick-and-place requests, by words or by points, and their execution."""

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
    """A pick-and-place request.

    Attributes:
        pick: description of the thing, or the pick point.
        place: description of the place, or the point on which the thing will stand.
        sentence: a whole step sentence; '' if pick and place are used.
        height: height of the pick point above the thing's bottom, m; 0: the thing stands on the table.
    """

    pick: Touch | str
    place: Touch | str
    sentence: str = ''
    height: float = 0.0

    @property
    def privileged(self) -> bool:
        """True if the request has words, whose meaning needs the ground truth."""
        return bool(self.sentence) or isinstance(self.pick, str) or isinstance(self.place, str)


def doing(
    asked: Request, now: Observation, skill_context: SkillContext, *, taken: Pose | None = None
) -> Doing[Snapshot] | Doing[Observation]:
    """Return the execution of a request, command by command. A thing that is still held is put down first.

    Args:
        asked: the request.
        now: the newest observation.
        skill_context: context of the skills.
        taken: tool pose of the last grasp, if the hand may still hold something; None: it holds nothing.
    """
    pick, place = asked.pick, asked.place
    if isinstance(pick, Touch) and isinstance(place, Touch) and not asked.sentence:
        height = asked.height or pick.point[2] - skill_context.scene.table.top
        deed = carry(pick, place, height=height, profile=skill_context.profile)
        return Doing(deed if taken is None else after(put_back(taken, now, skill_context.profile), deed), lambda seen: seen)
    return Doing(do(lambda shown: meaning(asked, shown, skill_context.scene), truth(now), skill_context), truth)


def meaning(asked: Request, now: Snapshot, scene: Scene) -> tuple[Prop, tuple[Goal, ...]]:
    """Return the prop to move, and the alternative goals for it.

    Raises:
        StepError: the words or a point have no meaning in this scene.
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
    """Execution of a request, whose meaning is determined at the first observation. Errors become problems and are never raised.

    Args:
        asked: the request.
        skill_context: context of the skills.
        taken: tool pose of the last grasp, if the hand may still hold something; None: it holds nothing.
        closed: called once, when the hand has grasped something.

    Attributes:
        problem: the problem so far; None if there is none.
        taken: tool pose of the last grasp; None if the hand has released since.
    """

    def __init__(self, asked: Request, skill_context: SkillContext, *, taken: Pose | None, closed: Callable[[], None]) -> None:
        self._asked, self._skill_context, self._closed = asked, skill_context, closed
        self._doing: Doing[Any] | None = None
        self._closing = self._told = False
        self.problem: Problem | None = None
        self.taken = taken

    def act(self, now: Observation) -> Command | None:
        """Return the next command; None if the request is finished."""
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
