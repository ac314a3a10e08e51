"""A planner that queries the arm node: the oracle's questions over ROS."""

from collections.abc import Callable
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Chunk, ToolPose
from vlm_bench_sim.core.errors import PlanError, WorldError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import Feasibility, Grasp, PlanCode, PlanRequest
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.constraints import FREE, constraint

OK, STATIC, TRUTH = 1, 0, 2
ARM = 'arm_node'
_PATIENCE_S = 30.0


def plan_fields(request: PlanRequest, chain: tuple[ToolPose, ...], *, seq: int) -> fields.Fields:
    """Return the Plan request that asks whether the tool poses of a chain can be reached one after the other."""
    around = TRUTH if request.obstacles or request.held else STATIC
    content = {
        'start': list(request.start), 'allowed_contacts': list(chain[0].allowed), 'collision_scene': around,
        'opening': -1.0 if request.opening is None else request.opening, 'seq': seq, 'planner_seed': request.seed,
        'poses': [fields.pose(target.pose) for target in chain], 'straight': [target.straight for target in chain],
    }  # fmt: skip
    if any(target.constraint for target in chain):
        content['constraints'] = [constraint(target.constraint or FREE) for target in chain]
    if request.held is not None:
        content |= {'held': request.held.name, 'held_pose': fields.pose(request.held.pose)}
    return content


class RosPlanner:
    """Answers questions about reachability through `/arm/plan` and `/arm/grasps`. Do not call it from the thread that spins the node.

    Args:
        node: calls the services.
        seq: the control period of the questions.
        met: called when the arm node has received another episode.
    """

    def __init__(self, node: BenchNode, seq: Callable[[], int], *, met: Callable[[], None]) -> None:
        self._node, self._seq, self._met, self._known = node, seq, met, ''
        self._plan, self._grasps = node.client(names.PLAN), node.client(names.GRASPS)
        node.subscribe(names.ACK, self._on_ack)

    @property
    def ready(self) -> bool:
        """Whether the arm node has been discovered."""
        return bool(self._plan.service_is_ready() and self._grasps.service_is_ready())

    def knows(self, token: str) -> bool:
        """Return whether the arm node has received that episode's world; before, it would answer for the previous one."""
        return self._known == token

    def plan(self, request: PlanRequest) -> Chunk:
        """Raise an error: over ROS, the MoveTcp server plans and executes paths.

        Raises:
            PlanError: always.
        """
        raise PlanError('Over ROS, /arm/move_tcp plans the paths. Yield a ToolPose.', PlanCode.FAILED)

    def check(self, request: PlanRequest, chain: tuple[ToolPose, ...]) -> Feasibility:
        """Return whether the tool poses can be reached one after the other.

        Raises:
            WorldError: no answer, or one that holds no whole arm positions.
        """
        answer = self._ask(self._plan, plan_fields(request, chain, seq=self._seq()))
        flat, count = tuple(answer.positions), len(request.start)
        if len(flat) % count:
            raise WorldError(f'{names.PLAN.name} answered with {len(flat)} positions for an arm of {count} joints. Mend that node.')
        arms = tuple(flat[first : first + count] for first in range(0, len(flat), count))
        return Feasibility(answer.feasible, answer.cost, answer.result.error_message, answer.reached, arms)

    def grasps(self, prop: Prop) -> tuple[Grasp, ...]:
        """Return grasps of the prop, best first.

        Raises:
            WorldError: no answer, or one with lists of different lengths.
        """
        answer = self._ask(self._grasps, {'prop': codec.dumps(prop)})
        lists = answer.tools, answer.openings, answer.qualities
        if len(set(map(len, lists))) > 1:
            counts = ', '.join(str(len(one)) for one in lists)
            raise WorldError(f'{names.GRASPS.name} answered with {counts} tools, openings and qualities. Mend that node.')
        return tuple(Grasp(fields.read_pose(tool), opening, quality) for tool, opening, quality in zip(*lists, strict=True))

    def _on_ack(self, ack: Any) -> None:
        if ack.participant == ARM and ack.token != self._known:
            self._known = ack.token
            self._met()

    def _ask(self, client: Any, content: fields.Fields) -> Any:
        try:
            return self._node.call(client, content).result(timeout=_PATIENCE_S)
        except TimeoutError as error:
            raise WorldError(f'{client.srv_name} did not answer within {_PATIENCE_S:g} s. Is arm_node running?') from error
