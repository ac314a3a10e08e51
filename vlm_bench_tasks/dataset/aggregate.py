"""Join the parts of a data set that several machines generated. Missing, duplicate or incompatible parts are rejected."""

import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from vlm_bench_sim.core.errors import BagError, ConfigError, quoted
from vlm_bench_tasks.dataset.generated import Folder, Row, difference
from vlm_bench_tasks.dataset.generation import Generation, Wanted
from vlm_bench_tasks.dataset.shards import WHOLE


@dataclass(frozen=True)
class _Part:
    folder: Folder
    generation: Generation
    rows: dict[str, Row]

    @property
    def root(self) -> Path:
        return self.folder.root


def aggregate(folders: Sequence[Path], out: Path) -> list[Row]:
    """Join folders into a new one, which is created atomically. Bags become hard links if the disk supports them.

    Args:
        folders: generated data sets: the shards of one data set, or adjoining ranges of seeds.
        out: must not exist.

    Raises:
        ConfigError: settings or renderers differ, an episode is duplicate or damaged, or an episode of the whole data set is missing.
        BagError: a folder is no generated data set, or `out` exists or cannot be written.
    """
    if out.exists():
        raise BagError(f'{out} exists already. Name a new folder, or remove it.')
    parts = [_read(folder) for folder in folders]
    whole = _whole(parts)
    _check_each_once(parts, whole)
    _check_one_renderer(parts)
    rows = [row for part in parts for row in part.rows.values()]
    making = out.with_name(f'.{out.name}.part')
    try:
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        joined = Folder(making)
        joined.begin(whole)
        for part in parts:
            _link(part.root, making, part.rows.values())
        joined.write_index(rows)
        making.rename(out)
    except OSError as error:
        raise BagError(f'The folders could not be joined in {out}: {error.strerror or error}. Free some space, or name another.') from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return rows


def _read(root: Path) -> _Part:
    folder = Folder(root)
    generation = folder.generation
    trials = generation.trials()
    found = {trial.name: row for trial in trials if (row := folder.found(trial, generation.token(trial), {}))}
    missing = [trial for trial in trials if trial.name not in found]
    if damaged := [trial.name for trial in missing if folder.holds(trial)]:
        raise ConfigError(f'{root} holds incomplete or damaged bags: {_several(damaged)}. Remove them, and run its generate command again.')
    if missing:
        raise ConfigError(f'{root} lacks {_several([trial.name for trial in missing])}. Run its generate command again.')
    return _Part(folder, generation, found)


def _whole(parts: Sequence[_Part]) -> Generation:
    """Return the description of the joined data set."""
    first, *others = parts
    for part in others:
        one, other = (p.generation.wanted.model_copy(update={'tasks': (), 'first': 0, 'stop': 0, 'shard': WHOLE}) for p in (first, part))
        if differs := difference(first.generation.settings, part.generation.settings) or difference(one, other):
            raise ConfigError(
                f'{first.root} and {part.root} were generated with different settings: {differs}. Join folders with equal settings.'
            )
    wanted = [part.generation.wanted for part in parts]
    tasks = tuple(sorted({task for one in wanted for task in one.tasks}))
    start, stop = min(one.first for one in wanted), max(one.stop for one in wanted)
    together = Wanted(tasks=tasks, split=wanted[0].split, axis=wanted[0].axis, first=start, stop=stop)
    return first.generation.model_copy(update={'wanted': together})


def _check_each_once(parts: Sequence[_Part], whole: Generation) -> None:
    where: dict[str, Path] = {}
    for part in parts:
        if twice := sorted(part.rows.keys() & where.keys()):
            raise ConfigError(f'{where[twice[0]]} and {part.root} both hold {_several(twice)}. Name each part once.')
        where |= dict.fromkeys(part.rows, part.root)
    if gaps := [trial for trial in whole.trials() if trial.name not in where]:
        raise ConfigError(
            f'No folder holds {_several([trial.name for trial in gaps])}{_shards(parts)}. Name the folders that hold them, too.'
        )


def _check_one_renderer(parts: Sequence[_Part]) -> None:
    drew = {row.renderer: part.root / name for part in parts for name, row in part.rows.items()}
    if len(drew) > 1:
        (one, here), (other, there), *_ = sorted(drew.items())
        raise ConfigError(
            f'{here} was rendered by {quoted(one)}, and {there} by {quoted(other)}. Pictures of two renderers differ, so a data set needs '
            'one renderer. Generate all episodes with the same one.'
        )


def _shards(parts: Sequence[_Part]) -> str:
    """Return which shards are missing, in words, if the parts belong to one data set."""
    shards = {part.generation.wanted.shard for part in parts}
    counts = {shard.count for shard in shards}
    missing = sorted(set(range(max(counts))) - {shard.index for shard in shards})
    if len(counts) != 1 or not missing:
        return ''
    return f' (missing shards: {", ".join(f"{index}/{max(counts)}" for index in missing)})'


def _several(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f'{len(names)} episodes, such as {names[0]}'


def _link(source: Path, target: Path, rows: Iterable[Row]) -> None:
    for row in rows:
        (target / row.bag).mkdir(parents=True)
        for file in (source / row.bag).iterdir():
            _link_or_copy(file, target / row.bag / file.name)


def _link_or_copy(file: Path, copy: Path) -> None:
    with suppress(OSError):  # another disk, or one without hard links
        os.link(file, copy)
        return
    shutil.copy2(file, copy)
