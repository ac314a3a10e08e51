"""Which grasps of a prop can be taken in the scene as it stands: reached, clear of everything, and the best of them first."""

from dataclasses import dataclass, replace

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp, Planner, PlanRequest

APPROACH = 0.08
"""How far back along the approach a pick begins, m."""

LIFT: Vector = (0.0, 0.0, 0.10)
"""Where a prop is brought first once it is held, m from where it was taken, in the world."""

TRAVEL = 0.02
"""What a radian of joint travel takes off a grasp's quality."""


@dataclass(frozen=True)
class Pick:
    """A grasp that can be taken: tool poses before it, at it and after it, in the world.

    Attributes:
        grasp: as the planner knows it.
        chain: where the approach begins; the grasp; where the prop is lifted to.
        cost: joint travel along the chain, rad.
    """

    grasp: Grasp
    chain: tuple[ToolPose, ToolPose, ToolPose]
    cost: float

    @property
    def rank(self) -> float:
        """How good it is: the grasp's quality, less what it costs to get there."""
        return self.grasp.quality - TRAVEL * self.cost


def picks(planner: Planner, prop: Prop, request: PlanRequest, limit: int = 8) -> tuple[Pick, ...]:
    """Return up to `limit` picks of a prop where it stands now, best first; empty when no grasp of it can be taken.

    Grasps are asked about from the best on, so that the ones left out are no better by themselves.

    Args:
        planner: of the robot.
        prop: at its pose in the world.
        request: where the arm starts, and the props as they stand, this one among them; its target, opening and held prop are not used.
        limit: how many feasible grasps are enough.
    """
    found: list[Pick] = []
    for grasp in planner.grasps(prop):
        chain = _chain(prop, grasp)
        around = tuple(other for other in request.obstacles if other.name != prop.name)
        free = replace(request, target=chain[0], obstacles=(*around, prop), held=None, opening=grasp.opening)
        reached = planner.check(free, chain[:2])
        if not reached.feasible:
            continue
        lifted = replace(free, obstacles=around, held=prop.at(grasp.tool.inverse()))
        after = planner.check(lifted, (chain[0], chain[2]))
        if after.feasible:
            found.append(Pick(grasp, chain, reached.cost))
        if len(found) == limit:
            break
    return tuple(sorted(found, key=lambda pick: -pick.rank))


def _chain(prop: Prop, grasp: Grasp) -> tuple[ToolPose, ToolPose, ToolPose]:
    at, touch = prop.pose @ grasp.tool, (prop.name,)
    return (
        ToolPose(at @ Pose((0.0, 0.0, -APPROACH)), allowed=touch),
        ToolPose(at, straight=True, allowed=touch),
        ToolPose(at.shifted(LIFT), straight=True, allowed=touch),
    )
