"""Shared parts of the commands: options, console, and errors as one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from vlm_bench_sim.core.errors import VlmBenchError, quoted
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.real_graph import REAL_SETTINGS

out = Console(soft_wrap=True)
_LONGEST_PATH, _LONGEST_NAME = 4000, 200  # files created below it have longer names


def _option(name: str, *flags: str) -> Any:
    return typer.Option(*(flags or (f'--{name.replace("_", "-")}',)), help=(REAL_SETTINGS | SETTINGS)[name].help)


Task = Annotated[str, _option('task')]
Split = Annotated[str, _option('split')]
Seed = Annotated[int, _option('seed')]
Axis = Annotated[str, _option('axis')]
EveryAxis = Annotated[str, typer.Option('--axis', help='what varies; empty: every axis of each task')]
Level = Annotated[str, typer.Option('--level', help='only tasks of these levels, such as L0,L1; empty: of every level')]
PolicyArg = Annotated[list[str] | None, typer.Option(help='argument of a module:Class, as name=value; for a file, its content counts')]
PolicyName = Annotated[str, _option('policy')]
Robot = Annotated[str, _option('robot')]
BenchRobot = Annotated[str, typer.Option('--robot', help='robot profile of the bench')]
TaskRobot = Annotated[str, typer.Option('--robot', help='robot profile; empty: the one that the task names')]
Mode = Annotated[str, _option('mode')]
Record = Annotated[str, _option('record')]
Topics = Annotated[str, _option('topics')]
LeaveOut = Annotated[str, _option('leave_out')]
RecordRate = Annotated[float, _option('record_rate', '--rate')]
Cameras = Annotated[str, _option('cameras')]
Size = Annotated[str, typer.Option('--size', help='size of the pictures, WIDTHxHEIGHT in pixels, such as 640x480')]
Driver = Annotated[str, _option('driver')]
Observer = Annotated[str, _option('observer')]
Scored = Annotated[bool, _option('scored', '--scored/--not-scored')]
Dash = Annotated[bool, typer.Option('--dash', help=SETTINGS['dash'].help)]
Engine = Annotated[str, typer.Option('--engine', help='physics engine: pybullet, or mujoco (an extra), which holds no beads and no dirt')]
Prompt = Annotated[str, _option('prompt')]
Perturb = Annotated[list[str] | None, _option('perturb')]
Assist = Annotated[list[str] | None, typer.Option(help='aids of published protocols, which the report names; see docs/evaluation.md')]
Seeds = Annotated[str, typer.Option('--seeds', help='first:last, such as 100000:100050 for 100000 to 100049; empty: those of --protocol')]
Protocol = Annotated[
    str,
    typer.Option('--protocol', help='published protocol, which fixes all other conditions: clevrskills, arnold, lohoravens or vlmbench'),
]
TrainedOn = Annotated[str, typer.Option('--trained-on', help='declared for --protocol clevrskills: nothing, L0, L0+L1 or L0+L1+L2')]
FineTunedOn = Annotated[str, typer.Option('--fine-tuned-on', help='declared likewise: levels of a later fine-tuning, such as L2')]
AsJson = Annotated[bool, typer.Option('--json', help='print one JSON object and nothing else')]


def read_path(text: str | Path) -> Path:
    """Return the given path.

    Raises:
        typer.BadParameter: the path is empty, too long for a file system, or holds unprintable characters.
    """
    given = str(text)
    if not given or not given.isprintable():
        raise typer.BadParameter(f'A path was expected; found {quoted(given)}. Name a file or a folder.')
    if len(given) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_NAME for part in Path(given).parts):
        raise typer.BadParameter(
            f'A path has at most {_LONGEST_PATH} characters, and each name {_LONGEST_NAME} bytes; found {quoted(given)}. Use a shorter one.'
        )
    return Path(given)


def given_options(context: typer.Context) -> set[str]:
    """Return the names of the options that stand on the command line, also with their default values."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source is not None and source.name == 'COMMANDLINE'}


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn the project's own errors into one sentence and exit code 2."""
    try:
        yield
    except VlmBenchError as error:
        plain = ''.join(one if one.isprintable() or one == '\n' else ' ' for one in str(error))  # no commands to the terminal
        said = Text.assemble(('error:', 'bold red'), f' {plain}')  # not as markup, since the text may contain brackets
        Console(stderr=True, soft_wrap=True).print(said)
        raise typer.Exit(2) from error
