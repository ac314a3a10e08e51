"""The MuJoCo world."""

from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.mujoco.stage import MujocoStage
from vlm_bench_sim.physics.stage import Stage
from vlm_bench_sim.physics.world import SimulatedWorld


class MujocoWorld(SimulatedWorld):
    """A world with its own MuJoCo simulation."""

    def _open(self, scene: Scene) -> Stage:
        return MujocoStage(self.profile, scene)
