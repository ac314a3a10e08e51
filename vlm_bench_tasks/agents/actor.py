"""The actor: it executes one step sentence with the skills of the bench, in one attempt, and returns any problem as a sentence."""

from collections.abc import Callable, Generator
from dataclasses import KW_ONLY, dataclass
from typing import Generic, TypeVar

from vlm_bench_sim.core.areas import WORKSPACE
from vlm_bench_sim.core.command import Command, Wait
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.moves import Move, understood
from vlm_bench_tasks.agents.roles import Problem, StepError, StepFault
from vlm_bench_tasks.agents.whereabouts import NAMED
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.placing import At, Inside, On, Within
from vlm_bench_tasks.policy import Observation
from vlm_bench_tasks.skills import CommandFailed, Dropped, Skill, SkillContext, SkillFailed, skill_for
from vlm_bench_tasks.skills.clearing import free_spots, put_aside

SETTLE = 1.0
"""Time for a dropped thing to come to rest, simulated s."""

NEAR = 0.02
"""Greatest distance of a placed thing from its chosen spot, m."""

Sent = TypeVar('Sent')

Deed = Generator[Command, Snapshot, Problem | None]
"""A generator that yields commands, receives the snapshot after each, and returns the problem; None if there was none."""


Meant = Callable[[Snapshot], tuple[Prop, tuple[Goal, ...]]]
"""Function from a snapshot to the requested thing and its alternative goals. It raises `StepError` if the request makes no sense."""


def carry_out(step: str, now: Snapshot, skill_context: SkillContext) -> Deed:
    """Execute a step sentence. No sentence makes it raise. The caller throws `CommandFailed` into it when a command fails."""

    def meant(seen: Snapshot) -> tuple[Prop, tuple[Goal, ...]]:
        move = understood(step, skill_context.scene, seen)
        return move.item, ways(move, skill_context.scene, seen)

    return (yield from do(meant, now, skill_context))


def do(meant: Meant, now: Snapshot, skill_context: SkillContext) -> Deed:
    """Execute a request. If another thing is still held, put it aside first."""
    try:
        item, goals = meant(now)
        if now.held not in ('', item.name):
            now = yield from put_aside(skill_context.scene.prop(now.held), now, skill_context)
            item, goals = meant(now)
    except StepError as error:
        return error.problem
    except (SkillFailed, CommandFailed) as failed:
        fault = StepFault.LOST if isinstance(failed, Dropped) else StepFault.PLACE_FAILED
        return (yield from _settled(fault, f'The thing still in the gripper could not be put aside. {failed}'))
    return (yield from bring(item, goals, now, skill_context))


def bring(item: Prop, goals: tuple[Goal, ...], now: Snapshot, skill_context: SkillContext) -> Deed:
    """Reach the first feasible goal for a thing. The kind of problem tells how far it came."""
    hold = _Hold(item.name, held=now.held == item.name)
    try:
        yield from _first_way(hold, goals, now, skill_context)
    except (SkillFailed, CommandFailed) as failed:
        return (yield from _settled(hold.fault, str(failed)))
    except VlmBenchError as error:
        return Problem(StepFault.FAILED, str(error))
    return None


@dataclass
class _Hold:
    """Whether a thing is held, and whether it was held before."""

    name: str
    _: KW_ONLY
    held: bool
    ever: bool = False

    @property
    def fault(self) -> StepFault:
        if self.held:
            return StepFault.PLACE_FAILED
        return StepFault.LOST if self.ever else StepFault.PICK_FAILED

    def see(self, now: Snapshot) -> None:
        self.ever = self.ever or self.held
        self.held = now.held == self.name


def _first_way(hold: _Hold, goals: tuple[Goal, ...], now: Snapshot, skill_context: SkillContext) -> Generator[Command, Snapshot, None]:
    """Reach the first feasible goal. Once the robot has moved, no other goal is tried.

    Raises:
        SkillFailed: no goal is feasible, or the skill failed.
    """
    causes = []
    for goal in goals:
        skill = skill_for(goal, now, skill_context)
        try:
            command = next(skill)
        except StopIteration:
            return
        except SkillFailed as failed:
            causes.append(str(failed))
            continue
        yield from _once(hold, skill, command)
        return
    raise SkillFailed(causes[0])


def _once(hold: _Hold, skill: Skill, command: Command) -> Generator[Command, Snapshot, None]:
    """Run a skill until it ends or the item slips away: the skill itself would pick it up again.

    Raises:
        SkillFailed: the item slipped away, or the skill failed.
    """
    while True:
        before = hold.held
        try:
            try:
                now = yield command
            except CommandFailed as failed:
                command = skill.throw(failed)
            else:
                hold.see(now)
                if before and not hold.held and not isinstance(command, Grip | Seal):
                    raise SkillFailed(f'{hold.name} was lost on the way.')
                command = skill.send(now)
        except StopIteration:
            return


def _settled(fault: StepFault, text: str) -> Deed:
    """Wait until a dropped thing is at rest, and return the problem."""
    try:
        yield Wait(SETTLE)
    except CommandFailed as failed:
        text = f'{text} {failed}'
    return Problem(fault, text)


class Doing(Generic[Sent]):
    """Runs a deed like a policy: each call returns the next command.

    Args:
        deed: the deed to run.
        see: extracts from an observation what the deed receives.

    Attributes:
        problem: the problem, once the deed is over; None if there was none.
    """

    def __init__(self, deed: Generator[Command, Sent, Problem | None], see: Callable[[Observation], Sent]) -> None:
        self._deed, self._see, self._begun = deed, see, False
        self.problem: Problem | None = None

    def act(self, now: Observation) -> Command | None:
        """Return the next command; None if the deed is over."""
        try:
            if not self._begun:
                self._begun = True
                return next(self._deed)
            return self._deed.send(self._see(now)) if now.outcome.done else self._deed.throw(CommandFailed(now.outcome.text))
        except StopIteration as ended:
            self.problem = ended.value
            return None


def truth(now: Observation) -> Snapshot:
    """Return the ground truth in an observation.

    Raises:
        VlmBenchError: the observation has no ground truth.
    """
    if now.truth is None:
        raise VlmBenchError('The actor needs the ground truth, but the observation has none. Run it where the world state is known.')
    return now.truth


def ways(move: Move, scene: Scene, now: Snapshot) -> tuple[Goal, ...]:
    """Return the alternative goals of a move, the best first.

    Raises:
        StepError: the area has no room left.
    """
    target = move.target
    if isinstance(target, str):
        spots = free_spots(move.item, NAMED.get(target, WORKSPACE), scene, now)
        if not spots:
            raise StepError(StepFault.IMPOSSIBLE, f'There is no room left in the {target}. Name another place, or clear it.')
        return tuple(At(move.item, pose, near=NEAR) for pose in spots)
    if target.ghost:
        return (Within(move.item, target),)
    return (On(move.item, target) if target.solid.cavity is None else Inside(move.item, target),)
