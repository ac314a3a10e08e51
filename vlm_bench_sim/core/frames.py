"""The frame tree of a robot and its cameras: the parent of each frame, and its pose in the world."""

from collections.abc import Mapping
from xml.etree import ElementTree

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose

ROOT = 'world'

Transforms = dict[str, tuple[str, Pose]]
"""Parent frame and pose in the parent, by frame name."""


class FrameTree:
    """The frames of a robot and its cameras.

    Args:
        urdf: robot description.
        cameras: cameras; each has an optical frame.
    """

    def __init__(self, urdf: str, cameras: tuple[Camera, ...]) -> None:
        robot = ElementTree.fromstring(urdf)
        joints = list(robot.iter('joint'))
        self._moving = [_ends(joint) for joint in joints if joint.get('type') != 'fixed']
        children = {_ends(joint)[1] for joint in joints}
        base = next(link.attrib['name'] for link in robot.iter('link') if link.attrib['name'] not in children)
        self.fixed: Transforms = {base: (ROOT, Pose())}
        for joint in joints:
            if joint.get('type') == 'fixed':
                parent, child = _ends(joint)
                self.fixed[child] = parent, _origin(joint)
        self.fixed |= {camera.frame: (camera.link or ROOT, camera.pose) for camera in cameras}

    def moving(self, links: Mapping[str, Pose]) -> Transforms:
        """Return the transforms of the moving joints; `links` holds link poses in the world."""
        return {child: (parent, links[parent].inverse() @ links[child]) for parent, child in self._moving}


def standing(transforms: Mapping[str, tuple[str, Pose]], frame: str) -> Pose | None:
    """Return the pose of a frame in the world; None if no chain of frames leads there."""
    pose, seen = Pose(), set[str]()
    while frame != ROOT:
        if frame not in transforms or frame in seen:
            return None
        seen.add(frame)
        frame, own = transforms[frame]
        pose = own @ pose
    return pose


def _ends(joint: ElementTree.Element) -> tuple[str, str]:
    parent, child = joint.find('parent'), joint.find('child')
    if parent is None or child is None:
        raise ValueError(f'The joint {joint.get("name")} of the robot description has no parent or no child link. Add it.')
    return parent.attrib['link'], child.attrib['link']


def _origin(joint: ElementTree.Element) -> Pose:
    origin = joint.find('origin')
    given = origin.attrib if origin is not None else {}
    xyz, rpy = ([float(v) for v in given.get(key, '0 0 0').split()] for key in ('xyz', 'rpy'))
    return Pose.from_rpy(xyz, rpy)
