"""Check a policy's answer, and convert it to a command of plain numbers. Nothing else reaches the world."""

from collections.abc import Iterable
from dataclasses import replace
from math import isfinite
from numbers import Real
from typing import Any, get_args

import numpy as np

from vlm_bench_sim.core.command import Both, Chunk, Command, Joints, Point, Stop, ToolPose, Wait
from vlm_bench_sim.core.constraint import MotionConstraint
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_tasks.evaluation.faults import NOT_FINITE, SHAPE, TYPE, PolicyFault


def checked(answer: Any, joints: int) -> Command:
    """Return the answer as a command with plain Python numbers; numpy numbers are accepted.

    The world checks whether the robot can execute the command, for example its joint limits, and reports that to the policy.

    Args:
        answer: what the policy returned.
        joints: number of joints of the arm.

    Raises:
        PolicyFault: the answer is no command, or holds values that are invalid for this robot.
    """
    if not isinstance(answer, get_args(Command)):
        raise PolicyFault(TYPE, f'A policy returns a command of vlm_bench_sim.core.command, such as Wait(0.05); found {answer!r:.100}.')
    if isinstance(answer, Stop):
        return answer
    if isinstance(answer, Seal):
        return Seal(on=_flag(answer, 'on'))
    if isinstance(answer, Both):
        return _both(answer, joints)
    if isinstance(answer, Wait):
        return Wait(_number(answer.seconds, answer))
    if isinstance(answer, Grip):
        return Grip(_number(answer.opening, answer), _number(answer.force, answer))
    if isinstance(answer, Joints):
        return Joints(_numbers(answer.positions, answer, (joints,)))
    return _tool_pose(answer) if isinstance(answer, ToolPose) else _chunk(answer, joints)


def _both(answer: Both, joints: int) -> Both:
    arm, gripper = (None if part is None else checked(part, joints) for part in (answer.arm, answer.gripper))
    if not isinstance(arm, Joints | Chunk | None) or not isinstance(gripper, Grip | Seal | None):
        raise PolicyFault(TYPE, f'Both takes Joints or a Chunk for the arm, and Grip or Seal for the gripper; found {answer!r:.100}.')
    return Both(arm, gripper)


def _tool_pose(answer: ToolPose) -> ToolPose:
    allowed, constraint = answer.allowed, answer.constraint
    if not isinstance(allowed, tuple) or not all(isinstance(name, str) for name in allowed):
        raise PolicyFault(TYPE, f'allowed of a ToolPose is a tuple of prop names; found {allowed!r:.100}.')
    if constraint is not None and not isinstance(constraint, MotionConstraint):
        raise PolicyFault(TYPE, f'constraint of a ToolPose is a MotionConstraint or None; found {constraint!r:.100}.')
    if not isinstance(answer.pose, Pose):
        raise PolicyFault(TYPE, f'pose of a ToolPose is a Pose; found {answer.pose!r:.100}.')
    numbers = [*_numbers(answer.pose.position, answer, (3,)), *_numbers(answer.pose.orientation, answer, (4,))]
    try:
        pose = Pose.of(numbers[:3], numbers[3:])
    except CommandError as error:
        raise PolicyFault(SHAPE, str(error)) from error
    return replace(answer, pose=pose, speed=_number(answer.speed, answer), straight=_flag(answer, 'straight'))


def _chunk(answer: Chunk, joints: int) -> Chunk:
    given = answer.points
    if not isinstance(given, tuple | list) or not all(isinstance(point, Point) for point in given):
        raise PolicyFault(TYPE, f'A chunk holds a tuple of points; found {given!r:.100}.')
    points = tuple(
        Point(
            int(_number(point.time_ns, point)), _numbers(point.positions, point, (joints,)), _numbers(point.velocities, point, (0, joints))
        )
        for point in given
    )
    return Chunk(
        points,
        _numbers(answer.path_tolerance, answer, (0, joints)),
        _numbers(answer.goal_tolerance, answer, (0, joints)),
        int(_number(answer.goal_time_ns, answer)),
    )


def _number(value: Any, where: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise PolicyFault(TYPE, f'A {type(where).__name__} takes numbers; found {value!r:.100}.')
    if not isfinite(value):
        raise PolicyFault(NOT_FINITE, f'A {type(where).__name__} holds {float(value)}. Check the policy for NaN.')
    return float(value)


def _numbers(values: Any, where: object, lengths: tuple[int, ...]) -> tuple[float, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise PolicyFault(TYPE, f'A {type(where).__name__} takes rows of numbers; found {values!r:.100}.')
    found = list(values)
    if len(found) not in lengths:
        wanted = ' or '.join(str(length) for length in lengths)
        raise PolicyFault(SHAPE, f'A {type(where).__name__} of this robot takes {wanted} numbers; found {len(found)}.')
    return tuple(_number(value, where) for value in found)


def _flag(answer: object, name: str) -> bool:
    value = getattr(answer, name)
    if not isinstance(value, bool | np.bool_):
        raise PolicyFault(TYPE, f'{name} of a {type(answer).__name__} is true or false; found {value!r:.100}.')
    return bool(value)
