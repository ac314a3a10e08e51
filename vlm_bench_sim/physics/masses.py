"""Boxes and mass distribution of props and of furniture links, the same for every engine."""

from functools import cache

import numpy as np
import trimesh

from vlm_bench_sim.core.algebra import rounded
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.mechanisms import Link
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import solid


def boxes(prop: Prop) -> list[tuple[list[float], list[float]]]:
    """Return centre and half extents, (3,) m each, of every part of a prop that consists of axis-aligned boxes; otherwise nothing."""
    found = [box for box in map(_as_box, prop.solid.parts) if box is not None]
    return found if len(found) == len(prop.solid.parts) else []


@cache
def mass_moments(kind: str) -> tuple[Floats, Floats]:
    """Return the centre (3,) and the second moments (3, 3) about it, per mass, of the homogeneous unit solid of a kind."""
    parts = [trimesh.convex.convex_hull(part) for part in solid(kind).parts]
    volumes = np.array([part.volume for part in parts])
    centres = np.array([part.center_mass for part in parts])
    centre: Floats = np.einsum('i,ij->j', volumes, centres) / volumes.sum()
    second = np.zeros((3, 3))
    for part, volume, own in zip(parts, volumes, centres, strict=True):
        inertia = np.asarray(part.moment_inertia)
        second += np.trace(inertia) / 2 * np.eye(3) - inertia + volume * np.outer(own - centre, own - centre)
    return rounded(centre), rounded(second / volumes.sum())


def prop_inertia(prop: Prop) -> tuple[float, Floats, Floats]:
    """Return mass (kg), centre of mass (3,) m and inertia (3, 3) kg m² about it, in the prop's frame, of a homogeneous prop."""
    centre, spread = mass_moments(prop.kind)
    second = spread * np.outer(prop.size, prop.size)
    return prop.mass, centre * prop.size, prop.mass * (np.trace(second) * np.eye(3) - second)


def link_inertia(link: Link) -> tuple[float, Floats, Floats]:
    """Return mass (kg), centre of mass (3,) m and inertia (3, 3) kg m² about it, from homogeneous parts."""
    masses = np.array([part.mass for part in link.parts])
    centres = np.array([part.pose.apply([mass_moments(part.kind)[0] * part.size])[0] for part in link.parts])
    centre: Floats = np.einsum('i,ij->j', masses, centres) / masses.sum()
    inertia = np.zeros((3, 3))
    for part, mass, own in zip(link.parts, masses, centres, strict=True):
        spread = mass_moments(part.kind)[1] * np.outer(part.size, part.size)
        turn, arm = part.pose.rotation, own - centre
        second = np.einsum('ij,jk,lk->il', turn, spread, turn) + np.outer(arm, arm)
        inertia += mass * (np.trace(second) * np.eye(3) - second)
    return float(masses.sum()), centre, inertia


def _as_box(part: Floats) -> tuple[list[float], list[float]] | None:
    """Return centre and half extents, (3,) m each, of a part that is an axis-aligned box; None for others."""
    low, high = part.min(axis=0), part.max(axis=0)
    on_faces = np.isclose(part, low) | np.isclose(part, high)
    if len(part) != 8 or not on_faces.all():
        return None
    return list((low + high) / 2), list((high - low) / 2)
