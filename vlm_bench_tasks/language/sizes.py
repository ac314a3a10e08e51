"""References by a named size together with a colour."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import ByColour


@serialisable
@dataclass(frozen=True)
class BySizedColour(ByColour):
    """By size and colour, where the noun says the size: the smaller red block, of what is called a smaller block."""

    def words(self, scene: Scene) -> str:
        """Return `the <size> <colour> <noun>`."""
        meant = scene.prop(self.prop)
        size, _, noun = meant.noun.rpartition(' ')
        return ' '.join(word for word in ('the', size, meant.colour.name, noun) if word)
