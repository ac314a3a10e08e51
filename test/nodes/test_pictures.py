"""Pictures over ROS: what is published of a set of cameras, boxes and visibility, and pictures on request."""

from dataclasses import replace

import numpy as np
import pytest

from test.render.outlines import chain, drawn, plates, told
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.ros import fields, names

pytestmark = pytest.mark.ros

OK, INVALID = 1, 101
SIZE = (320, 240)
SET = tuple(camera.name for camera in cameras('lohoravens'))
RED = Color('red', (1.0, 0.0, 0.0))
CUBE = Prop('cube', 'cube', (0.05, 0.05, 0.05), RED, 0.1)
(OBJECT,) = cameras('clevrskills:object')


@pytest.fixture(scope='module')
def stage(start_bench, module_domain):
    """A simulator with LoHoRavens' cameras and the node that draws on request; nobody else."""
    width, height = SIZE
    only = ('sim_node', 'picture_node')
    bench = start_bench(domain=module_domain, only=only, cameras='lohoravens', width=width, height=height, pictures=True)
    bench.client.listen(names.TF, names.TF_STATIC, names.CLOCK)
    bench.client.wait(lambda: bench.client.heard(names.TF) and bench.client.heard(names.TF_STATIC), 'frames')
    yield bench
    bench.stop()


def load(stage, scene, token):
    stage.client.forget()
    answer = stage.client.ask(names.LOAD_SCENE, {'token': token, 'scene': codec.dumps(scene)}, again=True)
    assert answer.result.result == OK, answer.result.error_message


def newest(stage, row, camera):
    """A camera's message of the scene that is loaded; while the world pauses each newcomer gets one."""
    row = row.camera(camera)
    stage.client.listen(row)
    stage.client.wait(lambda: any(since(stage, one) for one in stage.client.heard(row)), row.name)
    return stage.client.heard(row)[-1]


def since(stage, message):
    """Tell whether a message is as new as the newest clock."""
    stage.client.listen(names.CLOCK)
    clocks = stage.client.heard(names.CLOCK)
    return bool(clocks) and fields.read_stamp(message.header.stamp) >= fields.read_stamp(clocks[-1].clock)


def test_corners_are_drawn_where_the_published_messages_say(stage):
    """Plates hang in the air before each camera, where its own camera_info and the frames say that four would stand in its picture."""
    frames = {}
    for message in (*stage.client.heard(names.TF_STATIC), stage.client.heard(names.TF)[-1]):
        frames |= {(parent, child): pose for child, (parent, pose) in fields.read_transforms(message).items()}
    infos = {name: newest(stage, names.COLOR_INFO, name) for name in SET}
    poses = {name: chain(info.header.frame_id, frames) for name, info in infos.items()}
    hung = {name: plates(infos[name], poses[name], 0.15) for name in SET}
    props = [replace(plate, name=f'{name}_{plate.name}', ghost=True) for name in SET for plate in hung[name]]
    load(stage, Scene(tuple(props)), 'corners')
    ids = {prop.name: number for number, prop in enumerate(props, start=3)}
    for name in SET:
        image = newest(stage, names.SEGMENTATION, name)
        assert (image.header, (image.width, image.height)) == (newest(stage, names.COLOR_INFO, name).header, SIZE)
        for plate in hung[name]:
            expected = told(infos[name], poses[name], plate)
            mask = fields.read_image(image) == ids[f'{name}_{plate.name}']
            assert np.abs(drawn(mask, expected) - expected).max() < 0.5, (name, plate.name)


def test_boxes_tell_what_the_picture_shows_and_how_much_is_hidden(stage):
    at = {'near': (0.60, 0.0, 0.10), 'far': (0.46, 0.0, 0.02)}
    sizes = {'near': (0.02, 0.20, 0.20), 'far': (0.06, 0.06, 0.04)}
    props = [Prop(name, 'cube', sizes[name], RED, 0.5, pose=Pose(at[name])) for name in at]
    load(stage, Scene(tuple(props)), 'boxes')
    for camera in ('front', 'left'):
        found = {box.name: box for box in newest(stage, names.BOXES, camera).boxes}
        ids = fields.read_image(newest(stage, names.SEGMENTATION, camera))
        for name, box in found.items():
            rows, columns = np.nonzero(ids == box.id)
            assert (box.x, box.y, box.pixels) == (columns.min(), rows.min(), len(rows)), name
            assert (box.width, box.height) == (np.ptp(columns) + 1, np.ptp(rows) + 1), name
        assert found['near'].visibility == 1.0
        if camera == 'left':
            assert found['far'].visibility > 0.6
        else:
            assert 0.05 < found['far'].visibility < 0.5


def ask(stage, **request):
    return stage.client.ask(names.RENDER_PICTURE, request, again=True)


def test_a_picture_is_drawn_on_request(stage):
    answer = ask(stage, scene=codec.dumps(Scene((CUBE,))), camera=codec.dumps(OBJECT), width=120, height=90)
    assert answer.result.result == OK, answer.result.error_message
    color, depth, ids = (fields.read_image(image) for image in (answer.color, answer.depth, answer.ids))
    assert color.shape == (90, 120, 3) and depth.shape == ids.shape == (90, 120)
    assert set(np.unique(ids)) == {0, 3}
    assert depth[45, 60] == pytest.approx(np.sqrt(0.12) - np.sqrt(0.75) * 0.05, abs=0.006)  # beside the corner
    assert color[45, 60, 0] > 2 * color[45, 60, 2]
    assert (answer.info.width, answer.info.height, answer.info.header.frame_id) == (120, 90, 'object_color_optical_frame')
    before = Scene((replace(CUBE, pose=Pose((0.5, 0.1, 0.025))),))
    both = ask(stage, scene=codec.dumps(before), camera=codec.dumps(cameras('vlmbench:front')[0]), robot=True, table=True)
    assert {1, 2, 3} <= set(np.unique(fields.read_image(both.ids))) and both.info.width == 256


@pytest.mark.parametrize(
    ('request_', 'words'),
    [
        ({'scene': 'a cube', 'camera': codec.dumps(OBJECT)}, 'Expected JSON'),
        ({'scene': codec.dumps(CUBE), 'camera': codec.dumps(OBJECT)}, 'JSON of a Scene'),
        ({'scene': codec.dumps(Scene(())), 'camera': ''}, 'Expected JSON'),
        ({'scene': codec.dumps(Scene(())), 'camera': codec.dumps(Pose())}, 'JSON of a Camera'),
        ({'scene': codec.dumps(Scene(())), 'camera': codec.dumps(OBJECT), 'width': 4000, 'height': 4000}, 'at most 1000000 pixels'),
        ({'scene': codec.dumps(Scene(())), 'camera': codec.dumps(OBJECT).replace('"fov":1.0', '"fov":7.0')}, 'field of view'),
        ({'scene': codec.dumps(Scene(())), 'camera': codec.dumps(OBJECT).replace('"near":0.01', '"near":"x"')}, 'near takes float; found'),
        ({'scene': codec.dumps(Scene(())), 'camera': codec.dumps(OBJECT).replace('"link":""', '"link":"hnd"')}, "'hnd', a link"),
        ({'scene': codec.dumps(Scene((CUBE,))).replace('"kind":"cube"', '"kind":"cub"'), 'camera': codec.dumps(OBJECT)}, 'cub'),
    ],
)
def test_what_makes_no_picture_is_refused_with_a_sentence(stage, request_, words):
    result = ask(stage, **request_).result
    assert result.result == INVALID and words in result.error_message
