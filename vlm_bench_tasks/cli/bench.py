"""Start the nodes of the graph as processes, watch them, and end them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import yaml
from rich.console import Console

from vlm_bench_sim.bags.folder import check_folder
from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.graph import SETTINGS, NodeSpec, bench, environment

GRACE_S = 4.0
BAG_PATIENCE_S = 10.0
VERDICTS = {1: 'success', 2: 'failure', 3: 'unobservable'}


def extra(settings: list[str]) -> dict[str, Any]:
    """Return `name:=value` strings as settings.

    Raises:
        ConfigError: one is malformed or unknown.
    """
    values: dict[str, Any] = {}
    for text in settings:
        name, separator, value = text.partition(':=')
        if not separator or name not in SETTINGS:
            raise ConfigError(f'--set takes name:=value; found {text!r}. {near(name, SETTINGS)}')
        default = SETTINGS[name].default
        values[name] = value if isinstance(default, str) else type(default)(yaml.safe_load(value))
    return values


def up(values: dict[str, Any], console: Console, *, once: bool) -> int:
    """Run the bench until it is interrupted, a node ends, or (`once`) the first report comes. Returns the exit code.

    Raises:
        VlmBenchError: a setting is wrong, or bags cannot be written; before any node is started.
    """
    report, _ = run(values, console, once=once)
    if not once:
        return 0 if report is None else 1
    return 0 if report is not None and getattr(report, 'verdict', 0) == 1 else 1


def run(values: dict[str, Any], console: Console, *, once: bool) -> tuple[Any, float]:
    """Run the bench; return the first report if `once` (None if it never came) and the wall-clock seconds until then."""
    if values.get('record'):
        values = values | {'record': str(check_folder(Path(values['record']).absolute()))}
    specs = bench(values)
    catalogue.build(values['task'], values['split'], values['seed'], values['axis'])
    began = time.monotonic()
    with _processes(specs, console) as processes, _listener() as reports:
        while True:
            reports.spin(0.2)
            if once and reports.newest is not None:
                seconds = time.monotonic() - began
                _await_bag(values.get('record'))
                return reports.newest, seconds
            for spec, process in zip(specs, processes, strict=True):
                if process.poll() is not None:
                    console.print(f'[bold red]{spec.name} has ended with exit code {process.returncode}; the bench stops.[/]')
                    return ('lost', time.monotonic() - began) if not once else (None, time.monotonic() - began)
            if reports.interrupted:
                return None, time.monotonic() - began


def command(spec: NodeSpec) -> list[str]:
    """Return the command line that starts a node."""
    words = [sys.executable, '-m', spec.module, '--ros-args', '-r', f'__node:={spec.name}']
    for name, value in spec.parameters.items():
        words += ['-p', f'{name}:={json.dumps(value)}']  # JSON is YAML, which is what ROS reads here
    return words


@contextmanager
def _processes(specs: tuple[NodeSpec, ...], console: Console) -> Iterator[list[subprocess.Popen[bytes]]]:
    os.environ.update(environment(os.environ))
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for spec in specs:
            console.print(f'starting {spec.name}', style='dim')
            # In a session of their own, so that Ctrl-C reaches them once, through us.
            processes.append(subprocess.Popen(command(spec), start_new_session=True))
        yield processes
    finally:
        _end(processes)


def _await_bag(folder: str | None) -> None:
    """Wait until the recorder has closed the bag that it is writing."""
    deadline = time.monotonic() + BAG_PATIENCE_S
    while folder and time.monotonic() < deadline and any(Path(folder).glob('.*.part')):
        time.sleep(0.05)


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + GRACE_S
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class _Reports:
    """Listens for the final report, with a node of its own."""

    def __init__(self) -> None:
        from vlm_bench_sim.nodes.bench_node import BenchNode
        from vlm_bench_sim.ros import names

        self.newest: Any = None
        self.interrupted = False
        self._node = BenchNode('vlm_bench_up', {})
        self._node.subscribe(names.REPORT, self._on_report)

    def spin(self, seconds: float) -> None:
        """Listen for a while."""
        self._node.spin_once(seconds)

    def interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Take note of a signal."""
        self.interrupted = True

    def close(self) -> None:
        """Free the node."""
        self._node.close()

    def _on_report(self, report: Any) -> None:
        self.newest = report


@contextmanager
def _listener() -> Iterator[_Reports]:
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    reports = _Reports()
    before = {number: signal.signal(number, reports.interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield reports
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        reports.close()
        rclpy.try_shutdown()
