"""Lays out a scene completely or not at all: with the held prop in the gripper, and settled."""

from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.rest import REST, Calm
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body
from vlm_bench_sim.core.timing import PERIOD_S, STEPS_PER_PERIOD
from vlm_bench_sim.physics.stage import Stage
from vlm_bench_sim.physics.taking import check_held, take

_SETTLE_PERIODS = 40
_SETTLED = Calm(2e-3, 2e-2)
_FALL = 0.5  # m: after a longer fall, an object has missed its support


def settle(stage: Stage, profile: RobotProfile, scene: Scene) -> None:
    """Let the robot take what it holds at the start, and let all come to rest.

    Raises:
        SceneError: an object does not come to rest within two seconds, or falls off the table, or the gripper does not hold the prop that
            it should.
    """
    if scene.robot.held:
        take(stage, scene.prop(scene.robot.held), scene.robot.grasp)
    moving = _settle(stage)
    check_held(profile.name, scene.robot, stage.contacts.held, stage.opening())  # what it drops moves and falls
    _check_rest(moving)
    _check_fallen(stage, scene)
    stage.contacts.begin_period()


def _settle(stage: Stage) -> list[str]:
    """Let the scene settle. Return the names of what still moves."""
    now = stage.bodies()
    for _ in range(_SETTLE_PERIODS):
        before = now
        for _ in range(STEPS_PER_PERIOD):
            stage.advance()
        now = stage.bodies()
        if not _moving(stage, before, now, _SETTLED):
            return []
    return _moving(stage, before, now, REST)


def _check_rest(moving: list[str]) -> None:
    if moving:
        raise SceneError(f'{", ".join(moving)} did not come to rest within 2 s. Place props on the table, apart from one another.')


def _check_fallen(stage: Stage, scene: Scene) -> None:
    now = stage.bodies()
    fell = {prop.name: prop.pose.position[2] - now[prop.name].pose.position[2] for prop in scene.props}
    missed = [f'{name} ({depth:.2f} m)' for name, depth in fell.items() if depth > _FALL]
    if missed:
        raise SceneError(f'{", ".join(missed)} fell while the scene was laid out. Place props on the table, apart from one another.')


def _moving(stage: Stage, before: dict[str, Body], now: dict[str, Body], calm: Calm) -> list[str]:
    """Return the names of what has moved in the last control period."""
    moving = [name for name, body in now.items() if not calm.lies_still(body, before[name], PERIOD_S)]
    return moving + stage.restless(linear=calm.linear, angular=calm.angular)
