"""An object tracker that errs: noise, delay and poses that it misses. Independent of ROS."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from vlm_bench_sim.core.chance import Chance
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.pose_tracker import EXACT, Accuracy


@dataclass(frozen=True)
class Sight:
    """How a tracker errs.

    Raises:
        ConfigError: a delay is negative, or a share is not in 0…1.

    Attributes:
        accuracy: standard deviations of its poses.
        delay: time from what it sees to its message, s.
        drop_out: probability that it misses a thing.
    """

    accuracy: Accuracy = EXACT
    delay: float = 0.0
    drop_out: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.delay < float('inf'):
            raise ConfigError(f'The delay of a tracker is a number of seconds from 0; found {self.delay}. Give one such as 0.05.')
        if not 0.0 <= self.drop_out <= 1.0:
            raise ConfigError(f'A tracker misses a share of the poses, in 0…1; found {self.drop_out}. Give one such as 0.1.')


@dataclass(frozen=True)
class Sighting:
    """A pose in the world that was seen at a time, ns."""

    name: str
    pose: Pose
    ns: int


class Sightings:
    """Poses as a tracker tells them. The errors depend on the seed, the thing and the count of looks only.

    Args:
        sight: how the tracker errs.
        seed: of its errors.
    """

    def __init__(self, sight: Sight, seed: int = 0) -> None:
        self.sight, self._chance, self._looks = sight, Chance(seed), 0
        self._waiting: deque[Sighting] = deque()

    def look(self, poses: Mapping[str, Pose], ns: int) -> list[Sighting]:
        """See things at their true poses at a time, ns; return what is told by then, oldest first."""
        for name in sorted(poses):
            chance = self._chance.at(f'tracker/{name}', self._looks)
            shift, turn, missed = chance.standard_normal(3), chance.standard_normal(3), chance.random()
            if missed >= self.sight.drop_out:
                here = poses[name].shifted((shift * self.sight.accuracy.position).tolist())
                turned = Pose.from_rpy((0.0, 0.0, 0.0), (turn * self.sight.accuracy.angle).tolist())
                self._waiting.append(Sighting(name, here @ turned if self.sight.accuracy.angle else here, ns))
        self._looks += 1
        told = []
        while self._waiting and self._waiting[0].ns <= ns - round(self.sight.delay * 1e9):
            told.append(self._waiting.popleft())
        return told
