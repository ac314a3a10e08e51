"""How a hand takes the prop that it shall hold when the episode begins: by closing on it, or sucking at it, as it always does."""

from collections.abc import Callable

from vlm_bench_sim.bullet.bodies import RigidBody, place
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.gripper import ParallelGripper
from vlm_bench_sim.bullet.suction import SuctionGripper
from vlm_bench_sim.core.command import Grip, Seal
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import ZERO, Pose, vector
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.scene import RobotStart
from vlm_bench_sim.core.snapshot import Body

GRAVITY = 9.81
"""m/s²."""

_PERIODS = 40
_FLOAT = 0.02  # m/s, at which a prop floats up to the cups that shall hold it


def take(
    client: Client, body: RigidBody, at: Pose, *, tool: Pose, gripper: ParallelGripper | SuctionGripper, period: Callable[[], float]
) -> None:
    """Let a hand take a prop, which floats without weight between its fingers, or up to its cups, until then.

    Args:
        client: the simulator.
        body: of the prop.
        at: pose of the prop, in the world, where the hand shall take it.
        tool: pose of the tool centre point, in the world.
        gripper: of the robot.
        period: lets a control period pass and returns the opening, m.
    """
    sucks = isinstance(gripper, SuctionGripper)
    place(client, body, Body(at, vector(-_FLOAT * tool.rotation[:, 2]) if sucks else ZERO))
    client.setGravity(0, 0, 0)
    gripper.begin(Seal(on=True) if sucks else Grip(0.0))
    for _ in range(_PERIODS):
        gripper.judge(period())
        if gripper.state is not MotionState.RUNNING:
            break
    gripper.state = MotionState.IDLE
    client.setGravity(0, 0, -GRAVITY)


def check_held(start: RobotStart, held: str, opening: float) -> None:
    """Check that a settled robot holds what it shall.

    Raises:
        SceneError: it does not.
    """
    if start.held and held != start.held:
        raise SceneError(
            f'The robot shall hold {start.held!r} at the start; after settling it holds {repr(held) if held else "nothing"}, its hand '
            f'{1000 * opening:.0f} mm open. Give a grasp that holds it, clear of the table and of other props.'
        )
