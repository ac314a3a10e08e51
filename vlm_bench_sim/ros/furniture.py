"""Furniture as simulation_interfaces sees it: each whole piece, and each of its links. Pure."""

from collections.abc import Iterator, Mapping

import numpy as np

from vlm_bench_sim.core.geometry import Floats, vector
from vlm_bench_sim.core.mechanisms import Link, Mechanism
from vlm_bench_sim.core.snapshot import Body, JointState
from vlm_bench_sim.ros.entities import Category, Entity, around


def of_mechanism(mechanism: Mechanism, states: Mapping[str, JointState]) -> Iterator[Entity]:
    """Yield a piece of furniture, in its base frame, and then each of its links by full name.

    Args:
        mechanism: the piece.
        states: states of its joints, by full name; a missing joint rests at its initial position.
    """
    bodies, corners = _bodies(mechanism, states), {mechanism.full(link.name): _corners(link) for link in mechanism.links}
    filled = np.concatenate([bodies[name].pose.apply(own) for name, own in corners.items()])
    box = around(mechanism.pose.inverse().apply(filled))
    tags = (mechanism.noun, 'furniture', 'scene')
    yield Entity(mechanism.name, Category.STATIC_OBJECT, Body(mechanism.pose), box, around(filled), mechanism.noun, tags)
    for link in mechanism.links:
        name = mechanism.full(link.name)
        category = Category.OBJECT if link.joint else Category.STATIC_OBJECT
        span = around(bodies[name].pose.apply(corners[name]))
        words, tags = f'{link.name} of the {mechanism.noun}', (mechanism.noun, 'link', 'scene')
        yield Entity(name, category, bodies[name], around(corners[name]), span, words, tags)


def _bodies(mechanism: Mechanism, states: Mapping[str, JointState]) -> dict[str, Body]:
    """Return pose and velocity of each link by full name; parents come before their children."""
    frames, found = mechanism.placed(states), dict[str, Body]()
    for link in mechanism.links:
        name = mechanism.full(link.name)
        pose = frames[name]
        parent = found[mechanism.full(link.parent)] if link.parent else Body(pose)
        linear = np.asarray(parent.linear) + np.cross(parent.angular, np.subtract(pose.position, parent.pose.position))
        angular = np.asarray(parent.angular)
        if link.joint and name in states:
            along = pose.rotation @ np.asarray(link.joint.axis) * states[name].velocity
            linear, angular = (linear + along, angular) if link.joint.kind == 'prismatic' else (linear, angular + along)
        found[name] = Body(pose, vector(linear), vector(angular))
    return found


def _corners(link: Link) -> Floats:
    """Return the (n, 3) corners of a link's geometry, m in its frame."""
    return np.concatenate([part.pose.apply(part.solid.vertices) for part in link.parts]) if link.parts else np.zeros((1, 3))
