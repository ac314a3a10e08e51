"""The two ways in which a soak plays: on one bench over ROS, signed, scored and recorded, and in this process."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from test.soak._kept import Holding, Kept, Sample
from test.soak._usage import nodes, segments, usage
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.plan import ROS, Job, Manner
from vlm_bench_tasks.evaluation.playing import Scored, play
from vlm_bench_tasks.launching.bench import started
from vlm_bench_tasks.launching.ros_scoring import played
from vlm_bench_tasks.trial import Trial

SUITE, ROBOT, SPLIT, POLICY = 'vlmbench', 'panda', 'seen', 'oracle'
CAMERAS, SIZE = 'vlmbench:front', 128


def trials(first: int, policy: str, tasks: tuple[str, ...] = (), **cameras: Any) -> Iterator[Trial]:
    """Yield trials without end, beginning with a number: each task in turn, then the next seed."""
    tasks = tasks or catalogue.chosen(SUITE)
    number = first
    while True:
        yield Trial(tasks[number % len(tasks)], '', SPLIT, number // len(tasks), ROBOT, policy, **cameras)
        number += 1


def over_ros(kept: Kept, tasks: tuple[str, ...] = ()) -> Iterator[Sample]:
    """Play on one bench, which the oracle moves and the recorder records; its bags are looked for and thrown away."""
    cameras = {'cameras': CAMERAS, 'width': SIZE, 'height': SIZE}
    with TemporaryDirectory(prefix='vlm_bench_soak_') as folder:
        values = {
            'scored': True, 'autostart': False, 'policy': POLICY, 'record': folder, **cameras,
        }  # fmt: skip
        with started(values, Console(quiet=True)) as bench:
            for number, trial in enumerate(trials(len(kept.samples), ROS, tasks, **cameras), len(kept.samples)):
                if lost := bench.lost():
                    raise VlmBenchError(f'{lost}.')
                scored = played(trial, bench)
                bag = _bag(Path(folder), bench.spin)
                held = {name: usage(pid) for name, pid in nodes().items()} | {'this process': usage(os.getpid()), 'the machine': segments()}
                yield _sample(kept, number, scored, held, '' if bag else 'no bag was recorded')


def in_process(kept: Kept, tasks: tuple[str, ...] = ()) -> Iterator[Sample]:
    """Play in this process, as a worker of an evaluation does, with a bag of each episode."""
    with TemporaryDirectory(prefix='vlm_bench_soak_') as folder:
        manner = Manner(POLICY, record=folder)
        for number, trial in enumerate(trials(len(kept.samples), POLICY, tasks), len(kept.samples)):
            scored = play(Job(trial, manner, Path(folder) / 'note'))
            if not isinstance(scored, Scored):
                raise VlmBenchError(scored.text)
            shutil.rmtree(Path(folder) / scored.bag)
            yield _sample(kept, number, scored, {'this process': usage(os.getpid())}, '')


WAYS: dict[str, Callable[..., Iterator[Sample]]] = {'ros': over_ros, 'process': in_process}


def _bag(folder: Path, spin: Callable[[], None], patience: int = 300) -> bool:
    """Wait for the bag of an episode and remove it; tell whether it came."""
    for _ in range(patience):
        finished = list(folder.glob('[!.]*'))
        if finished:
            for path in finished:
                shutil.rmtree(path)
            return True
        spin()
    return False


def _sample(kept: Kept, number: int, scored: Scored, held: Holding, fault: str) -> Sample:
    verdict, causes = scored.result.verdict, scored.result.causes
    if fault:
        verdict, causes = 'unobservable', (*causes, fault)
    return Sample(kept.life, number, str(verdict), tuple(causes), round(scored.seconds, 3), held)
