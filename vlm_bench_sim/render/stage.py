"""What a picture shows, and from where."""

from dataclasses import dataclass

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.scene import Light
from vlm_bench_sim.render.batch import Batch
from vlm_bench_sim.render.shaders import FEW


@dataclass(frozen=True, eq=False)
class DrawList:
    """The content of a picture.

    Attributes:
        batch: the objects.
        light: the light on them.
        room: whether objects of the batch far from the table cast shadows.
        beads: instance ids of the beads.
        table: the box of the table, m in the world.
        far: the background, on which no moving object throws its shadow; None for none.
    """

    batch: Batch
    light: Light
    room: bool
    beads: range
    table: Box
    far: Batch | None = None

    @property
    def batches(self) -> tuple[Batch, ...]:
        """Objects and background."""
        return (self.batch, self.far) if self.far else (self.batch,)

    @property
    def many(self) -> bool:
        """Whether an instance id is greater than `FEW`."""
        return any(batch.instances[-1] > FEW for batch in self.batches)

    def release(self) -> None:
        """Free the buffers."""
        for batch in self.batches:
            batch.release()


@dataclass(frozen=True)
class Viewpoint:
    """The camera of a picture.

    Attributes:
        camera: the camera.
        eye: pose of the camera's optical frame in the world.
        table: False if the table is left out.
    """

    camera: Camera
    eye: Pose
    table: bool = True

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        return (self.camera.width, self.camera.height)
