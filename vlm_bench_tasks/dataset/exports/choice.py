"""Which bags of a folder go into an export, and what an export is written to: there when it is whole, and not before."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.bags.reader import Bag, open_bag
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import BagError


def bags(folder: Path, *, failures: bool = False) -> list[Path]:
    """Return the bags below a folder, or the bag that it is, of the episodes that succeeded: by task, split, seed and name.

    Args:
        folder: is searched as deep as it goes; what is hidden, such as what a killed recorder left, is passed over.
        failures: take the episodes that failed too. What could not be observed is never taken.

    Raises:
        BagError: there is none, or one is damaged.
    """
    wanted = {Verdict.SUCCESS.value, *([Verdict.FAILURE.value] if failures else [])}
    found = [open_bag(path.parent) for path in sorted(folder.rglob(FILE)) if not _hidden(path.relative_to(folder))]
    taken = [bag for bag in found if bag.custom.get('verdict') in wanted]
    if not taken:
        other = f'; of {len(found)} bags none has the verdict {" or ".join(sorted(wanted))}' if found else ''
        hint = ' Take the failures too with --failures.' if found and not failures else ' Name a folder that bags were recorded to.'
        raise BagError(f'There is nothing to export in {folder}{other}.{hint}')
    return [bag.path for bag in sorted(taken, key=_order)]


@contextmanager
def whole(out: Path, *, file: bool = False) -> Iterator[Path]:
    """Give a folder to write to, which appears as `out` if all went well and is gone if not.

    Args:
        out: must not exist.
        file: give the name of a file that is to be written instead, with the same suffix.

    Raises:
        BagError: there is something at `out` already, or it cannot be written there.
    """
    if out.exists():
        raise BagError(f'{out} exists already, and an export is never written into another. Name a new folder, or remove that one.')
    part = out.with_name(f'.{out.name}.{token_hex(4)}.part{out.suffix if file else ""}')
    try:
        (part.parent if file else part).mkdir(parents=True, exist_ok=file)
    except OSError as error:
        raise BagError(f'An export was to be written to {out}, where nothing can be: {error.strerror}. Name another folder.') from error
    try:
        yield part
        part.rename(out)
    except OSError as error:
        raise BagError(f'The export to {out} was given up: {error}. Is the disk full?') from error
    finally:
        if file:
            part.unlink(missing_ok=True)
        else:
            shutil.rmtree(part, ignore_errors=True)


def _hidden(path: Path) -> bool:
    return any(part.startswith('.') for part in path.parts)


def _order(bag: Bag) -> tuple[str, str, int, str]:
    seed = bag.custom.get('seed', '')
    return bag.custom.get('task', ''), bag.custom.get('split', ''), int(seed) if seed.isdecimal() else -1, bag.path.name
