"""A robot's driver without a robot: the interface of a real driver, with bare kinematics and the system's clock."""

import sys

from vlm_bench_sim import profiles
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.kinematic_world import KinematicWorld
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.driving.paced_driver import PacedDriver
from vlm_bench_sim.ros import driver

PARAMETERS = {'robot': 'panda', 'speed': 1.0}
"""`speed`: the fraction of the velocity limits that the joints reach; below 1 the arm lags behind its trajectories."""


class FakeDriverNode:
    """A driver of a robot without physics."""

    def __init__(self) -> None:
        node = BenchNode('fake_driver_node', PARAMETERS)
        profile = profiles.robot(node.values['robot'])
        world, kinematics = KinematicWorld(profile, node.values['speed']), Kinematics(profile)
        world.load(Scene(()))
        self._driver = PacedDriver(
            node, profile, world=world, frames=driver.Frames(profile.urdf, ()),
            links=lambda now: kinematics.link_poses({name: joint.position for name, joint in now.joints.items()}),
        )  # fmt: skip

    def spin_once(self) -> None:
        """Handle pending callbacks and run the control periods that are due."""
        self._driver.turn()

    def close(self) -> None:
        """Abort running goals."""
        self._driver.close()


def main() -> None:
    """Run the node."""
    sys.exit(run(FakeDriverNode))


if __name__ == '__main__':
    main()
