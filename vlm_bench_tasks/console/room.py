"""Room for bags, temporary files and shared memory on this machine."""

import os
import shutil
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from vlm_bench_sim.assets import config
from vlm_bench_tasks.console.findings import Check
from vlm_bench_tasks.graph import bench

_BAGS = 2.0  # GB; enough for a hundred episodes with five cameras
_TEMPORARY = 0.5  # GB; pip unpacks wheels there, exports and films are written there first
_SHARED = Path('/dev/shm')
_BESIDE = 3e6  # B; what a node holds beside its segment: ports, and a second segment of half a megabyte
_LARGEST = {'policy': 'agents', 'record': 'true'}  # settings of the bench with most nodes


def record_folder(folder: Path) -> Check:
    """Return the row of the folder for bags, which may not exist yet."""
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free / 1e9
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Check('records', f'{there} is not a writable folder', 'Give another folder with --record.')
    remedy = '' if free >= _BAGS else f'Free {_BAGS:.0f} GB there, or give another folder with --record.'
    return Check('records', f'{folder}: {free:.1f} GB free', remedy)


def temporary_folder() -> Check:
    """Return the row of the folder for temporary files, which locks of benches lie in, too."""
    try:
        folder = Path(tempfile.gettempdir())
        free = shutil.disk_usage(folder).free / 1e9
    except OSError as error:
        return Check('temporary files', str(error), 'Make /tmp writable, or set TMPDIR to a writable folder.')
    remedy = '' if free >= _TEMPORARY else f'Free {_TEMPORARY:g} GB there, or set TMPDIR to another folder.'
    return Check('temporary files', f'{folder}: {free:.1f} GB free', remedy)


def shared_memory(folder: Path = _SHARED) -> Check:
    """Return the row of the shared memory in which nodes on one machine hand each other pictures.

    Fast DDS takes the whole segment of `config/fastdds.xml` for each node when the node starts. The largest bench, with agents and a
    recorder, must fit. Measured with `vlm-bench up`: seven nodes took 250 MB. Docker gives a container 64 MB, which holds one node.
    """
    needed = _needed()
    try:
        whole, _, free = shutil.disk_usage(folder)
    except OSError as error:
        return Check('shared memory', f'{folder}: {error.strerror}', f'Mount it: mount -t tmpfs -o size={needed / 1e6:.0f}m tmpfs {folder}')
    found = f'{folder}: {free / 1e6:.0f} of {whole / 1e6:.0f} MB free, {needed / 1e6:.0f} MB needed'
    if free >= needed:
        return Check('shared memory', found)
    larger = 'docker run --shm-size=1g, or mount -o remount,size=1g /dev/shm as root.'
    return Check('shared memory', found, f'{"Make" if whole < needed else "End what fills it, or make"} it larger: {larger}')


def _needed() -> float:
    """Return the shared memory that the nodes of the largest bench take, B."""
    segment = ElementTree.parse(config('fastdds.xml')).findtext('.//{*}segment_size') or '0'
    return len(bench(_LARGEST)) * (int(segment) + _BESIDE)
