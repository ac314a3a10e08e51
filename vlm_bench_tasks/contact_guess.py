"""Who tells contacts and grasps of an episode that a tracker observes, and how a report says how well the tracker sees."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.pose_tracker import EXACT, Accuracy
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.believed import Beliefs
from vlm_bench_sim.motion.contact_estimator import ContactEstimator
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_tasks.judging.judges import TRACKER
from vlm_bench_tasks.judging.tracker_judge import ContactGuess

__all__ = ['Beliefs', 'Guessing', 'read']

_SAID = re.compile(r'tracker=(\S+)m,(\S+)rad')


@dataclass(frozen=True)
class Guessing:
    """Tells contacts where a tracker observes.

    Attributes:
        robot: name of the robot's profile.
        accuracy: of the tracker.
    """

    robot: str
    accuracy: Accuracy

    def __call__(self, scene: Scene) -> ContactGuess:
        """Return who tells the contacts in a scene."""
        return ContactEstimator(Kinematics(profiles.robot(self.robot)), scene, accuracy=self.accuracy)

    def beliefs(self) -> Beliefs:
        """Return what who acts believes, who cannot wait."""
        return Beliefs(Kinematics(profiles.robot(self.robot)), self.accuracy)

    def said(self, judged_by: str) -> tuple[str, ...]:
        """Return what a report adds to its versions: the accuracy of the tracker, if one observed."""
        if judged_by != TRACKER:
            return ()
        return (f'tracker={self.accuracy.position:.12g}m,{self.accuracy.angle:.12g}rad',)


def read(versions: Iterable[str]) -> Accuracy:
    """Return the accuracy among a report's versions; exact if none is there, as in older reports."""
    for match in filter(None, map(_SAID.fullmatch, versions)):
        try:
            return Accuracy(*map(float, match.groups()))
        except (ValueError, VlmBenchError):
            continue
    return EXACT
