"""The twelve checks, and the function that runs them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks.conformance import built, played
from vlm_bench_tasks.conformance.subject import Subject
from vlm_bench_tasks.episode import Episode


@dataclass(frozen=True)
class Finding:
    """A problem of a task: the check that found it, and its description."""

    check: str
    text: str


@dataclass(frozen=True)
class Check:
    """One requirement on every task.

    Attributes:
        name: one word.
        words: the requirement.
        find: yields violations, each with its episode.
        plays: whether it runs episodes.
    """

    name: str
    words: str
    find: Callable[[Subject], Iterator[str]]
    plays: bool = False


def _each(find: Callable[[Episode], Iterator[str]]) -> Callable[[Subject], Iterator[str]]:
    """Return a check of a task from a check of an episode; findings common to several episodes are yielded once."""

    def every(subject: Subject) -> Iterator[str]:
        said: set[str] = set()
        for case in subject.cases:
            for text in find(subject.episode(case)):
                if text not in said:
                    said.add(text)
                    yield f'{text} ({case})'

    return every


def _both(*finds: Callable[[Subject], Iterator[str]]) -> Callable[[Subject], Iterator[str]]:
    """Return one check that combines several."""
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
"""All twelve; table and rest are two parts of one check, because only the second one plays episodes."""


def check(subject: Subject, checks: tuple[Check, ...] = CHECKS) -> Iterator[tuple[Check, tuple[Finding, ...]]]:
    """Run the checks one after the other, and yield each with its findings; a check without findings has passed.

    A task that cannot be built, or breaks the bench, is also a finding.
    """
    for each in checks:
        found: list[str] = []
        try:
            found.extend(each.find(subject))
        except VlmBenchError as error:
            found.append(f'{type(error).__name__}: {error}')
        yield each, tuple(Finding(each.name, text) for text in found)
