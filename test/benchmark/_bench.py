"""A whole bench over ROS, as processes in a domain of its own, and a node that starts its episodes and watches its clock."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from tempfile import TemporaryFile
from typing import IO, Any

import rclpy

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import fill
from vlm_bench_sim.ros.fields import read_stamp
from vlm_bench_tasks.graph import bench, environment
from vlm_bench_tasks.launching.processes import command

OK, SUCCESS = 1, 1  # of Result and Report
PATIENCE_S = 60.0
SETTLE_S = 0.5


@dataclass(frozen=True)
class Tick:
    """A control period as it was heard of: its number, its simulated time (ns), when it came (s of wall clock), whether the robot moved."""

    seq: int
    ns: int
    came: float
    busy: bool


@dataclass
class Played:
    """An episode that was played: its ticks and its report.

    `seconds` of simulated time passed in `wall` seconds between the first tick and the last.
    """

    ticks: list[Tick] = field(default_factory=list)
    report: Any = None

    @property
    def seconds(self) -> float:
        return (self.ticks[-1].ns - self.ticks[0].ns) / 1e9

    @property
    def wall(self) -> float:
        return self.ticks[-1].came - self.ticks[0].came


class Processes:
    """The processes of a bench by name, and whoever else is started."""

    def __init__(self) -> None:
        self._running: dict[str, tuple[subprocess.Popen[str], IO[str]]] = {}

    def start(self, name: str, words: list[str]) -> None:
        """Start a process; what it says is kept."""
        complaints = TemporaryFile('w+')  # noqa: SIM115 - open as long as the process runs
        process = subprocess.Popen(words, start_new_session=True, stdout=subprocess.PIPE, stderr=complaints, text=True)
        self._running[name] = (process, complaints)

    def speaks(self, name: str) -> bool:
        """Tell whether a process has said something."""
        return bool(select([self._running[name][0].stdout], [], [], 0.0)[0])

    def check(self) -> None:
        """Raise what a process had to complain of if one has ended."""
        for name, (process, complaints) in self._running.items():
            if process.poll() is not None:
                complaints.seek(0)
                raise RuntimeError(f'{name} has ended: {complaints.read()}')

    def peaks(self) -> dict[str, float]:
        """Return the most memory that each process has held so far, MB."""
        return {name: _peak(process.pid) for name, (process, _) in self._running.items()}

    def end(self, name: str) -> str:
        """Interrupt a process and return what it printed."""
        process, complaints = self._running.pop(name)
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=10.0)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[0]
        finally:
            complaints.close()

    def end_all(self) -> None:
        """Interrupt all of them at once, and wait for each."""
        for process, _ in self._running.values():
            process.send_signal(signal.SIGINT)
        for name in list(self._running):
            self.end(name)


class Watcher:
    """Starts episodes and notes every tick.

    Args:
        processes: of the bench; when one of them ends, so does waiting.
    """

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self.node = BenchNode('benchmark', {})
        self._start = self.node.client(names.START_EPISODE)
        self._played: dict[str, Played] = {}
        self.node.subscribe(names.TICK, self._on_tick)
        self.node.subscribe(names.REPORT, self._on_report)

    def episode(self, seed: int) -> Played:
        """Run the bench's own task to its verdict."""
        self.ask(self._start, {'task': '?'})  # until it answers: from then on no answer is lost
        self.wait(lambda: self.node.is_told(names.TICK), 'the simulator')
        self.settle()  # it may not know yet who listens
        future = self._start.call_async(fill(self._start.srv_type.Request(), {'seed': seed}))
        self.wait(future.done, 'the episode to start')
        answer = future.result()
        if answer.result.result != OK:
            raise RuntimeError(answer.result.error_message)
        played = self._played.setdefault(answer.token, Played())
        self.wait(lambda: played.report is not None, 'a report')
        return played

    def ask(self, client: Any, content: dict[str, Any]) -> Any:
        """Ask a service that may be asked twice, and return its answer."""
        answer = self.node.call(client, content)
        self.wait(answer.done, f'an answer of {client.srv_name}')
        return answer.result()

    def wait(self, done: Callable[[], bool], what: str) -> None:
        """Listen until something is so."""
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            if time.monotonic() > deadline:
                raise TimeoutError(f'Waited {PATIENCE_S:g} s for {what}.')
            self._processes.check()
            self.node.spin_once(0.1)

    def settle(self) -> None:
        """Let what is under way arrive."""
        until = time.monotonic() + SETTLE_S
        self.wait(lambda: time.monotonic() > until, 'the clock')

    def _on_tick(self, tick: Any) -> None:
        heard = Tick(tick.seq, read_stamp(tick.header.stamp), time.monotonic(), tick.arm_busy or tick.gripper_busy)
        self._played.setdefault(tick.token, Played()).ticks.append(heard)

    def _on_report(self, report: Any) -> None:
        self._played.setdefault(report.token, Played()).report = report


@contextmanager
def running(**settings: Any) -> Iterator[tuple[Watcher, Processes]]:
    """Run a bench with these settings of the graph, in ROS_DOMAIN_ID or else in a domain of this process's own."""
    os.environ.setdefault('ROS_DOMAIN_ID', str(2 * (os.getpid() % 50)))
    os.environ.update(environment(os.environ))
    processes = Processes()
    rclpy.init(args=[])
    watcher = Watcher(processes)
    try:
        for spec in bench(settings | {'autostart': False}):
            processes.start(spec.name, command(spec))
        yield watcher, processes
    finally:
        processes.end_all()
        watcher.node.close()
        rclpy.try_shutdown()


def module(name: str, *words: str) -> list[str]:
    """Return the command line that runs a module of this folder."""
    return [sys.executable, '-m', f'{__package__}.{name}', *words]


def real_time(played: list[Played]) -> str:
    """Say how much simulated time passed in how much of the wall clock.

    Raises:
        RuntimeError: an episode was cut short, so that the figures would not be worth reading.
    """
    wrong = [f'{one.report.verdict}: {"; ".join(one.report.causes)}' for one in played if one.report.verdict != SUCCESS]
    if wrong:
        raise RuntimeError(f'The oracle was to solve each episode; these ended otherwise: {wrong}.')
    seconds, wall = sum(one.seconds for one in played), sum(one.wall for one in played)
    each = ', '.join(f'{one.seconds / one.wall:.2f}' for one in played)
    return f'real-time factor {seconds / wall:.2f} ({seconds:.1f} s simulated in {wall:.1f} s, planning included; episodes {each})'


def shares(peaks: dict[str, float]) -> str:
    """Say how much memory each process has held at most."""
    return ', '.join(f'{name} {peak:.0f} MB' for name, peak in peaks.items())


def _peak(pid: int) -> float:
    status = Path(f'/proc/{pid}/status')
    kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith('VmHWM'))
    return int(kilobytes) / 1000
