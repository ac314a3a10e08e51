"""The PyBullet world."""

from contextlib import ExitStack

from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.loaded_scene import LoadedScene
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.physics.stage import Stage
from vlm_bench_sim.physics.world import SimulatedWorld


class BulletWorld(SimulatedWorld):
    """A world with its own PyBullet server."""

    def _open(self, scene: Scene) -> Stage:
        with ExitStack() as if_it_fails:
            client = Client()
            if_it_fails.callback(client.close)
            stage = LoadedScene(client, self.profile, scene=scene)
            if_it_fails.pop_all()
        return stage
