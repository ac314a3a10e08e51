"""Turns about the vertical that can be seen, as goals and as words (ClevrSkills, Rotate)."""

from math import degrees, radians

from vlm_bench_tasks.authoring import Goal, Grasped, Moved, Not, Prop, Touching, Turned, all_of
from vlm_bench_tasks.suite.clevrskills._props import Draw

ANGLES = tuple(way * angle for angle in (30.0, 60.0, 90.0, 120.0, 150.0) for way in (1.0, -1.0))
"""Degrees, positive anti-clockwise seen from above."""

SEEN = 15.0
"""Degrees by which a turned thing must look turned: three times the tolerance."""

WITHIN = radians(5.0)
"""Greatest error of a turn, rad (ClevrSkills, Rotate)."""

NEAR = 0.05
"""Greatest distance from where it stood, m."""


def turn(draw: Draw, *props: Prop) -> tuple[float, str]:
    """Return an angle, rad, by which each of the props can be seen to turn, and its words."""
    angle = draw.turn(*props, angles=ANGLES, least=SEEN)
    return radians(angle), f'{abs(angle):.0f} degrees {"anti-clockwise" if angle > 0 else "clockwise"}'


def turned(prop: Prop, angle: float) -> Goal:
    """Return the goal that a prop is turned by `angle` rad within 5°, where it stood, and out of the hand."""
    return all_of(Turned(prop, angle, WITHIN), Not(Moved(prop, NEAR)), Not(Grasped(prop)), Not(Touching(prop)))


def other_turns(item: Prop, others: tuple[Prop, ...], angle: float) -> tuple[Goal, ...]:
    """Return the goals of other sentences: the same turn of other props, and other turns of the same."""
    same = tuple(turned(prop, angle) for prop in others)
    return (turned(item, angle), *same, *(turned(item, radians(way)) for way in ANGLES if abs(way - degrees(angle)) > 1e-6))
