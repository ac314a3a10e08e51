"""Jobs on many cores, one at a time in each of several processes: what becomes of one costs no other."""

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
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from threading import Thread
from typing import Generic, TypeAlias, TypeVar

from vlm_bench_sim.core.errors import ConfigError

J = TypeVar('J')
R = TypeVar('R')

_LIBRARIES = ('numpy', 'scipy.spatial', 'pybullet', 'pinocchio', 'coal', 'ompl', 'toppra', 'trimesh', 'cv2', 'moderngl', 'pydantic')
"""That most work needs; to import them takes as long as to play an episode. What is ours comes from where this process has it from."""

# A fork of this process would share its locks and graphics context; one of a server that has neither does not.
_FORKS = get_context('forkserver')
_FORKS.set_forkserver_preload([*_LIBRARIES])
_GRACE_S = 5.0
_LOOK_S = 1.0  # after which a worker is seen to have died whose own processes keep its end of the pipe open


@dataclass(frozen=True)
class Lost:
    """What came of a job that gave no result.

    Attributes:
        cause: in words.
        trace: the traceback, where it raised.
        code: exit code of its process, negative for a signal; None where that did not end by itself.
        late: it was ended because it took too long.
    """

    cause: str
    trace: str = ''
    code: int | None = None
    late: bool = False


Results: TypeAlias = Generator[tuple[J, R | Lost], None, None]
"""Each job with what came of it; `close` ends the workers."""
Pulse: TypeAlias = Callable[[J], tuple[object, float]]
"""What the process that does a job is at, which is another thing whenever it has gone on, and wall-clock s that it may stay at that."""


def lost_to(error: Exception) -> Lost:
    """Return what became of a job that raised."""
    return Lost(f'{type(error).__name__}: {error}', ''.join(traceback.format_exception(error)))


def play(
    jobs: Iterable[J], work: Callable[[J], R], *, workers: int, patience: float | None = None, pulse: Pulse[J] | None = None
) -> Results[J, R]:
    """Do jobs in processes, and yield each with its result as it ends.

    A job that raises, kills its worker, takes longer than `patience` or has no pulse comes back as `Lost`; its worker is replaced if need
    be and the others go on. A job may start processes of its own. No worker outlives the iteration, nor this process, and nor do those it
    started, unless they leave its process group.

    Args:
        jobs: values that can be sent to a process; each is asked for when a worker is free.
        work: a function of a module, which every worker imports.
        workers: processes, from 1.
        patience: wall-clock s for a job, from when its worker takes it up; None: as long as it takes.
        pulse: is asked here, not there, what a job is at; None: jobs are trusted to go on.

    Raises:
        ConfigError: there is no worker, or no time.
    """
    if workers < 1:
        raise ConfigError(f'At least one worker is needed; found {workers}.')
    if patience is not None and not patience > 0.0:
        raise ConfigError(f'A job needs wall-clock seconds above 0; found {patience:g}. Give it more time.')
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
    """One place to work at: a process, and another one where that has died."""

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
        """Begin a job."""
        if self._process is None:
            self._process, self.pipe = self._started()
        self.job, self.busy, self.deadline = job, True, inf
        self._at, self._since = None, time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):  # who died while idle is heard of like any other
            self.pipe.send(job)

    def hear(self) -> bool:
        """Take what the process says, or that it says nothing any more; True once the job is over and `result` holds."""
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
        """Tell whether its job has run out of time, as a whole or at what it is at."""
        at, seconds = self._pulse(self.job)
        if at != self._at:
            self._at, self._since = at, now
        self._still = seconds
        return now >= min(self.deadline, self._since + seconds)

    @property
    def dead(self) -> bool:
        """True where the process has ended."""
        return self._process is not None and not self._process.is_alive()

    def kill(self, grace: float = 0.0) -> int | None:
        """End the process and those it started, whatever they do; `grace` s are left to it to end by itself: its exit code, or None."""
        atexit.unregister(self.kill)
        process, self._process = self._process, None
        if process is None:
            return None
        process.join(grace)
        code = process.exitcode
        if process.pid:
            with suppress(ProcessLookupError):  # it has no group of its own yet, or left nobody in it
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
        what = f'It took longer than {self._patience:g} s' if whole else f'It stood still for {self._still:g} s'
        return Lost(f'{what} and was ended.', late=True)

    def _over(self, result: R | Lost) -> None:
        self.result, self.busy, self.deadline = result, False, inf

    def _started(self) -> tuple[ForkServerProcess, Connection]:
        ours, theirs = _FORKS.Pipe()
        process = _FORKS.Process(target=_serve, args=(self._work, theirs, dict(os.environ)), daemon=False)  # a daemon may start none
        resource_tracker.ensure_running()  # or `start` would start it, which unblocks the signal
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C reaches them once, through us
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        atexit.register(self.kill)  # before multiprocessing, on its way out, waits for what is no daemon
        theirs.close()  # so that the end of the process is the end of the pipe
        return process, ours


def _heard(busy: 'list[_Worker[J, R]]') -> 'list[_Worker[J, R]]':
    """Wait until a worker says something, dies, or runs out of time, and return those that did."""
    left = min(worker.deadline for worker in busy) - time.monotonic()
    ready = wait([worker.pipe for worker in busy], min(_LOOK_S, max(0.0, left)))
    now = time.monotonic()
    return [worker for worker in busy if worker.overdue(now) or worker.pipe in ready or worker.dead]


def _trusted(_job: object) -> tuple[object, float]:
    return None, inf


def _ending(code: int | None) -> str:
    if code is None:
        return 'Its process let go of its work without ending, and was ended.'
    if code < 0:
        named = {each.value: each.name for each in signal.Signals}  # those between SIGRTMIN and SIGRTMAX have none
        return f'Its process was killed by {named.get(-code, f"signal {-code}")}.'
    return f'Its process ended with exit code {code}.'


def _serve(work: Callable[[J], R], pipe: Connection, environment: dict[str, str]) -> None:
    """Work until nobody asks any more. Each job is answered twice: None when it begins, and what came of it, in a tuple."""
    os.setpgid(0, 0)  # so that it can be ended with all that it starts
    os.environ.clear()  # which is that of when the server of forks began
    os.environ.update(environment)
    Thread(target=_die_with_parent, daemon=True).start()
    with pipe:  # whoever leaves closes it, also where a thread that a job left behind keeps the process alive
        while True:
            try:
                job = pipe.recv()
            except EOFError:
                return
            pipe.send(None)
            try:
                pipe.send((work(job),))
            except Exception as error:  # noqa: BLE001 (whatever it is, a result that cannot be sent too, it is told and the next job is done)
                pipe.send((lost_to(error),))


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)
