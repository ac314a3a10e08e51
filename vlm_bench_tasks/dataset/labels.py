"""The labels of a recorded episode: the expert's steps and skills, and the key steps with their pictures.

Language has three levels: the instruction, the sub-task (a clause of the plan), and the step.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.ros import names
from vlm_bench_tasks.dataset import spans
from vlm_bench_tasks.dataset.exports.cameras import Message, cameras_of
from vlm_bench_tasks.dataset.spans import SkillSpan
from vlm_bench_tasks.judging.key_steps import KeyStep, KeySteps
from vlm_bench_tasks.judging.messages import read_event, read_report
from vlm_bench_tasks.policies.waypoints import Waypoint


@dataclass(frozen=True)
class KeyPicture:
    """The pictures of a camera at a key step, as jpeg files: with the robot shown and hidden."""

    camera: str
    shown: bytes
    hidden: bytes


@dataclass(frozen=True)
class Labels:
    """The labels of one episode.

    Attributes:
        steps: the expert's waypoints, each with the control period in which it begins.
        skills: the expert's skills.
        key_steps: the key steps, in order.
        pictures: the pictures of the key steps, by control period; several clauses that become true together share them.
    """

    steps: tuple[tuple[int, Waypoint], ...] = ()
    skills: tuple[SkillSpan, ...] = ()
    key_steps: tuple[KeyStep, ...] = ()
    pictures: Mapping[int, tuple[KeyPicture, ...]] = field(default_factory=dict)

    def at(self, periods: Iterable[int]) -> list[Waypoint | None]:
        """Return the waypoint that the expert is on its way to at each of these control periods; None before the first."""
        begins = [seq for seq, _ in self.steps]
        return [self.steps[index - 1][1] if (index := bisect_right(begins, seq)) else None for seq in periods]


NO_LABELS = Labels()


def labels(path: Path) -> Labels:
    """Return the labels of the bag at `path`. Pictures of key steps are there if its recorder had cameras and kept their topics.

    Raises:
        BagError: the bag is missing, damaged, or holds an invalid label.
    """
    bag = reader.open_bag(path)
    cameras = cameras_of(bag, names.KEY_STEP)
    found: dict[str, list[Message]] = {name: [] for name in topics(cameras) if name in bag.topics}
    for topic, stamp, message in bag.messages(*found):
        found[topic].append((stamp, message))
    return read_labels(found, cameras, bag=path)


def topics(cameras: Iterable[str]) -> tuple[str, ...]:
    """Return the topics that `read_labels` reads."""
    rows = (names.WORLD_STATE, names.EVENTS, names.RUNNING_REPORT, names.REPORT)
    return tuple(row.name for row in (*rows, *(row.camera(camera) for camera in cameras for row in names.KEY_STEP_NAMES)))


def read_labels(found: Mapping[str, Sequence[Message]], cameras: Iterable[str], *, bag: Path) -> Labels:
    """Return the labels in messages of a bag, by topic; topics that it does not hold may be missing.

    Labels of periods after the final report are left out.

    Raises:
        BagError: a label is invalid.
    """
    events = [read_event(message) for _, message in found.get(names.EVENTS.name, ())]
    stamps = [stamp for stamp, _ in found.get(names.WORLD_STATE.name, ())]
    running, final = ([read_report(message) for _, message in found.get(row.name, ())] for row in (names.RUNNING_REPORT, names.REPORT))
    seen, last = KeySteps(), final[-1].seq if final else len(stamps) - 1
    key_steps = tuple(step for report in running for step in seen.see(report) if step.seq <= last)
    pictures = _pictures(found, cameras, stamps, {step.seq for step in key_steps})
    try:
        return Labels(spans.steps(events, last), spans.skills(events, last), key_steps, pictures)
    except BagError as error:
        raise BagError(f'{bag} holds an invalid label: {error} Leave the bag out.') from error


def plain(told: Labels, begins: Sequence[int]) -> dict[str, Any]:
    """Return labels as JSON types, without pictures.

    `frame` is the index of the first frame that begins at or after the period `seq`, None if none does; `begin_frame` and `end_frame` of
    a skill are so, too.

    Args:
        told: the labels.
        begins: the control period in which each frame of an export begins.
    """

    def frame(seq: int) -> int | None:
        index = bisect_left(begins, seq)
        return index if index < len(begins) else None

    def placed(seq: int) -> dict[str, int | None]:
        return {'seq': seq, 'frame': frame(seq)}

    return {
        'steps': [
            {**placed(seq), 'step': one.step, 'sentence': one.sentence, 'unit': one.unit, 'leaf': one.leaf, 'subtask': one.subtask}
            for seq, one in told.steps
        ],
        'skills': [{**asdict(one), 'begin_frame': frame(one.begin), 'end_frame': frame(one.end)} for one in told.skills],
        'key_steps': [
            {**placed(one.seq), 'clause': one.clause, 'words': one.words, 'cameras': [of.camera for of in told.pictures.get(one.seq, ())]}
            for one in told.key_steps
        ],
    }  # fmt: skip


def _pictures(
    found: Mapping[str, Sequence[Message]], cameras: Iterable[str], stamps: Sequence[int], due: Iterable[int]
) -> dict[int, tuple[KeyPicture, ...]]:
    """Return the pictures of the key steps that are due, by control period. A world in real time is drawn a little later."""
    pictures: dict[int, list[KeyPicture]] = {}
    for camera in cameras:
        shown, hidden = ({stamp: bytes(m.data) for stamp, m in found.get(row.camera(camera).name, ())} for row in names.KEY_STEP_NAMES)
        whole = sorted(shown.keys() & hidden.keys())
        for seq in sorted(due):
            index = bisect_left(whole, stamps[seq]) if seq < len(stamps) else len(whole)
            if index < len(whole):
                pictures.setdefault(seq, []).append(KeyPicture(camera, shown[whole[index]], hidden[whole[index]]))
    return {seq: tuple(of) for seq, of in pictures.items()}
