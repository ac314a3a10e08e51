"""References fill the blanks of a sentence. A reference returns its words, and the things that the words describe.

This module has references by noun and looks; `places` has references by position.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, TaskError, near
from vlm_bench_sim.core.looks import CLEAR
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.prompts import PromptPicture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.shapes import spoken
from vlm_bench_tasks.language.pictures import portrait, twins


class Ref(ABC):
    """A reference to one thing of a scene.

    Attributes:
        prop: name of the thing that is meant: a prop, or a link of a mechanism as `mechanism/link`.
    """

    prop: str

    @abstractmethod
    def words(self, scene: Scene) -> str:
        """Return the words, for example: the red object."""

    @abstractmethod
    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the names of all things that the words describe, in the scene's order. More than one: the sentence is ambiguous."""

    def picture(self, scene: Scene) -> PromptPicture | None:
        """Return a picture that says the same as the words; None: there is none, because it is no prop or others look like it."""
        meant = scene.objects.get(self.prop)
        return portrait(meant, scene) if isinstance(meant, Prop) and not twins(meant, scene) else None


def alike(meant: Prop, scene: Scene) -> list[Prop]:
    """Return the props of the scene with the noun of `meant`, including `meant` itself."""
    return [prop for prop in scene.props if prop.noun == meant.noun]


def names(props: Iterable[Prop]) -> tuple[str, ...]:
    """Return the names of the props."""
    return tuple(prop.name for prop in props)


@serialisable
@dataclass(frozen=True)
class ByNoun(Ref):
    """By noun alone: the sponge, the door."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <noun>`."""
        return f'the {nouns(scene)[known(self.prop, scene)]}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props and the `movers` of that noun."""
        every = nouns(scene)
        return tuple(name for name, noun in every.items() if noun == every[known(self.prop, scene)])


@serialisable
@dataclass(frozen=True)
class ByColor(Ref):
    """By color among the props of one noun: the red object."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <color> <noun>`."""
        meant = scene.prop(self.prop)
        return f'the {meant.color.name} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of that noun and color."""
        meant = scene.prop(self.prop)
        return names(prop for prop in alike(meant, scene) if prop.color.name == meant.color.name)


@serialisable
@dataclass(frozen=True)
class ByShape(Ref):
    """By shape among the props of all nouns: the star."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <shape>`."""
        return f'the {shape_noun(scene.prop(self.prop).kind)}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of that shape."""
        meant = shape_noun(scene.prop(self.prop).kind)
        return names(prop for prop in scene.props if shape_noun(prop.kind) == meant)


@serialisable
@dataclass(frozen=True)
class BySize(Ref):
    """By size among the two or three props of one noun: the larger object, the medium object."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <size> <noun>`.

        Raises:
            TaskError: the number of props of that noun is not two or three, or two have the same size.
        """
        meant = scene.prop(self.prop)
        order = self._smallest_first(scene)
        return f'the {SIZES[len(order)][order.index(meant)]} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the prop of that noun with that rank of size."""
        order = self._smallest_first(scene)
        return names([order[order.index(scene.prop(self.prop))]])

    def _smallest_first(self, scene: Scene) -> list[Prop]:
        order = sorted(alike(scene.prop(self.prop), scene), key=_volume)
        if len(order) not in SIZES or any(_volume(big) < CLEARLY_LARGER * _volume(small) for small, big in pairwise(order)):
            raise TaskError(
                f'Words for sizes distinguish two or three props with volumes that differ by a factor of {CLEARLY_LARGER:g} or more; '
                f'found {len(order)} called {scene.prop(self.prop).noun!r}. Draw two or three, with scales further apart.'
            )
        return order


@serialisable
@dataclass(frozen=True)
class BySide(Ref):
    """By side among two props of one noun: the left object. Sides are seen from the robot.

    The larger offset decides: a prop is in front of the other along +x, behind it along -x, and left of it along +y.
    """

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <side> <noun>`.

        Raises:
            TaskError: the number of props of that noun is not two.
        """
        meant = scene.prop(self.prop)
        return f'the {self._side(meant, scene)} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of that noun on that side of the other."""
        meant = scene.prop(self.prop)
        side = self._side(meant, scene)
        return names(prop for prop in alike(meant, scene) if self._side(prop, scene) == side)

    def _side(self, prop: Prop, scene: Scene) -> str:
        others = [other for other in alike(prop, scene) if other.name != prop.name]
        if len(others) != 1:
            raise TaskError(f'Words for sides distinguish two props; found {len(others) + 1} called {prop.noun!r}. Draw two.')
        return side(prop, others[0])


@serialisable
@dataclass(frozen=True)
class ByTexture(Ref):
    """By pattern among the props of one noun: the striped object, the plain container."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <pattern> <noun>`."""
        meant = scene.prop(self.prop)
        return f'the {PATTERN_WORDS[_pattern(meant)]} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of that noun and pattern."""
        meant = scene.prop(self.prop)
        return names(prop for prop in alike(meant, scene) if _pattern(prop) == _pattern(meant))


