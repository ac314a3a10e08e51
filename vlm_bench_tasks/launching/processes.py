"""Run the nodes of a graph as processes: start them, handle signals, end them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from types import FrameType, TracebackType

from rich.console import Console

from vlm_bench_sim.assets import config
from vlm_bench_sim.ros import keyring
from vlm_bench_sim.ros.orphan import PARENT
from vlm_bench_sim.ros.start import SIGNED
from vlm_bench_tasks.graph import NodeSpec, environment

GRACE_S = 10.0
UNSIGNED = ('policy_node', 'planner_node', 'actor_node')
"""Nodes that act like a policy. They use public names only and get no key, because they may run untrusted code."""

Processes = dict[str, subprocess.Popen[bytes]]
NOTHING: Mapping[str, tuple[int, ...]] = {}


def command(spec: NodeSpec) -> list[str]:
    """Return the command line that starts a node."""
    words = [sys.executable, '-m', spec.module, '--ros-args', '-r', f'__node:={spec.name}']
    for name, value in spec.parameters.items():
        words += ['-p', f'{name}:={json.dumps(value)}']  # ROS parses YAML, and JSON is valid YAML
    return words


PROFILES = 'FASTDDS_DEFAULT_PROFILES_FILE'


def sockets(present: Mapping[str, str]) -> dict[str, str]:
    """Return the variable with which a process that outlives nodes hears those that come in their places; a profile of the user's stays.

    Fast DDS may take the port of a node that has ended in order for alive, and what is written to it in shared memory is lost.
    """
    ours = present.get(PROFILES) == str(config('fastdds.xml'))
    return {PROFILES: str(config('fastdds_sockets.xml'))} if ours else {}


def start(spec: NodeSpec, *, signed: bool, descriptors: tuple[int, ...] = ()) -> 'subprocess.Popen[bytes]':
    """Start a node as a child process; in a signed bench it gets the key, unless it acts as a policy does.

    One that inherits descriptors stays when others are started again.
    """
    signed = signed and spec.name not in UNSIGNED
    interpreter, option, *words = command(spec)
    words = [interpreter, option, 'vlm_bench_sim.ros.start', *([SIGNED] if signed else []), *words]
    # In their own session, so that Ctrl-C reaches them only once, through this process.
    with keyring.offer() if signed else nullcontext() as asked:
        return subprocess.Popen(
            words, stdin=None if asked is None else asked.fileno(), start_new_session=True, pass_fds=descriptors,
            env=os.environ | {PARENT: str(os.getpid())} | (sockets(os.environ) if descriptors else {}),
        )  # fmt: skip


class Signals:
    """Records Ctrl-C and similar signals, from before the first node starts until the last one has ended."""

    def __init__(self) -> None:
        self.seen = False

    def __enter__(self) -> 'Signals':
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup ignores this signal
            numbers.append(signal.SIGHUP)
        self._before = {number: signal.signal(number, self._take) for number in numbers}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self.seen = True


def ended(processes: Processes, name: str) -> bool:
    """Return whether that node was started and has ended."""
    return name in processes and processes[name].poll() is not None


@contextmanager
def running(
    specs: tuple[NodeSpec, ...], console: Console, signals: Signals, *, signed: bool, descriptors: Mapping[str, tuple[int, ...]] = NOTHING
) -> Iterator[Processes]:
    """Start the nodes as a context, with the bench's key if `signed`, and end them on exit; a signal received meanwhile stops the start.

    `descriptors` are what each node inherits, by its name.
    """
    os.environ.update(environment(os.environ))
    processes: Processes = {}
    try:
        for spec in specs:
            if signals.seen:
                break
            console.print(f'starting {spec.name}', style='dim', markup=False)
            processes[spec.name] = start(spec, signed=signed, descriptors=descriptors.get(spec.name, ()))
        yield processes
    finally:
        end(processes, lambda text: console.print(text, markup=False))


def end(processes: Processes, say: Callable[[str], None]) -> None:
    """End processes, and kill those that do not; `say` tells a person of those."""
    for process in processes.values():
        if process.poll() is None:
            process.terminate()  # on SIGINT, a Python process that is still importing would print a traceback
    deadline = time.monotonic() + GRACE_S
    for name, process in processes.items():
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            say(f'{name} did not end within {GRACE_S:g} s and was killed.')
            process.kill()
            process.wait()
