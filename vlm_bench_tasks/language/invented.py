"""References by invented words, which the sentence introduces: nouns and adjectives (VIMA; ClevrSkills, NovelNoun and NovelAdjective)."""

from dataclasses import dataclass
from math import isclose

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import Ref, alike, names


@serialisable
@dataclass(frozen=True)
class ByWord(Ref):
    """By an invented noun for all things with the shape, color and pattern of the prop: the dax."""

    prop: str
    word: str

    def words(self, scene: Scene) -> str:
        """Return `the <word>`."""
        scene.prop(self.prop)
        return f'the {self.word}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props that look like the prop."""
        meant = scene.prop(self.prop)
        return names(p for p in scene.props if (p.kind, p.color, p.texture) == (meant.kind, meant.color, meant.texture))

    def picture(self, scene: Scene) -> None:
        """Return None: a word that was introduced is used."""


@serialisable
@dataclass(frozen=True)
class ByAdjective(Ref):
    """By an invented adjective for things `factor` times as large as another of the same shape: the daxer object.

    Attributes:
        noun: an invented noun, too; '': that of the prop.
    """

    prop: str
    word: str
    factor: float
    noun: str = ''

    def words(self, scene: Scene) -> str:
        """Return `the <word> <noun>`."""
        return f'the {self.word} {self.noun or scene.prop(self.prop).noun}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of the noun that are `factor` times as large as another of their shape."""
        return names(prop for prop in alike(scene.prop(self.prop), scene) if any(self._is(prop, other) for other in scene.props))

    def picture(self, scene: Scene) -> None:
        """Return None: a word that was introduced is used."""

    def _is(self, prop: Prop, other: Prop) -> bool:
        return prop.kind == other.kind and all(
            isclose(a, self.factor * b, rel_tol=0.02) for a, b in zip(prop.size, other.size, strict=True)
        )
