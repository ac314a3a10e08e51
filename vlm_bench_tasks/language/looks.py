"""References by look: a color, a material, or two colors in a pattern."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import Ref, alike, names

_BRIGHT = 'bright '


@serialisable
@dataclass(frozen=True)
class ByLook(Ref):
    """By color and pattern among the props of one noun: the red object, the object with red and blue stripes (ClevrSkills, textures)."""

    prop: str

    def words(self, scene: Scene) -> str:
        """Return `the <look> <noun>`, or `the <noun> with <look>` for a pattern of two colors; bright beside one of the same in dark."""
        meant = scene.prop(self.prop)
        twin = any(prop.look.words == meant.look.darker for prop in alike(meant, scene))
        return f'the {meant.look.describe(meant.noun, _BRIGHT if twin else "")}'

    def denotes(self, scene: Scene) -> tuple[str, ...]:
        """Return the props of that noun and look."""
        meant = scene.prop(self.prop)
        return names(prop for prop in alike(meant, scene) if prop.look.words == meant.look.words)
