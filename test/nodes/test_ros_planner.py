"""What an arm node answers is used only where it is whole: on a real arm that node may be anybody's."""

from concurrent.futures import Future

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_sim.core.command import ToolPose
from vlm_bench_sim.core.errors import WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import fill, interface
from vlm_bench_tasks.nodes.acting.ros_planner import RosPlanner

TOOL = ToolPose(Pose((0.4, 0.0, 0.3)))
REQUEST = PlanRequest((0.0,) * 7, TOOL)


class Answering:
    """A node whose calls are answered with these fields."""

    def __init__(self, row, **answer):
        self._row, self._answer = row, answer

    def client(self, row):
        return row

    def subscribe(self, row, callback):
        pass

    def call(self, row, content):
        assert row is self._row and fill(interface(row.type).Request(), content)
        answered = Future()
        answered.set_result(fill(interface(row.type).Response(), self._answer))
        return answered


def test_arm_positions_are_read_arm_by_arm():
    planner = RosPlanner(Answering(names.PLAN, feasible=True, positions=[*(0.1,) * 7, *(0.2,) * 7]), lambda: 0, met=lambda: None)
    assert planner.check(REQUEST, (TOOL,)).arms == ((0.1,) * 7, (0.2,) * 7)


def test_half_an_arm_position_is_refused():
    planner = RosPlanner(Answering(names.PLAN, feasible=True, positions=[0.1] * 8), lambda: 0, met=lambda: None)
    with pytest.raises(WorldError, match='/arm/plan answered with 8 positions for an arm of 7 joints'):
        planner.check(REQUEST, (TOOL,))


def test_grasps_without_openings_are_refused():
    tools = [fields.pose(TOOL.pose)] * 2
    planner = RosPlanner(Answering(names.GRASPS, tools=tools, openings=[0.05, 0.05], qualities=[1.0]), lambda: 0, met=lambda: None)
    with pytest.raises(WorldError, match='answered with 2, 2, 1 tools, openings and qualities'):
        planner.grasps(Prop('a', 'cube', (0.05, 0.05, 0.05), Color('red', (1.0, 0.0, 0.0)), 0.1))