def side(prop: Prop, other: Prop) -> str:
    """Return the side, one of the four `SIDES`, of `other` on which a prop lies, in the plane of the table."""
    (x, y, _), (u, v, _) = prop.pose.position, other.pose.position
    return side_of(x - u, y - v)


def side_of(x: float, y: float) -> str:
    """Return the side, one of the four `SIDES`, for an offset from the other prop, m: x ahead, y to the left."""
    if abs(x) > abs(y):
        return 'front' if x > 0 else 'rear'
    return 'left' if y > 0 else 'right'


def nouns(scene: Scene) -> dict[str, str]:
    """Return the noun of each prop, by name, and of each of the `movers`, by full name, such as drawer or door."""
    links = {name: LINK_NOUNS[mechanism.joints[name].kind] for mechanism in scene.mechanisms for name in movers(mechanism)}
    return {prop.name: prop.noun for prop in scene.props} | links


def movers(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the full names of the moving links whose parent is fixed: a door, but not the handle that turns on it."""
    fixed = {link.name for link in mechanism.links if not link.joint}
    return tuple(mechanism.full(link.name) for link in mechanism.links if link.joint and link.parent in fixed)


def known(name: str, scene: Scene) -> str:
    """Return the name, if it is in the scene.

    Raises:
        SceneError: the scene has no such prop or link.
    """
    if name not in nouns(scene):
        raise SceneError(f'The scene holds no prop or moving link called {name!r}. {near(name, nouns(scene))}')
    return name


def shape_noun(kind: str) -> str:
    """Return the noun of a shape by what is seen of it, for example 'triangular prism'; balls of all sports are balls."""
    return _SHAPE_NOUNS.get(kind, spoken(kind))


def _pattern(prop: Prop) -> str:
    return prop.texture.pattern if prop.texture else ''


def _volume(prop: Prop) -> float:
    return prop.size[0] * prop.size[1] * prop.size[2]


SIDES = ('left', 'right', 'front', 'rear')
SIZES = {2: ('smaller', 'larger'), 3: ('small', 'medium', 'large')}
CLEARLY_LARGER = 1.2
LINK_NOUNS = {'prismatic': 'drawer', 'revolute': 'door'}
PATTERN_WORDS = {
    '': 'plain', 'stripe': 'striped', 'dot': 'dotted', 'swirl': 'swirled', 'checker': 'chequered', 'brick': 'brick-patterned',
    'wood': 'wood-grained', 'grid': 'gridded', 'zigzag': 'zigzag', 'marble': 'marbled', 'ring': 'ringed', 'diamond': 'diamond-patterned',
    'speckle': 'speckled', 'paisley': 'paisley', 'tiger': 'tiger-striped', 'magma': 'magma-patterned', 'rainbow': 'rainbow-colored',
    'dimple': 'dimpled', CLEAR: 'see-through',
}  # fmt: skip
_SHAPE_NOUNS = {
    **{f'letter_{letter.lower()}': f'letter {letter}' for letter in 'AEGLMORTV'}, 'flat_t': 'letter T', 'cross': 'cross-shaped block',
    'clover': 'four-leaf clover', 'wrench': 'adjustable wrench', 'peg_board': 'board with nine holes', 'toy_blocks': 'toy blocks',
    'plus': 'plus sign', 'flat_pentagon': 'pentagon', 'five_point_star': 'five-pointed star', 'rubiks_cube': "Rubik's cube",
    'softball': 'ball', 'baseball': 'ball', 'tennis_ball': 'ball', 'racquetball': 'ball', 'soup_can': 'can', 'tuna_can': 'can',
    'meat_can': 'can', 'pudding_box': 'box', 'gelatin_box': 'box', 'wood_block': 'block', 'foam_brick': 'brick',
    'mustard_bottle': 'bottle', 'medium_clamp': 'clamp', 'large_clamp': 'clamp', 'extra_large_clamp': 'clamp',
}  # fmt: skip
