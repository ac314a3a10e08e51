"""From a spawn request to a prop: what is read, and every reason why not."""

import json

import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.shapes import kinds, usual_size
from vlm_bench_sim.ros.simulation import Refused, Spawn
from vlm_bench_sim.ros.spawning import COLORS, check_namespace, describe, name_for, read_resource

PROP = Prop('mine', 'star', (0.05, 0.05, 0.03), Color('red', (1.0, 0.0, 0.0)), 0.04, pose=Pose((0.4, 0.0, 0.1)), noun='star')


def refused(call, *arguments, **named):
    with pytest.raises(Refused) as caught:
        call(*arguments, **named)
    assert len(str(caught.value)) < 500
    return caught.value.code


def as_json(**changed):
    return json.dumps(json.loads(codec.dumps(PROP)) | changed)


def test_an_address_gives_each_field():
    prop = read_resource('vlm_bench://tray?size=0.2,0.1,0.05&color=blue&mass=0.3&friction=0.5&fixed=true&noun=red%20tray', '')
    assert (prop.kind, prop.size, prop.color, prop.mass, prop.friction) == (
        'tray',
        (0.2, 0.1, 0.05),
        Color('blue', COLORS['blue']),
        0.3,
        0.5,
    )
    assert (prop.fixed, prop.noun, prop.name) == (True, 'red tray', '')


def test_one_size_is_every_edge_and_a_color_may_be_a_number():
    prop = read_resource('vlm_bench://cube?size=0.04&color=%23ff8000', '')
    assert prop.size == (0.04, 0.04, 0.04)
    assert prop.color.rgb == (1.0, 128 / 255, 0.0)
    assert prop.mass == pytest.approx(0.032)  # 500 kg/m³


@pytest.mark.parametrize('kind', kinds())
def test_every_shape_can_be_spawned_as_it_is_listed(kind):
    assert read_resource(f'vlm_bench://{kind}', '').size == usual_size(kind)
    assert str(usual_size(kind)[0]) in describe(kind)


def test_a_definition_gives_the_same_prop():
    assert read_resource('', codec.dumps(PROP)) == PROP


@pytest.mark.parametrize(
    'uri',
    [
        'file:///etc/passwd', '/etc/passwd', '../../secrets', 'vlm_bench://../../etc/passwd', 'vlm_bench:///etc/passwd', 'vlm_bench://cube/../x',
        'vlm_bench://', 'vlm_bench://cubes', 'vlm_bench://cube%00', 'http://example.com/cube.sdf', 'package://x/y.urdf', 'VLM_BENCH://cube',
        'vlm_bench://cube\n', 'x' * 100_000,
    ],
)  # fmt: skip
def test_nothing_stands_behind_any_other_address(uri):
    assert refused(read_resource, uri, '') == Spawn.NO_RESOURCE


def test_nothing_given_is_no_resource():
    assert refused(read_resource, '', '') == Spawn.NO_RESOURCE


@pytest.mark.parametrize(
    'query',
    [
        'size=', 'size=abc', 'size=1,2', 'size=nan', 'size=inf', 'size=-1', 'size=0', 'size=9', 'mass=0', 'mass=1e9', 'mass=nan',
        'friction=-1', 'friction=99', 'fixed=yes', 'color=mauve', 'color=%23ff', 'color', 'wheels=4', 'noun=%00', 'noun=' + 'x' * 81,
        '&'.join(f'size=0.0{i + 1}' for i in range(9)),
    ],
)  # fmt: skip
def test_a_malformed_query_cannot_be_read(query):
    assert refused(read_resource, f'vlm_bench://cube?{query}', '') == Spawn.RESOURCE_PARSE_ERROR


@pytest.mark.parametrize('query', ['mesh=cube.obj', 'texture=../wood.png'])
def test_assets_are_not_supported(query):
    assert refused(read_resource, f'vlm_bench://cube?{query}', '') == Spawn.UNSUPPORTED_ASSETS


@pytest.mark.parametrize('text', ['<sdf/>', '<robot name="x"/>', '#usda 1.0', 'cube', ' '])
def test_another_format_is_not_supported(text):
    assert refused(read_resource, '', text) == Spawn.UNSUPPORTED_FORMAT


@pytest.mark.parametrize(
    'text',
    [
        '{', '{}', '{"is": "Prop"}', '{"is": "os.system"}', '{"is": "Pose"}', as_json(size=[1, 2]), as_json(size='abc'),
        as_json(size=[0.1, 0.1, True]), as_json(mass='heavy'), as_json(mass=None), as_json(fixed='no'), as_json(ghost=1), as_json(name=3),
        as_json(texture='stripe'),
        as_json(noun=['x']),
        as_json(color='red'),
        as_json(color={'is': 'Color', 'name': 'x', 'rgb': [2, 0, 0]}), as_json(color={'is': 'Color', 'name': 'x'}),
        as_json(pose={'is': 'Pose', 'orientation': [0, 0, 0, 0]}), as_json(pose={'is': 'Pose', 'position': 'here'}), as_json(wings=2),
        '{"is": ' + '[' * 5000, '{' + ' ' * 30_000 + '}',
    ],
)  # fmt: skip
def test_a_malformed_definition_cannot_be_read(text):
    assert refused(read_resource, '', text) == Spawn.RESOURCE_PARSE_ERROR


def test_a_definition_with_an_unknown_shape_misses_an_asset():
    assert refused(read_resource, '', as_json(kind='teapot')) == Spawn.MISSING_ASSETS


def test_names():
    cube = read_resource('vlm_bench://cube', '')
    assert name_for('a', cube, ['b'], rename=False) == 'a'
    assert name_for('', PROP, [], rename=False) == 'mine'
    assert name_for('', cube, ['cube_1'], rename=True) == 'cube_2'
    assert name_for('a', cube, ['a', 'a_1'], rename=True) == 'a_2'
    assert name_for('robot', cube, [], rename=True) == 'robot_1'
    assert refused(name_for, '', cube, [], rename=False) == Spawn.NAME_INVALID
    for taken in ('a', 'robot', 'table', 'room'):
        assert refused(name_for, taken, cube, ['a'], rename=False) == Spawn.NAME_NOT_UNIQUE
    for bad in ('1a', 'a b', '../a', 'a/b', 'ä', 'a' * 64, 'a\n'):
        assert refused(name_for, bad, cube, [], rename=True) == Spawn.NAME_INVALID


def test_a_renamed_name_is_a_name_again():
    long = 'a' * 63
    assert len(name_for(long, PROP, [long], rename=True)) <= 63


@pytest.mark.parametrize('namespace', ['', '/', 'left', '/left/arm', '_x'])
def test_a_namespace_is_taken(namespace):
    check_namespace(namespace)


@pytest.mark.parametrize('namespace', ['a b', '//', '/a/', '1a', 'a-b', 'a/../b', 'x' * 201])
def test_what_is_no_namespace_is_refused(namespace):
    assert refused(check_namespace, namespace) == Spawn.NAMESPACE_INVALID
