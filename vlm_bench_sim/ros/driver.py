"""What a robot's driver publishes, as rows of the table of names with their fields: pure, and so the same in bags written without ROS."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.frames import FrameTree, Transforms
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_sim.core.visible_boxes import VisibleBox
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.fields import Fields
from vlm_bench_sim.ros.names import Name

Content = tuple[Name, Fields]
Began = tuple[int, Any]
"""The control period after which an action began, and the action."""


class Frames:
    """The frames of a robot and its cameras, as in the published messages.

    Args:
        urdf: robot description.
        cameras: each has an optical frame.
    """

    def __init__(self, urdf: str, cameras: tuple[Camera, ...]) -> None:
        self._tree = FrameTree(urdf, cameras)

    def static(self, ns: int) -> Content:
        """Return the static frames."""
        return names.TF_STATIC, _told(self._tree.fixed, ns)

    def moving(self, links: dict[str, Pose], ns: int) -> Content:
        """Return the frames of the moving joints; `links` are link poses in the world."""
        return names.TF, _told(self._tree.moving(links), ns)


def _told(transforms: Transforms, ns: int) -> Fields:
    return fields.tf_message([fields.transform(parent, child, pose, ns) for child, (parent, pose) in transforms.items()])


def robot(snapshot: Snapshot, links: dict[str, Pose], frames: Frames, ns: int) -> Iterator[Content]:
    """Yield what any robot's driver publishes once per control period."""
    yield names.JOINT_STATES, fields.joint_state(snapshot.joints, ns)
    yield frames.moving(links, ns)
    yield names.TCP_POSE, fields.pose_stamped(snapshot.tool, ns)


def state(snapshot: Snapshot, links: dict[str, Pose], frames: Frames, *, ns: int, token: str) -> Iterator[Content]:
    """Yield what is published once per control period, except the tick."""
    yield names.CLOCK, {'clock': fields.stamp(ns)}
    yield from robot(snapshot, links, frames, ns)
    yield names.WORLD_STATE, fields.world_state(snapshot, ns=ns, token=token, state_hash=state_hash(snapshot))


class Actions:
    """Commands to a world and their executions; each is published once, with the control period after it."""

    def __init__(self) -> None:
        self._told = {names.COMMANDED: 0, names.APPLIED: 0}

    def news(self, asked: Sequence[Began], done: Sequence[Began], *, ns: int, token: str) -> Iterator[Content]:
        """Yield the new elements of these two growing lists. Call `laid_out` first, once per scene."""
        for row, all_ in ((names.COMMANDED, asked), (names.APPLIED, done)):
            for seq, action in all_[self._told[row] :]:
                self._told[row] += 1
                yield row, _action(seq, self._told[row], codec.dumps(action), ns=ns, token=token)

    def laid_out(self, *, ns: int, token: str) -> Iterator[Content]:
        """Yield that the scene was laid out without any action yet; both lists start again."""
        for row in self._told:
            self._told[row] = 0
            yield row, _action(0, 0, '', ns=ns, token=token)


def _action(seq: int, index: int, action: str, *, ns: int, token: str) -> Fields:
    return {'header': fields.header(ns), 'token': token, 'seq': seq, 'index': index, 'action': action}


def tick(snapshot: Snapshot, *, ns: int, token: str, arm_busy: bool, gripper_busy: bool, assisting: bool = False) -> Content:
    """Return the tick that closes a control period."""
    return names.TICK, {
        'header': fields.header(ns), 'token': token, 'seq': snapshot.seq, 'step': snapshot.step,
        'arm_busy': arm_busy, 'gripper_busy': gripper_busy, 'assisting': assisting,
    }  # fmt: skip


def scene(content: Scene, *, token: str, robot: str, renderer: str, engine: str) -> Content:
    """Return the loaded scene, and the names of its renderer and its physics engine."""
    return names.SCENE, {'token': token, 'scene': codec.dumps(content), 'robot': robot, 'renderer': renderer, 'engine': engine}


def labels(content: Scene, camera: Camera, token: str) -> Content:
    """Return the meaning of a camera's instance ids: nouns, never a prop's color or its role in the task.

    A link counts as part of its piece of furniture. Matter is named by its color: water, dirt.
    """
    nouns = {prop.name: (prop.noun, '') for prop in content.props}
    nouns |= {whole.full(link.name): (whole.noun, link.name) for whole in content.mechanisms for link in whole.links}
    nouns |= {group.name: (group.color.name, '') for group in content.beads}
    nouns |= {patch.name: (patch.color.name, '') for patch in content.dirt}
    called = {number: nouns.get(name, (name, '')) for name, number in content.ids.items()}
    rows = [{'id': number, 'name': noun, 'part': part} for number, (noun, part) in called.items()]
    return names.LABELS.camera(camera.name), {'token': token, 'labels': rows}


def pictures(camera: Camera, picture: Picture, ns: int, encode: Callable[[Picture], bytes]) -> dict[Name, Callable[[], Fields]]:
    """Return, for each topic of a picture, a function that makes its fields on demand; `encode` makes a jpeg."""
    content: dict[Name, Callable[[], Fields]] = {
        names.COLOR: lambda: fields.color_image(picture, camera, ns),
        names.COLOR_INFO: lambda: fields.camera_info(camera, ns),
        names.COLOR_JPEG: lambda: fields.compressed_image(encode(picture), ns, frame=camera.frame),
        names.DEPTH: lambda: fields.depth_image(picture, camera, ns),
        names.DEPTH_INFO: lambda: fields.camera_info(camera, ns),
        names.SEGMENTATION: lambda: fields.ids_image(picture, camera, ns),
    }
    return {row.camera(camera.name): make for row, make in content.items()}


def key_step(camera: Camera, shown: Picture, hidden: Picture, ns: int, *, encode: Callable[[Picture], bytes]) -> Iterator[Content]:
    """Yield the pictures of a key step, with the robot shown and hidden; `encode` makes a jpeg."""
    for row, picture in zip(names.KEY_STEP_NAMES, (shown, hidden), strict=True):
        yield row.camera(camera.name), fields.compressed_image(encode(picture), ns, frame=camera.frame)


def boxes(content: Scene, camera: Camera, things: Sequence[VisibleBox], ns: int) -> Content:
    """Return the visible box of each object in one picture, by the names of the scene."""
    whose = {number: name for name, number in content.ids.items()}
    rows = [
        {'id': one.instance, 'name': whose[one.instance], 'x': one.x, 'y': one.y, 'width': one.width, 'height': one.height,
         'pixels': one.pixels, 'visibility': math.nan if one.visibility is None else one.visibility}
        for one in things
    ]  # fmt: skip
    return names.BOXES.camera(camera.name), {'header': fields.header(ns, camera.frame), 'boxes': rows}
