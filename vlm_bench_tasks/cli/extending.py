"""The option `--task-path`, which every command has."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from vlm_bench_sim.extensions import PATH, add
from vlm_bench_tasks.cli.options import plain_errors, read_path

_NAME = 'task_path'


def _extend(folders: list[str] | None) -> None:
    named = [str(read_path(folder)) for folder in folders or ()]
    with plain_errors():
        add(*named)


_Folders = Annotated[
    list[str] | None,
    typer.Option(
        '--task-path',
        help=f'folder of an extension with tasks, robots, cameras or shapes, beside those of {PATH}; may be repeated',
        callback=_extend,
        is_eager=True,  # before any option that names a task, a robot or a camera
    ),
]


def extensible(app: typer.Typer) -> typer.Typer:
    """Give every command of an app, and of the groups in it, the option, and return the app."""
    for command in app.registered_commands:
        if command.callback is not None:
            command.callback = _with_option(command.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            extensible(group.typer_instance)
    return app


def _with_option(command: Callable[..., Any]) -> Callable[..., Any]:
    own = inspect.signature(command)
    if _NAME in own.parameters:
        return command

    @wraps(command)
    def extended(*args: Any, **options: Any) -> Any:
        options.pop(_NAME, None)  # the callback took it
        return command(*args, **options)

    folders = inspect.Parameter(_NAME, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_Folders)
    extended.__signature__ = own.replace(parameters=[*own.parameters.values(), folders])  # type: ignore[attr-defined]
    extended.__annotations__ = {**command.__annotations__, _NAME: _Folders}
    return extended
