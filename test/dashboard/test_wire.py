"""What a page may ask, and what is refused."""

import json
from math import pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks.dashboard import wire
from vlm_bench_tasks.dashboard.orbit import Orbit

DRAW = {'id': 3, 'do': 'draw', 'episode': 0, 'seq': 5, 'width': 64, 'height': 48}


def read(**asked):
    return wire.read(json.dumps(asked))


def test_each_question_is_read():
    assert isinstance(read(id=1, do='hello'), wire.Hello)
    assert read(id=1, do='list').since == 0
    assert read(id=1, do='open', episode=7).episode == 7
    assert read(id=1, do='prompt', episode=7, number=1).number == 1
    drawn = read(**DRAW, camera='vlmbench:front', panel=1, samples=3, orbit={'azimuth': 1, 'target': [0, 0, 0.5]})
    assert (drawn.camera, drawn.panel, drawn.samples, drawn.orbit.target) == ('vlmbench:front', 1, 3, (0.0, 0.0, 0.5))


@pytest.mark.parametrize(
    'more',
    [
        {'do': 'delete'}, {'id': -1}, {'id': 1.5}, {'id': '3'}, {'episode': '../x'}, {'episode': -1}, {'seq': 2**31}, {'width': 100_000},
        {'height': 0}, {'samples': 2}, {'samples': 99}, {'panel': 2}, {'camera': 'x' * 101}, {'path': '/etc/passwd'},
        {'orbit': {'distance': 0}},
        {'orbit': {'distance': float('nan')}}, {'orbit': {'azimuth': float('inf')}}, {'orbit': {'elevation': pi / 2}},
        {'orbit': {'target': [0, 0]}}, {'orbit': {'target': [0, 0, 1e9]}}, {'orbit': None}, {'orbit': {'fov': 1}},
    ],
)  # fmt: skip
def test_what_is_unknown_or_beyond_its_bounds_is_refused_in_a_sentence(more):
    with pytest.raises(CommandError, match='The page asked for what is not known') as error:
        read(**DRAW | more)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize('message', [b'bytes', '', '{', '[]', 'null', '5', '"x"', '[' * 10_000, '{"id": 1}', '\ud800'])
def test_what_is_no_question_is_refused(message):
    with pytest.raises(CommandError):
        wire.read(message)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9), lambda x: st.dictionaries(st.text(max_size=9), x)
    )
)
def test_whatever_comes_is_a_question_or_is_refused(value):
    for message in (json.dumps(value), json.dumps({'id': 1, 'do': value}), json.dumps(DRAW | {'orbit': value})):
        try:
            assert isinstance(wire.read(message), wire.Ask)
        except CommandError as error:
            assert str(error)


def test_an_answer_carries_the_number_of_its_question():
    assert json.loads(wire.answered(9, {'a': 1})) == {'id': 9, 'ok': {'a': 1}}
    assert wire.answered(258, b'jpeg') == b'\x02\x01\x00\x00jpeg'
    assert json.loads(wire.refused(9, CommandError('No. Ask otherwise.'))) == {'id': 9, 'error': 'No. Ask otherwise.'}


@pytest.mark.parametrize(('azimuth', 'eye'), [(0.0, (1.0, 0.0)), (pi / 2, (0.0, 1.0)), (pi, (-1.0, 0.0))])
def test_the_free_view_stands_where_it_was_told_and_looks_at_its_target(azimuth, eye):
    target = (0.4, 0.1, 0.2)
    camera = Orbit(azimuth=azimuth, elevation=0.3, distance=2.0, target=target).camera(320, 240)
    assert camera.pose.position[2] == pytest.approx(0.2 + 2.0 * 0.29552)
    assert [camera.pose.position[i] - target[i] for i in (0, 1)] == pytest.approx([2.0 * 0.955336 * part for part in eye], abs=1e-5)
    assert camera.project([target], camera.pose)[0] == pytest.approx([(320 - 1) / 2, (240 - 1) / 2])
