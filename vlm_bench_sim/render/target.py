"""The render target of a picture: two images of one size, and reading them."""

import cv2
import moderngl
import numpy as np

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import WorldError
from vlm_bench_sim.render.mesh import Bytes

COLORS_AT, DEPTHS_AT = 2, 3
"""Places at which shaders read what is behind; 0 and 1 are the shadow maps'."""


class Target:
    """Framebuffer for color, depth and ids, of `size` (width and height, pixels), with `samples` along each side of a pixel.

    Ids have no image of their own: they are in the fourth channel of the colors. The first row of each image is the top one, so nothing
    is flipped.

    Attributes:
        samples: as given.

    Raises:
        WorldError: `samples` is even, which leaves no sample at the centre of a pixel.
    """

    def __init__(self, context: moderngl.Context, size: tuple[int, int], *, samples: int) -> None:
        if samples not in (1, 3, 5):
            raise WorldError(f'A picture takes 1, 3 or 5 samples along each side of a pixel; found {samples}.')
        self._context = context
        (self._width, self._height), self.samples = size, samples
        fine = (size[0] * samples, size[1] * samples)
        self._images = (context.texture(fine, 4), context.texture(fine, 1, dtype='f4'))
        self._nearest = context.depth_renderbuffer(fine)
        self._frame = context.framebuffer(self._images, self._nearest)

    def begin(self) -> None:
        """Make this the current framebuffer and clear it."""
        self._frame.use()
        self._frame.clear()

    def resume(self, ground: 'Target') -> None:
        """Make this the current framebuffer and start from the content of another one of this size."""
        self._context.copy_framebuffer(self._frame, ground._frame)
        self._frame.use()

    def expose(self, ground: 'Target') -> None:
        """Copy what is drawn to another target of this size, which shaders can then read."""
        self._context.copy_framebuffer(ground._frame, self._frame)
        for place, image in zip((COLORS_AT, DEPTHS_AT), ground._images, strict=True):
            image.use(place)

    def paint(self, *, colors: bool = True, marks: bool = True) -> None:
        """Let what is drawn next change the colors, and the marks: ids, depths and what is nearest."""
        self._frame.color_mask = (colors, colors, colors, marks), (marks, marks, marks, marks)
        self._frame.depth_mask = marks
        self._frame.use()

    def picture(self, *, many: bool) -> Picture:
        """Return the drawn picture; `many` as for `shaders.programs`."""
        shape, n = (self._height * self.samples, self._width * self.samples), self.samples
        # Read in OpenGL's layout and reordered by OpenCV: a fifth of the time that OpenGL needs to omit the fourth channel.
        painted = np.frombuffer(self._frame.read(components=4), np.uint8).reshape(*shape, 4)
        color = np.asarray(cv2.cvtColor(painted, cv2.COLOR_RGBA2RGB), dtype=np.uint8)
        depth = np.frombuffer(self._frame.read(components=1, attachment=1, dtype='f4'), np.float32).reshape(shape)
        ids = np.asarray(cv2.extractChannel(painted, 3)).astype(np.uint16)
        if many:
            ids += (depth.view(np.uint32) & 3).astype(np.uint16) << 8
        if n == 1:
            return Picture(color, depth, ids)
        centre = slice(n // 2, None, n)
        return Picture(self._mean(color), depth[centre, centre].copy(), ids[centre, centre].copy())

    def _mean(self, color: Bytes) -> Bytes:
        n = self.samples
        sums = color.reshape(self._height, n, self._width, n, 3).sum(axis=(1, 3), dtype=np.uint16)
        return np.asarray((sums + n * n // 2) // (n * n), dtype=np.uint8)

    def release(self) -> None:
        """Free the images."""
        for held in (self._frame, self._nearest, *self._images):
            held.release()
