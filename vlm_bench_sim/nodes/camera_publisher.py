"""RGB-D cameras: rendered at multiples of the control period, and only for who listens."""

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.convert import message


class CameraPublisher:
    """Publishes the pictures of a set of cameras.

    Args:
        node: of the simulator.
        renderer: of the world's robot.
        cameras: to publish.
        rate: pictures a second of simulated time.
    """

    def __init__(self, node: BenchNode, renderer: Renderer, *, cameras: tuple[Camera, ...], rate: float) -> None:
        self._renderer, self._cameras, self._every = renderer, cameras, max(1, round(CONTROL_HZ / rate))
        self._publishers = {row: node.publisher(row) for row in names.camera_names(tuple(c.name for c in cameras))}
        self._rows = {c.name: tuple(row for row in names.camera_names((c.name,)) if not row.latched) for c in cameras}
        self._shown: dict[str, tuple[int, int]] = {}

    def load(self, scene: Scene, token: str) -> None:
        """Show another scene."""
        self._renderer.load(scene)
        self._shown = {}
        for camera in self._cameras:
            row, fields = driver.labels(scene, camera, token)
            self._publishers[row].publish(message(row.type, fields))

    def publish(self, snapshot: Snapshot, links: dict[str, Pose], *, ns: int, pausing: bool) -> None:
        """Publish what is due: at multiples of the rate, or one fresh picture for each newcomer while the world pauses."""
        if not pausing and snapshot.seq % self._every:
            return
        for camera in self._cameras:
            listeners = {row: self._publishers[row].get_subscription_count() for row in self._rows[camera.name]}
            audience = (snapshot.seq, sum(listeners.values()))
            if audience[1] and self._shown.get(camera.name) != audience:
                self._shown[camera.name] = audience
                self._publish(camera, snapshot, links, ns, {row for row, count in listeners.items() if count})

    def _publish(self, camera: Camera, snapshot: Snapshot, links: dict[str, Pose], ns: int, rows: set[names.Name]) -> None:
        picture = self._renderer.render(camera, snapshot, links)
        for row, make in driver.pictures(camera, picture, ns, jpeg).items():
            if row in rows:
                self._publishers[row].publish(message(row.type, make()))
