"""Picking and placing from end to end, as the oracle plans it: approach, reach down, lift, carry over a tray, set down, leave."""

import numpy as np
import pytest

from vlm_bench_sim.core.command import ToolPose, check_points
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import PlanRequest

SIZES = {
    'star': (0.055, 0.052, 0.035),
    'triangular_prism': (0.046, 0.040, 0.039),
    'cylinder': (0.046, 0.046, 0.042),
    'cube': (0.042, 0.042, 0.042),
    'moon': (0.054, 0.055, 0.039),
}
BACK = Pose((0.0, 0.0, -0.08))


@pytest.fixture
def laid(make_prop):
    """Lay two trays, the prop to pick and another one, none nearer to another than they are wide."""

    def lay(kind: str, seed: int):
        rng, props = np.random.default_rng([seed, 1]), []
        for i, shape in enumerate(('tray', 'tray', kind, 'cylinder')):
            size = (0.2, 0.125, 0.05) if shape == 'tray' else tuple(float(v) for v in np.array(SIZES[shape]) * rng.uniform(0.8, 1.2))
            while True:
                x, y = rng.uniform(0.30, 0.65), rng.uniform(-0.35, 0.35)
                gaps = [np.hypot(x - p.pose.position[0], y - p.pose.position[1]) - np.hypot(*p.size[:2]) / 2 for p in props]
                if all(gap > np.hypot(*size[:2]) / 2 + 0.01 for gap in gaps):
                    break
            props.append(make_prop(f'{shape}_{i}', shape, size, x, y, rng.uniform(-np.pi, np.pi)))
        return props

    return lay


class Arm:
    """Follows one plan after the other."""

    def __init__(self, planner, seed: int) -> None:
        self.planner, self.seed, self.at = planner, seed, planner.profile.home

    def go(self, target: ToolPose, obstacles, held=None, opening=None) -> None:
        chunk = self.planner.plan(PlanRequest(self.at, target, tuple(obstacles), held, self.seed, opening))
        check_points(chunk.points, 7)
        assert chunk.points[0].positions == self.at
        self.at = chunk.points[-1].positions
        assert self.planner.kinematics.tool_pose(self.at).distance(target.pose) < 1e-4

    def can(self, chain, obstacles, held=None, opening=None) -> bool:
        return self.planner.check(PlanRequest(self.at, chain[0], tuple(obstacles), held, self.seed, opening), chain).feasible


def place_over(arm, tray, prop, grasp, rest, held, opening):
    """Return the tool pose that sets the prop a centimetre above the tray's floor, and the pose 10 cm above it."""
    for yaw in np.arange(8) * np.pi / 4:
        x, y, _ = tray.pose.position
        down = Pose.from_rpy((x, y, 0.004 + prop.size[2] / 2 + 0.01), (0.0, 0.0, yaw)) @ grasp.tool
        up = down.shifted((0.0, 0.0, 0.10))
        if arm.can((ToolPose(up), ToolPose(down, True)), rest, held, opening):
            return up, down
    pytest.fail(f'No way to hold {prop.name} over the tray at {tray.pose.position}.')


@pytest.mark.parametrize('seed', [0, *[pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4)]])
@pytest.mark.parametrize('kind', SIZES)
def test_every_shape_is_carried_into_the_tray(planner, laid, kind, seed):
    props = laid(kind, seed)
    tray, prop, rest = props[0], props[2], [*props[:2], props[3]]
    arm, touch = Arm(planner, seed), (prop.name,)
    for grasp in planner.grasps(prop):
        tool = prop.pose @ grasp.tool
        if arm.can((ToolPose(tool @ BACK, allowed=touch), ToolPose(tool, True, touch)), props, opening=grasp.opening):
            break
    else:
        pytest.fail(f'None of the grasps of {prop} can be reached.')
    arm.go(ToolPose(tool @ BACK), props, opening=grasp.opening)
    arm.go(ToolPose(tool, True, touch), props, opening=grasp.opening)
    held, closed = prop.at(grasp.tool.inverse()), grasp.opening - 0.02
    arm.go(ToolPose(tool.shifted((0.0, 0.0, 0.12)), True), rest, held, closed)
    up, down = place_over(arm, tray, prop, grasp, rest, held, closed)
    arm.go(ToolPose(up), rest, held, closed)
    arm.go(ToolPose(down, True), rest, held, closed)
    arm.go(ToolPose(up, True, touch), [*rest, prop.at(down @ held.pose)], opening=grasp.opening)
