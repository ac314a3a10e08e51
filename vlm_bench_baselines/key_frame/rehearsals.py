"""What the expert did in the episodes of a test: an aid, for ablations that give a policy the right positions or orientations.

A policy does not know which episode it plays. It recognises it by the sentence and the map.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from vlm_bench_baselines.demonstrations import MAPS, Demonstration, Target
from vlm_bench_baselines.key_frame.reading import Reading
from vlm_bench_sim.core.fusion import TopDown

POSITION, ORIENTATION = 'position', 'orientation'
GIVEN = ('', POSITION, ORIENTATION)


class Rehearsals:
    """Demonstrations of the very episodes that are played.

    Args:
        folder: that vlm-bench export maps wrote.

    Raises:
        ConfigError: it holds no maps.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, (found, _, _) = folder, MAPS.examples(folder)
        self._told: dict[str, list[Demonstration]] = {}
        for one in found:
            self._told.setdefault(one.sentence, []).append(one)

    def nearest(self, seen: TopDown, sentence: str) -> Demonstration:
        """Return the demonstration with this sentence whose map is most like one.

        Raises:
            LookupError: there is none, or none with a map of this size, such as where the expert failed. It costs the episode.
        """
        known = [one for one in self._told.get(sentence, ()) if one.color.shape == seen.color.shape]
        if not known:
            raise LookupError(
                f'{self._folder} holds no demonstration of {sentence!r:.100}. Record the expert in the episodes that are played.'
            )
        return min(known, key=lambda one: float(np.abs(one.color.astype(float) - seen.color).mean()))

    def corrected(self, reading: Reading, seen: TopDown, sentence: str, *, given: str) -> Reading:
        """Return a reading with the expert's positions, or with its orientations."""
        right = self.nearest(seen, sentence)
        pick, place = (_given(own, told, given) for own, told in ((reading.pick, right.pick), (reading.place, right.place)))
        return replace(reading, pick=pick, place=place)


def _given(own: Target, right: Target, given: str) -> Target:
    if given == POSITION:
        return replace(own, position=right.position)
    return replace(own, approach=right.approach, yaw=right.yaw) if given == ORIENTATION else own
