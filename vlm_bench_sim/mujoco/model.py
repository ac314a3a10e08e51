"""A scene as a MuJoCo model: the robot from its URDF, table, floor, room, props and furniture."""

from collections.abc import Iterable
from itertools import combinations
from math import isclose

import mujoco
import numpy as np

from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.gripper import ParallelProfile
from vlm_bench_sim.core.mechanisms import Joint, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import GRAVITY, Scene
from vlm_bench_sim.core.snapshot import ROOM, TABLE
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_sim.physics.masses import boxes, link_inertia, prop_inertia

SUBSTEPS = 4
"""MuJoCo steps in a physics step: with one, held things drift by millimetres (measured)."""

_DT = 1 / (PHYSICS_HZ * SUBSTEPS)
_SOLREF = [2.2 * _DT, 1.0]  # as stiff as the step allows
_SOLIMP = [0.99, 0.999, 0.001, 0.5, 2.0]  # with the default, fingers sink half a millimetre into what they hold
_RIGID = [0.9999, 0.9999, 0.001, 0.5, 2.0]  # solimp of joint friction: with the default a handle creeps under a latch

_STILL = 1e-4  # m/s or rad/s: what has been slower for ten substeps sleeps, with all that it touches; twice as fast in a scene at rest

_ROBOT, _THING = 2, 1  # collision bits: the robot's links do not touch one another
ROBOT_GROUP, THING_GROUP = 1, 0
"""Groups of shapes, which rays tell apart."""

_BODY_FRICTION = 0.5  # of a robot's links, as Bullet takes it for a URDF that gives none
_ROLLING, _SPINNING, _BALL = 1e-4, 2e-3, 1e-3  # m, as in Bullet: they stop a rolling cylinder and keep the yaw of a grasped prop
_STIFFNESS = 200.0  # N m/rad and N m of greatest effort: a servo that lags by less than a milliradian
_ARMATURE = 0.1  # kg m² of the motors' rotors behind their gears
_FINGER = (2e4, 90.0)  # N/m and N s/m: critical for 0.1 kg

PROP, ARM, FINGER = 'prop:', 'arm:', 'finger:'
"""Prefixes of names in the model: bodies of props, and motors by their joints."""


def spec_of(profile: RobotProfile, scene: Scene) -> mujoco.MjSpec:
    """Return the model of a scene, to be compiled; joints stand at zero."""
    spec = mujoco.MjSpec.from_string(_readable(profile.urdf))
    option = spec.option
    option.timestep, option.gravity, option.integrator = _DT, [0, 0, -GRAVITY], mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
    option.enableflags, option.sleep_tolerance = mujoco.mjtEnableBit.mjENBL_SLEEP, _STILL
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # a state that blows up must not begin anew, as if nothing were
    _robot(spec, profile)
    table = spec.worldbody.add_body(name=TABLE, pos=scene.table.box.centre)
    _solid(table.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[extent / 2 for extent in scene.table.box.size]), scene.table.friction)
    room = spec.worldbody.add_body(name=ROOM)
    _solid(room.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, scene.floor]), _BODY_FRICTION)
    for prop in scene.neighbours:
        _shapes(spec, room, prop, at=prop.pose)
    for prop in scene.props:
        add_prop(spec, prop)
    for mechanism in scene.mechanisms:
        _furniture(spec, mechanism)
    return spec


def add_prop(spec: mujoco.MjSpec, prop: Prop) -> None:
    """Add a prop at its pose."""
    x, y, z, w = prop.pose.orientation
    still = prop.fixed or prop.ghost
    body = spec.worldbody.add_body(name=PROP + prop.name, pos=prop.pose.position, quat=[w, x, y, z], mocap=still)
    if not prop.ghost:
        _shapes(spec, body, prop)
    if not still:
        body.add_freejoint(name=PROP + prop.name)
        _weigh(body, *prop_inertia(prop))


def rub(spec: mujoco.MjSpec) -> None:
    """Make the friction of two shapes the product of theirs, as in Bullet; call it when all shapes are there.

    MuJoCo takes the values of the shape with the higher priority. The smoother one has it; where that is not the product, the two become
    an explicit pair.
    """
    for pair in list(spec.pairs):
        spec.delete(pair)
    shapes = [geom for geom in spec.geoms if geom.contype]
    smoother = sorted({geom.friction[0] for geom in shapes}, reverse=True)
    for geom in shapes:
        geom.priority = smoother.index(geom.friction[0])
    for a, b in combinations(shapes, 2):
        product = a.friction[0] * b.friction[0]
        if not isclose(product, min(a.friction[0], b.friction[0])) and _meet(a, b):
            leader = min(a, b, key=lambda geom: geom.friction[0])
            spin, roll = leader.friction[1:]
            spec.add_pair(
                geomname1=a.name,
                geomname2=b.name,
                condim=leader.condim,
                friction=[product, product, spin, roll, roll],
                solref=_SOLREF,
                solimp=_SOLIMP,
            )


def _meet(a: mujoco.MjsGeom, b: mujoco.MjsGeom) -> bool:
    """Return whether two shapes can touch: shapes of one body, of two that never move, or of one robot cannot."""
    if a.parent == b.parent or not (a.contype & b.conaffinity or b.contype & a.conaffinity):
        return False
    return not (_never_moves(a.parent) and _never_moves(b.parent))


def _never_moves(body: mujoco.MjsBody) -> bool:
    return not body.joints and not body.mocap and (body.parent is None or body.parent.name == 'world' or _never_moves(body.parent))


def _readable(urdf: str) -> str:
    """Return a robot description for MuJoCo: it reads meshes only by path, and merges links without a joint unless told not to."""
    told = '<mujoco><compiler fusestatic="false" strippath="false" balanceinertia="true" discardvisual="true"/></mujoco>'
    return urdf.replace('file://', '').replace('</robot>', f'{told}</robot>')


