"""Place of each thing in terms of language: on another block, in a bowl, in a zone, in an area, in the gripper, on the floor."""

from dataclasses import dataclass

import numpy as np

from vlm_bench_sim.core.areas import AREAS, Area
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.steps import BIGGER, CENTER, SMALLER, TABLE
from vlm_bench_tasks.goals.outlines import inward, outline
from vlm_bench_tasks.goals.placing import On, Within, middle

GRIPPER, FLOOR = 'gripper', 'floor'
FALLEN = 0.05
"""Least depth below the table's top at which a thing counts as on the floor, m."""

QUARTERS = {area.words: area for area in AREAS.values() if area.words != CENTER}
NAMED = {area.words: area for area in AREAS.values()}
_ALIKE = 0.002  # m: greatest difference between the sides of two things of the same size


@dataclass(frozen=True)
class Stand:
    """The place of one thing.

    Attributes:
        prop: the prop at its present pose.
        on: name of the thing that it stands on or lies in; '' for the table, and if it stands on nothing.
        spot: words of the area below its middle, where the center must contain its whole width; `TABLE` outside all areas; `GRIPPER` or
            `FLOOR`.
    """

    prop: Prop
    on: str
    spot: str

    def over(self, area: Area) -> bool:
        """Return whether its middle is over an area."""
        return area.contains(np.array([self.prop.pose.position]))


def whereabouts(scene: Scene, now: Snapshot) -> dict[str, Stand]:
    """Return the place of each prop, by name, in the scene's order."""
    props = scene.now(now)
    return {prop.name: Stand(prop, _support(prop, props, now), _spot(prop, scene, now)) for prop in props}


def loaded(stands: dict[str, Stand]) -> set[str]:
    """Return the names of the things that carry or contain another thing."""
    return {stand.on for stand in stands.values()} - {''}


def noun_of(prop: Prop) -> str:
    """Return the last word of a prop's noun: block for the noun smaller block."""
    return prop.noun.rpartition(' ')[2]


def size_of(prop: Prop, scene: Scene) -> str:
    """Return smaller or bigger if the things of the prop's noun have two sizes, otherwise ''."""
    sides: list[float] = []
    for other in scene.props:
        if noun_of(other) == noun_of(prop) and not any(abs(other.size[0] - side) < _ALIKE for side in sides):
            sides.append(other.size[0])
    if len(sides) != 2:
        return ''
    return SMALLER if prop.size[0] < sum(sides) / 2 else BIGGER


def _support(prop: Prop, props: tuple[Prop, ...], now: Snapshot) -> str:
    if prop.fixed or prop.ghost or now.held == prop.name:
        return ''
    others = [other for other in props if other.name not in (prop.name, now.held)]
    blocks = [other for other in others if not other.ghost and other.solid.cavity is None]
    bowls = [other for other in others if not other.ghost and other.solid.cavity is not None]
    zones = [other for other in others if other.ghost]
    on = [block.name for block in blocks if _rests(prop, block, now)]
    at = middle(prop, prop.pose)[:2]
    on += [bowl.name for bowl in bowls if inward(outline(bowl, bowl.pose), at) >= 0.0]
    on += [zone.name for zone in zones if Within(prop, zone).distance(now, now) == 0.0]
    return on[0] if on else ''


def _rests(prop: Prop, base: Prop, now: Snapshot) -> bool:
    touch = now.touches(prop.name, base.name) or not now.contacts
    return touch and On(prop, base).distance(now, now) == 0.0


def _spot(prop: Prop, scene: Scene, now: Snapshot) -> str:
    if now.held == prop.name:
        return GRIPPER
    if prop.pose.position[2] < scene.table.top - FALLEN:
        return FLOOR
    at = np.array([prop.pose.position])
    half = prop.size[0] / 2
    if NAMED[CENTER].contains(at + np.array([(half, half, 0.0), (-half, -half, 0.0)])):
        return CENTER
    return next((words for words, area in QUARTERS.items() if area.contains(at)), TABLE)
