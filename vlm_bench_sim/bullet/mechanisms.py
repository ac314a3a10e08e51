"""Furniture in the simulator: each mechanism is one fixed multibody, made from its convex parts by a generated URDF.

Coulomb friction holds the joints: a motor with target speed 0 and the friction as maximum force. A latch is such a motor with a force
that nothing overcomes. Links of one mechanism do not collide with one another; the joint limits keep them apart.
"""

from xml.etree import ElementTree as ET

import numpy as np

from vlm_bench_sim.assets import cached_text
from vlm_bench_sim.bullet.bodies import RigidBody
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.hulls import hulls
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.mechanisms import Joint, Latch, Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.physics.masses import boxes, link_inertia

LATCH = 5000.0
"""Holding force or torque of a latch, N or N m."""

_FASTEST = 4.0  # m/s or rad/s: Bullet does not correct a joint that is 0.04 beyond its limit after one step
_EFFORT = 1e4  # N or N m: the maximum that joint limits can stop, more than anything here can push with


class Furniture:
    """One mechanism in the simulator.

    Attributes:
        bodies: the links as bodies, by full name.
    """

    def __init__(self, client: Client, mechanism: Mechanism) -> None:
        self._client, self._mechanism = client, mechanism
        path = str(cached_text('mechanism', '.urdf', urdf(mechanism)))
        at = mechanism.pose
        flags = client.URDF_USE_INERTIA_FROM_FILE
        self.number = int(client.loadURDF(path, at.position, at.orientation, useFixedBase=True, flags=flags))
        # Bullet numbers links in its own order.
        numbers = {client.getJointInfo(self.number, i)[12].decode(): i for i in range(client.getNumJoints(self.number))}
        self._joints = {name: numbers[name.split('/')[1]] for name in mechanism.joints}
        self.bodies = {name: RigidBody(self.number, Pose(), self._joints.get(name, -1)) for name in mechanism.placed({})}
        self._latches = {
            link: [latch for latch in mechanism.latches if latch.link == link] for link in (one.link for one in mechanism.latches)
        }
        self._latched: dict[str, bool] = {}
        for link in mechanism.links:
            self._prepare(link, self.bodies[mechanism.full(link.name)].link)
        self.drive()

    def drive(self) -> None:
        """Engage or release latches for one physics step; one engaged latch is enough to hold a joint."""
        for link, latches in self._latches.items():
            latched = any(map(self._engaged, latches))
            if self._latched.get(link) != latched:
                self._latched[link] = latched
                self._hold(link, LATCH if latched else self._friction(link))

    def observe(self) -> dict[str, JointState]:
        """Return the joint states by full name."""
        states = self._client.getJointStates(self.number, list(self._joints.values()))
        return {name: JointState(s[0], s[1], s[3]) for name, s in zip(self._joints, states, strict=True)}

    def moving(self, *, linear: float, angular: float) -> list[str]:
        """Return the full names of the links faster than that, m/s for sliding and rad/s for rotating ones."""
        limits = {name: linear if joint.kind == 'prismatic' else angular for name, joint in self._mechanism.joints.items()}
        return [name for name, joint in self.observe().items() if abs(joint.velocity) > limits[name]]

    def _prepare(self, link: Link, number: int) -> None:
        rough = max(part.friction for part in link.parts)
        still = {'linearDamping': 0.0, 'angularDamping': 0.0, 'jointDamping': 0.0, 'maxJointVelocity': _FASTEST}
        self._client.changeDynamics(self.number, number, lateralFriction=rough, **still)
        if link.joint is not None:
            self._client.resetJointState(self.number, number, link.joint.start)
            self._hold(link.name, link.joint.friction)

    def _hold(self, link: str, force: float) -> None:
        number = self._joints[self._mechanism.full(link)]
        self._client.setJointMotorControl2(self.number, number, self._client.VELOCITY_CONTROL, targetVelocity=0.0, force=force)

    def _engaged(self, latch: Latch) -> bool:
        by, held = (self._position(name) for name in (latch.by, latch.link))
        lower = self._mechanism.joints[self._mechanism.full(latch.link)].lower
        return by < latch.threshold and held - lower < latch.play

    def _position(self, link: str) -> float:
        return float(self._client.getJointState(self.number, self._joints[self._mechanism.full(link)])[0])

    def _friction(self, link: str) -> float:
        return self._mechanism.joints[self._mechanism.full(link)].friction


def urdf(mechanism: Mechanism) -> str:
    """Return the URDF of a mechanism, without its pose and its initial joint positions."""
    robot = ET.Element('robot', name='mechanism')
    for link in mechanism.links:
        _add_link(robot, link)
    for link in mechanism.links:
        if link.joint is not None:
            _add_joint(robot, link, link.joint)
    ET.indent(robot, '')  # one element a line: Bullet breaks lines of more than 8191 characters, also inside a number
    return ET.tostring(robot, encoding='unicode')


def _add_link(robot: ET.Element, link: Link) -> None:
    element = ET.SubElement(robot, 'link', name=link.name)
    mass, centre, inertia = link_inertia(link)
    inertial = ET.SubElement(element, 'inertial')
    _add_origin(inertial, Pose((float(centre[0]), float(centre[1]), float(centre[2]))))
    ET.SubElement(inertial, 'mass', value=repr(mass))
    names = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    ET.SubElement(inertial, 'inertia', {n: repr(float(v)) for n, v in zip(names, inertia[np.triu_indices(3)], strict=True)})
    for part in link.parts:
        for pose, tag, attributes in _shapes(part):
            collision = ET.SubElement(element, 'collision')
            _add_origin(collision, part.pose @ pose)
            ET.SubElement(ET.SubElement(collision, 'geometry'), tag, attributes)


def _add_joint(robot: ET.Element, link: Link, joint: Joint) -> None:
    element = ET.SubElement(robot, 'joint', name=link.name, type=joint.kind)
    _add_origin(element, joint.origin)
    ET.SubElement(element, 'parent', link=link.parent)
    ET.SubElement(element, 'child', link=link.name)
    ET.SubElement(element, 'axis', xyz=_numbers(joint.axis))
    ET.SubElement(element, 'limit', lower=repr(joint.lower), upper=repr(joint.upper), effort=repr(_EFFORT), velocity='10')


def _add_origin(element: ET.Element, pose: Pose) -> None:
    ET.SubElement(element, 'origin', xyz=_numbers(pose.position), rpy=_numbers(pose.rpy))


def _numbers(values: tuple[float, ...]) -> str:
    return ' '.join(repr(float(v)) for v in values)


def _shapes(part: Prop) -> list[tuple[Pose, str, dict[str, str]]]:
    """Return the collision shapes of a part: its boxes, or else one file with all hulls, shrunk by Bullet's margin."""
    found = boxes(part)
    if found:
        return [(Pose((c[0], c[1], c[2])), 'box', {'size': _numbers(tuple(2 * h for h in half))}) for c, half in found]
    file, scale = hulls(part)
    return [(Pose(), 'mesh', {'filename': file, 'scale': _numbers(tuple(scale))})]
