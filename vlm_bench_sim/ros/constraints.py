"""Motion constraints ↔ the fields of vlm_bench_msgs/MotionConstraint. Pure, like `fields`; every float keeps all its bits."""

from typing import Any

from vlm_bench_sim.core.constraint import UP, Deviation, MotionConstraint, Orientation, Position
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import ZERO, Vector
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.fields import Fields

FREE = MotionConstraint()
"""The constraint that allows everything; in a list, it marks an element without a constraint."""

_POSITIONS, _ORIENTATIONS = tuple(Position), tuple(Orientation)
_DIRECTED = (Position.PLANE, Position.LINE)


def constraint(value: MotionConstraint) -> Fields:
    """Return vlm_bench_msgs/MotionConstraint."""
    return {
        'position': _POSITIONS.index(value.position),
        'orientation': _ORIENTATIONS.index(value.orientation),
        'reference': fields.pose(value.reference),
        'axis': fields.vector(value.axis),
        'direction': fields.vector(value.direction),
        'path': [fields.pose(pose) for pose in value.path],
        'distance_tolerance': value.tolerance.distance,
        'angle_tolerance': value.tolerance.angle,
    }


def read_constraint(message: Any) -> MotionConstraint:
    """Return the constraint of a message; an unused direction may be zero.

    Raises:
        CommandError: a class does not exist, or the constraint is invalid.
    """
    position = _chosen('position', int(message.position), _POSITIONS)
    orientation = _chosen('orientation', int(message.orientation), _ORIENTATIONS)
    return MotionConstraint(
        position=position,
        orientation=orientation,
        reference=fields.checked_pose(message.reference),
        axis=_direction(message.axis, needed=orientation is Orientation.AXIS),
        direction=_direction(message.direction, needed=position in _DIRECTED),
        path=tuple(fields.checked_pose(pose) for pose in message.path),
        tolerance=Deviation(float(message.distance_tolerance), float(message.angle_tolerance)),
    )


def _chosen(what: str, number: int, classes: tuple[Any, ...]) -> Any:
    if number >= len(classes):
        known = ', '.join(f'{i} ({each.value})' for i, each in enumerate(classes))
        raise CommandError(f'The {what} of a motion constraint is {number}, which does not exist. Send one of {known}.')
    return classes[number]


def _direction(message: Any, *, needed: bool) -> Vector:
    given = fields.read_vector(message)
    return UP if given == ZERO and not needed else given
