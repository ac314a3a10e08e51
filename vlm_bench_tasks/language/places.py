"""References by position: region of the table, orientation on the table, level in a piece of furniture; and by what is inside."""

from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np

from vlm_bench_sim.core.areas import Area
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import TaskError, near
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.matter import fill
from vlm_bench_sim.core.mechanisms import Joint, Mechanism
from vlm_bench_sim.core.objects.furniture import COLUMNS, ROWS
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import LINK_NOUNS, Ref, alike, movers, names, side

SAME_PLACE = 0.03
"""Greatest distance of two links of one row or one column, m."""
_SIDE_OF = {'left': 'to the left of', 'right': 'to the right of', 'front': 'in front of', 'rear': 'behind'}
DIRECTIONS = ('vertical', 'horizontal')
HARDLY_FARTHER = 1.3
"""As many times as far from a thing as its neighbour, another one might be taken for the neighbour."""

CLEARLY_TURNED = radians(30.0)
"""Greatest angle between a thing's axis and the direction that its word says, rad."""


@serialisable
@dataclass(frozen=True)
class ByRegion(Ref):
    """By region of the table among the props of one noun: the block in the top left area.

    Attributes:
        area: the region, such as one of `core.areas.AREAS`. A prop is in it if its middle is.
    """

    prop: str
    area: Area

    def words(self, scene: Scene) -> str:
        """Return `the <noun> in the <area>`.

        Raises:
            TaskError: the prop is elsewhere.
        """
        meant = scene.prop(self.prop)
        if self.prop not in self.denotes(scene):
            raise TaskError(f'{self.prop} is not in the {self.area.words}. Name another area, or draw it there.')
        return f'the {meant.noun} in the {self.area.words}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of that noun in that region."""
        props = alike(scene.prop(self.prop), scene)
        return names(prop for prop in props if self.area.contains(np.array([prop.pose.position])))


@serialisable
@dataclass(frozen=True)
class ByDirection(Ref):
    """By orientation among the props of one noun. The x axis of a vertical prop points away from the robot, or towards it."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <direction> <noun>`.

        Raises:
            TaskError: the prop lies in neither direction.
        """
        meant = scene.prop(self.prop)
        if not self._direction(meant):
            raise TaskError(
                f'{meant.name} lies at a yaw of {meant.pose.yaw:.2f} rad, which is neither vertical (0, π) nor horizontal (±π/2) within '
                f'{CLEARLY_TURNED:.2f} rad. Draw it nearer to one of them.'
            )
        return f'the {self._direction(meant)} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of that noun with that direction."""
        meant = scene.prop(self.prop)
        return names(prop for prop in alike(meant, scene) if self._direction(prop) == self._direction(meant))

    def _direction(self, prop: Prop) -> str:
        along, across = abs(cos(prop.pose.yaw)), abs(sin(prop.pose.yaw))
        clear = cos(CLEARLY_TURNED)
        return DIRECTIONS[0] if along >= clear else DIRECTIONS[1] if across >= clear else ''


@serialisable
@dataclass(frozen=True)
class ByContent(Ref):
    """By whether beads are inside at the start, among the props of one noun: the full cup, the empty cup."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the full <noun>` or `the empty <noun>`."""
        meant = scene.prop(self.prop)
        return f'the {"full" if _holds_beads(meant, scene) else "empty"} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of that noun in which there are beads, or those in which there are none."""
        meant = scene.prop(self.prop)
        return names(prop for prop in alike(meant, scene) if _holds_beads(prop, scene) == _holds_beads(meant, scene))


