"""Poses of a tracker that errs: a thing that stood still for a second has one pose, whatever the jitter.

A judge looks at each snapshot again a second later (`Hindsight`, a fixed-lag smoother). Who acts cannot wait, and looks back (`Steadied`,
a filter).
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from vlm_bench_sim.core.geometry import Floats, Pose, vector
from vlm_bench_sim.core.pose_tracker import Accuracy
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.core.timing import seconds_to_periods

PERIODS = seconds_to_periods(1.0)
"""Control periods by which a snapshot is looked at later, if the tracker errs."""

_LEAST = 8  # poses from which a rest is told
_LEAST_SPREAD = 1e-6  # m and rad: below it, the last digits of a number decide
_AGREE = 3.5  # standard deviations by which the two halves of a rest may differ
_ASTRAY = 5.0  # standard deviations of a mean that is no longer that of the rest
_AHEAD = (1, 5)  # poses from the present one on, over whose mean a rest is checked: a jolt shows in few, a slower motion in more
_T = TypeVar('_T', Pose, float)
Rests = Callable[[Sequence[_T]], _T | None]
"""Returns where a thing stands still, given its poses or positions; None if it moves."""


class Hindsight:
    """Takes the snapshots of one episode in order, and returns each once it is known what came next.

    What stood still for `PERIODS` has the mean of its poses and no velocity until it moves by more than the tracker errs. Everything else
    stays as it was observed.

    Args:
        accuracy: of the tracker; with an exact one each snapshot returns at once, as it is.
        scene: of the episode.
    """

    def __init__(self, accuracy: Accuracy, scene: Scene) -> None:
        self._accuracy, self._waiting = accuracy, deque[Snapshot]()
        self._spreads = _Spreads(accuracy, scene)
        self._poses = {prop.name: _Poses(_Rest(self._spreads.pose)) for prop in scene.props}
        self._joints = {name: _Positions(_Rest(spread)) for name, spread in self._spreads.joints.items()}

    def see(self, now: Snapshot) -> Snapshot | None:
        """Take the next snapshot; return the one that is due, or None at the start."""
        if self._accuracy.exact:
            return now
        self._waiting.append(now)
        if len(self._waiting) <= PERIODS:
            return None
        due, seen = self._waiting[0], tuple(self._waiting)
        self._waiting.popleft()
        return _rested(due, seen, {name: track.rest for name, track in self._poses.items()},
                       {name: track.rest for name, track in self._joints.items()})  # fmt: skip


class Steadied:
    """Takes the snapshots of one episode in order, and returns each at once: what has stood still so far has the mean of its poses.

    Args:
        accuracy: of the tracker; with an exact one each snapshot stays as it is.
        scene: of the episode.
    """

    def __init__(self, accuracy: Accuracy, scene: Scene) -> None:
        self._accuracy, self._past = accuracy, deque[Snapshot](maxlen=PERIODS)
        self._spreads, self._props = _Spreads(accuracy, scene), tuple(prop.name for prop in scene.props)

    def see(self, now: Snapshot) -> Snapshot:
        """Take the next snapshot and return it."""
        if self._accuracy.exact:
            return now
        self._past.append(now)
        poses = dict.fromkeys(self._props, lambda seen: _mean_pose(seen, self._spreads.pose))
        joints = {name: partial(_mean_position, spread=spread) for name, spread in self._spreads.joints.items()}
        return _rested(now, tuple(self._past), poses, joints)


class _Spreads:
    """Standard deviations of the poses of props, (6,) m and rad, and of the joints of furniture by name, (1,) m or rad."""

    def __init__(self, accuracy: Accuracy, scene: Scene) -> None:
        position, angle = max(accuracy.position, _LEAST_SPREAD), max(accuracy.angle, _LEAST_SPREAD)
        self.pose: Floats = np.repeat((position, angle), 3)
        kinds = {name: joint.kind for mechanism in scene.mechanisms for name, joint in mechanism.joints.items()}
        self.joints = {name: np.array([position if kind == 'prismatic' else angle]) for name, kind in kinds.items()}


def _rested(now: Snapshot, seen: Sequence[Snapshot], poses: Mapping[str, Rests[Pose]], joints: Mapping[str, Rests[float]]) -> Snapshot:
    """Return a snapshot in which whatever rests stands still, given what was seen around it and what tells rests, by name."""
    found, moved = dict(now.bodies), dict(now.mechanisms)
    for name, rests in poses.items():
        if name in found and (pose := rests(_fresh([one.bodies[name].pose for one in seen if name in one.bodies]))) is not None:
            found[name] = Body(pose)
    for name, stands in joints.items():
        if name in moved and (at := stands(_fresh([one.mechanisms[name].position for one in seen if name in one.mechanisms]))) is not None:
            moved[name] = JointState(at)
    return replace(now, bodies=found, mechanisms=moved)


class _Rest:
    """Tells whether a thing stays at rest from its deviations from it, (k,) each; `spread` has their standard deviations, (k,)."""

    def __init__(self, spread: Floats) -> None:
        self._spread = spread
        self._past: deque[Floats] = deque(maxlen=PERIODS)

    def begins(self) -> Floats:
        """Forget the last rest; return the standard deviations by which a new one is told."""
        self._past.clear()
        return self._spread

    def lasts(self, ways: Floats) -> bool:
        """Return whether the rest lasts, given the deviations from it, from the present one on, (n, k)."""
        self._past.append(ways[0])
        means = [ways[:count].mean(axis=0) * np.sqrt(len(ways[:count])) for count in _AHEAD]
        means.append(np.mean(self._past, axis=0) * np.sqrt(len(self._past)))  # a creep shows in what has passed
        return all(bool((np.abs(mean) <= _ASTRAY * self._spread).all()) for mean in means)


class _Poses:
    """Where one thing stands still, if it does."""

    def __init__(self, rest: _Rest) -> None:
        self._rest = rest
        self._at: Pose | None = None

    def rest(self, seen: Sequence[Pose]) -> Pose | None:
        """Return where the thing stands still in the first of its poses; None if it moves."""
        if self._at is not None and not self._rest.lasts(np.array([_deviation(pose, self._at) for pose in seen])):
            self._at = None
        if self._at is None:
            self._at = _mean_pose(seen, self._rest.begins())
        return self._at


class _Positions:
    """The same for a joint of furniture, m or rad."""

    def __init__(self, rest: _Rest) -> None:
        self._rest = rest
        self._at: float | None = None

    def rest(self, seen: Sequence[float]) -> float | None:
        """Return where the joint stands still at first; None if it moves."""
        if self._at is not None and not self._rest.lasts(np.array(seen)[:, None] - self._at):
            self._at = None
        if self._at is None:
            self._at = _mean_position(seen, self._rest.begins())
        return self._at


def _mean_pose(seen: Sequence[Pose], spread: Floats) -> Pose | None:
    """Return the mean of poses if a thing with them stood still; None if it moved."""
    ways = np.array([_deviation(pose, seen[0]) for pose in seen])
    return _moved(seen[0], ways.mean(axis=0)) if _agrees(ways, spread) else None


def _mean_position(seen: Sequence[float], spread: Floats) -> float | None:
    positions = np.array(seen)[:, None]
    return float(positions.mean()) if _agrees(positions, spread) else None


def _fresh(seen: Sequence[_T]) -> list[_T]:
    """Return what was seen without repetitions: a tracker that missed a thing tells nothing new of it."""
    return [one for i, one in enumerate(seen) if i == 0 or one != seen[i - 1]]


def _agrees(ways: Floats, spread: Floats) -> bool:
    """Return whether a thing with these deviations, (n, k), stood still all the time."""
    if len(ways) < _LEAST:
        return False
    middle = len(ways) // 2
    first, second = ways[:middle], ways[middle:]
    apart = np.abs(first.mean(axis=0) - second.mean(axis=0)) / np.sqrt(1.0 / len(first) + 1.0 / len(second))
    return bool((apart <= _AGREE * spread).all() and (np.abs(ways - ways.mean(axis=0)) <= _ASTRAY * spread).all())


def _deviation(pose: Pose, since: Pose) -> Floats:
    """Return by how far a pose is from another near it: shift, m, and rotation vector, rad, both in the world, (6,)."""
    *imaginary, real = (Pose(orientation=pose.orientation) @ Pose(orientation=since.orientation).inverse()).orientation
    turn = 2.0 * np.asarray(imaginary) * (1.0 if real >= 0.0 else -1.0)
    return np.concatenate((np.subtract(pose.position, since.position), turn))


def _moved(pose: Pose, way: Floats) -> Pose:
    """Return a pose that deviates from another by `way`, as `_deviation` gives it."""
    half = way[3:] / 2.0
    turn = Pose(orientation=(*vector(half), float(np.sqrt(max(0.0, 1.0 - float(half @ half))))))
    turned = turn @ Pose(orientation=pose.orientation)
    return Pose(vector(np.add(pose.position, way[:3])), turned.orientation)
