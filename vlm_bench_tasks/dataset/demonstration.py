"""One demonstration: the oracle plays an episode in this process, and the bag is stored in the data set."""

import os
import resource
import shutil
from dataclasses import dataclass
from pathlib import Path

from vlm_bench_sim.bags.folder import part_of
from vlm_bench_sim.bags.writer import Unwritten
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import BagError, Unobservable
from vlm_bench_tasks.dataset.generated import MAKING, Folder, Row, read_row
from vlm_bench_tasks.dataset.generation import Generation
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.judging.report import Report
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import bench_for
from vlm_bench_tasks.trial import Trial


@dataclass(frozen=True)
class Order:
    """A trial as a worker receives it, with the description and the folder of the data set."""

    trial: Trial
    generation: Generation
    root: Path


@dataclass(frozen=True)
class Made:
    """A generated episode: its row of the index, the process that made it, and the peak memory of that process, bytes."""

    row: Row
    process: int
    memory: int


def demonstrate(order: Order) -> Made:
    """Play an episode to its verdict and store its bag in the data set.

    Raises:
        VlmBenchError: the episode cannot be built, played or recorded; no files are left behind.
    """
    trial, asked, folder = order.trial, order.generation, Folder(order.root)
    bench, episode = bench_for(trial), trial.build()
    making = order.root / MAKING
    choice, token = asked.settings.choice, asked.token(trial)
    recorder = Recorder(bench, episode, folder=making, choice=choice, token=token, name=trial.name)
    whole = False
    try:
        report = bench.run(episode, policy(trial.policy), recorder).report
        bag = recorder.close(_seen(report))
        whole = True
    except Unwritten as error:
        raise BagError(f'{error.why} Free some space, or name another folder. Then run the same command again.') from error
    finally:
        if not whole:
            recorder.abort()
            shutil.rmtree(part_of(making / trial.name), ignore_errors=True)
    place = folder.place(bag, solved=report.verdict is Verdict.SUCCESS)
    return Made(read_row(order.root, place), os.getpid(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def _seen(report: Report) -> Report:
    if report.verdict is Verdict.UNOBSERVABLE:
        raise Unobservable('; '.join(report.causes))
    return report
