"""References: a blank of a sentence is filled with a reference, which can speak and can say which props its words fit."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene


class Ref(ABC):
    """A way of pointing at one prop of a scene.

    Attributes:
        prop: name of the prop that is meant.
    """

    prop: str

    @abstractmethod
    def words(self, scene: Scene) -> str:
        """Return the words, for example: the red object."""

    @abstractmethod
    def denotes(self, scene: Scene) -> tuple[Prop, ...]:
        """Return the props of the scene that the words fit; exactly the one that is meant, or the sentence is ambiguous."""


def _alike(meant: Prop, scene: Scene) -> list[Prop]:
    return [prop for prop in scene.props if prop.noun == meant.noun]


@serialisable
@dataclass(frozen=True)
class ByColour(Ref):
    """By colour among the props of one noun: the red object."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <colour> <noun>`."""
        meant = scene.prop(self.prop)
        return f'the {meant.colour.name} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[Prop, ...]:
        """Return the props of that noun and colour."""
        meant = scene.prop(self.prop)
        return tuple(p for p in scene.props if (p.noun, p.colour.name) == (meant.noun, meant.colour.name))


@serialisable
@dataclass(frozen=True)
class ByShape(Ref):
    """By shape among all props, whatever their noun: the star."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <shape>`."""
        return f'the {shape_noun(scene.prop(self.prop).kind)}'

    def denotes(self, scene: Scene) -> tuple[Prop, ...]:
        """Return the props of that shape."""
        meant = scene.prop(self.prop)
        return tuple(prop for prop in scene.props if prop.kind == meant.kind)


@serialisable
@dataclass(frozen=True)
class BySize(Ref):
    """By size among the props of one noun: of two the larger object, of three the medium object."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <size> <noun>`.

        Raises:
            TaskError: there are other than two or three props of that noun, or two are of one size.
        """
        meant = scene.prop(self.prop)
        order = self._smallest_first(scene)
        return f'the {SIZES[len(order)][order.index(meant)]} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[Prop, ...]:
        """Return the prop of that noun whose size stands at that place."""
        order = self._smallest_first(scene)
        return (order[order.index(scene.prop(self.prop))],)

    def _smallest_first(self, scene: Scene) -> list[Prop]:
        alike = sorted(_alike(scene.prop(self.prop), scene), key=_volume)
        if len(alike) not in SIZES or any(_volume(big) < CLEARLY_LARGER * _volume(small) for small, big in pairwise(alike)):
            raise TaskError(
                f'Sizes tell two or three props apart whose volumes differ by a factor of {CLEARLY_LARGER:g}; '
                f'found {len(alike)} called {scene.prop(self.prop).noun!r}. Draw them with other scales.'
            )
        return alike


@serialisable
@dataclass(frozen=True)
class BySide(Ref):
    """By side among two props of one noun: the left object. Sides are those of somebody who sits where the robot stands.

    A prop is in front of the other where it lies farther along +x than to a side, behind it along -x, left of it along +y.
    """

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <side> <noun>`.

        Raises:
            TaskError: there are other than two props of that noun.
        """
        meant = scene.prop(self.prop)
        return f'the {self._side(meant, scene)} {meant.noun}'

    def denotes(self, scene: Scene) -> tuple[Prop, ...]:
        """Return the props of that noun on that side of the other."""
        meant = scene.prop(self.prop)
        side = self._side(meant, scene)
        return tuple(prop for prop in _alike(meant, scene) if self._side(prop, scene) == side)

    def _side(self, prop: Prop, scene: Scene) -> str:
        others = [other for other in _alike(prop, scene) if other.name != prop.name]
        if len(others) != 1:
            raise TaskError(f'A side tells two props apart; found {len(others) + 1} called {prop.noun!r}. Draw two.')
        return side(prop, others[0])


def side(prop: Prop, other: Prop) -> str:
    """Return on which of the four `SIDES` of another a prop lies, in the plane of the table."""
    x, y = (a - b for a, b in zip(prop.pose.position[:2], other.pose.position[:2], strict=True))
    if abs(x) > abs(y):
        return 'front' if x > 0 else 'rear'
    return 'left' if y > 0 else 'right'


def shape_noun(kind: str) -> str:
    """Return what a shape is called, for example 'triangular prism'."""
    return _SHAPE_NOUNS.get(kind, kind.replace('_', ' '))


def _volume(prop: Prop) -> float:
    return prop.size[0] * prop.size[1] * prop.size[2]


SIDES = ('left', 'right', 'front', 'rear')
SIZES = {2: ('smaller', 'larger'), 3: ('small', 'medium', 'large')}
CLEARLY_LARGER = 1.2
_SHAPE_NOUNS = {'letter_t': 'letter T', 'cross': 'cross-shaped block'}
