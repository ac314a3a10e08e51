"""Contacts and grasps, told from poses and joints alone: for a real arm, where a tracker sees poses and nothing sees contacts.

Nearness cannot always tell, so there are two answers: what surely touches, and what possibly does. Who judges believes what follows
from both.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from math import hypot

from vlm_bench_sim.core.algebra import dot, norm
from vlm_bench_sim.core.control import ARRIVED
from vlm_bench_sim.core.errors import Unobservable
from vlm_bench_sim.core.geometry import ZERO, Pose, Vector
from vlm_bench_sim.core.hidden import Reappearance, believed_still
from vlm_bench_sim.core.hindsight import Hindsight, Steadied
from vlm_bench_sim.core.pose_tracker import EXACT, Accuracy
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import ROBOT, Pair, Snapshot, pair
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.proximity import ROBOT_LINK, Near, Proximity

TOUCH = 0.0011
"""Distance up to which hulls touch, m. Bullet keeps a cup a millimetre from what it touches; what is printed or sanded is no truer."""

DOUBT = 0.0006
"""Distance beyond `TOUCH` at which things possibly still touch, m, if poses are exact."""

_DEVIATIONS = 3.0  # standard deviations of a tracker's error that doubt covers
_RESTING = 1.0 / 3.0  # share of the error in the pose of a thing that has stood still: it is the mean of many (`core.hindsight`)
_OPPOSED = -0.25  # cosine between the directions in which two fingers push: on a wedge of 60° it is -0.5
_PRESSED = -1e-6  # m: distance up to which the robot surely touches a free thing from the side; a wider gap may be a gap
_ALONG = 0.7  # cosine between a cup's axis and the direction to what it holds
_UPWARDS = 0.3  # height of a unit vector that points from what bears a thing to the thing
_FOLLOWS_S = 8  # control periods over which a thing is compared with the tool
_TRAVEL, _SLIP = 0.01, 0.003  # m: by how much the tool moves, and the thing in its frame at most, if the thing follows it


@dataclass
class _Belief:
    """What is believed to touch and to be held."""

    sure: bool
    _: KW_ONLY
    held: str = ''
    touching: frozenset[Pair] = field(default_factory=frozenset)


class ContactEstimator:
    """Estimates contacts and the grasp of one episode, from its snapshots in order.

    Things surely touch if they are so near that no error of the tracker could part them. If the tracker errs, they seldom are. Then two
    more things are sure: what stands still is borne by what is nearest below it, and what follows the tool between the fingers is held.

    Args:
        kinematics: of the robot.
        scene: of the episode.
        accuracy: of the poses.
        waits: whether poses that err are looked at again a second later, for a judge; otherwise an estimate is of now, for who acts.
    """

    def __init__(self, kinematics: Kinematics, scene: Scene, *, accuracy: Accuracy = EXACT, waits: bool = True) -> None:
        self._gripper = kinematics.profile.gripper
        self._pads = {ROBOT_LINK + link for link in self._gripper.links}
        self._near, self._exact = Proximity(kinematics, scene), accuracy.exact
        self._errors = _errors(scene, accuracy)
        self._look: Callable[[Snapshot], Snapshot | None] = (Hindsight if waits else Steadied)(accuracy, scene).see
        self._hidden = Reappearance() if waits else None
        self._needed = (*kinematics.profile.joints, *self._gripper.joints)
        self._still = {prop.name for prop in scene.props if prop.fixed}
        self._within = TOUCH + DOUBT + _DEVIATIONS * 2.0 * max(self._errors.values(), default=0.0)
        self._sure, self._possible = _Belief(sure=True), _Belief(sure=False)
        self._past: deque[Snapshot] = deque(maxlen=_FOLLOWS_S)

    def estimate(self, now: Snapshot) -> list[tuple[Snapshot, Snapshot]]:
        """Take the next snapshot; return each that is known now, with the contacts and the grasp that there surely and possibly are.

        If it waits, none comes while something is out of sight; and if the tracker errs, each comes a second later.

        Raises:
            Unobservable: it waits, and a joint of the robot is not known.
        """
        if self._hidden is None:
            known: tuple[Snapshot, ...] = (believed_still(now),)
        else:
            if silent := [name for name in self._needed if name not in now.joints]:
                raise Unobservable(f'the driver is silent: no joint states of {", ".join(silent)}')
            known = self._hidden.see(now)
        looked = (self._look(one) for one in known)
        return [self._told(one) for one in looked if one is not None]

    def _told(self, now: Snapshot) -> tuple[Snapshot, Snapshot]:
        self._past.append(now)
        near = self._near.near(now, self._within)
        possible = self._believed(self._possible, [one for one in near if one.distance <= TOUCH + DOUBT + self._doubt(one, now)], now)
        certain = [one for one in near if one.distance <= self._touch(one, now) - self._doubt(one, now)]
        return self._believed(self._sure, certain + ([] if self._exact else self._borne(near, now)), now), possible

    def _touch(self, one: Near, now: Snapshot) -> float:
        """Return the distance up to which two things surely touch if poses are exact, m."""
        pushed = one.first.startswith(ROBOT_LINK) and one.second in now.bodies and one.second not in self._still
        if not pushed or (one.first in self._pads and (not self._gripper.suction or _before(one.normal, now))):
            return TOUCH
        return _PRESSED

    def _doubt(self, one: Near, now: Snapshot) -> float:
        """Return how far apart two things may be from where they are seen, m."""
        return _DEVIATIONS * hypot(*(self._error(name, now) for name in (one.first, one.second)))

    def _error(self, name: str, now: Snapshot) -> float:
        error = self._errors.get(name, 0.0)
        return error * _RESTING if name in now.bodies and _rests(name, now) else error

    def _borne(self, near: Iterable[Near], now: Snapshot) -> list[Near]:
        """Return, for each thing that stands still and that the gripper does not hold, what bears it."""
        below: dict[str, list[Near]] = {}
        for one in near:
            if one.distance <= TOUCH + DOUBT + self._doubt(one, now):
                for name, height in ((one.second, one.normal[2]), (one.first, -one.normal[2])):
                    if height > _UPWARDS and name in now.bodies:
                        below.setdefault(name, []).append(one)
        free = (name for name in below if name not in self._still and name != self._possible.held and _rests(name, now))
        return [min(below[name], key=lambda one: one.distance) for name in free]

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
        sealed = self._gripper.sealed(now.joints)
        if sealed and belief.held:
            return belief.held  # cups that never let go hold what they held
        if belief.sure and not self._exact:
            name = self._possible.held
            return name if name and (sealed or name == belief.held or self._hangs(name) or self._follows(name, now)) else ''
        pushed: dict[str, list[Vector]] = {}
        for one in sorted(near, key=lambda one: (one.second != belief.held, one.distance)):
            if one.first in self._pads and (one.second in now.bodies or '/' in one.second):
                pushed.setdefault(one.second, []).append(one.normal)
        held = self._sucked if self._gripper.suction else self._gripped
        return next((name for name, ways in pushed.items() if held(name, ways, belief, now)), '')

    def _gripped(self, _name: str, ways: list[Vector], _belief: _Belief, now: Snapshot) -> bool:
        """Fingers hold what is between them, unless they are wide open."""
        return now.opening <= self._gripper.max_opening - ARRIVED and any(dot(a, b) < _OPPOSED for a in ways for b in ways)

    def _sucked(self, name: str, ways: list[Vector], belief: _Belief, now: Snapshot) -> bool:
        """Cups hold what lies before them if a vacuum sensor says so; without one, once it has hung from them or followed them."""
        sealed = self._gripper.sealed(now.joints)
        if sealed is False or not any(_before(way, now) for way in ways):
            return False
        if sealed:
            return True
        return belief.held == name or not any(name in two and ROBOT not in two for two in belief.touching) or self._follows(name, now)

    def _hangs(self, name: str) -> bool:
        """Return whether nothing but the robot can bear a thing."""
        return not any(name in two and ROBOT not in two for two in self._possible.touching)

    def _follows(self, name: str, now: Snapshot) -> bool:
        first, slip = self._past[0], _SLIP + _DEVIATIONS * self._errors.get(name, 0.0)
        if name not in first.bodies or name not in now.bodies or now.tool.distance(first.tool) < max(_TRAVEL, 2.0 * slip):
            return False
        was, is_ = (_seen(one, name) for one in (first, now))
        return was.distance(is_) < slip


def _errors(scene: Scene, accuracy: Accuracy) -> dict[str, float]:
    """Return the standard deviation of where the surface of each thing is, m, by name: a turn moves what is far from the middle more."""
    errors = {prop.name: hypot(accuracy.position, accuracy.angle * norm(prop.size) / 2.0) for prop in scene.props}
    for mechanism in scene.mechanisms:
        for link in mechanism.links[1:]:
            reach = max(norm(part.pose.position) + norm(part.size) / 2.0 for part in link.parts)
            turns = link.joint is not None and link.joint.kind == 'revolute'
            errors[mechanism.full(link.name)] = accuracy.angle * reach if turns else accuracy.position
    return errors


def _rests(name: str, now: Snapshot) -> bool:
    body = now.bodies[name]
    return body.linear == ZERO and body.angular == ZERO


def _before(way: Vector, now: Snapshot) -> bool:
    """Return whether the direction to a thing is that of the cups."""
    return dot(way, now.tool.rotation[:, 2]) > _ALONG


def _named(owner: str) -> str:
    return ROBOT if owner.startswith(ROBOT_LINK) else owner


def _seen(snapshot: Snapshot, name: str) -> Pose:
    return snapshot.tool.inverse() @ snapshot.pose(name)
