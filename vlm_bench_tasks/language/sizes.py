"""References by size and color."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import ByColor


@serialisable
@dataclass(frozen=True)
class BySizedColor(ByColor):
    """By size and color, for nouns that contain the size: the smaller red block, for the noun smaller block."""

    def words(self, scene: Scene) -> str:
        """Return `the <size> <color> <noun>`."""
        meant = scene.prop(self.prop)
        size, _, noun = meant.noun.rpartition(' ')
        return ' '.join(word for word in ('the', size, meant.color.name, noun) if word)
