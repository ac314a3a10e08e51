"""What any planner of the Planner protocol must do; run over ours, and over MoveIt's adapter in test/nodes."""

from math import pi

import numpy as np
import pytest

from vlm_bench_sim.core.command import ToolPose, check_points
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.protocols import PlanCode, PlanRequest
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.motion.collision import CollisionModel
from vlm_bench_sim.motion.kinematics import Kinematics

CUBE = Prop('cube', 'cube', (0.042, 0.042, 0.042), Color('red', (1.0, 0.0, 0.0)), 0.07, pose=Pose((0.5, 0.0, 0.021)))
WALL = Prop('wall', 'cube', (0.3, 0.04, 0.3), CUBE.color, 1.0, pose=Pose((0.5, 0.0, 0.15)))


def down(x: float, y: float, z: float) -> Pose:
    return Pose.from_rpy((x, y, z), (pi, 0.0, 0.0))


class PlannerContract:
    """Tests that ask for a fixture `subject`: a planner of the Panda."""

    def request(self, subject, pose: Pose, **more) -> PlanRequest:
        return PlanRequest(subject.profile.home, ToolPose(pose, **more.pop('target', {})), **more)

    @pytest.mark.parametrize('straight', [False, True])
    def test_a_path_begins_at_the_start_and_ends_at_the_target_at_rest_on_periods(self, subject, straight):
        kinematics = Kinematics(subject.profile)
        target = kinematics.tool_pose(subject.profile.home).shifted((0.05, 0.1, -0.1))
        points = subject.plan(self.request(subject, target, target={'straight': straight})).points
        check_points(points, 7)
        assert points[0].positions == subject.profile.home
        assert kinematics.tool_pose(points[-1].positions).distance(target) < 1e-4
        assert [p.time_ns % PERIOD_NS for p in points] == [0] * len(points)
        assert np.abs(points[-1].velocities).max() < 1e-6

    def test_a_path_keeps_the_limits(self, subject):
        positions = np.array([p.positions for p in subject.plan(self.request(subject, down(0.5, 0.3, 0.2))).points])
        speeds = np.diff(positions, axis=0) / PERIOD_S
        assert (np.abs(speeds) < 1.02 * np.asarray(subject.profile.velocity)).all()
        assert (np.abs(np.diff(speeds, axis=0)) / PERIOD_S < 1.1 * np.asarray(subject.profile.acceleration)).all()

    def test_a_path_is_clear_of_props(self, subject):
        start = subject.plan(self.request(subject, down(0.5, -0.25, 0.1))).points[-1].positions
        path = subject.plan(PlanRequest(start, ToolPose(down(0.5, 0.25, 0.1)), (WALL,))).points
        scene = CollisionModel(Kinematics(subject.profile)).scene((WALL,), opening=0.08)
        assert all(not scene.contacts(np.asarray(p.positions), 0.0) for p in path)

    def test_what_cannot_be_reached_or_taken_is_refused_with_its_code(self, subject):
        for pose, props, code in (
            (down(1.5, 0.0, 0.2), (), PlanCode.UNREACHABLE),
            (down(0.5, 0.0, 0.1), (WALL,), PlanCode.GOAL_IN_COLLISION),
        ):
            with pytest.raises(PlanError) as caught:
                subject.plan(self.request(subject, pose, obstacles=props))
            assert caught.value.code == code

    def test_what_may_be_touched_may_be_touched(self, subject):
        subject.plan(self.request(subject, down(0.5, 0.0, 0.02), target={'allowed': ('cube',)}, obstacles=(CUBE,)))

    def test_the_same_request_gives_the_same_path(self, subject):
        request = self.request(subject, down(0.4, 0.3, 0.2), seed=3)
        assert subject.plan(request) == subject.plan(request)

    def test_questions_and_grasps_are_answered(self, subject):
        near, far = ToolPose(down(0.5, 0.0, 0.2)), ToolPose(down(1.5, 0.0, 0.2))
        request = self.request(subject, near.pose)
        assert subject.check(request, (near,)).feasible and not subject.check(request, (near, far)).feasible
        assert len(subject.check(request, (near, far)).arms) == 1
        assert subject.grasps(CUBE)[0].quality > 0.9
