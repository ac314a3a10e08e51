"""Collision in two steps: something of many parts counts as its hull until the arm comes into that, and part by part from then on.

A bowl is 35 convex parts, and a robot of 19 among a dozen bowls has 7 500 pairs to keep, which takes 50 ms to make ready; as hulls they are
a few hundred. What keeps clear of a hull keeps clear of what is in it, so that answers are those that all the parts would give.
"""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field

from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.core.snapshot import Pair
from vlm_bench_sim.motion.collision import CollisionModel, CollisionScene, Probe, Surroundings, hulls_of


@dataclass
class RoughScene:
    """One robot with what it holds, among obstacles that stand still.

    Args:
        model: of the robot.
        request: says what is where.
        opening: full width between the fingers, m.
        allowed: what the gripper and what it holds may touch.
    """

    model: CollisionModel
    request: PlanRequest
    _: KW_ONLY
    opening: float
    allowed: tuple[str, ...]
    _rough: frozenset[str] = field(init=False)
    _scene: CollisionScene = field(init=False)

    def __post_init__(self) -> None:
        self._look_closer(frozenset(prop.name for prop in self.request.obstacles if _of_many_parts(prop)))

    @property
    def scene(self) -> CollisionScene:
        """The robot among the obstacles as closely as they have been looked at so far."""
        return self._scene

    def contacts(self, arm: Floats, clearance: float) -> dict[Pair, float]:
        """Return the signed distance of every pair of owners nearer than its margin: `clearance`, or 0 between links of the robot."""
        while True:
            near = self._scene.contacts(arm, clearance)
            if not self.refined(near):
                return near

    def checker(self, clearance: float, contacts: Iterable[Mapping[Pair, float]] = ()) -> Probe:
        """Return a fast check that every pair keeps `clearance`, or comes no nearer than it is in `contacts`."""
        if not self._rough:
            return self._scene.checker(clearance, contacts)
        return RoughChecker(self, clearance=clearance, contacts=tuple(contacts))

    def refined(self, near: Iterable[Pair]) -> bool:
        """Look closer at what is near and counted as its hull; tell whether there was any."""
        met = self._rough.intersection(name for two in near for name in two)
        if met:
            self._look_closer(self._rough - met)
        return bool(met)

    def _look_closer(self, rough: frozenset[str]) -> None:
        request, self._rough = self.request, rough
        self._scene = self.model.scene(request.obstacles, request.held, self.opening, self.allowed, request.floor, rough=rough)


class RoughChecker:
    """Tells whether arm positions are free of collision; looks closer where a hull is in the way."""

    def __init__(self, rough: RoughScene, *, clearance: float, contacts: tuple[Mapping[Pair, float], ...]) -> None:
        self.checks = 0
        self._rough, self._clearance, self._contacts = rough, clearance, contacts
        self._renew()

    def free(self, arm: Floats) -> bool:
        """Tell whether every pair keeps its margin at these arm positions."""
        self.checks += 1
        while True:
            if self._scene is not self._rough.scene:
                self._renew()
            if self._checker.free(arm):
                return True
            if not self._rough.refined(self._scene.hits(arm, self._checker)):
                return False

    def all_free(self, arms: Iterable[Floats]) -> bool:
        """Tell whether all of these arm positions are free."""
        return all(self.free(arm) for arm in arms)

    def _renew(self) -> None:
        self._scene = self._rough.scene
        self._checker = self._scene.checker(self._clearance, self._contacts)


def surroundings(model: CollisionModel, request: PlanRequest, *, opening: float, allowed: tuple[str, ...] = ()) -> Surroundings:
    """Return the robot among the obstacles of a request; only where some of them have many parts is there anything to look closer at."""
    if any(_of_many_parts(prop) for prop in request.obstacles):
        return RoughScene(model, request, opening=opening, allowed=allowed)
    return model.scene(request.obstacles, request.held, opening, allowed, request.floor)


def _of_many_parts(prop: Prop) -> bool:
    return len(hulls_of(prop.kind, prop.size)) > 1
