"""Makes the gripper take the prop that it holds at the start of an episode, by closing on it or sucking at it as usual."""

from vlm_bench_sim.core.control import CupControl
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import ZERO, Pose, vector
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.protocols import MotionState
from vlm_bench_sim.core.scene import GRAVITY, RobotStart
from vlm_bench_sim.core.snapshot import Body
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD
from vlm_bench_sim.physics.stage import Stage

_PERIODS = 40
_FLOAT = 0.02  # m/s at which a prop floats up to the cups that take it


def take(stage: Stage, prop: Prop, grasp: Pose) -> None:
    """Make the gripper take a prop, which floats without weight between its fingers, or up to its cups, until then.

    Beads that the scene puts into the prop move with it.

    Args:
        stage: the scene in the simulator; nothing has moved yet.
        prop: a prop of the scene.
        grasp: pose of the tool centre point in the frame of the prop.
    """
    gripper, tool = stage.gripper, stage.tool()
    sucks = isinstance(gripper, CupControl)
    stage.present(prop, Body(tool @ grasp.inverse(), vector(-_FLOAT * tool.rotation[:, 2]) if sucks else ZERO))
    stage.set_gravity(0.0)
    gripper.begin(Seal(on=True) if sucks else Grip(0.0))
    for _ in range(_PERIODS):
        for _ in range(STEPS_PER_PERIOD):
            stage.advance()
        gripper.judge(stage.opening())
        if gripper.state is not MotionState.RUNNING:
            break
    gripper.state = MotionState.IDLE
    stage.set_gravity(GRAVITY)


def check_held(robot: str, start: RobotStart, held: str, opening: float) -> None:
    """Check that a settled robot holds the prop that it should.

    Args:
        robot: its name.
        start: how it starts.
        held: name of the prop that it holds; empty: nothing.
        opening: of its hand, m.

    Raises:
        SceneError: it does not hold it.
    """
    if start.held and held != start.held:
        raise SceneError(
            f'{robot} is to hold {start.held!r} at the start; after settling it holds {repr(held) if held else "nothing"}, with its hand '
            f'{1000 * max(0.0, opening):.0f} mm open. Its hand cannot hold the prop, or not with this grasp. Take another robot, or give a '
            'grasp that holds the prop, clear of the table and of other props.'
        )
