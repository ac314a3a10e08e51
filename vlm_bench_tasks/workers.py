"""Run jobs in several worker processes. A job that fails or hangs does not affect the others."""

import atexit
import os
import signal
import time
import traceback
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from math import inf
from multiprocessing import forkserver, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Thread
from typing import Generic, TypeAlias, TypeVar

from vlm_bench_sim.core.errors import ConfigError

J = TypeVar('J')
R = TypeVar('R')

_LIBRARIES = ('numpy', 'scipy.spatial', 'pinocchio', 'coal', 'ompl', 'toppra', 'trimesh', 'cv2', 'moderngl', 'pydantic')
_CLIENT = 'vlm_bench_sim.bullet.client'  # imports pybullet without a word
_PACKAGES = Path(__file__).resolve().parents[1]

# Forking this process would copy its locks and graphics context. Forking a server that has neither is safe. Most jobs need these libraries,
# and importing them takes as long as an episode.
_FORKS = get_context('forkserver')
_FORKS.set_forkserver_preload([*_LIBRARIES, _CLIENT])
_GRACE_S = 5.0
_LOOK_S = 1.0  # s between checks for workers that died while their child processes keep the worker's end of the pipe open


@dataclass(frozen=True)
class Lost:
    """Why a job gave no result.

    Attributes:
        cause: the reason in words.
        trace: the traceback, if the job raised.
        code: exit code of its process, negative for a signal; None if the process did not end by itself.
        late: the job was ended because it took too long.
    """

    cause: str
    trace: str = ''
    code: int | None = None
    late: bool = False


Results: TypeAlias = Generator[tuple[J, R | Lost], None, None]
"""Each job with its result, or with the reason why it has none; `close` ends the workers."""
Pulse: TypeAlias = Callable[[J], tuple[object, float]]
"""The current phase of a job, a value that changes whenever the job proceeds, and the wall-clock time allowed for this phase, s."""


def start_server() -> None:
    """Start the server that forks the workers, unless it runs.

    It starts in the folder of our packages: Python would take a file of the current folder, such as numpy.py, for a library.
    """
    here = os.open('.', os.O_RDONLY)
    try:
        os.chdir(_PACKAGES)
        forkserver.ensure_running()
    finally:
        os.fchdir(here)
        os.close(here)


def lost_to(error: Exception) -> Lost:
    """Return the reason for a job that raised an exception."""
    return Lost(f'{type(error).__name__}: {error}', ''.join(traceback.format_exception(error)))


def play(
    jobs: Iterable[J], work: Callable[[J], R], *, workers: int, patience: float | None = None, pulse: Pulse[J] | None = None
) -> Results[J, R]:
    """Run jobs in worker processes, and yield each job with its result as soon as it ends.

    A job is returned as `Lost` if it raises, kills its worker, takes longer than `patience` or exceeds the time of its `pulse`. Its worker
    is replaced if necessary, and the other jobs continue. Jobs may start processes. When the iteration or this process ends, all workers
    are ended, and also the processes that they started, except those that left the worker's process group.

    Args:
        jobs: values that can be sent to a process; the next one is taken when a worker is free.
        work: a module-level function; every worker imports it.
        workers: number of processes, from 1.
        patience: timeout of a job, wall-clock s from when a worker starts it; None: no timeout.
        pulse: called in this process, returns the current phase of a job; None: jobs are not checked for progress.

    Raises:
        ConfigError: the number of workers or the timeout is not positive.
    """
    if workers < 1:
        raise ConfigError(f'At least one worker is needed; found {workers}.')
    if patience is not None and not patience > 0.0:
        raise ConfigError(f'The timeout of a job must be above 0 wall-clock s; found {patience:g}. Give it more time.')
    waiting = iter(jobs)
    team = [_Worker(work, inf if patience is None else patience, pulse=pulse or _trusted) for _ in range(workers)]
    try:
        for worker, job in zip(team, waiting, strict=False):
            worker.take(job)
        while busy := [worker for worker in team if worker.busy]:
            for worker in _heard(busy):
                if worker.hear():
                    ended = worker.job, worker.result
                    for job in islice(waiting, 1):
                        worker.take(job)
                    yield ended
    finally:
        for worker in team:
            worker.kill()


