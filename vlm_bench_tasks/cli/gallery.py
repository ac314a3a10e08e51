"""Pictures for the docs, made from what the bench really draws: `make gallery`."""

import sys
from pathlib import Path

import cv2
import numpy as np

from vlm_bench_sim import profiles
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer

FOLDER = Path('docs/gallery')
SIZE = 480
EYES = ((1.45, -1.15, 0.85), (1.15, 1.35, 0.75))
LOOKED_AT = (0.15, 0.0, 0.36)


def robot(name: str) -> Bytes:
    """Return a picture (SIZE, 2 SIZE, 3) of a robot at home, from two sides."""
    profile = profiles.robot(name)
    gripper = profile.gripper
    joints = dict(zip(profile.joints, profile.home, strict=True)) | dict.fromkeys(gripper.joints, gripper.max_opening / 3)
    links = Kinematics(profile).link_poses(joints)
    renderer = Renderer(profile)
    renderer.load(Scene(()))
    sides = [Camera(f'side_{i}', Pose.look_at(eye, LOOKED_AT), fov=0.62, width=SIZE, height=SIZE) for i, eye in enumerate(EYES)]
    picture = np.hstack([renderer.render(camera, {}, links, samples=3).colour for camera in sides])
    renderer.close()
    return picture


def main() -> int:
    """Draw every picture of the gallery."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in profiles.robots():
        path = FOLDER / f'robot_{name}.png'
        cv2.imwrite(str(path), cv2.cvtColor(robot(name), cv2.COLOR_RGB2BGR), [cv2.IMWRITE_PNG_COMPRESSION, 9])
        sys.stdout.write(f'{path}\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
