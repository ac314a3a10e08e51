"""Run an evaluation: play every episode in worker processes, whatever the policy does to them, and write the report."""

import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks import workers
from vlm_bench_tasks.campaign import PlayAll, Watcher, carried_out
from vlm_bench_tasks.evaluation.faults import DIED, SILENT, PolicyFault
from vlm_bench_tasks.evaluation.finished import OtherCode, finished
from vlm_bench_tasks.evaluation.partial import Partial
from vlm_bench_tasks.evaluation.plan import Job, Plan
from vlm_bench_tasks.evaluation.playing import Refused, Scored, play, pulse, tidied
from vlm_bench_tasks.evaluation.report import Circumstances, EvaluationReport
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.evaluation.watchdog import MAKING, TurnNote, left
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.trial import Trial

_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM)  # sent by the system when memory runs out, and by people


def evaluated(
    plan: Plan,
    out: Path,
    *,
    processes: int,
    watcher: Watcher[Scored] | None = None,
    play_all: PlayAll[Scored] | None = None,
    other_code: OtherCode = OtherCode.REFUSE,
) -> EvaluationReport:
    """Play the planned episodes, write the report and return it. Episodes that already have an observable result are not played again.

    Args:
        plan: the trials and their conditions.
        out: path of the report; episodes of an interrupted evaluation are stored beside it.
        processes: number of worker processes.
        watcher: receives the progress.
        play_all: plays the trials in another way than in worker processes.
        other_code: what to do with results that another version of the bench's code has produced.

    Raises:
        VlmBenchError: the policy cannot be created, the report cannot be written, or its path holds something else.
    """
    watcher, known = watcher or Watcher(), finished(out, plan, other_code)
    if all(trial.key in known and known[trial.key].result.seen for trial in plan.trials):
        watcher.whole()
        return EvaluationReport.load(out)
    partial = Partial(out, plan, finished=known, other_code=other_code)
    with partial.held():
        scored = carried_out(plan.trials, partial, play_all or (lambda left: played(plan, left, processes)), watcher)
        resumed = partial.resumed
        report = reported(plan, scored, Circumstances(workers=processes, resumed=resumed, wall_seconds=watcher.seconds()))
        report.save(out)
        partial.remove()
    return report


def reported(plan: Plan, results: dict[Trial, Scored], circumstances: Circumstances) -> EvaluationReport:
    """Return the report on all trials of a plan."""
    scored = [results[trial] for trial in plan.trials]
    episodes = tuple(one.result for one in scored)
    taken = {*plan.conditions.assistance, *(aid for one in scored for aid in one.assistance)}
    conditions = plan.conditions.model_copy(update={'assistance': tuple(sorted(taken))})
    measured = {
        'episode_cpu_seconds': tuple(one.cpu_seconds for one in scored),
        'bags': tuple(one.bag for one in scored),
        'earlier': tuple(one.earlier for one in scored),
    }
    told = {name: values for name, values in measured.items() if any(values)}
    return EvaluationReport(
        policy=plan.manner.policy,
        code=plan.manner.code,
        bench=plan.bench,
        options=plan.options,
        isolation=plan.manner.isolation,
        declared=plan.declared,
        conditions=conditions,
        decides=conditions.decides,
        groups=groups(episodes),
        overall=summed(episodes),
        episodes=episodes,
        circumstances=circumstances.model_copy(update=told | {'episode_seconds': tuple(one.seconds for one in scored)}),
    )


def played(plan: Plan, trials: list[Trial], processes: int) -> Generator[tuple[Trial, Scored], None, None]:
    """Yield the result of each trial as it ends. If its process died, yield that and play it once more, unless the policy was too slow.

    Raises:
        TaskError: the policy cannot be created.
    """
    with tempfile.TemporaryDirectory(prefix='vlm_bench_') as folder:
        again: list[Job] = []
        for job, result in workers.play(plan.jobs(trials, Path(folder)), play, workers=processes, pulse=pulse):
            if isinstance(result, workers.Lost) and not _silent(result, left(job.note)):
                job.note.unlink(missing_ok=True)  # otherwise an old note could be taken for that of a process that dies before it starts
                again.append(job)
                yield job.trial, Scored(Result.blank(job.trial, 'unobservable', f'bench: {result.cause}'), again=True)
            else:
                yield job.trial, _taken(job, result)
        for job, result in workers.play(again, play, workers=processes, pulse=pulse):
            yield job.trial, _taken(job, result)


def _taken(job: Job, result: Scored | Refused | workers.Lost) -> Scored:
    if isinstance(result, Refused):
        raise TaskError(result.text)
    if isinstance(result, Scored):
        return result
    tidied(job)
    turn = left(job.note)
    if _silent(result, turn):
        if turn.whose == MAKING:
            what = (
                f'The policy {job.manner.policy!r} was not created within {job.making:g} s: its module or its constructor does not return.'
            )
            raise TaskError(f'{what} Fix the policy; finished episodes are kept.')
        return Scored(Result.blank(job.trial, 'failure', str(PolicyFault(SILENT, f'It gave no answer in {job.manner.patience:g} s.'))))
    if turn.policys or (job.manner.foreign and not result.trace and result.code not in _FROM_OUTSIDE):
        return Scored(Result.blank(job.trial, 'failure', str(PolicyFault(DIED, result.cause))))
    return Scored(Result.blank(job.trial, 'unobservable', f'bench: {result.cause}'))


def _silent(lost: workers.Lost, turn: TurnNote) -> bool:
    """Return whether a process was killed because the policy took too long."""
    return turn.policys and (turn.over or lost.late)