class _Worker(Generic[J, R]):
    """One worker slot: a process, which is replaced when it dies."""

    job: J
    result: R | Lost
    pipe: Connection

    def __init__(self, work: Callable[[J], R], patience: float, *, pulse: Pulse[J]) -> None:
        self._work, self._patience, self._pulse = work, patience, pulse
        self._process: ForkServerProcess | None = None
        self.busy, self.deadline = False, inf
        self._at: object = None
        self._since, self._still = 0.0, inf

    def take(self, job: J) -> None:
        """Start a job."""
        if self._process is None:
            self._process, self.pipe = self._started()
        self.job, self.busy, self.deadline = job, True, inf
        self._at, self._since = None, time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):  # a worker that died while idle is detected like any other
            self.pipe.send(job)

    def hear(self) -> bool:
        """Read what the process sent, or notice that it died; return True once the job is over and `result` is set."""
        try:
            if not self.pipe.poll():
                self._over(self._ended() if self.dead else self._too_long())
            elif (said := self.pipe.recv()) is None:
                self.deadline = time.monotonic() + self._patience
            else:
                self._over(said[0])
        except (EOFError, OSError):
            self._over(self._ended(_GRACE_S))
        return not self.busy

    def overdue(self, now: float) -> bool:
        """Return whether the job has exceeded its timeout or that of its current phase."""
        at, seconds = self._pulse(self.job)
        if at != self._at:
            self._at, self._since = at, now
        self._still = seconds
        return now >= min(self.deadline, self._since + seconds)

    @property
    def dead(self) -> bool:
        """Whether the process has ended."""
        return self._process is not None and not self._process.is_alive()

    def kill(self, grace: float = 0.0) -> int | None:
        """End the process and those it started, after at most `grace` s; return the exit code, or None if it did not end by itself."""
        atexit.unregister(self.kill)
        process, self._process = self._process, None
        if process is None:
            return None
        process.join(grace)
        code = process.exitcode
        if process.pid:
            with suppress(ProcessLookupError):  # the process has no group of its own yet, or the group is empty
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.join()
        self.pipe.close()
        return code

    def _ended(self, grace: float = 0.0) -> Lost:
        code = self.kill(grace)
        return Lost(_ending(code), code=code)

    def _too_long(self) -> Lost:
        self.kill()
        whole = time.monotonic() >= self.deadline
        what = f'It took longer than {self._patience:g} s' if whole else f'It made no progress for {self._still:g} s'
        return Lost(f'{what} and was ended.', late=True)

    def _over(self, result: R | Lost) -> None:
        self.result, self.busy, self.deadline = result, False, inf

    def _started(self) -> tuple[ForkServerProcess, Connection]:
        ours, theirs = _FORKS.Pipe()
        process = _FORKS.Process(target=_serve, args=(self._work, theirs, dict(os.environ)), daemon=False)  # daemons may have no children
        resource_tracker.ensure_running()  # otherwise `start` would start it, which unblocks the signal
        start_server()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C must reach the workers only once, through this process
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        atexit.register(self.kill)  # runs before multiprocessing waits at exit for processes that are not daemons
        theirs.close()  # the pipe then closes when the process ends
        return process, ours


def _heard(busy: 'list[_Worker[J, R]]') -> 'list[_Worker[J, R]]':
    """Wait until a worker sends something, dies or exceeds its timeout, and return all such workers."""
    left = min(worker.deadline for worker in busy) - time.monotonic()
    ready = wait([worker.pipe for worker in busy], min(_LOOK_S, max(0.0, left)))
    now = time.monotonic()
    return [worker for worker in busy if worker.overdue(now) or worker.pipe in ready or worker.dead]


def _trusted(_job: object) -> tuple[object, float]:
    return None, inf


def _ending(code: int | None) -> str:
    if code is None:
        return 'Its process closed the connection but kept running, and was ended.'
    if code < 0:
        named = {each.value: each.name for each in signal.Signals}  # signals between SIGRTMIN and SIGRTMAX have no names
        return f'Its process was killed by {named.get(-code, f"signal {-code}")}.'
    return f'Its process ended with exit code {code}.'


def _serve(work: Callable[[J], R], pipe: Connection, environment: dict[str, str]) -> None:
    """Run jobs until the pipe is closed. Send two answers per job: None when it starts, and its result in a tuple at the end."""
    os.setpgid(0, 0)  # the process can then be killed together with the processes it starts
    os.environ.clear()  # the inherited environment is that of the fork server at its start
    os.environ.update(environment)
    Thread(target=_die_with_parent, daemon=True).start()
    with pipe:  # closes the pipe on exit, even if a thread that a job left behind keeps the process alive
        while True:
            try:
                job = pipe.recv()
            except EOFError:
                return
            pipe.send(None)
            try:
                pipe.send((work(job),))
            except Exception as error:  # noqa: BLE001 (any error is reported, also that of a result that cannot be sent, and the next job starts)
                pipe.send((lost_to(error),))


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)
