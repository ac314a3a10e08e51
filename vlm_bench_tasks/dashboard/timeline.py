"""What happened in a recorded episode, and when: progress, clauses of the goal, contacts, grasps, events and the expert's skills."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_tasks.dataset import spans
from vlm_bench_tasks.dataset.judge import Judgement, judge
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.judging.messages import read_event
from vlm_bench_tasks.judging.report import Report

_MARKED = {
    EventKind.STOP: 'the policy stopped',
    EventKind.POLICY_TIMEOUT: 'the policy did not answer',
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

_DIGITS = 4


@dataclass
class _Spans:
    """The periods in which something held, as [first, last]."""

    found: list[list[int]] = field(default_factory=list)

    def see(self, seq: int) -> None:
        if self.found and self.found[-1][1] == seq - 1:
            self.found[-1][1] = seq
        else:
            self.found.append([seq, seq])


@dataclass(kw_only=True)
class _Course:
    """What is seen period by period."""

    progress: list[float] = field(default_factory=list)
    reward: list[float] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    holds: dict[int, _Spans] = field(default_factory=dict)
    touched: dict[str, _Spans] = field(default_factory=dict)
    held: dict[str, _Spans] = field(default_factory=dict)

    def see(self, now: Snapshot, report: Report) -> None:
        self.progress.append(round(report.progress, _DIGITS))
        self.reward.append(round(report.reward, _DIGITS))
        self.clauses = [leaf.words for leaf in report.leaves] or self.clauses
        for index, leaf in enumerate(report.leaves):
            if leaf.holds:
                self.holds.setdefault(index, _Spans()).see(now.seq)
        if not now.contacts:
            return
        for one, other in now.touching:
            if ROBOT in (one, other):
                self.touched.setdefault(other if one == ROBOT else one, _Spans()).see(now.seq)
        if now.held:
            self.held.setdefault(now.held, _Spans()).see(now.seq)


def timeline(path: Path) -> dict[str, Any]:
    """Return the timeline of a bag as JSON types. Periods are counted from 0, a span is [first, last].

    Raises:
        BagError: the bag is missing, damaged, or holds no episode.
        VlmBenchError: its report cannot be read.
    """
    bag, course = reader.open_bag(path), _Course()
    judgement = judge(path, seen=course.see)
    report, last = judgement.report, max(len(course.progress) - 1, 0)
    events = [read_event(message) for message in reader.events(bag)]
    marks = [
        {'seq': min(event.seq, last), 'kind': event.kind.name.lower(), 'text': _words(event.kind, event.text)}
        for event in events if event.kind in _MARKED
    ]  # fmt: skip
    return {
        **_about(bag.custom),
        'hertz': CONTROL_HZ,
        'periods': len(course.progress),
        'progress': course.progress,
        'reward': course.reward,
        'clauses': [
            {'words': words, 'holds': course.holds[index].found if index in course.holds else [], 'at_end': _at_end(report, index)}
            for index, words in enumerate(course.clauses)
        ],
        'things': _things(course, judgement),
        'pictures': len(recorded_prompt(bag)),
        'marks': marks[:MOST_MARKS],
        'marks_left_out': max(0, len(marks) - MOST_MARKS),
        **_labels(events, last),
        'judged': _judged(judgement),
    }  # fmt: skip


def _about(custom: Mapping[str, str]) -> dict[str, Any]:
    """Return what a bag says about itself."""
    words = ('task', 'axis', 'split', 'seed', 'robot', 'instruction', 'prompt', 'policy', 'verdict', 'cause', 'assistance', 'perturbations')
    return {name: custom.get(name, '') for name in words}


def _words(kind: EventKind, text: str) -> str:
    return f'{_MARKED[kind]}: {text:.200}' if text else _MARKED[kind]


def _at_end(report: Report, index: int) -> bool:
    return index < len(report.leaves) and report.leaves[index].holds


def _things(course: _Course, judgement: Judgement) -> list[dict[str, Any]]:
    """Return what the robot touched and held, in the order in which it first did."""
    props = {prop.name: f'{prop.color.name} {prop.kind}' for prop in judgement.episode.scene.props} if judgement.episode else {}
    names = {**course.touched, **course.held}
    spans_of = {name: (_found(course.touched, name), _found(course.held, name)) for name in names}
    rows = [{'words': props.get(name, name), 'touched': touched, 'held': held} for name, (touched, held) in spans_of.items()]
    return sorted(rows, key=lambda row: (min(span[0] for span in (*row['touched'], *row['held'])), row['words']))


def _found(of: Mapping[str, _Spans], name: str) -> list[list[int]]:
    return of[name].found if name in of else []


def _labels(events: list[Any], last: int) -> dict[str, Any]:
    """Return the expert's steps and skills; none, and why, if a bag of another's holds invalid ones."""
    try:
        steps, skills = spans.steps(events, last), spans.skills(events, last)
    except BagError as error:
        return {'steps': [], 'skills': [], 'labels_fault': str(error)}
    return {
        'steps': [{'seq': seq, 'text': one.sentence or one.step} for seq, one in steps],
        'skills': [{'begin': one.begin, 'end': one.end, 'name': one.skill, 'words': one.words, 'outcome': one.outcome,
                    'depth': _depth(one, skills)} for one in skills],
        'labels_fault': '',
    }  # fmt: skip


def _depth(one: spans.SkillSpan, skills: tuple[spans.SkillSpan, ...]) -> int:
    """Return by how many others a skill was called, one through the other."""
    parents = {skill.number: skill.parent for skill in skills}
    depth, number = 0, one.parent
    while number in parents:
        depth, number = depth + 1, parents[number]
    return depth


def _judged(judgement: Judgement) -> dict[str, Any]:
    report = judgement.report
    return {
        'verdict': report.verdict.value, 'causes': list(report.causes), 'seq': report.seq, 'score': report.score,
        'progress': report.progress, 'by': report.judged_by, 'agrees': judgement.agrees,
        'violations': report.violations, 'drops': report.drops,
    }  # fmt: skip