def _robot(spec: mujoco.MjSpec, profile: RobotProfile) -> None:
    for body in spec.bodies[1:]:
        body.gravcomp = 1.0
        for geom in body.geoms:
            pad = body.name in profile.gripper.links
            _solid(geom, 1.0 if pad else _BODY_FRICTION)
            geom.contype, geom.group = _ROBOT, ROBOT_GROUP
            geom.conaffinity = _THING
    for name in profile.joints:
        joint = spec.joint(name)
        effort = float(joint.actfrcrange[1])
        stiffness = _STIFFNESS * effort
        joint.armature, joint.actfrclimited = _ARMATURE, False
        _motor(spec, ARM + name, name, gains=(stiffness, 2 * np.sqrt(stiffness * _ARMATURE)), limit=effort)
    if isinstance(profile.gripper, ParallelProfile):
        left, right = profile.gripper.joints
        for name in (left, right):
            spec.joint(name).actfrclimited = False
            _motor(spec, FINGER + name, name, gains=_FINGER, limit=profile.gripper.max_force / 2)
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT, name1=left, name2=right, data=[0, 1, *[0] * 10], solref=_SOLREF,
            solimp=_RIGID, objtype=mujoco.mjtObj.mjOBJ_JOINT,
        )  # fmt: skip


def _motor(spec: mujoco.MjSpec, name: str, joint: str, *, gains: tuple[float, float], limit: float) -> None:
    """Add a servo: force = stiffness × (command - position) - damping × velocity, within ± limit."""
    stiffness, damping = gains
    spec.add_actuator(
        name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT, gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        biastype=mujoco.mjtBias.mjBIAS_AFFINE, gainprm=[stiffness, *[0] * 9], biasprm=[0, -stiffness, -damping, *[0] * 7],
        forcerange=[-limit, limit], forcelimited=True, ctrllimited=False,
    )  # fmt: skip


def _furniture(spec: mujoco.MjSpec, mechanism: Mechanism) -> None:
    bodies: dict[str, mujoco.MjsBody] = {}
    for link in mechanism.links:
        parent = bodies[link.parent] if link.parent else spec.worldbody
        at = link.joint.origin if link.joint else mechanism.pose
        x, y, z, w = at.orientation
        body = bodies[link.name] = parent.add_body(name=mechanism.full(link.name), pos=at.position, quat=[w, x, y, z])
        rough = max(part.friction for part in link.parts)
        for part in link.parts:
            _shapes(spec, body, part, at=part.pose, friction=rough)
        if link.joint is not None:
            _joint(body, mechanism.full(link.name), link.joint)
            _weigh(body, *link_inertia(link))
    for one, other in combinations(bodies.values(), 2):
        spec.add_exclude(bodyname1=one.name, bodyname2=other.name)


def _joint(body: mujoco.MjsBody, name: str, joint: Joint) -> None:
    kind = mujoco.mjtJoint.mjJNT_SLIDE if joint.kind == 'prismatic' else mujoco.mjtJoint.mjJNT_HINGE
    body.add_joint(
        name=name, type=kind, axis=joint.axis, range=[joint.lower, joint.upper], limited=True, frictionloss=joint.friction,
        solref_limit=_SOLREF, solref_friction=_SOLREF, solimp_friction=_RIGID,
    )  # fmt: skip


def _weigh(body: mujoco.MjsBody, mass: float, centre: Floats, inertia: Floats) -> None:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    body.explicitinertial, body.mass, body.ipos, body.fullinertia = True, mass, centre, [xx, yy, zz, xy, xz, yz]


def _shapes(spec: mujoco.MjSpec, body: mujoco.MjsBody, prop: Prop, *, at: Pose = Pose(), friction: float | None = None) -> None:
    """Add the convex parts of a prop to a body, with the prop's pose in the body's frame."""
    x, y, z, w = at.orientation
    rough = prop.friction if friction is None else friction
    ball = prop.kind == 'ball' and len(set(prop.size)) == 1
    if ball:
        added = [body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[prop.size[0] / 2, 0, 0], pos=at.position)]
    elif found := boxes(prop):
        added = [
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=half, pos=at.apply([centre])[0], quat=[w, x, y, z]) for centre, half in found
        ]
    else:
        meshes = [_hull(spec, prop, index, part) for index, part in enumerate(prop.solid.parts)]
        added = [body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh, pos=at.position, quat=[w, x, y, z]) for mesh in meshes]
    for geom in added:
        _solid(geom, rough, rolling=_BALL if ball else _ROLLING)


def _hull(spec: mujoco.MjSpec, prop: Prop, index: int, part: Floats) -> str:
    """Return the name of the mesh of a convex part; props of one kind and size share it."""
    name = f'{prop.kind}/{index}/{"x".join(map(repr, prop.size))}'
    if spec.mesh(name) is None:
        spec.add_mesh(name=name, uservert=part.astype(float).ravel().tolist())
    return name


def _solid(geom: mujoco.MjsGeom, friction: float, *, rolling: float = _ROLLING) -> None:
    """Let a shape collide with everything."""
    geom.contype, geom.conaffinity, geom.group = _THING, _THING | _ROBOT, THING_GROUP
    geom.friction, geom.condim, geom.solref = [friction, _SPINNING, rolling], 6, _SOLREF
    geom.solimp = _SOLIMP


def named(shapes: Iterable[mujoco.MjsGeom]) -> None:
    """Give each shape a name, which explicit pairs need."""
    for number, geom in enumerate(shapes):
        geom.name = f'shape{number}'
