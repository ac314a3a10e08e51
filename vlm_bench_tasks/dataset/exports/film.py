"""Write the pictures of a camera as mp4 files, with many episodes one after the other in each."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.errors import BagError

CODEC, PIXELS = 'h264', 'yuv420p'
_OPTIONS = {'crf': '18', 'g': '2', 'bf': '0', 'preset': 'veryfast'}  # a keyframe every two pictures, so that seeking is fast
MEGA = 1_000_000


class Film:
    """The files of one camera. A new file starts when the size limit is reached; an episode is never split.

    Args:
        path: returns the path of a file by its number.
        fps: pictures per second.
        limit_mb: size beyond which no further episode is added to a file.
    """

    def __init__(self, path: Callable[[int], Path], *, fps: int, limit_mb: float) -> None:
        self._path, self._fps, self._limit = path, fps, limit_mb * MEGA
        self._output: Any = None
        self._stream: Any = None
        self._number, self._frames, self._bytes = -1, 0, 0

    def add(self, pictures: Sequence[npt.NDArray[np.uint8]]) -> tuple[int, float, float]:
        """Append an episode; return the number of its file, and its start and end in that file, s.

        Raises:
            BagError: the codec does not support pictures of that size.
        """
        height, width = pictures[0].shape[:2]
        if width % 2 or height % 2:
            raise BagError(f'Pictures are {width}x{height}, and {CODEC} needs an even width and height. Render them again in another size.')
        if self._output is None or self._bytes > self._limit:
            self._next(width, height)
        begin = self._frames
        for picture in pictures:
            frame = av.VideoFrame.from_ndarray(picture, format='rgb24')
            frame.pts, frame.time_base = self._frames, Fraction(1, self._fps)
            self._write(self._stream.encode(frame))
            self._frames += 1
        return self._number, begin / self._fps, self._frames / self._fps

    def close(self) -> None:
        """Finish the last file."""
        if self._output is not None:
            self._write(self._stream.encode())
            self._output.close()
            self._output = None

    def _next(self, width: int, height: int) -> None:
        self.close()
        self._number, self._frames, self._bytes = self._number + 1, 0, 0
        self._output = av.open(str(self._path(self._number)), 'w')
        self._stream = self._output.add_stream('libx264', rate=self._fps, options=_OPTIONS)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, PIXELS

    def _write(self, packets: Sequence[Any]) -> None:
        for packet in packets:
            self._bytes += packet.size
            self._output.mux(packet)
