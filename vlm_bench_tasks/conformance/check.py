"""The fourteen checks of a task, and the function that runs those of a task, a robot or a camera set."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from vlm_bench_tasks.conformance import built, played
from vlm_bench_tasks.conformance.subject import Subject
from vlm_bench_tasks.episode import Episode

S = TypeVar('S')


@dataclass(frozen=True)
class Finding:
    """A problem of what is checked: the check that found it, and its description."""

    check: str
    text: str


@dataclass(frozen=True)
class Check(Generic[S]):
    """One requirement on every task, robot or camera set.

    Attributes:
        name: one word.
        words: the requirement.
        find: yields violations, those of a task each with its episode.
        plays: whether it runs episodes.
    """

    name: str
    words: str
    find: Callable[[S], Iterator[str]]
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
    Check('leak', 'training and evaluation splits share no values along an axis', built.no_leak),
    Check('start', 'the goal is neither reached nor out of reach at the start', _each(built.undecided)),
    Check('words', 'every reference fits only the intended object, and five sentences differ in verb or structure', _each(built.spoken_of)),
    Check('names', 'goal, plan and alternatives name objects of the scene, and names give no hint', _both(_each(built.named), built.plain)),
    Check('skills', 'there is a skill for every part of the plan', _each(built.skilled)),
    Check('written', 'the episode survives a round trip through JSON, its snapshots and reports through messages', _each(built.survives)),
    Check('chance', 'building uses no global random generator', built.own_chance),
    Check('table', 'every prop stands on the table and overlaps no other', _each(built.on_the_table)),
    Check('rest', 'the scene comes to rest at its initial poses, and the robot touches at most what it holds', played.settles, plays=True),
    Check('oracle', 'the expert solves it', played.solvable, plays=True),
    Check('reward', 'the dense reward begins low and rises with time while the expert works', played.rewarded, plays=True),
    Check('luck', 'a policy that stands still never solves it, a random one almost never', played.not_by_waiting, plays=True),
    Check('bag', 'judging a recorded episode again gives the live result', played.judged_again, plays=True),
)
"""All of them; the last four play episodes."""


def check(subject: S, checks: tuple[Check[S], ...]) -> Iterator[tuple[Check[S], tuple[Finding, ...]]]:
    """Run the checks one after the other, and yield each with its findings; a check without findings has passed.

    What cannot be built, or breaks the bench, is also a finding.
    """
    for each in checks:
        found: list[str] = []
        try:
            found.extend(each.find(subject))
        except Exception as error:  # noqa: BLE001  (what is checked may be anybody's, and break anything)
            found.append(f'{type(error).__name__}: {error}')
        yield each, tuple(Finding(each.name, text) for text in found)
