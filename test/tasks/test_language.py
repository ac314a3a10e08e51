"""References fit what they say, and sentences say the same in different words."""

from dataclasses import replace

import numpy as np
import pytest
from films import BLUE, CUBE, TRAY

from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import SceneError, TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.references import ByColour, ByShape, BySide, BySize
from vlm_bench_tasks.language.sentences import say

BLUE_CUBE = replace(CUBE, name='object_2', colour=BLUE)
SCENE = Scene((CUBE, BLUE_CUBE, TRAY))


def test_a_colour_denotes_the_prop_of_that_noun_and_colour():
    ref = ByColour('object_2')
    assert ref.words(SCENE) == 'the blue object'
    assert ref.denotes(SCENE) == (BLUE_CUBE,), 'the blue container is no object'
    assert ByColour('container_1').words(SCENE) == 'the blue container'


def test_an_ambiguous_colour_denotes_all_that_it_fits():
    twin = replace(CUBE, name='object_3')
    assert ByColour('object_1').denotes(Scene((CUBE, twin, TRAY))) == (CUBE, twin)


def test_a_reference_to_nothing_is_an_error():
    with pytest.raises(SceneError, match=r"no prop called 'object_9'. Did you mean object_"):
        ByColour('object_9').words(SCENE)


def test_every_sentence_is_spoken_with_the_words_of_its_references():
    refs = {'item': ByColour('object_1'), 'box': ByColour('container_1')}
    template = say('Put {item} into {box}.', '{box} shall hold {item}.', **refs)
    spoken = template.spoken(SCENE, np.random.default_rng(0))
    assert {spoken.text, *spoken.paraphrases} == {
        'Put the red object into the blue container.',
        'The blue container shall hold the red object.',
    }
    assert spoken.refs == refs
    assert loads(dumps(spoken)) == spoken


def test_the_stream_of_language_draws_each_sentence():
    template = say('One {a}.', 'Two {a}.', 'Three {a}.', a=ByColour('object_1'))
    chance = np.random.default_rng(0)
    texts = [template.spoken(SCENE, chance).text for _ in range(60)]
    assert {text.split()[0] for text in texts} == {'One', 'Two', 'Three'}


@pytest.mark.parametrize('templates', [('Put {item}.', 'Put it.'), ('Put {itm}.',), ('Put {item} into {box}.',)])
def test_a_sentence_must_use_every_reference_and_no_other(templates):
    with pytest.raises(TaskError, match=r'Every reference needs its blank in every sentence'):
        say(*templates, item=ByColour('object_1'))


def test_an_instruction_needs_a_sentence():
    with pytest.raises(TaskError, match=r'was given no sentence'):
        say()


def test_a_shape_denotes_whatever_has_it_and_has_a_name_of_its_own():
    block = replace(CUBE, name='object_3', kind='cross')
    scene = Scene((CUBE, BLUE_CUBE, block, TRAY))
    assert ByShape('object_3').words(scene) == 'the cross-shaped block'
    assert ByShape('object_3').denotes(scene) == (block,)
    assert ByShape('object_1').denotes(scene) == (CUBE, BLUE_CUBE)


def test_sizes_are_told_by_their_order():
    small, middle, large = (replace(CUBE, name=f'object_{i}', size=(s, s, s)) for i, s in enumerate((0.03, 0.04, 0.05), start=1))
    two, three = Scene((small, large, TRAY)), Scene((large, small, middle, TRAY))
    assert [BySize(f'object_{i}').words(two) for i in (1, 3)] == ['the smaller object', 'the larger object']
    assert [BySize(f'object_{i}').words(three) for i in (1, 2, 3)] == ['the small object', 'the medium object', 'the large object']
    assert BySize('object_2').denotes(three) == (middle,)
    with pytest.raises(TaskError, match='Draw them with other scales'):
        BySize('object_1').words(Scene((small, replace(small, name='object_2'), TRAY)))


@pytest.mark.parametrize(('x', 'y', 'words'), [(0.1, 0.05, 'front'), (-0.1, 0.05, 'rear'), (0.05, 0.1, 'left'), (0.05, -0.1, 'right')])
def test_sides_are_those_of_who_sits_where_the_robot_stands(x, y, words):
    middle = CUBE.at(Pose((0.5, 0.0, 0.03)))
    other = replace(CUBE, name='object_2').at(Pose((0.5 + x, y, 0.03)))
    scene = Scene((middle, other, TRAY))
    assert BySide('object_2').words(scene) == f'the {words} object'
    assert BySide('object_2').denotes(scene) == (other,)
    with pytest.raises(TaskError, match='Draw two'):
        BySide('object_1').words(Scene((middle, TRAY)))


@pytest.mark.parametrize('ref', [ByShape('object_1'), BySize('object_1'), BySide('object_1')])
def test_every_reference_is_written_and_read_again(ref):
    assert loads(dumps(ref)) == ref
