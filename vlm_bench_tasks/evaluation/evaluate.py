"""An evaluation: every episode played in processes of its own, whatever the policy does to them, and the report that they come to."""

import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks import workers
from vlm_bench_tasks.evaluation.faults import DIED, SILENT, PolicyFault
from vlm_bench_tasks.evaluation.finished import finished
from vlm_bench_tasks.evaluation.partial import Partial
from vlm_bench_tasks.evaluation.plan import Job, Plan, noted
from vlm_bench_tasks.evaluation.playing import Refused, Scored, blank, play, pulse, tidied
from vlm_bench_tasks.evaluation.report import Circumstances, EvaluationReport, Key
from vlm_bench_tasks.evaluation.summary import groups, summed
from vlm_bench_tasks.evaluation.watchdog import MAKING, TurnNote, left

_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM)  # as the system kills where memory runs out, and people do

PlayAll = Callable[[list[Job]], Iterator[Scored]]


class Watcher:
    """Is told how an evaluation goes; this one takes no notice."""

    def begun(self, resumed: int) -> None:
        """See it begin, so many episodes having been played by an earlier run."""

    def whole(self) -> None:
        """See that the report was there already, so that nothing is played."""

    def ended(self, scored: Scored) -> None:
        """See an episode end."""

    def seconds(self) -> float:
        """Return the wall-clock time that it has taken so far; 0 where nobody looks at a clock."""
        return 0.0


def evaluated(
    plan: Plan, out: Path, *, processes: int, watcher: Watcher | None = None, play_all: PlayAll | None = None
) -> EvaluationReport:
    """Play what is planned and has not been played yet, or could not be observed, write the report and return it.

    Args:
        plan: what is played.
        out: where the report goes; the episodes of an evaluation that was interrupted lie beside it.
        processes: that play.
        watcher: is told how it goes.
        play_all: plays episodes in another way than in processes of this evaluation's own.

    Raises:
        VlmBenchError: the policy cannot be made, the report cannot be written, or something else is where it shall go.
    """
    watcher, known = watcher or Watcher(), finished(out, plan)
    if not _left(plan, known):
        watcher.whole()
        return EvaluationReport.load(out)
    partial = Partial(out, plan)
    with partial.held():
        known |= partial.read()
        left = _left(plan, known)
        resumed = len(plan.jobs) - len(left)
        watcher.begun(resumed)
        for found in played(left, processes) if play_all is None else play_all(left):
            key = found.score.key
            scored = found.after(*known[key].before) if key in known else found
            partial.add(scored)
            known[key] = scored
            if not scored.again:
                watcher.ended(scored)
        report = reported(plan, known, Circumstances(workers=processes, resumed=resumed, wall_seconds=watcher.seconds()))
        report.save(out)
        partial.remove()
    return report


def _left(plan: Plan, known: dict[Key, Scored]) -> list[Job]:
    """Return the episodes that are still to be played, those included that could not be observed: there the bench was at fault."""
    return [job for job in plan.jobs if job.key not in known or not known[job.key].score.seen]


def reported(plan: Plan, known: dict[Key, Scored], circumstances: Circumstances) -> EvaluationReport:
    """Return the report of all episodes of a plan."""
    scored = [known[job.key] for job in plan.jobs]
    scores = tuple(one.score for one in scored)
    taken = {*plan.conditions.assistance, *(aid for one in scored for aid in one.assistance)}
    conditions = plan.conditions.model_copy(update={'assistance': tuple(sorted(taken))})
    seconds, bags = tuple(one.seconds for one in scored), tuple(one.bag for one in scored)
    earlier = tuple(one.earlier for one in scored)
    told = {'episode_seconds': seconds, 'bags': bags if any(bags) else (), 'earlier': earlier if any(earlier) else ()}
    return EvaluationReport(
        policy=plan.manner.policy,
        code=plan.manner.code,
        options=plan.options,
        isolation=plan.isolation,
        conditions=conditions,
        decides=conditions.decides,
        groups=groups(scores),
        overall=summed(scores),
        episodes=scores,
        circumstances=circumstances.model_copy(update=told),
    )


def played(jobs: list[Job], processes: int) -> Iterator[Scored]:
    """Yield each episode as it ends. One whose process died is yielded as such and played once more, unless the policy was too slow.

    Raises:
        TaskError: the policy cannot be made.
    """
    with tempfile.TemporaryDirectory(prefix='vlm_bench_') as folder:
        first = noted(tuple(jobs), Path(folder))
        again: list[Job] = []
        for job, result in workers.play(first, play, workers=processes, pulse=pulse):
            if isinstance(result, workers.Lost) and not _silent(result, left(job.note)):
                job.note.unlink(missing_ok=True)  # so that it is not taken for that of a process that dies before it has begun
                again.append(job)
                yield Scored(blank(job, 'unobservable', f'bench: {result.cause}'), again=True)
            else:
                yield _taken(job, result)
        for job, result in workers.play(again, play, workers=processes, pulse=pulse):
            yield _taken(job, result)


def _taken(job: Job, result: Scored | Refused | workers.Lost) -> Scored:
    if isinstance(result, Refused):
        raise TaskError(result.text)
    if isinstance(result, Scored):
        return result
    tidied(job)
    turn = left(job.note)
    if _silent(result, turn):
        if turn.whose == MAKING:
            what = f'The policy {job.manner.policy!r} was not made in {job.making:g} s: its module, or its class, does not come to an end.'
            raise TaskError(f'{what} Mend it; episodes that have ended are kept.')
        return Scored(blank(job, 'failure', str(PolicyFault(SILENT, f'It gave no answer in {job.manner.patience:g} s.'))))
    if turn.policys or (job.manner.foreign and not result.trace and result.code not in _FROM_OUTSIDE):
        return Scored(blank(job, 'failure', str(PolicyFault(DIED, result.cause))))
    return Scored(blank(job, 'unobservable', f'bench: {result.cause}'))


def _silent(lost: workers.Lost, turn: TurnNote) -> bool:
    """Tell whether a process was ended because the policy took too long."""
    return turn.policys and (turn.over or lost.late)
