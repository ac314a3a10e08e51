"""Dirt: specks that disappear when a wiper over them touches their support."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Floats, Pose
from vlm_bench_sim.core.matter import Dirt
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Pair, pair

WIPES = (0.8, 0.72)
"""Fractions of a wiper's extents along x and y within which its bottom wipes."""

REACH = 0.004
"""Wiping distance above and below a wiper's bottom, m."""

_DEEP = 0.02  # m: maximum depth of a speck's support below the speck's centre
_SUNK = 0.001  # m: maximum depth of a speck's centre below the surface of its support


@dataclass(kw_only=True)
class _Patch:
    """One patch of dirt.

    Attributes:
        wiper: the prop that removes it; None if nothing does.
        centres: of all its specks, (n, 3) m, in the world.
        under: name of the support of each speck, as in contact pairs.
        left: indices of the remaining specks.
    """

    wiper: Prop | None
    centres: Floats
    under: list[str]
    left: list[int]


class Wiping:
    """All dirt of a scene.

    Raises:
        SceneError: a speck lies on nothing.

    Args:
        client: the simulator, which already contains everything static.
        scene: the scene being loaded.
        named: returns the name of a body's link in the simulator.
    """

    def __init__(self, client: Client, scene: Scene, *, named: Callable[[int, int], str]) -> None:
        self._patches = {
            dirt.name: _Patch(
                wiper=scene.prop(dirt.wiper) if dirt.wiper else None,
                centres=np.array(dirt.centres, dtype=float).reshape(-1, 3),
                under=_under(client, dirt, named),
                left=list(range(len(dirt.centres))),
            )
            for dirt in scene.dirt
        }

    def wipe(self, touching: Collection[Pair], pose: Callable[[str], Pose]) -> None:
        """Remove the specks that the wipers reached in the last physics step.

        Args:
            touching: pairs in contact now.
            pose: returns the present pose of a prop in the world; called only for props in contact.
        """
        for patch in self._patches.values():
            if patch.wiper is None:
                continue
            wiper = patch.wiper.name
            grounds = {ground for i in patch.left if pair(wiper, ground := patch.under[i]) in touching}
            if grounds:
                reached = _reached(patch.wiper, pose(wiper), patch.centres)
                patch.left = [i for i in patch.left if not (reached[i] and patch.under[i] in grounds)]

    def observe(self) -> dict[str, tuple[int, ...]]:
        """Return the indices of the remaining specks of each patch."""
        return {name: tuple(patch.left) for name, patch in self._patches.items()}


def bottom(wiper: Prop) -> Box:
    """Return the flat box at a wiper's underside, in its own frame, within which it wipes."""
    x, y, z = wiper.size
    return Box((0.0, 0.0, -z / 2), (WIPES[0] * x, WIPES[1] * y, 2 * REACH))


def _reached(wiper: Prop, pose: Pose, centres: Floats) -> list[bool]:
    own, box = pose.inverse().apply(centres), bottom(wiper)
    within: list[bool] = np.all((own >= box.low) & (own <= box.high), axis=1).tolist()
    return within


def _under(client: Client, dirt: Dirt, named: Callable[[int, int], str]) -> list[str]:
    """Return the support of each speck; rays pass through bodies without collision."""
    if not dirt.centres:
        return []
    below = [(x, y, z - _DEEP) for x, y, z in dirt.centres]
    above = [(x, y, z + _SUNK) for x, y, z in dirt.centres]
    # A ray does not hit the surface that it starts in. A ray from above might hit the wiper, so it is the second choice.
    looks = zip(client.rayTestBatch(list(dirt.centres), below), client.rayTestBatch(above, below), strict=True)
    hits = [(int(hit[0]), int(hit[1])) for hit in (first if first[0] >= 0 else second for first, second in looks)]
    for centre, (body, _) in zip(dirt.centres, hits, strict=True):
        if body < 0:
            where = ', '.join(f'{v:.3f}' for v in centre)
            raise SceneError(
                f'A speck of {dirt.name!r} at ({where}) m lies on nothing within {1000 * _DEEP:.0f} mm below it. '
                'Put it on a table, a prop or furniture.'
            )
    return [named(body, link) for body, link in hits]
