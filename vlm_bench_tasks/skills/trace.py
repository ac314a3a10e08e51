"""The trace of the skills that the expert carries out: which skill called which, and when each began and ended (ClevrSkills' action trace).

A skill begins with its first command. One that gives up before any, because it is not feasible, leaves nothing in the trace.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from vlm_bench_sim.core.codec import dumps, serialisable
from vlm_bench_sim.core.codes import EventKind, Note
from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.goals.base import Leaf, called

P = ParamSpec('P')
R = TypeVar('R')

Steps = Generator[Command, Snapshot, Snapshot]
"""The steps of a skill: a generator that yields commands, receives the snapshot after each, and returns the last snapshot."""

DONE, FAILED, GIVEN_UP = 'done', 'failed', 'given_up'
"""How a skill ends: by itself, with an error, or because the expert plans again."""


@serialisable
@dataclass(frozen=True)
class SkillBegun:
    """A skill began.

    Attributes:
        number: its number in the episode, from 0, in the order of the beginnings.
        parent: number of the skill that called it; -1: none.
        skill: its name, that of the function in `skills/`.
        words: what it is for: the goal as a clause, or the thing that it handles.
        leaf: index of the clause of the plan that it serves, as a report counts clauses (`goals.units.reported`); -1: several, or none.
    """

    number: int
    parent: int
    skill: str
    words: str
    leaf: int


@serialisable
@dataclass(frozen=True)
class SkillEnded:
    """A skill ended: its number, and how (`DONE`, `FAILED`, `GIVEN_UP`)."""

    number: int
    outcome: str


NumberedLeaf = tuple[int, Leaf]
"""A leaf of the plan and its index."""


@dataclass(eq=False)
class _Call:
    skill: str = ''
    words: str = ''
    _: KW_ONLY
    goal: object = None
    number: int = -1
    serves: NumberedLeaf | None = None


class Trace:
    """Notes the skills of one episode as they call each other."""

    def __init__(self) -> None:
        self._open: list[_Call] = []
        self._ended: list[Note] = []
        self._begun = 0

    @property
    def serves(self) -> NumberedLeaf | None:
        """The leaf of the plan that the newest skill serves; None: no single one."""
        return self._open[-1].serves if self._open else None

    def follow(
        self, skill: str, steps: Generator[Command, Snapshot, R], words: str, goal: object = None
    ) -> Generator[Command, Snapshot, R]:
        """Carry out the steps of a skill, and note its end.

        Args:
            skill: name of its function; a leading underscore is left out.
            steps: its steps.
            words: what it is for.
            goal: the goal that it makes true; None: it has no goal of its own.
        """
        call, outcome = _Call(skill.lstrip('_'), words, goal=goal), FAILED
        self._open.append(call)
        try:
            result = yield from steps
            outcome = DONE
            return result
        except GeneratorExit:
            outcome = GIVEN_UP
            raise
        finally:
            self._open.remove(call)
            if call.number >= 0:
                self._ended.append((EventKind.SKILL_ENDED, dumps(SkillEnded(call.number, outcome))))

    def ended(self) -> tuple[Note, ...]:
        """Return the skills that ended since the last call."""
        notes, self._ended = self._ended, []
        return tuple(notes)

    def begun(self, leaves: Sequence[NumberedLeaf]) -> tuple[Note, ...]:
        """Return the skills that begin with the present command.

        Args:
            leaves: the leaves that the plan must still make true.
        """
        notes, parent = [], _Call()
        for call in self._open:
            if call.number < 0:
                call.number, self._begun = self._begun, self._begun + 1
                call.serves = next((one for one in leaves if one[1] == call.goal), parent.serves)
                leaf = call.serves[0] if call.serves else -1
                begun = SkillBegun(call.number, parent.number, call.skill, call.words, leaf)
                notes.append((EventKind.SKILL_BEGUN, dumps(begun)))
            parent = call
        return tuple(notes)


def traced(skill: Callable[P, Generator[Command, Snapshot, R]]) -> Callable[P, Generator[Command, Snapshot, R]]:
    """Return a skill that is noted in the trace of its `context`, with the first prop among its arguments, if there is one.

    The context is the argument of that name, or the attribute of that name of an argument.
    """
    parameters = signature(skill)

    @wraps(skill)
    def noted(*args: P.args, **kwargs: P.kwargs) -> Generator[Command, Snapshot, R]:
        given = parameters.bind(*args, **kwargs).arguments
        words = next((called(prop) for prop in given.values() if isinstance(prop, Prop)), '')
        context = given['context'] if 'context' in given else next(one.context for one in given.values() if hasattr(one, 'context'))
        trace: Trace = context.trace
        return trace.follow(skill.__name__, skill(*args, **kwargs), words)

    return noted
