"""What a process holds of the machine, as Linux tells anybody, also of nodes that hide from their own user."""

import os
import re
from pathlib import Path

import psutil

_NODE = re.compile(r'__node:=(\w+)')
_MEMORY = {'VmRSS': 'memory', 'RssShmem': 'shared'}


def usage(pid: int) -> dict[str, float]:
    """Return the memory of a process and the shared part of it, MB, and how many threads and file descriptors it has."""
    told = dict(line.split(':', 1) for line in Path(f'/proc/{pid}/status').read_text().splitlines())
    held = {name: int(told[key].split()[0]) / 1000 for key, name in _MEMORY.items()}
    held['memory'] = round(held['memory'] - held['shared'], 3)
    return held | {'threads': int(told['Threads']), 'descriptors': _descriptors(pid)}


def nodes() -> dict[str, int]:
    """Return the process ids of the nodes that this process has started, by their names."""
    found = {}
    for child in psutil.Process().children():
        name = _NODE.search(' '.join(child.cmdline()))
        if name:
            found[name[1]] = child.pid
    return found


def segments() -> dict[str, float]:
    """Return how many files are in the machine's shared memory, and their size, MB: not judged, as others' are among them."""
    sizes = []
    for entry in os.scandir('/dev/shm'):
        try:
            sizes.append(entry.stat().st_blocks * 512 / 1e6)
        except FileNotFoundError:
            continue
    return {'files': len(sizes), 'of all files': round(sum(sizes), 3)}


def _descriptors(pid: int) -> int:
    folder = f'/proc/{pid}/fd'
    try:
        return len(os.listdir(folder))
    except PermissionError:
        return os.stat(folder).st_size  # Linux counts them there since 6.2
