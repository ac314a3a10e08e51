"""What happened in a recorded episode, and when: its course, its events, and the expert's skills."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_tasks.dashboard.course import Course
from vlm_bench_tasks.dataset import spans
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.judging.messages import read_event
from vlm_bench_tasks.judging.report import Event, Report

_MARKED = {
    EventKind.STOP: 'the policy stopped',
    EventKind.POLICY_TIMEOUT: 'the policy did not answer',
    EventKind.POLICY_FAULT: 'the policy failed',
    EventKind.FAULT: 'the bench was at fault',
    EventKind.VIOLATION: 'a command outside the episode',
    EventKind.ASSISTANCE: 'aid',
    EventKind.ABANDONED: 'abandoned',
    EventKind.ANSWER: 'a person answered',
    EventKind.DROPPED: 'a perturbation opened the hand',
    EventKind.DISPLACED: 'a perturbation moved the command',
}
"""Events that become marks of their own, in words. Waypoints and skills are told apart from them."""

MOST_MARKS = 2000
"""Largest number of marks that a timeline holds; a perturbation of every command would make more."""


def timeline(path: Path) -> dict[str, Any]:
    """Return the timeline of a bag as JSON types. Periods are counted from 0, a span is [first, last].

    Raises:
        BagError: the bag is missing, damaged, or holds no episode.
        VlmBenchError: its report cannot be read.
    """
    bag, course = reader.open_bag(path), Course()

    def seen(now: Snapshot, report: Report) -> None:
        if report.seq < now.seq:  # it is over, and a person or a tracker judges it
            course.concluded(report)
            return
        course.judged(report)
        course.moved(now)

    judgement = judge(path, seen=seen)
    scene = judgement.episode.scene if judgement.episode else None
    events = [read_event(message) for message in reader.events(bag)]
    about = {name: bag.custom.get(name, '') for name in ABOUT} | {'pictures': len(recorded_prompt(bag))}
    return about | composed(course, events, judgement.report, scene=scene, agrees=judgement.agrees)


ABOUT = ('task', 'axis', 'split', 'seed', 'robot', 'instruction', 'prompt', 'policy', 'verdict', 'cause', 'assistance', 'perturbations')
"""What a bag says about itself that a page shows."""


def composed(course: Course, events: Sequence[Event], report: Report, *, scene: Scene | None, agrees: bool = True) -> dict[str, Any]:
    """Return the parts of a timeline that do not stand in a bag's metadata, as JSON types.

    Args:
        course: the course so far.
        events: all so far, in order.
        report: the newest report.
        scene: gives things their words; None: they have their names.
        agrees: whether a recorded report says the same.
    """
    last = max(course.periods - 1, 0)
    marks = [
        {'seq': min(event.seq, last), 'kind': event.kind.name.lower(), 'text': _words(event.kind, event.text)} for event in _marked(events)
    ]
    judged = {
        'verdict': report.verdict.value, 'causes': list(report.causes), 'seq': report.seq, 'score': report.score,
        'progress': report.progress, 'by': report.judged_by, 'agrees': agrees, 'violations': report.violations, 'drops': report.drops,
    }  # fmt: skip
    return {
        'hertz': CONTROL_HZ, **course.told(report, scene), 'marks': marks[:MOST_MARKS], 'marks_left_out': max(0, len(marks) - MOST_MARKS),
        **_labels(events, last), 'judged': judged,
    }  # fmt: skip


def _marked(events: Sequence[Event]) -> Iterator[Event]:
    """Yield the events that become marks; an aid that is told with each command becomes one."""
    aids: set[str] = set()
    for event in events:
        if event.kind in _MARKED and not (event.kind is EventKind.ASSISTANCE and event.text in aids):
            aids |= {event.text} if event.kind is EventKind.ASSISTANCE else set()
            yield event


def _words(kind: EventKind, text: str) -> str:
    return f'{_MARKED[kind]}: {text:.200}' if text else _MARKED[kind]


def _labels(events: Sequence[Event], last: int) -> dict[str, Any]:
    """Return the expert's steps and skills; none, and why, if a bag of another's holds invalid ones."""
    try:
        steps, skills = spans.steps(events, last), spans.skills(events, last)
    except BagError as error:
        return {'steps': [], 'skills': [], 'labels_fault': str(error)}
    return {
        'steps': [{'seq': seq, 'text': one.sentence or one.step} for seq, one in steps],
        'skills': [{'begin': one.begin, 'end': one.end, 'name': one.skill, 'words': one.words, 'outcome': one.outcome,
                    'depth': depth} for one, depth in zip(skills, _depths(skills), strict=True)],
        'labels_fault': '',
    }  # fmt: skip


def _depths(skills: Sequence[spans.SkillSpan]) -> list[int]:
    """Return by how many others each skill was called, one through the other; who calls has begun before."""
    depths: dict[int, int] = {}
    for one in skills:
        depths[one.number] = depths.get(one.parent, -1) + 1
    return [depths[one.number] for one in skills]
