"""Props and table as rigid bodies."""

from dataclasses import dataclass
from struct import pack
from typing import NamedTuple

import numpy as np

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.hulls import hulls
from vlm_bench_sim.core.geometry import Pose, turned, vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Table
from vlm_bench_sim.core.snapshot import Body
from vlm_bench_sim.physics.masses import boxes, mass_moments

LEAST_MOMENT = 0.03
"""Minimum ratio of a body's moments of inertia to its largest one. Only a pencil's ratio is smaller, about 0.02."""

# Small rolling and spinning friction (m) stop a rolling cylinder and keep the yaw of a grasped prop.
ROLLING, SPINNING = 1e-4, 2e-3
_BALL = 1e-3  # m: a rubber ball on wood

ASLEEP = 1e-4
"""A prop falls asleep if its squared speed, (m/s)² plus (rad/s)², is below this for two seconds: Bullet then computes nothing for it until
a moving body touches it."""

_ASIDE = 1e-18
"""Offset of the centre of mass, m: negligible, but not zero.

If the only part of a body is exactly at its centre of mass, Bullet uses that part directly, without a compound shape. Its contacts with
a cup that presses on it then sometimes vanish for a physics step."""

_NOTHING = -1  # a shape that collides with nothing


@dataclass(frozen=True)
class RigidBody:
    """A prop, or a link of furniture, in the simulator.

    Attributes:
        number: its body number.
        mass_centre: pose of the frame relative to that of the centre of mass.
        link: link of the body; -1 for a body's base.
    """

    number: int
    mass_centre: Pose
    link: int = -1


class Reading(NamedTuple):
    """A reading of a prop.

    Attributes:
        bits: the simulator's numbers, as bytes.
        body: the pose and velocity in them.
    """

    bits: bytes
    body: Body


def add_table(client: Client, table: Table) -> int:
    """Add the table as a fixed box and return its number."""
    half = [extent / 2 for extent in table.box.size]
    shape = client.createCollisionShape(client.GEOM_BOX, halfExtents=half)
    number = client.createMultiBody(0.0, shape, basePosition=table.box.centre)
    client.changeDynamics(number, -1, lateralFriction=table.friction)
    return int(number)


def add_floor(client: Client, height: float) -> int:
    """Add the floor of the room at a height, m, visible or not, and return its number: it stops what falls off the table."""
    return int(client.createMultiBody(0.0, client.createCollisionShape(client.GEOM_PLANE), basePosition=(0.0, 0.0, height)))


def add_prop(client: Client, prop: Prop) -> RigidBody:
    """Add a prop with its convex parts and its centre of mass."""
    shape = _NOTHING if prop.ghost else _collision(client, prop)
    x, y, z = vector(mass_moments(prop.kind)[0] * prop.size)
    centre = Pose((x + _ASIDE, y, z))
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
        sleepThreshold=ASLEEP,
        activationState=client.ACTIVATION_STATE_ENABLE_SLEEPING,
    )
    _calm(client, int(number))
    return RigidBody(int(number), centre.inverse())


def _calm(client: Client, number: int) -> None:
    """Raise the smallest moment of inertia if it is too small: otherwise the solver never lets the body rest."""
    moments = np.asarray(client.getDynamicsInfo(number, -1)[2])
    least = LEAST_MOMENT * float(moments.max())
    if moments.min() < least:
        client.changeDynamics(number, -1, localInertiaDiagonal=np.maximum(moments, least).tolist())


def read(client: Client, body: RigidBody, before: Reading | None = None) -> Reading:
    """Return the prop's pose and velocity (of its frame, in the world); returns `before` if no bit has changed."""
    position, orientation = client.getBasePositionAndOrientation(body.number)
    linear, angular = client.getBaseVelocity(body.number)
    bits = pack('13d', *position, *orientation, *linear, *angular)
    if before is not None and before.bits == bits:
        return before
    pose = Pose(position, orientation) @ body.mass_centre
    (x, y, z), (a, b, c), (i, j, k), (u, v, w) = pose.position, position, angular, linear
    x, y, z = x - a, y - b, z - c
    return Reading(bits, Body(pose, (u + (j * z - k * y), v + (k * x - i * z), w + (i * y - j * x)), angular))


def place(client: Client, body: RigidBody, to: Body) -> None:
    """Set a prop's pose, and the velocity of its frame."""
    at = to.pose @ body.mass_centre.inverse()
    client.resetBasePositionAndOrientation(body.number, at.position, at.orientation)
    push(client, body, to)


def push(client: Client, body: RigidBody, to: Body) -> None:
    """Set the velocity of the frame of a prop that is already at its pose."""
    arm = turned(to.pose.rotation, [body.mass_centre.inverse().position])[0]
    client.resetBaseVelocity(body.number, vector(np.asarray(to.linear) + np.cross(to.angular, arm)), to.angular)


def asleep(client: Client, body: RigidBody) -> bool:
    """Return whether a prop is asleep; a prop that merely rests still has a tiny velocity."""
    return not np.any(client.getBaseVelocity(body.number))


def wake(client: Client, body: RigidBody) -> None:
    """Wake a prop; one that was asleep rests for one more physics step, which discards any velocity set in the meantime."""
    client.changeDynamics(body.number, body.link, activationState=client.ACTIVATION_STATE_WAKE_UP)


def _collision(client: Client, prop: Prop) -> int:
    if _is_ball(prop):
        return int(client.createCollisionShape(client.GEOM_SPHERE, radius=prop.size[0] / 2))
    parts = boxes(prop)
    if parts:
        centres, halves = zip(*parts, strict=True)
        shape = client.createCollisionShapeArray(
            shapeTypes=[client.GEOM_BOX] * len(parts), halfExtents=list(halves), collisionFramePositions=list(centres)
        )
    else:
        file, scale = hulls(prop)
        shape = client.createCollisionShape(client.GEOM_MESH, fileName=file, meshScale=scale)
    return int(shape)


def _is_ball(prop: Prop) -> bool:
    return prop.kind == 'ball' and len(set(prop.size)) == 1
