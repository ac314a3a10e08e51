"""The visual meshes of furniture: parts of a link with the same look as one mesh, in the link's frame."""

from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.mechanisms import Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.render.batch import Thing
from vlm_bench_sim.render.mesh import Mesh, joined, of_kind

_POLISH = 0.35
"""Gloss of a handle, which is metal; wood and paint are matt."""


def of_mechanism(mechanism: Mechanism, ids: dict[str, int]) -> list[tuple[str, Thing]]:
    """Return the visible objects of a mechanism, each with the full name of its link; `ids` are those of the scene."""
    names = [(mechanism.full(link.name), link) for link in mechanism.links]
    return [(name, thing) for name, link in names for thing in _things(link, ids[name])]


def _things(link: Link, instance: int) -> list[Thing]:
    things = []
    for alike in _alike(link):
        first = alike[0]
        if first.texture is not None:
            things.append(Thing(joined([_mesh(part) for part in alike]), instance, first.color.rgb, texture=first.texture))
        else:
            gloss = _POLISH if first.name in link.handle else Thing.gloss
            things.append(Thing(joined([_painted(part) for part in alike]), instance, gloss=gloss))
    return things


def _alike(link: Link) -> list[list[Prop]]:
    """Return the parts grouped into objects: patterned ones by pattern and color; plain ones of any color, handles separately."""
    groups: dict[object, list[Prop]] = {}
    for part in link.parts:
        key = (part.texture, part.color) if part.texture else part.name in link.handle
        groups.setdefault(key, []).append(part)
    return list(groups.values())


def _mesh(part: Prop) -> Mesh:
    return of_kind(part.kind, part.size).at(part.pose)


def _painted(part: Prop) -> Mesh:
    mesh = _mesh(part)
    colors = np.broadcast_to(np.round(255 * np.asarray(part.color.rgb)).astype(np.uint8), mesh.colors.shape).copy()
    return replace(mesh, colors=colors)
