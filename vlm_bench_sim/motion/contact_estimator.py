"""Contacts and grasps, told from poses and joints alone: for a real arm, where a tracker sees poses and nothing sees contacts.

Nearness cannot always tell, so there are two answers: what surely touches, and what possibly does. Who judges believes what follows
from both.
"""

from collections import deque
from dataclasses import KW_ONLY, dataclass, field, replace

from vlm_bench_sim.core.algebra import dot
from vlm_bench_sim.core.control import ARRIVED
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import ROBOT, Pair, Snapshot, pair
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.proximity import ROBOT_LINK, Near, Proximity

TOUCH = 0.0011
"""Distance up to which hulls touch, m. Bullet keeps a cup a millimetre from what it touches; what is printed or sanded is no truer."""

DOUBT = 0.0006
"""Distance beyond `TOUCH` at which things possibly still touch, m, if poses are exact."""

_DEVIATIONS = 3.0  # standard deviations of a tracker's error that doubt covers
_OPPOSED = -0.5  # cosine between the directions in which two fingers push
_ALONG = 0.7  # cosine between a cup's axis and the direction to what it holds
_FOLLOWS_S = 8  # control periods over which a thing is compared with the tool
_TRAVEL, _SLIP = 0.01, 0.003  # m: by how much the tool moves, and the thing in its frame at most, if the thing follows it


@dataclass
class _Belief:
    """What is believed to touch and to be held, given the distance up to which things do."""

    within: float
    _: KW_ONLY
    held: str = ''
    touching: frozenset[Pair] = field(default_factory=frozenset)


class ContactEstimator:
    """Estimates contacts and the grasp of one episode, from its snapshots in order.

    Args:
        kinematics: of the robot.
        scene: of the episode.
        accuracy: standard deviation of the poses' errors, m; 0: exact.
    """

    def __init__(self, kinematics: Kinematics, scene: Scene, *, accuracy: float = 0.0) -> None:
        self._gripper = kinematics.profile.gripper
        self._pads = {ROBOT_LINK + link for link in self._gripper.links}
        self._near = Proximity(kinematics, scene)
        self._beliefs = _Belief(TOUCH), _Belief(TOUCH + DOUBT + _DEVIATIONS * accuracy)
        self._past: deque[Snapshot] = deque(maxlen=_FOLLOWS_S)

    def estimate(self, now: Snapshot) -> tuple[Snapshot, Snapshot]:
        """Return the snapshot with the contacts and the grasp that there surely are, and with those that there possibly are."""
        self._past.append(now)
        near = self._near.near(now, self._beliefs[1].within)
        sure, possible = (self._believed(belief, [one for one in near if one.distance <= belief.within], now) for belief in self._beliefs)
        return sure, possible

    def _believed(self, belief: _Belief, near: list[Near], now: Snapshot) -> Snapshot:
        before, belief.touching = belief.held, frozenset(pair(_named(one.first), _named(one.second)) for one in near)
        belief.held = self._held(belief, near, now)
        changed = before != belief.held
        return replace(
            now,
            contacts=True,
            held=belief.held,
            touching=tuple(sorted(belief.touching)),
            touched=tuple(sorted(belief.touching)),
            grasped=(belief.held,) if changed and belief.held else (),
            released=(before,) if changed and before else (),
        )

    def _held(self, belief: _Belief, near: list[Near], now: Snapshot) -> str:
        """Return what the gripper holds; '' for nothing."""
        pushed: dict[str, list[Vector]] = {}
        for one in near:
            if one.first in self._pads and (one.second in now.bodies or '/' in one.second):
                pushed.setdefault(one.second, []).append(one.normal)
        held = self._sucked if self._gripper.suction else self._gripped
        return next((name for name in sorted(pushed) if held(name, pushed[name], belief, now)), '')

    def _gripped(self, _name: str, ways: list[Vector], _belief: _Belief, now: Snapshot) -> bool:
        """Fingers hold what is between them, unless they are wide open."""
        return now.opening <= self._gripper.max_opening - ARRIVED and any(dot(a, b) < _OPPOSED for a in ways for b in ways)

    def _sucked(self, name: str, ways: list[Vector], belief: _Belief, now: Snapshot) -> bool:
        """Cups hold what lies before them as long as it does, once it has hung from them or followed them."""
        if not any(dot(way, now.tool.rotation[:, 2]) > _ALONG for way in ways):
            return False
        hangs = not any(name in two and ROBOT not in two for two in belief.touching)
        return belief.held == name or hangs or self._follows(name, now)

    def _follows(self, name: str, now: Snapshot) -> bool:
        first = self._past[0]
        if name not in first.bodies or now.tool.distance(first.tool) < _TRAVEL:
            return False
        was, is_ = (_seen(one, name) for one in (first, now))
        return was.distance(is_) < _SLIP


def _named(owner: str) -> str:
    return ROBOT if owner.startswith(ROBOT_LINK) else owner


def _seen(snapshot: Snapshot, name: str) -> Pose:
    return snapshot.tool.inverse() @ snapshot.pose(name)
