"""Beads as small balls and specks of dirt as flat boxes, each a separate object with the id of its group."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import trimesh

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.render.batch import Thing
from vlm_bench_sim.render.mesh import Mesh, of_kind

_WET = 0.12  # liquids shine
_LARGE = 0.006  # m: larger beads show their corners unless they have more


def of_matter(scene: Scene, ids: Mapping[str, int]) -> list[Thing]:
    """Return all beads and specks of a scene."""
    beads = [Thing(_ball(group.radius), ids[group.name], group.color.rgb, _WET) for group in scene.beads for _ in group.centres]
    specks = [Thing(of_kind('cube', patch.size), ids[patch.name], patch.color.rgb) for patch in scene.dirt for _ in patch.centres]
    return [*beads, *specks]


def where(scene: Scene, state: object) -> list[Pose | None]:
    """Return their poses in the same order; None for wiped specks.

    Args:
        scene: the scene that they belong to.
        state: a snapshot, or anything else for the initial poses.
    """
    seen, left = (state.beads, state.dirt) if isinstance(state, Snapshot) else ({}, {})
    poses: list[Pose | None] = [Pose(centre) for group in scene.beads for centre in seen.get(group.name, group.centres)]
    for patch in scene.dirt:
        there = set(left.get(patch.name, range(len(patch.centres))))
        poses += [Pose(centre) if i in there else None for i, centre in enumerate(patch.centres)]
    return poses


@lru_cache(maxsize=16)
def _ball(radius: float) -> Mesh:
    """Return a ball of few faces, with smooth shading."""
    unit = trimesh.creation.icosphere(subdivisions=2 if radius > _LARGE else 1)
    normals = np.asarray(unit.vertices, dtype=float)
    return Mesh(radius * normals, normals, np.full((len(normals), 3), 255, dtype=np.uint8), np.asarray(unit.faces, dtype=np.int32))
