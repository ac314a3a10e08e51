"""Pictures of a bag that are damaged, or differ in size, are refused before an export writes any of them."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.render.jpeg import LARGEST, pixels, size
from vlm_bench_tasks.dataset.exports.pictures import check_pictures, decoded
from vlm_bench_tasks.dataset.labels import KeyPicture


def drawn(width, height, kind='.jpg'):
    return bytes(cv2.imencode(kind, np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8))[1])


GOOD = drawn(64, 48)


def claiming(width, height):
    """A jpeg file whose header claims a size."""
    begin = GOOD.index(b'\xff\xc0') + 5
    return GOOD[:begin] + height.to_bytes(2, 'big') + width.to_bytes(2, 'big') + GOOD[begin + 4 :]


def test_the_size_is_read_from_the_header():
    for width, height in ((64, 48), (1, 1), (300, 20)):
        data = drawn(width, height)
        assert size(data) == (width, height) and pixels(data).shape == (height, width, 3)
    progressive = bytes(cv2.imencode('.jpg', np.zeros((20, 30, 3), np.uint8), [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1])
    assert size(progressive) == (30, 20)
    assert size(claiming(12, LARGEST)) == (12, LARGEST)


@pytest.mark.parametrize(
    ('data', 'words'),
    [
        (b'', '0 bytes were found in place of a jpeg file'),
        (b'<script>', 'hold no picture'),
        (drawn(64, 48, '.png'), 'hold no picture'),
        (GOOD[:100], 'hold no picture'),
        (b'\xff\xd8' + b'\xff\xe0\x00\x00' * 9, 'hold no picture'),
        (claiming(12000, 12000), '12000 x 12000 pixels; sides of 1 to'),
        (claiming(0, 48), '0 x 48 pixels'),
        (GOOD[: GOOD.index(b'\xff\xc0') + 12], 'is damaged; it cannot be decoded'),
    ],
)
def test_what_is_no_picture_is_refused(data, words):
    with pytest.raises(BagError, match=words):
        pixels(data)
    with pytest.raises(BagError, match=rf"some/bag holds a damaged picture of the camera 'front': .*{words}.* Leave the bag or the camera"):
        decoded(Path('some/bag'), 'front', [GOOD, data])
    with pytest.raises(BagError, match=r"some/bag holds a damaged picture of the camera 'front' for the key step at period 7"):
        check_pictures(Path('some/bag'), {'front': [GOOD]}, {7: (KeyPicture('front', GOOD, data),)})


@pytest.mark.parametrize(
    ('shown', 'hidden', 'words'),
    [
        (GOOD, drawn(32, 48), 'It has 32x48 pixels; 64x48 are expected'),
        (drawn(32, 48), drawn(32, 48), 'It has 32x48 pixels; 64x48 are expected'),
        (claiming(7000, 7000), GOOD, 'It has 7000x7000 pixels'),
        (GOOD[:-300], GOOD, 'It breaks off after'),
    ],
)
def test_pictures_of_a_key_step_are_whole_and_as_large_as_the_others(shown, hidden, words):
    check_pictures(Path('bag'), {'front': [GOOD, GOOD]}, {7: (KeyPicture('front', GOOD, GOOD),)})
    with pytest.raises(BagError, match=rf"'front' for the key step at period 7: {words}"):
        check_pictures(Path('bag'), {'front': [GOOD]}, {7: (KeyPicture('front', shown, hidden),)})


def test_pictures_of_a_camera_have_one_size():
    with pytest.raises(BagError, match=r"camera 'front' in several sizes, such as 32x48 and 64x48. Leave the bag or the camera out"):
        check_pictures(Path('bag'), {'front': [GOOD, drawn(32, 48)]}, {})
