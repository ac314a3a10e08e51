"""Select the bags of a folder for an export, and create the output atomically."""

import shutil
import signal
import threading
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from types import FrameType

from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.bags.reader import Bag, open_bag
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import BagError


def bags(folder: Path, *, failures: bool = False, tasks: Container[str] | None = None) -> list[Path]:
    """Return the bags of successful episodes below a folder, or the bag at that path, sorted by task, split, seed and name.

    Args:
        folder: searched recursively; hidden folders, such as those of killed recorders, are skipped.
        failures: include failed episodes. Unobservable episodes are never included.
        tasks: ids of the tasks whose bags to return; None: those of every task.

    Raises:
        BagError: there are no bags of such episodes, or one is damaged.
    """
    wanted = {Verdict.SUCCESS.value, *([Verdict.FAILURE.value] if failures else [])}
    found = [open_bag(path.parent) for path in sorted(folder.rglob(FILE)) if not _hidden(path.relative_to(folder))]
    taken = [bag for bag in found if bag.custom.get('verdict') in wanted]
    if not taken:
        other = f'; of {len(found)} bags none has the verdict {" or ".join(sorted(wanted))}' if found else ''
        hint = ' Include failed episodes with --failures.' if found and not failures else ' Name a folder that bags were recorded to.'
        raise BagError(f'There is nothing to export in {folder}{other}.{hint}')
    if tasks is not None and not (taken := [bag for bag in taken if bag.custom.get('task', '') in tasks]):
        raise BagError(f'There is nothing to export in {folder}: it holds no bag of the chosen level. Choose another level or folder.')
    return [bag.path for bag in sorted(taken, key=_order)]


@contextmanager
def whole(out: Path, *, file: bool = False) -> Iterator[Path]:
    """Yield a temporary folder, which becomes `out` on success and is removed on failure, and when SIGINT or SIGTERM ends the process.

    Args:
        out: must not exist.
        file: yield the path of a temporary file with the same suffix instead.

    Raises:
        BagError: `out` exists or cannot be written.
    """
    if out.exists():
        raise BagError(f'{out} exists already, and an export never overwrites a folder. Name a new folder, or remove this one.')
    part = out.with_name(f'.{out.name}.{token_hex(4)}.part{out.suffix if file else ""}')
    try:
        (part.parent if file else part).mkdir(parents=True, exist_ok=file)
    except OSError as error:
        raise BagError(f'The export cannot be written to {out}: {error.strerror}. Name another folder.') from error
    with _ended_in_order():
        try:
            yield part
            part.rename(out)
        except OSError as error:
            raise BagError(f'The export to {out} failed: {error}. Is the disk full?') from error
        finally:
            if file:
                part.unlink(missing_ok=True)
            else:
                shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Turn SIGTERM into SystemExit as a context, so that the process cleans up; only the main thread can. A second one is ignored."""

    def end(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _hidden(path: Path) -> bool:
    return any(part.startswith('.') for part in path.parts)


def _order(bag: Bag) -> tuple[str, str, int, str]:
    seed = bag.custom.get('seed', '')
    return bag.custom.get('task', ''), bag.custom.get('split', ''), int(seed) if seed.isdecimal() else -1, bag.path.name
