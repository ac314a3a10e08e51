"""Episodes of an evaluation over ROS 2: start a scored bench, on which a user's own node plays them one after the other."""

import time
from collections.abc import Generator
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console

from vlm_bench_sim.bags.folder import bag_name
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks.evaluation.plan import Manner
from vlm_bench_tasks.evaluation.playing import Scored, judged
from vlm_bench_tasks.judging.messages import read_report
from vlm_bench_tasks.launching.bench import Started, started
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.trial import Trial

OK, LATER = 1, (3, 105)  # of vlm_bench_msgs/Result and StartEpisode: another one is just being set up, or a node has not joined yet
READY_S = 120.0
"""Timeout for a bench to start and load a scene, wall-clock s."""
KEPT_S = 60.0
"""Timeout for a bag to be complete after the report, wall-clock s."""
SILENT_S = 600.0
"""Timeout for a report, in addition to the policy's timeout for an answer and the episode's length, wall-clock s."""


class _Lost(VlmBenchError):
    """The bench has failed."""


def play_all(trials: list[Trial], manner: Manner, console: Console) -> Generator[tuple[Trial, Scored], None, None]:
    """Yield the result of each trial as it ends. If a bench fails, only its current trial is lost, and a new bench is started."""
    for _, group in groupby(trials, key=lambda trial: trial.robot):
        left = list(group)
        while left:
            with started(_settings(left[0], manner), console) as bench:
                while left and not bench.lost():
                    trial = left.pop(0)
                    yield trial, played(trial, bench, manner.record)


def _settings(trial: Trial, manner: Manner) -> dict[str, Any]:
    return {
        'task': trial.task, 'split': trial.split, 'axis': trial.axis, 'robot': trial.robot, 'cameras': trial.cameras,
        'width': trial.width, 'height': trial.height, 'scored': True, 'autostart': False, 'policy_timeout': manner.answer_seconds,
        'participant_timeout': min(10.0, manner.answer_seconds / 2), 'assist': ','.join(manner.assist), 'record': manner.record,
    }  # fmt: skip


def played(trial: Trial, bench: Started, record: str = '') -> Scored:
    """Play a trial on a running bench and score it. If the bench fails or does not complete the bag, the result is unobservable.

    Args:
        trial: the trial to play.
        bench: the running bench.
        record: folder in which the bench records; '' if it does not.
    """
    began = time.monotonic()
    try:
        episode = trial.build()
        token = _begun(trial, bench)
        _wait(bench, lambda: bench.ear.report is not None and bench.ear.report.token == token, SILENT_S + 20 * episode.horizon)
        bag = _kept(trial, token, record, bench=bench) if record else ''
    except VlmBenchError as error:
        return Scored(Result.blank(trial, 'unobservable', f'bench: {error}'), time.monotonic() - began)
    report = read_report(bench.ear.report)
    return Scored(judged(trial, episode, report), round(time.monotonic() - began, 3), bag=bag, assistance=report.assistance)


def _kept(trial: Trial, token: str, record: str, *, bench: Started) -> str:
    """Wait for the bag of an episode and return its name.

    Raises:
        VlmBenchError: the bag was not completed in time.
    """
    name = bag_name(trial.task, trial.split, trial.seed, token)
    try:
        _wait(bench, (Path(record) / name).is_dir, KEPT_S)
    except _Lost as error:
        raise _Lost(f'{error} The bag {name} was expected in {record}.') from error
    return name


def _begun(trial: Trial, bench: Started) -> str:
    """Start the episode as soon as the bench is ready, and return its token.

    Raises:
        VlmBenchError: the bench cannot start it.
    """
    asked = {'task': trial.task, 'split': trial.split, 'axis': trial.axis, 'seed': trial.seed, 'prompt': trial.prompt}
    asked['perturbation'] = codec.dumps(trial.perturbation)
    deadline = time.monotonic() + READY_S
    _wait(bench, bench.ear.answers().done, READY_S)
    while True:
        answer = bench.ear.begin(asked)
        _wait(bench, answer.done, READY_S)
        result = answer.result().result
        if result.result == OK:
            return str(answer.result().token)
        if result.result not in LATER or time.monotonic() > deadline:
            raise _Lost(result.error_message)
        bench.spin()


def _wait(bench: Started, done: Any, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        if lost := bench.lost():
            raise _Lost(lost)
        if time.monotonic() > deadline:
            raise _Lost(f'It gave no answer within {seconds:g} s.')
        bench.spin()
