"""Renders pictures of scenes that need not exist, for prompts: every object at its described pose, without physics."""

from collections.abc import Callable, Mapping

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.geometry import Pose, Vector, vector
from vlm_bench_sim.core.matter import inside
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.render.renderer import Renderer

SAMPLES = 3
"""Samples along each side of a pixel: such a picture is rendered once, and viewed for long."""


class PromptPainter:
    """Renders one scene after another.

    Args:
        profile: the robot.
        link_poses: its forward kinematics, from joint positions by name to link poses in the world by name.
    """

    def __init__(self, profile: RobotProfile, link_poses: Callable[[Mapping[str, float]], dict[str, Pose]]) -> None:
        self._profile, self._link_poses, self._renderer = profile, link_poses, Renderer(profile)

    @property
    def renderer_string(self) -> str:
        """Name of the renderer."""
        return self._renderer.renderer_string

    def picture(self, scene: Scene, camera: Camera, *, robot: bool = False, table: bool = False, samples: int = SAMPLES) -> Picture:
        """Return a picture of the scene, with the robot as described if `robot`, on the table or before a plain background.

        Args:
            scene: what is shown.
            camera: from where.
            robot: show the robot.
            table: show the table and the room.
            samples: samples along each side of a pixel, 1, 3 or 5; cameras of a bench take 1.

        Raises:
            SceneError: the scene's number of joints differs from the robot's, or a prop cannot be drawn.
            WorldError: the camera is mounted on a link that the robot does not have.
        """
        joints = self._joints(scene)
        links = self._link_poses({name: joint.position for name, joint in joints.items()})
        state = as_described(scene, joints, tool=links[self._profile.tool_link] @ self._profile.tool)
        self._renderer.load(scene)
        return self._renderer.render(camera, state, links, samples=samples, table=table, robot=robot)

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()

    def _joints(self, scene: Scene) -> dict[str, JointState]:
        arm, fingers = self._profile.joints, self._profile.gripper.joints
        start = scene.robot.arm(self._profile)
        opening = self._profile.gripper.max_opening if scene.robot.opening is None else scene.robot.opening
        positions = dict(zip(arm, start, strict=True)) | dict.fromkeys(fingers, self._profile.gripper.travel(opening))
        return {name: JointState(q) for name, q in positions.items()}


def as_described(scene: Scene, joints: dict[str, JointState], *, tool: Pose) -> Snapshot:
    """Return the initial snapshot of a scene, for pictures; the opening does not appear in them.

    The held prop is in the gripper, with the tool centre point at `tool` in the world, and so are the beads in that prop.
    """
    start, poses = scene.robot, {prop.name: prop.pose for prop in scene.props}
    beads = {group.name: group.centres for group in scene.beads}
    if start.held:
        poses[start.held] = to = tool @ start.grasp.inverse()
        beads = {name: _carried(scene.prop(start.held), to, centres) for name, centres in beads.items()}
    return Snapshot(
        0, 0, joints, tool, 0.0, held=start.held,
        bodies={name: Body(pose) for name, pose in poses.items()},
        mechanisms={name: JointState(joint.start) for mechanism in scene.mechanisms for name, joint in mechanism.joints.items()},
        beads=beads,
        dirt={patch.name: tuple(range(len(patch.centres))) for patch in scene.dirt},
    )  # fmt: skip


def _carried(cup: Prop, to: Pose, centres: tuple[Vector, ...]) -> tuple[Vector, ...]:
    """Return the bead centres (m in the world) after the cup that holds some of them has been moved."""
    if cup.solid.cavity is None or not centres:
        return centres
    moved = (to @ cup.pose.inverse()).apply(centres)
    return tuple(vector(new) if within else old for new, old, within in zip(moved, centres, inside(cup, centres), strict=True))
