"""A cache of grasp sets. Each set is computed once and stored under a hash of its content, in memory and, if slow to compute, on disk."""

import json
import os
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol

import numpy as np

from vlm_bench_sim.assets import cache
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.protocols import Grasp
from vlm_bench_sim.core.shapes import sized, solid

LARGE = 200
"""Number of faces from which a shape's grasps take so long to compute that they are stored on disk."""

MOST_SETS = 200
"""Number of sets kept in memory, about 30 kB each; beyond it the least recently used sets are dropped."""

MOST_FILES = 2000
"""Number of sets kept on disk; beyond it the oldest are deleted."""

_REVISION = 6  # increase it with every change in how grasps are found


class Sampler(Protocol):
    """A grasp sampler for one gripper."""

    signature: str
    """A hash of everything that affects the result, except the object."""

    def sample(self, kind: str, size: Vector, friction: float) -> tuple[Grasp, ...]:
        """Return grasps of a shape of that size (3,) m, best first."""
        ...


class GraspSets:
    """The grasp sets of one gripper.

    Args:
        sampler: computes sets that are not cached.
        folder: folder of the files; None: in the user's cache.
    """

    def __init__(self, sampler: Sampler, folder: Path | None = None) -> None:
        self._sampler, self._folder = sampler, folder
        self._sets: dict[str, tuple[Grasp, ...]] = {}

    def find(self, kind: str, size: Vector, friction: float) -> tuple[Grasp, ...]:
        """Return the grasps of a shape of that size (3,) m and friction, best first, tool poses in the shape's own frame."""
        key = content(self._sampler.signature, kind, size, friction)
        found = self._sets.pop(key, None)
        self._sets[key] = self._kept(key, kind, size, friction) if found is None else found
        if len(self._sets) > MOST_SETS:
            del self._sets[next(iter(self._sets))]  # the least recently used one
        return self._sets[key]

    def _kept(self, key: str, kind: str, size: Vector, friction: float) -> tuple[Grasp, ...]:
        if len(solid(kind).faces) < LARGE:
            return self._sampler.sample(kind, size, friction)
        folder = self._folder or cache() / 'grasps'
        path = folder / f'{kind}-{key[:32]}.json'
        found = _read(path)
        if found is None:
            found = self._sampler.sample(kind, size, friction)
            _write(path, found)
        return found


def content(signature: str, kind: str, size: Vector, friction: float) -> str:
    """Return a hash of the gripper's signature, the shape's name and mesh at its size, and the friction."""
    shape = sized(kind, size)
    digest = sha256(repr((_REVISION, signature, kind, tuple(map(float, size)), float(friction))).encode())
    for array in (shape.vertices, shape.faces, *shape.parts):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _read(path: Path) -> tuple[Grasp, ...] | None:
    """Return the set in a file; None if there is no readable file."""
    try:
        rows = json.loads(path.read_text())
        found = tuple(Grasp(Pose.of(row[:3], row[3:7]), float(row[7]), float(row[8])) for row in rows)
    except (OSError, ValueError, TypeError, LookupError, CommandError):
        return None
    return found if all(len(row) == 9 for row in rows) else None


def _write(path: Path, found: tuple[Grasp, ...]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [(*grasp.tool.position, *grasp.tool.orientation, grasp.opening, grasp.quality) for grasp in found]
    with NamedTemporaryFile('w', dir=path.parent, suffix='.part', delete=False) as file:
        file.write(json.dumps(rows))
    os.replace(file.name, path)
    files = sorted(path.parent.glob('*.json'), key=_age)
    for old in files[:-MOST_FILES]:
        old.unlink(missing_ok=True)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # another process has just deleted it
