"""Values survive JSON to the last bit, and JSON that is no value of ours is refused in words."""

import json
import struct
from dataclasses import dataclass
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_sim.core.codec import dumps, loads, read, serialisable
from vlm_bench_sim.core.command import Chunk, Point, Stop, ToolPose
from vlm_bench_sim.core.errors import BagError, VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(finite, min_size=7, max_size=7))
def test_floats_keep_every_bit(numbers):
    pose = Pose(tuple(numbers[:3]), tuple(numbers[3:]))
    again = loads(dumps(pose))
    assert struct.pack('7d', *again.position, *again.orientation) == struct.pack('7d', *numbers)


CUBE = Prop('a', 'cube', (0.04, 0.05, 0.06), Color('rouge é', (1.0, 0.1, 0.0)), 0.07, pose=Pose((0.4, 0.1, 0.02)), noun='cube')
VALUES = [
    CUBE,
    Scene((CUBE,), robot=RobotStart((0.0,) * 7, 0.03)),
    Scene(()),
    Chunk((Point(50_000_000, (0.1,) * 7), Point(100_000_000, (0.2,) * 7, (0.0,) * 7)), goal_tolerance=(0.01,) * 7),
    ToolPose(Pose((0.5, 0.0, 0.3)), straight=True, allowed=('a', 'b'), speed=0.5),
    Grip(0.04),
    Stop(),
    Snapshot(
        3,
        36,
        {'j': JointState(0.1, 0.2, 0.3)},
        Pose(),
        0.04,
        'a',
        {'a': Body(Pose())},
        touching=(('a', 'table'),),
        grasped=('a',),
    ),
]


@pytest.mark.parametrize('value', VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_equal_and_of_the_same_types(value):
    again = loads(dumps(value))
    assert again == value
    assert type(again) is type(value)
    assert dumps(again) == dumps(value)


def test_whole_numbers_in_float_fields_come_back_as_floats():
    again = loads('{"is":"Grip","opening":0,"force":40}')
    assert (again.opening, type(again.opening), type(again.force)) == (0.0, float, float)
    assert loads('{"is":"RobotStart","joints":null,"opening":0}') == RobotStart(None, 0.0)
    assert type(loads('{"is":"RobotStart","joints":null,"opening":0}').opening) is float


def test_fields_that_are_left_out_have_their_defaults():
    assert loads('{"is":"Grip","opening":0.04}') == Grip(0.04)


def test_lists_and_plain_objects_survive():
    assert loads(dumps([Pose(), {'x': (1, 2.5, None, True, 'y')}])) == (Pose(), {'x': (1, 2.5, None, True, 'y')})


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('{"is": "Pose"', 'Expected JSON'),
        ('', 'Expected JSON'),
        ('{"is":"Posse"}', "names the unknown class 'Posse'. Was it written by another version, or is the name misspelt"),
        ('{"is":"os.system","command":"ls"}', 'the unknown class'),
        ('{"is":"Grip","opening":0.1,"color":3}', r"no field \['color'\]"),
        ('{"is":[]}', 'unhashable'),
        ('[' * 100_000, 'recursion'),
    ],
)
def test_what_is_no_value_of_ours_is_refused(text, words):
    with pytest.raises(VlmBenchError, match=words):
        loads(text)


def test_a_value_of_one_class_is_read_and_any_other_refused():
    assert read(dumps(CUBE), Prop) == CUBE
    for text, says in (
        ('7', 'The JSON of a Prop was expected; found that of a int.'),
        (dumps(Pose()), 'found that of a Pose'),
        ('[', 'was expected and cannot be read: Expected JSON of a vlm_bench value: Expecting value'),
    ):
        with pytest.raises(BagError, match=says):
            read(text, Prop, BagError)
    with pytest.raises(VlmBenchError, match='The JSON of an Enum was'):
        read('1', Enum)


@serialisable
@dataclass(frozen=True)
class Share:
    """A class that trusts what it is given."""

    parts: dict[str, float]

    def __post_init__(self):
        1.0 / self.parts['whole']


@pytest.mark.parametrize('parts', ['{}', '{"whole":0}', '[]', '3'])
def test_whatever_a_class_cannot_take_is_refused_in_words(parts):
    with pytest.raises(VlmBenchError, match=r'has the wrong type|takes dict'):
        loads(f'{{"is":"test.core.test_codec.Share","parts":{parts}}}')


def test_a_missing_field_is_refused_in_words():
    with pytest.raises(VlmBenchError, match=r"Grip needs \['opening'\]"):
        loads('{"is":"Grip"}')


def test_a_number_that_is_not_finite_cannot_be_written():
    with pytest.raises(ValueError, match='JSON compliant'):
        dumps(Pose((float('nan'), 0.0, 0.0)))


def test_json_is_plain_json_on_one_line():
    text = dumps(CUBE)
    assert '\n' not in text
    assert json.loads(text)['color'] == {'is': 'Color', 'name': 'rouge é', 'rgb': [1.0, 0.1, 0.0]}


def test_two_classes_of_one_name_are_refused():
    @dataclass(frozen=True)
    class Pose:
        x: int

    serialisable(Pose)
    assert dumps(Pose(3)) == '{"is":"test.core.test_codec.Pose","x":3}'  # another package's: no collision with ours
    with pytest.raises(VlmBenchError, match=r'Two classes are called test\.core\.test_codec\.Pose'):
        serialisable(Pose)
