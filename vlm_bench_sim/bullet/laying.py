"""Laying out a scene, wholly or not at all: built in a simulator of its own, with what the hand shall hold in it, and come to rest."""

from contextlib import ExitStack

import numpy as np

from vlm_bench_sim.bullet.bodies import read
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.stage import Stage
from vlm_bench_sim.bullet.taking import check_held, take
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD

_SETTLE_PERIODS = 40
_REST = {'linear': 2e-3, 'angular': 2e-2}  # m/s, rad/s
_CALM = {'linear': 0.005, 'angular': 0.05}  # m/s, rad/s: what a monitor takes for rest


def lay_out(profile: RobotProfile, scene: Scene) -> Stage:
    """Return a scene that is laid out and has settled; whoever asks frees its simulator.

    Raises:
        SceneError: something does not come to rest within two seconds, a speck of dirt lies on nothing, or the hand does not hold what
            it shall. Then the simulator is freed already.
    """
    with ExitStack() as if_it_fails:
        client = Client()
        if_it_fails.callback(client.close)
        stage = Stage(client, profile, scene=scene)
        if scene.robot.held:
            take(stage, scene.prop(scene.robot.held), scene.robot.grasp)
        _settle(stage)
        check_held(scene.robot, stage.contacts.held, stage.robot.opening())
        stage.contacts.begin_period()
        if_it_fails.pop_all()
    return stage


def _settle(stage: Stage) -> None:
    for _ in range(_SETTLE_PERIODS):
        for _ in range(STEPS_PER_PERIOD):
            stage.advance()
        if not _moving(stage, **_REST):
            break
    # What the solver rocks for ever by a hair's breadth counts as still too.
    moving = _moving(stage, **_CALM)
    if moving:
        raise SceneError(f'{", ".join(moving)} did not come to rest within 2 s. Place props on the table, apart from one another.')


def _moving(stage: Stage, *, linear: float, angular: float) -> list[str]:
    """Return what moves faster than that, m/s and rad/s."""
    bodies = {name: read(stage.client, body) for name, body in stage.bodies.items()}
    moving = [n for n, b in bodies.items() if np.linalg.norm(b.linear) > linear or np.linalg.norm(b.angular) > angular]
    for furniture in stage.furniture:
        moving += furniture.moving(linear=linear, angular=angular)
    return moving + stage.beads.moving()
