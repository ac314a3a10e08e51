"""Two-stage collision checks: an obstacle of many parts is one hull until the arm enters that hull; from then on its parts are checked.

A bowl has 35 convex parts. A robot of 19 parts among a dozen bowls has 7 500 pairs, which take 50 ms to set up; with hulls there are a few
hundred. Anything clear of a hull is clear of the parts inside, so the results are the same as with all parts.
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
    """One robot with its held prop, among fixed obstacles.

    Args:
        model: collision model of the robot.
        request: gives the obstacles and the held prop.
        opening: full width between the fingers, m.
        allowed: props that the gripper and the held prop may touch.
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
        """The robot among the obstacles, at the present level of detail."""
        return self._scene

    def contacts(self, arm: Floats, clearance: float) -> dict[Pair, float]:
        """Return the signed distance of each pair of owners nearer than its margin: `clearance`, or 0 between links of the robot."""
        while True:
            near = self._scene.contacts(arm, clearance)
            if not self.refined(near):
                return near

    def checker(self, clearance: float, contacts: Iterable[Mapping[Pair, float]] = ()) -> Probe:
        """Return a fast checker: each pair keeps `clearance`, or comes no nearer than its distance in `contacts`."""
        if not self._rough:
            return self._scene.checker(clearance, contacts)
        return RoughChecker(self, clearance=clearance, contacts=tuple(contacts))

    def refined(self, near: Iterable[Pair]) -> bool:
        """Replace the hulls of near obstacles by their parts; return whether there were any."""
        met = self._rough.intersection(name for two in near for name in two)
        if met:
            self._look_closer(self._rough - met)
        return bool(met)

    def _look_closer(self, rough: frozenset[str]) -> None:
        request, self._rough = self.request, rough
        self._scene = self.model.scene(request.obstacles, request.held, self.opening, self.allowed, request.floor, rough=rough)


class RoughChecker:
    """A collision checker for arm positions. It checks the parts of an obstacle when its hull is hit."""

    def __init__(self, rough: RoughScene, *, clearance: float, contacts: tuple[Mapping[Pair, float], ...]) -> None:
        self.checks = 0
        self._rough, self._clearance, self._contacts = rough, clearance, contacts
        self._renew()

    def free(self, arm: Floats) -> bool:
        """Return whether every pair keeps its margin at these arm positions."""
        self.checks += 1
        while True:
            if self._scene is not self._rough.scene:
                self._renew()
            if self._checker.free(arm):
                return True
            if not self._rough.refined(self._scene.hits(arm, self._checker)):
                return False

    def all_free(self, arms: Iterable[Floats]) -> bool:
        """Return whether all of these arm positions are free."""
        return all(self.free(arm) for arm in arms)

    def _renew(self) -> None:
        self._scene = self._rough.scene
        self._checker = self._scene.checker(self._clearance, self._contacts)


def surroundings(model: CollisionModel, request: PlanRequest, *, opening: float, allowed: tuple[str, ...] = ()) -> Surroundings:
    """Return the robot among the obstacles of a request; hulls stand in for parts only if some obstacle has several parts."""
    if any(_of_many_parts(prop) for prop in request.obstacles):
        return RoughScene(model, request, opening=opening, allowed=allowed)
    return model.scene(request.obstacles, request.held, opening, allowed, request.floor)


def _of_many_parts(prop: Prop) -> bool:
    return len(hulls_of(prop.kind, prop.size)) > 1
