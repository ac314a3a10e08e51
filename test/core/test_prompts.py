"""Pictures of an instruction as they are described: what is refused with a sentence, and that JSON keeps every bit."""

from dataclasses import replace

import pytest

from test.films import CUBE, TRAY
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import CommandError, ConfigError, VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.prompts import MOST_SIDE, OBJECT, PICTURE_SIZE, ROLES, PromptPicture, image_key, marker
from vlm_bench_sim.core.scene import RobotStart, Scene

SCENE = Scene((CUBE, TRAY), robot=RobotStart(joints=(0.1, 1 / 3, -0.2)))
PICTURE = PromptPicture(OBJECT, SCENE, 'clevrskills:object')


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        ({'role': 'objct'}, "no role 'objct'. Did you mean object"),
        ({'role': ''}, "no role ''"),
        ({'role': None}, 'no role None'),
        ({'role': []}, r'no role \[\]'),
        ({'width': 'a'}, 'a x 256 pixels; its sides are'),
        ({'height': 1.5}, '256 x 1.5 pixels'),
        ({'tool': Pose()}, 'hides the robot, but gives a pose of its tool'),
        ({'width': 0}, '0 x 256 pixels; its sides are 1 to 1024 pixels long'),
        ({'height': 0}, '256 x 0 pixels'),
        ({'width': -1}, '-1 x 256 pixels'),
        ({'width': -8, 'height': -8}, '-8 x -8 pixels'),
        ({'width': MOST_SIDE + 1, 'height': 1}, '1025 x 1 pixels'),
        ({'width': 1, 'height': MOST_SIDE + 1}, '1 x 1025 pixels'),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(change, words):
    with pytest.raises(ConfigError, match=words) as refused:
        replace(PICTURE, **change)
    assert str(refused.value)[-1] in '.?'


@pytest.mark.parametrize('change', [{'width': MOST_SIDE, 'height': MOST_SIDE}, {'width': 1, 'height': 1}, {'robot': True, 'tool': Pose()}])
def test_the_greatest_and_the_smallest_are_allowed(change):
    replace(PICTURE, **change)


@pytest.mark.parametrize('tool', [Pose(orientation=(0.0, 0.0, 0.0, 0.0)), Pose((float('nan'), 0.0, 0.0))])
def test_a_tool_has_a_pose_that_can_be(tool):
    with pytest.raises(CommandError, match=r'quaternion other than zero|finite'):
        replace(PICTURE, robot=True, tool=tool)


def test_it_has_the_usual_size_unless_it_says_otherwise():
    assert (PICTURE.height, PICTURE.width) == PICTURE_SIZE
    assert (PICTURE.robot, PICTURE.tool, PICTURE.table) == (False, None, False)


@pytest.mark.parametrize('role', ROLES)
def test_json_gives_every_bit_back(role):
    tool = Pose((0.1, 1 / 3, 0.7), (0.6, 0.0, 0.8, 0.0))
    one = PromptPicture(role, SCENE, 'vlmbench:front', robot=True, tool=tool, table=True, width=96, height=64)
    assert loads(dumps((one, PICTURE))) == (one, PICTURE)


@pytest.mark.parametrize(
    ('before', 'after', 'words'),
    [
        ('"role":"object"', '"role":"mood"', "no role 'mood'"),
        ('"width":256', '"width":-4', '-4 x 256 pixels'),
        ('"width":256', '"width":256.5', 'width takes int; found'),
        ('"robot":false', '"robot":"no"', 'robot takes bool; found'),
        ('"camera":"clevrskills:object"', '"camera":7', 'camera takes str; found'),
    ],
)
def test_json_is_checked_as_code_is(before, after, words):
    text = dumps(PICTURE)
    assert before in text
    with pytest.raises(VlmBenchError, match=words):
        loads(text.replace(before, after))


def test_markers_and_keys_count_from_one():
    assert [marker(number) for number in (1, 10)] == ['<image 1>', '<image 10>']
    assert image_key(1) == 'prompt/image_1'