@serialisable
@dataclass(frozen=True)
class ByNeighbour(Ref):
    """By the side of another prop on which it was the nearest, among the props of one noun (ClevrSkills, Neighbour).

    Sides are those of `BySide`.

    Attributes:
        beside: name of the other prop, which the sentence names before.
    """

    prop: str
    beside: str

    def words(self, scene: Scene) -> str:
        """Return `the <noun> that was directly <side> it`."""
        meant = scene.prop(self.prop)
        return f'the {meant.noun} that was directly {_SIDE_OF[side(meant, scene.prop(self.beside))]} it'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the prop of that noun that was nearest on that side of the other, and those that were hardly farther away."""
        meant, other = scene.prop(self.prop), scene.prop(self.beside)
        there = side(meant, other)
        on_it = [prop for prop in alike(meant, scene) if prop.name != self.beside and side(prop, other) == there]
        far = {prop.name: prop.pose.distance(other.pose) for prop in on_it}
        return tuple(name for name, distance in far.items() if distance <= HARDLY_FARTHER * min(far.values()))

    def picture(self, scene: Scene) -> None:
        """Return None: the sentence asks for the side."""


@serialisable
@dataclass(frozen=True)
class ByLevel(Ref):
    """By place among the links of the same kind in a piece of furniture: the top drawer, the top left door, or the drawer if it is alone.

    Left and right are as seen by a person in front of the piece.

    Attributes:
        prop: full name of the link, `mechanism/link`.
    """

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <level> <column> <drawer or door>`.

        Raises:
            TaskError: there is no such link, or the furniture has more than three levels or columns.
        """
        mechanism, name, joint = self._found(scene)
        return f'the {_level(mechanism, name)} {LINK_NOUNS[joint.kind]}'.replace('  ', ' ')

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the links at that level of any piece of furniture."""
        mechanism, name, joint = self._found(scene)
        meant = (_level(mechanism, name), joint.kind)
        every = [(other, full, other.joints[full].kind) for other in scene.mechanisms for full in movers(other)]
        return tuple(full for other, full, kind in every if (_level(other, full), kind) == meant)

    def _found(self, scene: Scene) -> tuple[Mechanism, str, Joint]:
        for mechanism in scene.mechanisms:
            if self.prop in mechanism.joints:
                return mechanism, self.prop, mechanism.joints[self.prop]
        known = [full for mechanism in scene.mechanisms for full in mechanism.joints]
        raise TaskError(f'No furniture of the scene has a moving link called {self.prop!r}. {near(self.prop, known)}')


def _holds_beads(vessel: Prop, scene: Scene) -> bool:
    return any(fill(vessel, beads.centres) > 0.0 for beads in scene.beads)


def _level(mechanism: Mechanism, name: str) -> str:
    """Return the words for a link's place among those of its kind: its level, its column, or both; '' if it is alone."""
    joint = mechanism.joints[name]
    alike = [full for full in {*movers(mechanism), name} if mechanism.joints[full].kind == joint.kind]
    levels, columns = (_ranks(mechanism, alike, axis) for axis in (2, 1))
    words = (table[len(set(ranks.values()))][ranks[name]] for table, ranks in ((ROWS, levels), (COLUMNS, columns)))
    return ' '.join(word for word in words if word)


def _ranks(mechanism: Mechanism, links: list[str], axis: int) -> dict[str, int]:
    """Return the row (axis 2, from the top) or the column (axis 1, from the left) of each link, from 0.

    Raises:
        TaskError: there are more than three.
    """
    at = {full: _middle(mechanism, full)[axis] for full in links}
    steps: list[float] = []
    for value in sorted(at.values(), reverse=True):
        if not steps or steps[-1] - value > SAME_PLACE:
            steps.append(value)
    if len(steps) not in ROWS:
        word = 'above one another' if axis == 2 else 'side by side'
        raise TaskError(f'Words for places distinguish up to three links; {mechanism.name!r} has {len(steps)} {word}. Use other words.')
    return {full: min(range(len(steps)), key=lambda i: abs(steps[i] - value)) for full, value in at.items()}


def _middle(mechanism: Mechanism, full: str) -> Vector:
    """Return the middle of a link's front when closed, in the piece's frame, m: the hinge of a door is at its side."""
    link = mechanism.link(full.partition('/')[2])
    joint = mechanism.joints[full]
    return (joint.origin @ joint.shift(joint.lower) @ link.parts[0].pose).position
