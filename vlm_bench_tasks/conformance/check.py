"""The twelve checks, and the function that makes them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks.conformance import built, played
from vlm_bench_tasks.conformance.subject import Subject
from vlm_bench_tasks.episode import Episode


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a task: which check found it, and what."""

    check: str
    text: str


@dataclass(frozen=True)
class Check:
    """One thing that every task must keep to.

    Attributes:
        name: one word.
        words: what must be true.
        find: yields what is not so, each with the episode in which it was seen.
        plays: True where episodes are run for it.
    """

    name: str
    words: str
    find: Callable[[Subject], Iterator[str]]
    plays: bool = False


def _each(find: Callable[[Episode], Iterator[str]]) -> Callable[[Subject], Iterator[str]]:
    """Return a check of a task, made of one of an episode; what it says of several is said once."""

    def every(subject: Subject) -> Iterator[str]:
        said: set[str] = set()
        for case in subject.cases:
            for text in find(subject.episode(case)):
                if text not in said:
                    said.add(text)
                    yield f'{text} ({case})'

    return every


def _both(*finds: Callable[[Subject], Iterator[str]]) -> Callable[[Subject], Iterator[str]]:
    """Return one check made of several."""
    return lambda subject: (text for find in finds for text in find(subject))


CHECKS = (
    Check('repeat', 'the same task, split, axis and seed give the same episode', built.same_again),
    Check('leak', 'what varies never comes from another split', built.no_leak),
    Check('start', 'the goal is neither reached nor out of reach at the start', _each(built.undecided)),
    Check('words', 'every reference fits what is meant and nothing else, in five sentences that differ', _each(built.spoken_of)),
    Check(
        'names', 'what goal, plan and alternatives name stands in the scene, and names give no hint', _both(_each(built.named), built.plain)
    ),
    Check('skills', 'there is a skill for every part of the plan', _each(built.skilled)),
    Check('written', 'the episode survives JSON, its snapshots and reports their messages', _each(built.survives)),
    Check('chance', 'building leaves global chance alone', built.own_chance),
    Check('table', 'everything fits on the table, apart from all else', _each(built.on_the_table)),
    Check('rest', 'it settles where it was laid', played.settles, plays=True),
    Check('oracle', 'the expert solves it', played.solvable, plays=True),
    Check('luck', 'standing still never solves it, and chance as good as never', played.not_by_waiting, plays=True),
    Check('bag', 'a recorded episode is judged again as it was judged live', played.judged_again, plays=True),
)
"""All twelve; table and rest are two parts of one, as only the second plays."""


def check(subject: Subject, checks: tuple[Check, ...] = CHECKS) -> Iterator[tuple[Check, tuple[Finding, ...]]]:
    """Make the checks one after the other, and yield each with what it found; nothing found is a pass.

    A task that cannot be built, or breaks the bench, is a finding too.
    """
    for each in checks:
        found: list[str] = []
        try:
            found.extend(each.find(subject))
        except VlmBenchError as error:
            found.append(f'{type(error).__name__}: {error}')
        yield each, tuple(Finding(each.name, text) for text in found)
