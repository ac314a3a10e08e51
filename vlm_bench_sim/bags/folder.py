"""Folders of bags: one per bag, under a hidden name until it is complete."""

import os
import re
import shutil
import tempfile
from pathlib import Path

from vlm_bench_sim.bags.metadata import FILE, Summary, dump, information
from vlm_bench_sim.core.errors import BagError, quoted

MIN_FREE_BYTES = 200_000_000


def check_folder(folder: Path) -> Path:
    """Return the folder for bags; create it if needed, and check that it is writable.

    Raises:
        BagError: it cannot be created or written to, or less than 200 MB are free.
    """
    if not str(folder).isprintable():
        raise BagError(f'Bags cannot be recorded in {quoted(str(folder))}: the path has unprintable characters. Name another folder.')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix='.write_test_') as probe:
            probe.write(b'x')
            probe.flush()
            os.fsync(probe.fileno())
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise BagError(f'Bags cannot be recorded in {folder}: {error.strerror}. Name another folder.') from error
    if free < MIN_FREE_BYTES:
        raise BagError(
            f'Bags cannot be recorded in {folder}: {free / 1e6:.0f} MB are free, but {MIN_FREE_BYTES / 1e6:.0f} MB are needed. '
            'Free some space, or name another folder.'
        )
    return folder


def bag_name(task: str, split: str, seed: int | str, token: str) -> str:
    """Return the name of an episode's bag."""
    return re.sub(r'[^A-Za-z0-9_]', '-', f'{task}_{split}_{seed}_{token[:8]}')


def part_of(final: Path) -> Path:
    """Return the folder in which a bag is written until it is complete."""
    return final.with_name(f'.{final.name}.part')


def file_of(final: Path) -> str:
    """Return the name of the bag's MCAP file."""
    return f'{final.name}_0.mcap'


def publish(part: Path, final: Path, summary: Summary) -> None:
    """Add metadata.yaml to the folder, and rename it at once to the name of the bag.

    Raises:
        OSError: the disk fails, or the name is taken.
    """
    with (part / FILE).open('w', encoding='utf-8') as stream:
        stream.write(dump({'rosbag2_bagfile_information': information(summary)}))
        stream.flush()
        os.fsync(stream.fileno())
    _sync(part)
    part.rename(final)
    _sync(final.parent)


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
