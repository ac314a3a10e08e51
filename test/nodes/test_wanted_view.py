"""The picture of a table that is to be laid, alone and over what the camera sees."""

import time

import cv2
import numpy as np
import pytest

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.nodes.publishing.wanted_view import WantedView, overlaid
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_tasks import catalogue

(CAMERA,) = cameras('vlmbench:overhead', 96, 96)
SCENE = catalogue.build('vlmbench/pick_place', 'seen', 0).scene


class Message:
    """An image as a camera's driver sends it."""

    def __init__(self, color, encoding='rgb8'):
        self.height, self.width = color.shape[:2]
        self.encoding, self.is_bigendian, self.step, self.data = encoding, 0, self.width * 3, color.tobytes()


def pixels(jpeg):
    return cv2.cvtColor(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB).astype(int)


@pytest.fixture(scope='module')
def view():
    return WantedView(robot('panda'), CAMERA)


def test_props_are_mixed_into_the_live_picture_and_nothing_else_is():
    ids = np.array([[0, 1], [2, 3]], np.uint16)
    wanted = Picture(np.full((2, 2, 3), 200, np.uint8), np.zeros((2, 2), np.float32), ids)
    live = np.full((2, 2, 3), 100, np.uint8)
    assert overlaid(live, wanted)[..., 0].tolist() == [[100, 100], [100, 150]]
    assert live.max() == 100, 'the live picture is left as it is'


def test_the_wanted_view_shows_the_props_where_the_scene_has_them(view):
    alone = pixels(view.draw(SCENE))
    assert alone.shape == (96, 96, 3)
    assert not view.live
    blue = (alone[..., 2] > 150) & (alone[..., 0] < 80)
    assert blue.sum() > 100, 'the blue tray'


def test_over_a_live_picture_the_table_is_the_cameras_own_until_it_is_old(view, monkeypatch):
    alone, now = pixels(view.draw(SCENE)), time.monotonic()
    monkeypatch.setattr(time, 'monotonic', lambda: now)
    view.see(Message(np.zeros((96, 96, 3), np.uint8)))
    assert view.live
    over = pixels(view.picture())
    assert over[2, 2].max() < 20 < alone[2, 2].max(), 'the table is the dark one that the camera sees'
    assert over.max() > 90, 'props shine through'
    monkeypatch.setattr(time, 'monotonic', lambda: now + 3.0)
    assert not view.live
    assert (pixels(view.picture()) == alone).all()


@pytest.mark.parametrize('message', [Message(np.zeros((8, 8, 3), np.uint8)), Message(np.zeros((96, 96, 3), np.uint8), 'bayer_rggb8')])
def test_a_picture_that_does_not_fit_is_of_no_use(message):
    view = WantedView(robot('panda'), CAMERA)
    view.see(message)
    assert not view.live


def test_nothing_is_shown_before_there_is_a_scene():
    assert WantedView(robot('panda'), CAMERA).picture() == b''
