"""The actor: carries out one step sentence with the skills of the bench, in one attempt. What went wrong, it answers in a sentence."""

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
"""How long what was lost is left to come to rest, simulated s."""

NEAR = 0.02
"""How far a thing may end from the spot that was chosen for it, m."""

Sent = TypeVar('Sent')

Deed = Generator[Command, Snapshot, Problem | None]
"""Yields commands, is sent the snapshot after each, and returns what went wrong; None where nothing did."""


Meant = Callable[[Snapshot], tuple[Prop, tuple[Goal, ...]]]
"""What is asked for as things stand: a thing, and the goals of which any will do. Raises `StepError` where that makes no sense."""


def carry_out(step: str, now: Snapshot, skill_context: SkillContext) -> Deed:
    """Carry out a step sentence. Nothing that it says raises; a command that failed is thrown in as `CommandFailed`."""

    def meant(seen: Snapshot) -> tuple[Prop, tuple[Goal, ...]]:
        move = understood(step, skill_context.scene, seen)
        return move.item, ways(move, skill_context.scene, seen)

    return (yield from do(meant, now, skill_context))


def do(meant: Meant, now: Snapshot, skill_context: SkillContext) -> Deed:
    """Do what is meant; what is held from before, and is not what shall be brought, is put aside first."""
    try:
        item, goals = meant(now)
        if now.held not in ('', item.name):
            now = yield from put_aside(skill_context.scene.prop(now.held), now, skill_context)
            item, goals = meant(now)
    except StepError as error:
        return error.problem
    except (SkillFailed, CommandFailed) as failed:
        fault = StepFault.LOST if isinstance(failed, Dropped) else StepFault.PLACE_FAILED
        return (yield from _settled(fault, f'What was held still could not be put aside. {failed}'))
    return (yield from bring(item, goals, now, skill_context))


def bring(item: Prop, goals: tuple[Goal, ...], now: Snapshot, skill_context: SkillContext) -> Deed:
    """Reach the first of the goals that can be begun with a thing. What went wrong is called after how far it came."""
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
    """Whether a thing is held, and whether it ever was."""

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
    """Reach the first of the goals that can be begun; once the robot has moved no other is tried.

    Raises:
        SkillFailed: none can, or what was begun failed.
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
    """Go on with a skill until it ends or the item slips away, which the skill would take up again.

    Raises:
        SkillFailed: it slipped away, or the skill failed.
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
    """Let what was lost come to rest."""
    try:
        yield Wait(SETTLE)
    except CommandFailed as failed:
        text = f'{text} {failed}'
    return Problem(fault, text)


class Doing(Generic[Sent]):
    """A deed as a policy does it: asked for one command after another.

    Args:
        deed: that is done.
        see: what of an observation the deed is sent.

    Attributes:
        problem: what went wrong, once it is over; None where nothing did.
    """

    def __init__(self, deed: Generator[Command, Sent, Problem | None], see: Callable[[Observation], Sent]) -> None:
        self._deed, self._see, self._begun = deed, see, False
        self.problem: Problem | None = None

    def act(self, now: Observation) -> Command | None:
        """Return the next command; None when the deed is over."""
        try:
            if not self._begun:
                self._begun = True
                return next(self._deed)
            return self._deed.send(self._see(now)) if now.outcome.done else self._deed.throw(CommandFailed(now.outcome.text))
        except StopIteration as ended:
            self.problem = ended.value
            return None


def truth(now: Observation) -> Snapshot:
    """Return the truth that an observation shows.

    Raises:
        VlmBenchError: it shows none.
    """
    if now.truth is None:
        raise VlmBenchError('The actor was shown no truth. It can only run where the world state is known.')
    return now.truth


def ways(move: Move, scene: Scene, now: Snapshot) -> tuple[Goal, ...]:
    """Return the goals of which any is what a move asks for, the best first.

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
