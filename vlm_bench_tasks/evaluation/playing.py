"""Play one episode of an evaluation, in a worker process."""

import shutil
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from pathlib import Path

from vlm_bench_sim.bags.folder import bag_name, part_of
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import BagError, VlmBenchError
from vlm_bench_tasks import policies
from vlm_bench_tasks.dataset.exports.numbers import gripper_number
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.evaluation import aids
from vlm_bench_tasks.evaluation.faults import RAISED, PolicyFault, said
from vlm_bench_tasks.evaluation.files import alone
from vlm_bench_tasks.evaluation.guard import Unfit, guarded, raised_in
from vlm_bench_tasks.evaluation.plan import Job, Manner
from vlm_bench_tasks.evaluation.server_observations import ServerObservations
from vlm_bench_tasks.evaluation.watchdog import BENCH, MAKING, POLICY, TurnNote, Watchdog, left
from vlm_bench_tasks.goal_number import facts
from vlm_bench_tasks.judging.report import Report
from vlm_bench_tasks.judging.statistics import trend
from vlm_bench_tasks.policies.arguments import Arguments
from vlm_bench_tasks.policy import Player
from vlm_bench_tasks.result import Result
from vlm_bench_tasks.run import Bench, Run, bench_for, forget_benches
from vlm_bench_tasks.trial import Trial

BENCH_S = 1200.0
"""Timeout for the bench between two answers, for building a scene, planning or executing a command, wall-clock s."""
GRACE_S = 5.0
"""Wall-clock time by which the kill from outside waits for the interpreter's own watchdog, which reports more, s."""


@dataclass(frozen=True)
class Scored:
    """The result of a trial, and further data for the report.

    Attributes:
        seconds: wall-clock time of the episode.
        cpu_seconds: CPU time of the episode; 0 if not measured.
        bag: name of its bag; '' if none was recorded.
        assistance: aids that the policy used without having been given them; nodes may ask for aids.
        earlier: why earlier attempts were unobservable, the oldest first.
        again: this evaluation plays the episode once more.
    """

    result: Result
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    bag: str = ''
    assistance: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    again: bool = False

    def after(self, *causes: str) -> 'Scored':
        """Return the result of a repeated episode, with the causes why the earlier attempts were unobservable."""
        return replace(self, earlier=(*causes, *self.earlier))

    @property
    def before(self) -> tuple[str, ...]:
        """Why this unobservable attempt and those before it failed, for the next attempt."""
        return *self.earlier, '; '.join(self.result.causes)


@dataclass(frozen=True)
class Refused:
    """The policy cannot be created in this process, or cannot play under these conditions; the text gives the reason."""

    text: str


def play(job: Job) -> Scored | Refused:
    """Play an episode and score it; for `workers.play`."""
    bench = bench_for(job.trial)
    with Watchdog(job.note, job.manner.patience) as watch:
        try:
            with watch.making(job.making):
                player = _player(job.manner, bench)
        except VlmBenchError as error:
            return Refused(str(error))
        except BaseException as error:  # noqa: BLE001 (untrusted code may raise anything, also SystemExit)
            return Refused(f'The policy {job.manner.policy!r} could not be created: {said(error)}.')
        try:
            episode = job.trial.build()
            guard = guarded(player, watch.turn, may_refuse=not job.manner.served)  # a server may be another one by the next episode
            aided = aids.aided(guard, job.manner.assist, bench, episode)
            run, bag = _run(job, bench, episode, aided, watch)
        except Unfit as error:
            return Refused(f'The policy {job.manner.policy!r} cannot play {job.trial.task!r} like this: {error}')
        except BaseException as error:
            if job.manner.foreign and raised_in(job.manner.policy, error):
                forget()
                forget_benches()  # the bench was interrupted, and its state is undefined
                return Scored(Result.blank(job.trial, 'failure', str(PolicyFault(RAISED, said(error)))))
            if not isinstance(error, VlmBenchError):
                raise
            return Scored(Result.blank(job.trial, 'unobservable', str(error)))  # one scene that cannot be built must not fail the others
        finally:
            player.close()
    if guard.fault:
        forget()
    state_hash = run.hashes[run.report.seq] if run.report.seq < len(run.hashes) else ''
    result = judged(job.trial, episode, run.report).model_copy(
        update={'failures': run.failures, 'state_hash': state_hash, 'trend': trend(run.rewards)}
    )
    if guard.fault and result.seen:
        result = result.model_copy(update={'verdict': Verdict.FAILURE.value, 'causes': (guard.fault,)})
    return Scored(result, run.wall_seconds, run.cpu_seconds, bag)


