"""RGB-D cameras: rendered at multiples of the control period, and only for subscribers."""

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.noise import noisy, strayed
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import periods_between
from vlm_bench_sim.core.visible_boxes import visible_boxes
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.publishing.arrivals import Arrivals
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros import driver, names
from vlm_bench_sim.ros.convert import message


class CameraPublisher:
    """Publishes the pictures of a set of cameras.

    Args:
        node: the simulator's node.
        renderer: of the world's robot.
        cameras: the cameras to publish.
        rate: pictures per second of simulated time.
        aids: the aids that policies are given.
        truth: whether what no camera knows is published, too: instance ids, labels, boxes and key steps.

    Raises:
        ConfigError: the control period does not permit this rate.
    """

    def __init__(
        self, node: BenchNode, renderer: Renderer, *, cameras: tuple[Camera, ...], rate: float, aids: tuple[str, ...] = (),
        truth: bool = True,
    ) -> None:  # fmt: skip
        self._own = self._cameras = cameras
        self._seeded_perturbation = SeededPerturbation()
        self._renderer, self._every = renderer, periods_between(rate)
        told = [row for row in names.camera_names(tuple(c.name for c in cameras)) if truth or not row.private]
        self._publishers = {row: node.publisher(row.shown(*aids)) for row in told}
        self._arrivals = {row: Arrivals(publisher) for row, publisher in self._publishers.items()}
        self._rows = {c.name: [row for row in names.picture_names(c.name) if row in self._publishers] for c in cameras}
        self._shown: dict[str, tuple[int, dict[names.Name, int]]] = {}
        self._scene = Scene(())

    def load(self, scene: Scene, token: str, seeded_perturbation: SeededPerturbation) -> tuple[Camera, ...]:
        """Show another scene, and return the cameras with their poses in it."""
        self._seeded_perturbation, self._cameras = seeded_perturbation, tuple(strayed(camera, seeded_perturbation) for camera in self._own)
        self._renderer.load(scene)
        self._shown, self._scene = {}, scene
        for camera in self._cameras:
            row, fields = driver.labels(scene, camera, token)
            if row in self._publishers:
                self._publishers[row].publish(message(row.type, fields))
        return self._cameras

    def publish(self, snapshot: Snapshot, links: dict[str, Pose], *, ns: int, pausing: bool) -> None:
        """Publish the pictures that are due: at multiples of the rate, or one fresh picture per new subscriber while the world pauses."""
        if not pausing and snapshot.seq % self._every:
            return
        for camera in self._cameras:
            # Arrivals are counted first: a subscriber between both counts gets one picture too many, not one too few.
            came = {row: self._arrivals[row].count for row in self._rows[camera.name]}
            seq, before = self._shown.get(camera.name, (-1, {}))
            if (seq, before) != (snapshot.seq, came):
                heard = {row for row in came if self._publishers[row].get_subscription_count() or came[row] > before.get(row, 0)}
                if heard:
                    self._shown[camera.name] = (snapshot.seq, came)
                    self._publish(camera, snapshot, links, ns, heard)

    def publish_key_step(self, snapshot: Snapshot, links: dict[str, Pose], *, ns: int) -> None:
        """Publish the pictures of a key step to those who listen."""
        for camera in self._cameras:
            if any(self._publishers[row.camera(camera.name)].get_subscription_count() for row in names.KEY_STEP_NAMES):
                shown, hidden = (self._picture(camera, snapshot, links, robot=robot) for robot in (True, False))
                for row, fields in driver.key_step(camera, shown, hidden, ns, encode=jpeg):
                    self._publishers[row].publish(message(row.type, fields))

    def _picture(self, camera: Camera, snapshot: Snapshot, links: dict[str, Pose], *, robot: bool = True) -> Picture:
        drawn = self._renderer.render(camera, snapshot, links, robot=robot)
        return noisy(drawn, self._seeded_perturbation, camera=camera.name, step=snapshot.step)

    def _publish(self, camera: Camera, snapshot: Snapshot, links: dict[str, Pose], ns: int, rows: set[names.Name]) -> None:
        picture = self._picture(camera, snapshot, links)
        for row, make in driver.pictures(camera, picture, ns, jpeg).items():
            if row in rows:
                self._publishers[row].publish(message(row.type, make()))
        if names.BOXES.camera(camera.name) in rows:
            row, fields = driver.boxes(self._scene, camera, visible_boxes(picture.ids, self._renderer.alone(camera, snapshot, links)), ns)
            self._publishers[row].publish(message(row.type, fields))
