"""Counts the pixels that each object would fill if it stood alone, to measure occlusion."""

from collections.abc import Sequence

import moderngl
import numpy as np

from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.render.batch import Batch
from vlm_bench_sim.render.recent import Recent
from vlm_bench_sim.render.shaders import COVER_FRAGMENT, COVER_VERTEX, COVERS

AT_ONCE = 4 * COVERS
"""Objects counted in one pass: one per channel of each image."""


class CoverageCounter:
    """Counts the pixels that each object covers, for all objects at once, ignoring occlusion.

    Each object writes into its own channel, and the maximum of all writes to a pixel is kept. This needs no depth, and an object that
    covers a pixel twice counts once.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._program = context.program(vertex_shader=COVER_VERTEX, fragment_shader=COVER_FRAGMENT)
        self._frames = Recent(self._frame, free=_free)

    def counts(self, batches: Sequence[Batch], clip_from_world: Floats, size: tuple[int, int]) -> dict[int, int]:
        """Return, by instance id, the number of pixels that each object covers in a picture of that size (width, height)."""
        instances = sorted({number for batch in batches for number in batch.instances})
        self._program['clip_from_world'].write(clip_from_world.T.astype(np.float32).tobytes())
        self._context.enable_only(self._context.BLEND | self._context.CULL_FACE)
        self._context.blend_equation = moderngl.MAX
        found: dict[int, int] = {}
        while asked := [number for number in instances if number not in found]:
            asked = [number for number in asked if number < asked[0] + AT_ONCE]
            frame = self._frames[size, (asked[-1] - asked[0]) // 4 + 1]
            frame.use()
            frame.clear()
            self._program['first'] = asked[0]
            for batch in batches:
                batch.draw_solid(self._program)
            found |= self._read(frame, asked)
        self._context.enable_only(self._context.DEPTH_TEST | self._context.CULL_FACE)
        return found

    def release(self) -> None:
        """Free everything."""
        self._frames.release()
        self._program.release()

    def _frame(self, asked: tuple[tuple[int, int], int]) -> moderngl.Framebuffer:
        """Return the framebuffer with this number of images of that size."""
        size, images = asked
        return self._context.framebuffer([self._context.texture(size, 4) for _ in range(images)])

    @staticmethod
    def _read(frame: moderngl.Framebuffer, asked: list[int]) -> dict[int, int]:
        painted = range(len(frame.color_attachments))
        images = [np.frombuffer(frame.read(components=4, attachment=k), np.uint32) for k in painted]
        counts = [np.count_nonzero(image & np.uint32(255 << 8 * channel)) for image in images for channel in range(4)]
        return {number: int(counts[number - asked[0]]) for number in asked}


def _free(frame: moderngl.Framebuffer) -> None:
    for image in frame.color_attachments:
        image.release()
    frame.release()