def _run(job: Job, bench: Bench, episode: Episode, aided: aids.Aided, watch: Watchdog) -> tuple[Run, str]:
    """Play an episode; return the run and the name of its bag, which replaces an older bag of the same episode."""
    if not job.manner.record:
        return bench.run(episode, aided, aided, assisted=aided.assisted), ''
    path = _bag(job)
    with ExitStack() as own:
        with watch.waiting():
            _have(path, own)
        for old in (path, part_of(path)):
            shutil.rmtree(old, ignore_errors=True)
        recorder = Recorder(bench, episode, folder=path.parent, token=job.token)
        try:
            run = bench.run(episode, aided, aided, recorder, assisted=aided.assisted)
            return run, recorder.close(run.report).name
        except BagError:  # the error tells where the data on disk is
            recorder.abort()
            raise
        except BaseException:
            recorder.abort()
            shutil.rmtree(part_of(path), ignore_errors=True)
            raise


def _bag(job: Job) -> Path:
    return Path(job.manner.record) / bag_name(job.trial.task, job.trial.split, job.trial.seed, job.token)


def _lock(path: Path) -> Path:
    return path.with_name(f'.{path.name}.lock')


def _have(path: Path, own: ExitStack) -> None:
    """Wait until no other evaluation records the same episode into this bag."""
    try:
        own.enter_context(alone(_lock(path), wait=True))
    except OSError as error:
        raise BagError(f'The bag {path} could not be started: {error.strerror}. Free some space or name another folder.') from error


def tidied(job: Job) -> None:
    """Remove the lock that a dead process held on its bag, unless another process holds it by now."""
    if job.manner.record and _lock(_bag(job)).exists():
        with suppress(OSError), alone(_lock(_bag(job)), wait=False):
            pass


def judged(trial: Trial, episode: Episode, report: Report) -> Result:
    """Return a trial's result from the judge's report on its episode."""
    return Result.blank(trial, report.verdict.value, *report.causes).model_copy(
        update={
            'instruction': episode.instruction.text,
            'score': report.score,
            'progress': report.progress,
            'reward': report.reward,
            'sim_seconds': report.sim_seconds,
            'violations': report.violations,
            'drops': report.drops,
            'missed': report.failed_leaves,
            **facts(episode),
        }
    )


def pulse(job: Job) -> tuple[TurnNote, float]:
    """Return the current phase of the process that plays an episode, and its timeout; for `workers.play`."""
    turn = left(job.note)
    seconds = {POLICY: job.manner.patience + GRACE_S, MAKING: job.making + GRACE_S, BENCH: BENCH_S}
    return turn, seconds.get(turn.whose, inf)


def _player(manner: Manner, bench: Bench) -> Player:
    """Return the policy: a new object for a built-in policy, otherwise the one that this process keeps."""
    if manner.served:
        from vlm_bench_tasks.evaluation.socket_player import Manners, SocketPlayer  # its libraries are an optional extra

        manners = Manners(
            manner.policy, action=manner.action, rows=manner.rows, seconds=manner.answer_seconds,
            wire=manner.wire, options=manner.arguments,
        )  # fmt: skip
        told = ServerObservations(manner.observation, bench.cameras, lambda: gripper_number(bench.profile, bench.world.snapshot))
        return SocketPlayer(manners, told, kinematics=bench.kinematics)
    return _kept(manner.policy, manner.arguments) if ':' in manner.policy else policies.policy(manner.policy)


@cache
def _kept(name: str, arguments: Arguments) -> Player:
    return policies.policy(name, arguments)


def forget() -> None:
    """Discard the policy that this process keeps. After a fault its state is unknown."""
    _kept.cache_clear()
