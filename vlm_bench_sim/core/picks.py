"""Picks: grasps of a prop that are reachable and free of collision in the present scene, best first."""

from dataclasses import dataclass, replace

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Grasp, Planner, PlanRequest

APPROACH = 0.08
"""Distance from the grasp at which the approach begins, m."""

LIFT: Vector = (0.0, 0.0, 0.10)
"""Displacement of the prop right after the grasp, m in the world."""

TRAVEL = 0.02
"""Penalty on a grasp's quality per radian of joint travel."""


@dataclass(frozen=True)
class Pick:
    """A feasible grasp, with the tool poses before, at and after it, in the world.

    Attributes:
        grasp: the planner's grasp.
        chain: start of the approach; the grasp; the lifted pose.
        cost: joint travel along the chain, rad.
    """

    grasp: Grasp
    chain: tuple[ToolPose, ToolPose, ToolPose]
    cost: float

    @property
    def rank(self) -> float:
        """The grasp's quality minus the penalty for joint travel; higher is better."""
        return self.grasp.quality - TRAVEL * self.cost


def picks(planner: Planner, prop: Prop, request: PlanRequest, limit: int = 8) -> tuple[Pick, ...]:
    """Return up to `limit` picks of a prop at its present pose, best first; empty if none of its grasps is feasible.

    Grasps are checked in the order of their quality, so that those left out have no better quality.

    Args:
        planner: planner of the robot.
        prop: the prop at its pose in the world.
        request: the arm's start and the props at their present poses, this one included. Its target, opening and held prop are not used.
        limit: number of feasible grasps after which to stop.
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
