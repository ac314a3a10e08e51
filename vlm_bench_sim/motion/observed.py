"""What is seen around a real arm: snapshots from a driver's joint states and a tracker's poses, which come at different times."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

from vlm_bench_sim.core.errors import Unobservable
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.hindsight import PERIODS
from vlm_bench_sim.core.pose_tracker import EXACT, Accuracy, PoseTracker
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.sighting import Sight, Sightings
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.core.timing import PERIOD_NS, STEPS_PER_PERIOD
from vlm_bench_sim.motion.kinematics import Kinematics

PATIENCE_NS = 1_000_000_000
"""Time after which what is told no more counts as unknown, ns."""


class Observation:
    """Puts together what is told of one moment: of the newest pose that a tracker has told, and of the joints at that time.

    Args:
        kinematics: of the robot.
        patience_ns: as for `PoseTracker`.
        accuracy: of the tracker.
    """

    def __init__(self, kinematics: Kinematics, *, patience_ns: int = PATIENCE_NS, accuracy: Accuracy = EXACT) -> None:
        self._kinematics, self._patience_ns = kinematics, patience_ns
        self._tracker = PoseTracker(patience_ns, accuracy)
        self._joints: deque[tuple[int, dict[str, JointState]]] = deque()
        self._told: dict[str, int] = {}
        self._scene = Scene(())

    def lay_out(self, scene: Scene) -> None:
        """Take the scene of an episode: its furniture is measured, and what never moves need not be seen."""
        self._scene = scene

    def hear(self, joints: Mapping[str, JointState], ns: int) -> None:
        """Add joint states at a time, ns; joints that they leave out, or whose position is no number, stay as they were for a while."""
        given = {name: joint for name, joint in joints.items() if isfinite(joint.position)}
        if not given:
            return
        before = self._joints[-1][1] if self._joints else {}
        self._joints.append((ns, before | given))
        self._told |= dict.fromkeys(given, ns)
        while self._joints[0][0] < ns - self._patience_ns:
            self._joints.popleft()

    def see(self, name: str, pose: Pose, ns: int) -> None:
        """Add a pose in the world at a time, ns: of a prop, or of a link of furniture as `mechanism/link`.

        Raises:
            CommandError: a number is not finite, or the quaternion is zero.
        """
        self._tracker.see(name, Pose.of(pose.position, pose.orientation), ns)

    @property
    def knows_arm(self) -> bool:
        """True once every joint of the arm has been told."""
        return all(name in self._told for name in self._kinematics.profile.joints)

    def silent(self, ns: int) -> tuple[str, ...]:
        """Return the joints of the arm and the fingers that have not been told for a while at a time, ns; they count as unknown."""
        profile, since = self._kinematics.profile, ns - self._patience_ns
        return tuple(name for name in (*profile.joints, *profile.gripper.joints) if self._told.get(name, since - 1) < since)

    def snapshot(self, seq: int, ns: int) -> Snapshot:
        """Return what is known at a time, ns, as the snapshot of a control period; contacts and grasps are unknown.

        Raises:
            Unobservable: a joint of the arm has never been told.
        """
        if not self.knows_arm:
            raise Unobservable('the driver has not told every joint of the arm')
        moment = self._tracker.newest(ns)
        told = next((joints for when, joints in reversed(self._joints) if when <= moment), self._joints[0][1])
        profile, recent = self._kinematics.profile, ns - self._patience_ns
        named = (*profile.joints, *profile.gripper.joints, *profile.gripper.links)
        known = {name: told[name] for name in named if name in told and self._told[name] >= recent}
        seen = self._tracker.bodies(ns)
        fixed = {prop.name: Body(prop.pose) for prop in self._scene.props if prop.fixed or prop.ghost}
        mechanisms: dict[str, JointState] = {}
        for mechanism in self._scene.mechanisms:
            mechanisms |= mechanism.measured(seen)
        return Snapshot(
            seq=seq, step=seq * STEPS_PER_PERIOD, joints=known,
            tool=self._kinematics.tool_pose([told[name].position for name in profile.joints]),
            opening=sum(told[name].position for name in profile.gripper.joints if name in told),
            bodies=fixed | {name: body for name, body in seen.items() if '/' not in name}, mechanisms=mechanisms, contacts=False,
        )  # fmt: skip


def trackable(scene: Scene, now: Snapshot) -> dict[str, Pose]:
    """Return the poses that a tracker may tell: of the props, and of the links of furniture."""
    poses = {name: body.pose for name, body in now.bodies.items()}
    for mechanism in scene.mechanisms:
        poses |= mechanism.placed(now.mechanisms)
    return poses


class Blindfold:
    """What a tracker and a driver would have told of an episode that was seen: takes its snapshots in order, without contacts.

    Before the first one everything has stood as in it for a while.

    Args:
        kinematics: of the robot.
        scene: of the episode.
        sight: how the tracker errs.
        seed: of its errors.
    """

    def __init__(self, kinematics: Kinematics, scene: Scene, *, sight: Sight, seed: int = 0) -> None:
        self._scene, self._sightings, self._sensed = scene, Sightings(sight, seed), kinematics.profile.gripper.sensed
        self._observation = Observation(kinematics, accuracy=sight.accuracy)
        self._observation.lay_out(scene)

    def observe(self, now: Snapshot) -> Snapshot:
        """Return what is observed in place of a snapshot."""
        for before in range(PERIODS if now.seq == 0 else 0, -1, -1):
            ns = PERIOD_NS * (now.seq - before)
            self._observation.hear(now.joints | self._sensed(now.held), ns)
            for one in self._sightings.look(trackable(self._scene, now), ns):
                self._observation.see(one.name, one.pose, one.ns)
        return replace(self._observation.snapshot(now.seq, ns), beads=now.beads, dirt=now.dirt)
