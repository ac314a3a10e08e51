"""The two ways in which a soak plays: on one bench over ROS, signed, scored and recorded, and in this process."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from test.soak._kept import Holding, Kept, Sample
from test.soak._usage import nodes, segments, usage
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.bench import started
from vlm_bench_tasks.cli.ros_scoring import played
from vlm_bench_tasks.evaluation.plan import ROS, Job, Manner
from vlm_bench_tasks.evaluation.playing import Scored, play

SUITE, ROBOT, SPLIT, POLICY = 'vlmbench', 'panda', 'seen', 'oracle'
CAMERAS, SIZE = 'vlmbench:front', 128


def jobs(first: int, manner: Manner, tasks: tuple[str, ...] = ()) -> Iterator[Job]:
    """Yield episodes without end, beginning with a number: each task in turn, then the next seed."""
    tasks = tasks or catalogue.chosen(SUITE)
    number = first
    while True:
        yield Job(tasks[number % len(tasks)], '', SPLIT, number // len(tasks), ROBOT, manner)
        number += 1


def over_ros(kept: Kept, tasks: tuple[str, ...] = ()) -> Iterator[Sample]:
    """Play on one bench, which the oracle moves and the recorder records; its bags are looked for and thrown away."""
    manner = Manner(ROS, CAMERAS, SIZE, SIZE)
    with TemporaryDirectory(prefix='vlm_bench_soak_') as folder:
        values = {
            'scored': True, 'autostart': False, 'policy': POLICY, 'record': folder, 'cameras': CAMERAS, 'width': SIZE, 'height': SIZE,
        }  # fmt: skip
        with started(values, Console(quiet=True)) as bench:
            for number, job in enumerate(jobs(len(kept.samples), manner, tasks), len(kept.samples)):
                if lost := bench.lost():
                    raise VlmBenchError(f'{lost}.')
                scored = played(job, bench)
                bag = _bag(Path(folder), bench.spin)
                held = {name: usage(pid) for name, pid in nodes().items()} | {'this process': usage(os.getpid()), 'the machine': segments()}
                yield _sample(kept, number, scored, held, '' if bag else 'no bag was recorded')


def in_process(kept: Kept, tasks: tuple[str, ...] = ()) -> Iterator[Sample]:
    """Play in this process, as a worker of an evaluation does, with a bag of each episode."""
    with TemporaryDirectory(prefix='vlm_bench_soak_') as folder:
        for number, job in enumerate(jobs(len(kept.samples), Manner(POLICY, record=folder), tasks), len(kept.samples)):
            scored = play(replace(job, note=Path(folder) / 'note'))
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
    verdict, causes = scored.score.verdict, scored.score.causes
    if fault:
        verdict, causes = 'unobservable', (*causes, fault)
    return Sample(kept.life, number, str(verdict), tuple(causes), round(scored.seconds, 3), held)
