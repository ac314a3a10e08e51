"""What who acts around a real arm believes: that whatever possibly touches does, and that what is possibly held is held."""

from vlm_bench_sim.core.pose_tracker import Accuracy
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.motion.contact_estimator import ContactEstimator
from vlm_bench_sim.motion.kinematics import Kinematics


class Beliefs:
    """Adds contacts and the grasp to snapshots that lack them.

    Args:
        kinematics: of the robot.
        accuracy: of the tracker.
    """

    def __init__(self, kinematics: Kinematics, accuracy: Accuracy) -> None:
        self._kinematics, self._accuracy = kinematics, accuracy
        self._scene: Scene | None = None
        self._guess: ContactEstimator | None = None

    def lay_out(self, scene: Scene) -> None:
        """Take the scene of an episode, before its snapshots."""
        self._scene, self._guess = scene, None

    def of(self, now: Snapshot) -> Snapshot:
        """Return the next snapshot of the episode with what is believed; one that holds contacts, or of no known scene, as it is."""
        if now.contacts or self._scene is None:
            return now
        if self._guess is None:  # only now: where a simulator sees contacts, nobody needs the hulls
            self._guess = ContactEstimator(self._kinematics, self._scene, accuracy=self._accuracy, waits=False)
        ((_, possible),) = self._guess.estimate(now)
        return possible
