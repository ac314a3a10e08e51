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

# Bullet wraps convex hulls in a margin of 1 mm; the hulls are drawn in by as much, so that the surface lies where it is drawn.
_MARGIN = 1e-3

# Small rolling and spinning friction (m) let a rolled cylinder come to rest and a grasped prop keep its yaw.
ROLLING, SPINNING = 1e-4, 2e-3

_NOTHING = -1  # a shape that collides with nothing


@dataclass(frozen=True)
class RigidBody:
    """A prop in the simulator: its number there, and the pose of its centre of mass in the prop's frame."""

    number: int
    mass_centre: Pose


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
        number, -1, lateralFriction=prop.friction, rollingFriction=ROLLING, spinningFriction=SPINNING, linearDamping=0.0, angularDamping=0.0
    )
    return RigidBody(int(number), centre.inverse())


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
    parts = prop.solid.parts
    boxes = [_as_box(part) for part in parts]
    if all(box is not None for box in boxes):
        centres, halves = zip(*(box for box in boxes if box is not None), strict=True)
        count = len(parts)
        number = client.createCollisionShapeArray(
            shapeTypes=[client.GEOM_BOX] * count, halfExtents=list(halves), collisionFramePositions=list(centres)
        )
    else:
        scale = [extent - 2 * _MARGIN for extent in prop.size]
        number = client.createCollisionShape(client.GEOM_MESH, fileName=str(_parts_file(prop.kind)), meshScale=scale)
    return int(number)


def _as_box(part: Floats) -> tuple[list[float], list[float]] | None:
    low, high = part.min(axis=0), part.max(axis=0)
    on_faces = np.isclose(part, low) | np.isclose(part, high)
    if len(part) != 8 or not on_faces.all():
        return None
    return list((low + high) / 2), list((high - low) / 2)


@cache
def _parts_file(kind: str) -> Path:
    # Bullet reads each group of a Wavefront file as one convex hull; a file is the only way to hand it several.
    lines, first = [], 1
    for number, part in enumerate(solid(kind).parts):
        hull = trimesh.convex.convex_hull(part)
        lines.append(f'o part{number}')
        lines += [f'v {x:.9g} {y:.9g} {z:.9g}' for x, y, z in hull.vertices]
        lines += [f'f {a + first} {b + first} {c + first}' for a, b, c in hull.faces]
        first += len(hull.vertices)
    return cached_text(kind, '.obj', '\n'.join(lines) + '\n')
