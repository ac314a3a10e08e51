"""Props and table as rigid bodies."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import trimesh

from vlm_bench_sim.assets import cached_text
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.core.geometry import Floats, Pose, vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Table
from vlm_bench_sim.core.shapes import solid
from vlm_bench_sim.core.snapshot import Body

LEAST_MOMENT = 0.03
"""Least share of a body's greatest moment of inertia that another of its moments may be: only a pencil's is less, a fiftieth of that."""

MARGIN = 1e-3
"""Bullet wraps convex hulls in a margin of so many m; the hulls are drawn in by as much, so that the surface lies where it is drawn."""

# Small rolling and spinning friction (m) let a rolled cylinder come to rest and a grasped prop keep its yaw.
ROLLING, SPINNING = 1e-4, 2e-3
_BALL = 1e-3  # m: a ball of rubber on wood

_NOTHING = -1  # a shape that collides with nothing


@dataclass(frozen=True)
class RigidBody:
    """A prop, or a link of furniture, in the simulator.

    Attributes:
        number: of its body there.
        mass_centre: pose of the frame in that of the centre of mass.
        link: of the body; -1 for a body's base.
    """

    number: int
    mass_centre: Pose
    link: int = -1


def add_table(client: Client, table: Table) -> int:
    """Add the table as a fixed box and return its number."""
    half = [extent / 2 for extent in table.box.size]
    shape = client.createCollisionShape(client.GEOM_BOX, halfExtents=half)
    number = client.createMultiBody(0.0, shape, basePosition=table.box.centre)
    client.changeDynamics(number, -1, lateralFriction=table.friction)
    return int(number)


def add_prop(client: Client, prop: Prop) -> RigidBody:
    """Add a prop with its convex parts and its centre of mass."""
    shape = _NOTHING if prop.ghost else _collision(client, prop)
    centre = Pose(vector(np.asarray(_mass_centre(prop.kind)) * np.asarray(prop.size)))
    number = client.createMultiBody(
        0.0 if prop.fixed or prop.ghost else prop.mass,
        shape,
        basePosition=prop.pose.position,
        baseOrientation=prop.pose.orientation,
        baseInertialFramePosition=centre.position,
    )
    client.changeDynamics(
        number,
        -1,
        lateralFriction=prop.friction,
        rollingFriction=_BALL if _is_ball(prop) else ROLLING,
        spinningFriction=SPINNING,
        linearDamping=0.0,
        angularDamping=0.0,
    )
    _calm(client, int(number))
    return RigidBody(int(number), centre.inverse())


def _calm(client: Client, number: int) -> None:
    """Keep the least moment of inertia from being so much smaller than the greatest that the solver never lets the body rest."""
    moments = np.asarray(client.getDynamicsInfo(number, -1)[2])
    least = LEAST_MOMENT * float(moments.max())
    if moments.min() < least:
        client.changeDynamics(number, -1, localInertiaDiagonal=np.maximum(moments, least).tolist())


def read(client: Client, body: RigidBody) -> Body:
    """Return the prop's pose and velocity (of its frame, in the world)."""
    position, orientation = client.getBasePositionAndOrientation(body.number)
    linear, angular = client.getBaseVelocity(body.number)
    pose = Pose(position, orientation) @ body.mass_centre
    arm = np.asarray(pose.position) - np.asarray(position)
    return Body(pose, vector(np.asarray(linear) + np.cross(angular, arm)), vector(angular))


def place(client: Client, body: RigidBody, to: Body) -> None:
    """Put a prop somewhere, with the velocity that its frame shall have."""
    at = to.pose @ body.mass_centre.inverse()
    arm = np.asarray(at.position) - np.asarray(to.pose.position)
    client.resetBasePositionAndOrientation(body.number, at.position, at.orientation)
    client.resetBaseVelocity(body.number, vector(np.asarray(to.linear) + np.cross(to.angular, arm)), to.angular)


@cache
def _mass_centre(kind: str) -> tuple[float, ...]:
    hulls = [trimesh.convex.convex_hull(part) for part in solid(kind).parts]
    volumes = np.array([hull.volume for hull in hulls])
    centre = np.array([hull.center_mass for hull in hulls]).T @ volumes / volumes.sum()
    return tuple(float(c) for c in centre)


def _collision(client: Client, prop: Prop) -> int:
    if _is_ball(prop):
        return int(client.createCollisionShape(client.GEOM_SPHERE, radius=prop.size[0] / 2))
    parts = prop.solid.parts
    boxes = [as_box(part) for part in parts]
    if all(box is not None for box in boxes):
        centres, halves = zip(*(box for box in boxes if box is not None), strict=True)
        count = len(parts)
        number = client.createCollisionShapeArray(
            shapeTypes=[client.GEOM_BOX] * count, halfExtents=list(halves), collisionFramePositions=list(centres)
        )
    else:
        scale = [extent - 2 * MARGIN for extent in prop.size]
        number = client.createCollisionShape(client.GEOM_MESH, fileName=str(parts_file(prop.kind)), meshScale=scale)
    return int(number)


def _is_ball(prop: Prop) -> bool:
    return prop.kind == 'ball' and len(set(prop.size)) == 1


def as_box(part: Floats) -> tuple[list[float], list[float]] | None:
    """Return centre and half extents, (3,) m each, of a part that is a box along the axes; None for another."""
    low, high = part.min(axis=0), part.max(axis=0)
    on_faces = np.isclose(part, low) | np.isclose(part, high)
    if len(part) != 8 or not on_faces.all():
        return None
    return list((low + high) / 2), list((high - low) / 2)


@cache
def parts_file(kind: str) -> Path:
    """Return a file of the convex hulls of a shape at unit size."""
    # Bullet reads each group of a Wavefront file as one convex hull; a file is the only way to hand it several.
    lines, first = [], 1
    for number, part in enumerate(solid(kind).parts):
        hull = trimesh.convex.convex_hull(part)
        lines.append(f'o part{number}')
        lines += [f'v {x:.9g} {y:.9g} {z:.9g}' for x, y, z in hull.vertices]
        lines += [f'f {a + first} {b + first} {c + first}' for a, b, c in hull.faces]
        first += len(hull.vertices)
    return cached_text(kind, '.obj', '\n'.join(lines) + '\n')
