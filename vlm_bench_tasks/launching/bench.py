"""Run a bench from the command line: start it, monitor it and shut it down."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from shlex import quote
from typing import Any

from rich.console import Console

from vlm_bench_sim.bags.folder import check_folder
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.engine import NO_ENGINE, PYBULLET, check
from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_sim.ros import installed, keyring
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.graph import ASKED, SETTINGS, NodeSpec, Setting, bag_folder, bench, read
from vlm_bench_tasks.launching import validate
from vlm_bench_tasks.launching.changes import Changes
from vlm_bench_tasks.launching.domain import claimed
from vlm_bench_tasks.launching.listener import Listener, listener
from vlm_bench_tasks.launching.processes import Processes, Signals, ended, running
from vlm_bench_tasks.real_graph import PERSONS, REAL_SETTINGS, real

BAG_PATIENCE_S = 10.0
REPORT_PATIENCE_S = 10.0
STATUS_PATIENCE_S = 5.0
BEGIN_PATIENCE_S = 120.0


@dataclass(frozen=True)
class Graph:
    """A graph that can be started: its settings, its nodes, and whether it includes a simulator."""

    settings: Mapping[str, Setting]
    nodes: Callable[[dict[str, Any]], tuple[NodeSpec, ...]]
    simulated: bool


SIMULATION, REAL = Graph(SETTINGS, bench, simulated=True), Graph(REAL_SETTINGS, real, simulated=False)


def extra(settings: list[str], graph: Graph = SIMULATION) -> dict[str, Any]:
    """Parse `name:=value` strings as settings of a graph.

    Raises:
        ConfigError: a string is malformed, or its setting is unknown.
    """
    values: dict[str, Any] = {}
    for text in settings:
        name, separator, value = text.partition(':=')
        if separator and name in SETTINGS.keys() - graph.settings.keys():
            raise ConfigError(f'{name} is a setting of the simulated bench; a real arm has none. Leave it out.')
        if not separator:
            raise ConfigError(f'--set takes name:=value; found {text!r}. {near(name.partition("=")[0], graph.settings)}')
        if name not in graph.settings:
            raise ConfigError(f'--set knows no argument {quoted(name)}. {near(name, graph.settings)}')
        values[name] = read(name, value, graph.settings)
    return values


def up(values: dict[str, Any], console: Console, *, once: bool, graph: Graph = SIMULATION) -> int:
    """Run a bench until it is interrupted, a node ends, or (`once`) the first report arrives. Returns the exit code.

    Raises:
        VlmBenchError: ROS 2 is missing, a setting is wrong, bags cannot be written, or the domain has another bench. Raised before any
            node is started.
    """
    ending = _run(values, console, once=once, graph=graph)
    if not once:
        return 1 if ending.lost else 0
    return 0 if ending.report is not None and ending.report.verdict == Verdict.SUCCESS.code and not ending.unkept else 1


def run(values: dict[str, Any], console: Console, *, once: bool) -> tuple[Any, float]:
    """Run a simulated bench with its own policy in a free domain; return the first report (None unless `once`) and the elapsed seconds."""
    ending = _run(values, console, once=once, graph=SIMULATION, elsewhere=True)
    return ending.report, ending.seconds


def record(spec: NodeSpec, console: Console) -> int:
    """Record a bench that is already running, until interrupted. Returns the exit code.

    Raises:
        ConfigError: ROS 2 is missing.
        BagError: bags cannot be written to the folder. Raised before anything is started.
    """
    installed.check()  # before a folder is made
    check_folder(Path(spec.parameters['folder']))
    return beside(spec, console)


def beside(spec: NodeSpec, console: Console) -> int:
    """Run a node beside a bench that is already running, until interrupted. Returns the exit code.

    Raises:
        ConfigError: ROS 2 is missing.
    """
    installed.check()
    with Signals() as signals, running((spec,), console, signals, signed=False) as processes:
        while not signals.seen and not ended(processes, spec.name):
            time.sleep(0.1)
        return 0 if signals.seen else 1


@dataclass(frozen=True)
class _Ending:
    """How a bench ended.

    Attributes:
        report: report of its episode; None if there is none.
        seconds: elapsed wall-clock time.
        lost: a node ended, or the monitor did not react to a fault.
        unkept: a bag was started but not completed.
    """

    report: Any
    seconds: float
    lost: bool = False
    unkept: bool = False


def _run(values: dict[str, Any], console: Console, *, once: bool, graph: Graph, elsewhere: bool = False) -> _Ending:
    installed.check()
    with Signals() as signals:
        if values.get('record'):
            values = values | {'record': str(check_folder(Path(bag_folder(values['record'])).absolute()))}
        harder = catalogue.perturbation([values.get('perturb', '')])
        engine = check(values.get('engine', PYBULLET)) if graph.simulated else NO_ENGINE
        catalogue.check_needs(values['task'], engine=engine, perturbation=harder)
        specs = graph.nodes(values)
        asked = {name: graph.settings[name].default for name in ASKED} | values
        episode = catalogue.perturbed(catalogue.build(*(asked[name] for name in ASKED)), harder)
        begins = values.get('autostart', True)
        scored, before, began = values.get('scored', False), _unfinished(values), time.monotonic()

        def settled() -> None:
            _await_bag(lambda: not _unfinished(values) - before or signals.seen or ended(processes, 'recorder_node'))

        with (
            claimed(scored=scored, elsewhere=elsewhere),
            keyring.fresh() as code,
            Changes(lambda to: _changed(graph, values | to), before=settled, offered=graph.simulated and not once) as changes,
            running(changes.leashed(specs), console, signals, signed=True, descriptors=changes.descriptors) as processes,
            listener(scored=scored, wanted=codec.dumps(episode) if begins else '', variables=changes.variables(specs)) as ear,
        ):
            if any(spec.name in PERSONS for spec in specs):
                console.print(f'A person answers with: vlm-bench person. It asks for this code: {code}', highlight=False, markup=False)
            patience = BEGIN_PATIENCE_S if begins and graph.simulated else inf  # a person may take long to lay the table
            lost = _watch(
                processes,
                ear,
                console,
                over=lambda: signals.seen or (once and (ear.report is not None or (begins and ear.refused))),
                patience=patience,
                changes=changes,
            )
            ending = _Ending(ear.report, time.monotonic() - began, lost=lost)
            if ear.report is not None:
                settled()
        left = sorted(_unfinished(values) - before)
        for part in left:
            console.print(
                f'A bag was not completed. See what it holds with: vlm-bench recover {quote(str(part))}', highlight=False, markup=False
            )
        return replace(ending, unkept=bool(left))


class Started:
    """A running bench.

    Args:
        ear: listens to the bench.
        processes: its nodes.
        signals: receives the signals to this process.
    """

    def __init__(self, ear: Listener, processes: Processes, *, signals: Signals) -> None:
        self.ear, self._processes, self._signals = ear, processes, signals

    def lost(self) -> str:
        """Return how a node has ended, in words; '' while all are running."""
        gone = next((name for name in self._processes if ended(self._processes, name)), '')
        return f'{gone} has ended with exit code {self._processes[gone].returncode}' if gone else ''

    def spin(self) -> None:
        """Process messages for a moment.

        Raises:
            KeyboardInterrupt: the run was interrupted.
        """
        if self._signals.seen:
            raise KeyboardInterrupt
        self.ear.spin(0.1)


@contextmanager
def started(values: dict[str, Any], console: Console) -> Iterator[Started]:
    """Start a simulated bench as a context, which ends it on exit.

    Raises:
        ConfigError: ROS 2 is missing.
    """
    installed.check()
    specs, scored = SIMULATION.nodes(values), values.get('scored', False)
    with (
        Signals() as signals,
        claimed(scored=scored),
        keyring.fresh(),
        running(specs, console, signals, signed=True) as processes,
        listener(scored=scored) as ear,
    ):
        yield Started(ear, processes, signals=signals)


def _changed(graph: Graph, values: dict[str, Any]) -> tuple[NodeSpec, ...]:
    """Return the nodes of a bench that starts again, and waits for an episode to be asked for."""
    whole = values | {'autostart': False}
    validate.check(whole, graph.settings)
    return graph.nodes(whole)


def _watch(processes: Processes, ear: Listener, console: Console, *, over: Callable[[], bool], patience: float, changes: Changes) -> bool:
    """Listen until the run is over, or a node has ended or hangs; return whether a node ended or hangs.

    Args:
        processes: the nodes.
        ear: listens to the nodes.
        console: for messages.
        over: returns whether the run is over.
        patience: timeout for the start of the first episode, wall-clock s.
        changes: what its window asks to change.
    """
    began = time.monotonic()
    while not over():
        ear.spin(0.2)
        if changes.turn(processes, lambda text: console.print(text, highlight=False, markup=False)):
            ear.renewed()
            began = time.monotonic()
        fault = ear.unheard(REPORT_PATIENCE_S)
        what = f'{fault}, and the episode has not ended for {REPORT_PATIENCE_S:g} s' if fault else ''
        if others := ear.others():
            what = f'Another bench runs in this ROS domain ({others}); end it, or choose another domain with ROS_DOMAIN_ID'
        if ear.overtaken(REPORT_PATIENCE_S):
            what = f'Another episode has begun, and the report of the requested one has not arrived for {REPORT_PATIENCE_S:g} s'
        if not ear.begun and time.monotonic() - began > patience:
            what = f'No episode has begun for {patience:g} s'
        if what:
            console.print(f'{what}; the bench stops.', style='bold red', highlight=False, markup=False)
            return True
        for name in processes:
            if ended(processes, name):
                what = f'{name} has ended with exit code {processes[name].returncode}'
                console.print(f'{what}; the bench stops.', style='bold red', highlight=False, markup=False)
                _await_report(ear, what, judges=lambda: not ended(processes, 'monitor_node'))
                return True
    return False


def _await_report(ear: Listener, fault: str, *, judges: Callable[[], bool]) -> None:
    """Report a fault to the monitor until the episode's report arrives, unless no episode runs or the monitor has ended."""
    began = time.monotonic()
    while ear.expects_report and judges() and time.monotonic() - began < (REPORT_PATIENCE_S if ear.running else STATUS_PATIENCE_S):
        ear.tell_fault(fault)
        ear.spin(0.1)


def _unfinished(values: dict[str, Any]) -> set[Path]:
    """Return the incomplete bags in the folder."""
    return set(Path(values['record']).glob('.*.part')) if values.get('record') else set()


def _await_bag(done: Callable[[], bool]) -> None:
    """Give the recorder time to close its current bag."""
    deadline = time.monotonic() + BAG_PATIENCE_S
    while not done() and time.monotonic() < deadline:
        time.sleep(0.05)
