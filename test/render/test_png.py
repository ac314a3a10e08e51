"""Pictures as png files: nothing is lost, and a hostile file is refused before it takes memory."""

import struct
import zlib

import numpy as np
import pytest

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.render.png import LARGEST, pixels, png

COLOR = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)


def claiming(width, height):
    """A short file that claims to be as large as that."""
    head = struct.pack('>II5B', width, height, 8, 2, 0, 0, 0)
    chunk = b'IHDR' + head
    return b'\x89PNG\r\n\x1a\n' + struct.pack('>I', len(head)) + chunk + struct.pack('>I', zlib.crc32(chunk))


def test_what_was_encoded_is_decoded_to_the_same_pixels():
    assert np.array_equal(pixels(png(COLOR)), COLOR)


@pytest.mark.parametrize('size', [(LARGEST + 1, 1), (1, LARGEST + 1), (2**31 - 1, 2**31 - 1)])
def test_a_file_that_claims_to_be_huge_is_refused(size):
    with pytest.raises(CommandError, match=f'{size[0]} x {size[1]} pixels is too large'):
        pixels(claiming(*size))


@pytest.mark.parametrize('data', [b'', b'no picture', png(COLOR)[:10], png(COLOR)[:20], claiming(0, 0), claiming(7, 5), b'\xff\xd8\xff'])
def test_what_holds_no_picture_is_refused(data):
    with pytest.raises(CommandError, match=f'^{len(data)} bytes were given as a png file; they hold no picture'):
        pixels(data)
