"""Output of `vlm-bench replay`."""

from pathlib import Path
from typing import Any

from rich.console import Console

from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.dataset.playback import play_back
from vlm_bench_tasks.dataset.replay import replay


def replayed(path: Path) -> dict[str, Any]:
    """Replay a bag and return the result as a plain dictionary.

    Raises:
        VlmBenchError: the bag cannot be replayed.
    """
    found = replay(path)
    episode = found.episode
    return {
        'task': episode.task, 'axis': episode.axis, 'split': episode.split, 'seed': episode.seed, 'robot': found.robot,
        'periods': found.periods, 'actions': found.actions, 'same': found.same, 'differs_at': found.differs, 'where': found.where,
        'other_versions': list(found.others),
    }  # fmt: skip


def played_back(path: Path, action: str) -> dict[str, Any]:
    """Play the actions of a bag as rows of an action space, and return the result as a plain dictionary.

    Raises:
        VlmBenchError: the actions cannot be played, or the action space does not exist.
    """
    found = play_back(path, action)
    episode = found.episode
    return {
        'task': episode.task, 'axis': episode.axis, 'split': episode.split, 'seed': episode.seed, 'robot': found.robot,
        'action': found.space, 'rows': found.rows, 'verdict': found.report.verdict.value, 'progress': found.report.progress,
        'causes': list(found.report.causes), 'recorded_verdict': found.recorded.value, 'tool_apart_m': found.apart,
        'same': found.report.verdict is found.recorded,
    }  # fmt: skip


def show_playback(found: dict[str, Any], console: Console) -> None:
    """Print the result of a playback."""
    _show_episode(found, console)
    causes = f' ({"; ".join(found["causes"])})' if found['causes'] else ''
    for line in (
        f'              {found["rows"]} rows of {found["action"]} ({found["rows"] * PERIOD_S:.2f} s)',
        f'verdict       {found["verdict"]}{causes}, recorded {found["recorded_verdict"]}',
        f'tool          at most {found["tool_apart_m"] * 1000:.1f} mm from its recorded position',
    ):
        console.print(line, highlight=False, markup=False)


def _show_episode(found: dict[str, Any], console: Console) -> None:
    console.print(
        f'replayed      {found["task"]}  split {found["split"]}  seed {found["seed"]}  axis {found["axis"]}  robot {found["robot"]}',
        highlight=False,
        markup=False,
    )


def show(found: dict[str, Any], console: Console) -> None:
    """Print the result of a replay."""
    _show_episode(found, console)
    console.print(
        f'              {found["actions"]} actions over {found["periods"]} control periods ({found["periods"] * PERIOD_S:.2f} s)',
        highlight=False,
        markup=False,
    )
    if found['same']:
        console.print('states        the same, bit by bit')
        return
    seconds = found['differs_at'] * PERIOD_S
    console.print(
        f'states        NOT THE SAME: first at period {found["differs_at"]} ({seconds:.2f} s): {found["where"]}',
        highlight=False,
        markup=False,
    )
    if found['other_versions']:
        console.print(f'              recorded with other versions: {", ".join(found["other_versions"])}', highlight=False, markup=False)
