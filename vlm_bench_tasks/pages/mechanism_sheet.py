"""Contact sheets of the furniture: each model closed, half open and open."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Box, Pose, vector
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture import CABINETS, CHESTS, MODELS, furniture
from vlm_bench_sim.core.scene import Light, Scene, Table
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks.pages.prop_sheet import sheet

TILE = 260
SHARES = {'closed': 0.0, 'half': 0.5, 'open': 1.0}
FINISHED = {'drawer1': 'oak', 'drawer2': 'sage', 'drawer3': 'walnut', 'door1': 'white', 'door2': 'slate', 'cabinet': 'oak'}
"""The models of VLMbench's tasks and the cabinet, each with the finish in which it is shown."""

_LIGHT = Light((-0.55, -0.20, 0.75))
_TABLE = Table(Box((0.0, 0.0, -0.02), (2.4, 2.4, 0.04)))
_EYE = np.array([-0.80, -0.52, 0.46])
_MARGIN = 1.08
_LESS = (1.0, 0.55, 0.25)  # share of its opening for a drawer of the first, second and third row


def mechanisms() -> Bytes:
    """Return a sheet of the models of VLMbench's tasks and the cabinet."""
    return _sheet(FINISHED)


def chests() -> Bytes:
    """Return a sheet of the chests of ARNOLD's tasks, each in its own finish."""
    return _sheet({model: MODELS[model].finish for model in CHESTS})


def cabinets() -> Bytes:
    """Return a sheet of the cabinets of ARNOLD's tasks, each in its own finish."""
    return _sheet({model: MODELS[model].finish for model in CABINETS})


def _sheet(finishes: Mapping[str, str]) -> Bytes:
    """Return a sheet with two models per row, each in its finish."""
    tiles = []
    for model, finish in finishes.items():
        piece = furniture(model, 'one', finish)
        tiles += [(f'{model}, {finish}: {name}', picture(opened(piece, share), piece)) for name, share in SHARES.items()]
    return sheet(tiles, columns=6)


def opened(piece: Mechanism, share: float) -> Mechanism:
    """Return the piece with every joint at a fraction of its range; in a chest the lower drawers are opened less."""
    names = {link.name: link.joint for link in piece.links if link.joint is not None}
    rows = sorted({joint.origin.position[2] for joint in names.values() if joint.kind == 'prismatic'}, reverse=True)
    shares = {n: share * (_LESS[rows.index(j.origin.position[2])] if j.kind == 'prismatic' else 1.0) for n, j in names.items()}
    return piece.started(**{n: j.lower + shares[n] * (j.upper - j.lower) for n, j in names.items()})


def picture(piece: Mechanism, whole: Mechanism, size: int = TILE) -> Bytes:
    """Return a picture of a piece from the front and above; the view also fits `whole` when open."""
    corners = np.concatenate([part.pose.apply(part.solid.vertices) for one in (piece, opened(whole, 1.0)) for part in one.solids({})])
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    eye = middle + 2.6 * _EYE / np.linalg.norm(_EYE)
    pose = Pose.look_at(vector(eye), vector(middle))
    x, y, z = pose.inverse().apply(corners).T
    fov = 2 * float(np.arctan(_MARGIN * max(np.abs(x / z).max(), np.abs(y / z).max())))
    renderer = Renderer(robot('panda'))
    renderer.load(Scene((), table=_TABLE, light=_LIGHT, mechanisms=(replace(piece, pose=Pose()),)))
    shown = renderer.render(Camera('sheet', pose, fov=fov, width=size, height=size), {}, {}, samples=3).color
    renderer.close()
    return shown
