"""Try on this machine what an episode needs, and say how long it takes beside a reference. Each in a process of its own, with a timeout.

The reference machine has 2 cores of an x86-64 server (Intel Xeon, AVX-512) and no GPU: Mesa's llvmpipe draws. Each number is the median of
seven runs of `vlm-bench doctor` there, one after the other; runs differ by up to 1.6 times, also since the machine is shared.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from vlm_bench_tasks import workers
from vlm_bench_tasks.console.findings import SETUP, Check, not_tried
from vlm_bench_tasks.workers import Lost

PATIENCE_S = 30.0
SLOW = 5.0
"""So many times slower than the reference, a row says what that means."""


@dataclass(frozen=True)
class Reference:
    """How long something takes on the reference machine.

    Attributes:
        value: measured there.
        unit: written behind the number.
        meaning: of a slow one, and what may help, in a sentence.
        rate: True if more is better.
    """

    value: float
    unit: str
    meaning: str
    rate: bool = False

    def check(self, name: str, measured: float) -> Check:
        """Return the row of what was measured here, with a hint if it is slow."""
        found = f'{measured:.2g} {self.unit} (reference {self.value:.2g} {self.unit})'
        factor = self.value / measured if self.rate else measured / self.value
        return Check(name, found, hint=f'{factor:.0f} times slower than the reference. {self.meaning}{_load()}' if factor >= SLOW else '')


@dataclass(frozen=True)
class Tryout:
    """Something to try.

    Attributes:
        reference: its time on the reference machine.
        remedy: what to do if it fails.
        needs: names of the rows without which it cannot work.
    """

    reference: Reference
    remedy: str
    needs: tuple[str, ...]


_LIBRARIES = ('numpy', 'pybullet', 'pinocchio', 'coal', 'ompl', 'toppra', 'moderngl', 'cv2')  # those that `workers` and a bench import
TRYOUTS: Mapping[str, Tryout] = MappingProxyType(
    {
        'picture': Tryout(
            Reference(2.9, 'ms', 'Episodes with cameras take longer. A GPU with its EGL driver, smaller pictures or fewer cameras help.'),
            'Set LIBGL_ALWAYS_SOFTWARE=1 to draw without the driver of a GPU. If that helps, renew the driver.',
            ('renderer', *_LIBRARIES),
        ),
        'plan': Tryout(
            Reference(0.17, 's', 'The expert and policies that give tool poses take longer; simulated time waits for them.'),
            f'{SETUP} `vlm-bench run` shows more.',
            _LIBRARIES,
        ),
        'physics': Tryout(
            Reference(21.0, 'x real time', 'Episodes take longer; below 1, mode:=realtime cannot be kept.', rate=True),
            f'{SETUP} `vlm-bench run` shows more.',
            _LIBRARIES,
        ),
    }
)


def tried(earlier: Iterable[Check], say: Callable[[str], None]) -> Iterator[Check]:
    """Yield the rows of a picture, a plan and some physics.

    Args:
        earlier: rows of what they need.
        say: is told what is being tried.
    """
    wrong = [check.name for check in earlier if not check.ok]
    for name, tryout in TRYOUTS.items():
        if lacking := [need for need in tryout.needs if need in wrong]:
            yield not_tried(name, f'it needs {" and ".join(lacking)}')
            continue
        say(name)
        result = alone(sample, name)
        if isinstance(result, Lost):
            yield failed(name, result, tryout.remedy)
        else:
            yield tryout.reference.check(name, result)


def start_server() -> None:
    """Start the server that forks the processes, with no output: libraries print when they are imported, and drivers at any time."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    try:
        with open(os.devnull, 'wb') as nothing:
            for stream in (1, 2):
                os.dup2(nothing.fileno(), stream)
        workers.start_server()
    finally:
        for stream, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, stream)
            os.close(copy)


def sample(name: str) -> float:
    """Return what that tryout measures. Called in a process of its own."""
    measure: Callable[[], float] = getattr(import_module('vlm_bench_tasks.console.samples'), name)
    return measure()


def alone(work: Callable[[workers.J], workers.R], job: workers.J, patience: float = PATIENCE_S) -> workers.R | Lost:
    """Return the result of a job that runs in a process of its own, or why there is none. The process is gone afterwards."""
    try:
        with closing(workers.play([job], work, workers=1, patience=patience)) as results:
            return next(result for _, result in results)
    except (OSError, EOFError) as error:  # the server that forks the processes has ended
        return unstarted(error)


def unstarted(error: Exception) -> Lost:
    """Return the reason for a job whose process could not be started."""
    return Lost(f'Its process cannot be started: {error or type(error).__name__}')


def failed(name: str, lost: Lost, remedy: str) -> Check:
    """Return the row of something that gave no result."""
    if lost.late:
        return Check(name, lost.cause, f'Try again when the machine is idle. {remedy}')
    return Check(name, lost.cause, remedy)


def _load() -> str:
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    return f' The load is {load:.1f} on {cores} cores: end other programs.' if load > cores else ''
