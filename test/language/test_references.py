"""References fit what they say, and sentences say the same in different words."""

from dataclasses import replace

import numpy as np
import pytest

from test.films import BLUE, CUBE, RED, TRAY
from vlm_bench_sim.core.areas import AREAS
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.errors import SceneError, TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import CLEAR, PATTERNS, Texture, read_look
from vlm_bench_sim.core.matter import Beads, packed
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.objects.furniture import CABINETS, CHESTS, MODELS, furniture
from vlm_bench_sim.core.objects.instances import CUPS
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.language.invented import ByAdjective, ByWord
from vlm_bench_tasks.language.looks import ByLook
from vlm_bench_tasks.language.places import ByContent, ByDirection, ByLevel, ByRegion
from vlm_bench_tasks.language.references import (
    PATTERN_WORDS,
    ByColor,
    ByNoun,
    ByShape,
    BySide,
    BySize,
    ByTexture,
    shape_noun,
)  # fmt: skip
from vlm_bench_tasks.language.sentence_forms import sentence_form, unbound
from vlm_bench_tasks.language.sentences import say

BLUE_CUBE = replace(CUBE, name='object_2', color=BLUE)
SCENE = Scene((CUBE, BLUE_CUBE, TRAY))
COLORS = {'red': RED.rgb, 'blue': BLUE.rgb}


def test_a_color_denotes_the_prop_of_that_noun_and_color():
    ref = ByColor('object_2')
    assert ref.words(SCENE) == 'the blue object'
    assert ref.denotes(SCENE) == ('object_2',), 'the blue container is no object'
    assert ByColor('container_1').words(SCENE) == 'the blue container'


def test_an_ambiguous_color_denotes_all_that_it_fits():
    twin = replace(CUBE, name='object_3')
    assert ByColor('object_1').denotes(Scene((CUBE, twin, TRAY))) == ('object_1', 'object_3')


def test_a_reference_to_nothing_is_an_error():
    with pytest.raises(SceneError, match=r"no prop called 'object_9'. Did you mean object_"):
        ByColor('object_9').words(SCENE)


def test_every_sentence_is_spoken_with_the_words_of_its_references():
    refs = {'item': ByColor('object_1'), 'box': ByColor('container_1')}
    template = say('Put {item} into {box}.', '{box} shall hold {item}.', **refs)
    spoken = template.spoken(SCENE, np.random.default_rng(0))
    assert {spoken.text, *spoken.paraphrases} == {
        'Put the red object into the blue container.',
        'The blue container shall hold the red object.',
    }
    assert spoken.refs == refs
    assert loads(dumps(spoken)) == spoken


def test_what_was_spoken_shows_its_blanks_again():
    templates = ('Put {item} into {box}.', '{box} shall hold {item}.')
    spoken = say(*templates, item=ByColor('object_1'), box=ByColor('container_1')).spoken(SCENE, np.random.default_rng(0))
    assert sorted(spoken.templates(SCENE)) == sorted(templates)


def test_the_stream_of_language_draws_each_sentence():
    template = say('One {a}.', 'Two {a}.', 'Three {a}.', a=ByColor('object_1'))
    chance = np.random.default_rng(0)
    texts = [template.spoken(SCENE, chance).text for _ in range(60)]
    assert {text.split()[0] for text in texts} == {'One', 'Two', 'Three'}


@pytest.mark.parametrize('templates', [('Put {item}.', 'Put it.'), ('Put {itm}.',), ('Put {item} into {box}.',)])
def test_a_sentence_must_use_every_reference_and_no_other(templates):
    with pytest.raises(TaskError, match=r'Every reference needs its blank in every sentence'):
        say(*templates, item=ByColor('object_1'))


def test_an_instruction_needs_a_sentence():
    with pytest.raises(TaskError, match=r'was given no sentence'):
        say()


def test_a_shape_denotes_whatever_has_it_and_has_a_name_of_its_own():
    block = replace(CUBE, name='object_3', kind='cross')
    scene = Scene((CUBE, BLUE_CUBE, block, TRAY))
    assert ByShape('object_3').words(scene) == 'the cross-shaped block'
    assert ByShape('object_3').denotes(scene) == ('object_3',)
    assert ByShape('object_1').denotes(scene) == ('object_1', 'object_2')


def test_sizes_are_told_by_their_order():
    small, middle, large = (replace(CUBE, name=f'object_{i}', size=(s, s, s)) for i, s in enumerate((0.03, 0.04, 0.05), start=1))
    two, three = Scene((small, large, TRAY)), Scene((large, small, middle, TRAY))
    assert [BySize(f'object_{i}').words(two) for i in (1, 3)] == ['the smaller object', 'the larger object']
    assert [BySize(f'object_{i}').words(three) for i in (1, 2, 3)] == ['the small object', 'the medium object', 'the large object']
    assert BySize('object_2').denotes(three) == ('object_2',)
    with pytest.raises(TaskError, match='with scales further apart'):
        BySize('object_1').words(Scene((small, replace(small, name='object_2'), TRAY)))


@pytest.mark.parametrize(('x', 'y', 'words'), [(0.1, 0.05, 'front'), (-0.1, 0.05, 'rear'), (0.05, 0.1, 'left'), (0.05, -0.1, 'right')])
def test_sides_are_those_of_who_sits_where_the_robot_stands(x, y, words):
    middle = CUBE.at(Pose((0.5, 0.0, 0.03)))
    other = replace(CUBE, name='object_2').at(Pose((0.5 + x, y, 0.03)))
    scene = Scene((middle, other, TRAY))
    assert BySide('object_2').words(scene) == f'the {words} object'
    assert BySide('object_2').denotes(scene) == ('object_2',)
    with pytest.raises(TaskError, match='Draw two'):
        BySide('object_1').words(Scene((middle, TRAY)))


def test_a_texture_denotes_by_its_pattern():
    striped = replace(CUBE, texture=Texture('stripe', BLUE))
    scene = Scene((striped, BLUE_CUBE, replace(TRAY, texture=Texture('stripe', RED))))
    assert ByTexture('object_1').words(scene) == 'the striped object'
    assert ByTexture('object_1').denotes(scene) == ('object_1',)
    assert (ByTexture('object_2').words(scene), ByTexture('object_2').denotes(scene)) == ('the plain object', ('object_2',))
    assert ByTexture('object_1').denotes(Scene((striped, replace(striped, name='object_2', color=BLUE)))) == ('object_1', 'object_2')


def test_every_pattern_has_a_word_of_its_own():
    assert set(PATTERN_WORDS) == {'', *PATTERNS, CLEAR}
    assert len(set(PATTERN_WORDS.values())) == len(PATTERN_WORDS)


def test_each_letter_and_each_tool_is_called_what_it_is():
    assert [shape_noun(f'letter_{letter}') for letter in 'rv'] == ['letter R', 'letter V']
    assert [shape_noun(kind) for kind in ('extra_large_clamp', 'wrench')] == ['clamp', 'adjustable wrench']


def test_what_looks_the_same_but_for_its_size_has_one_noun_and_is_ambiguous_by_it():
    assert {shape_noun(kind) for kind in ('softball', 'baseball', 'tennis_ball', 'racquetball')} == {'ball'}
    kinds = {'a': 'tennis_ball', 'b': 'softball', 'c': 'apple'}
    scene = Scene(tuple(Prop(name, kind, (0.06, 0.06, 0.06), RED, 0.1) for name, kind in kinds.items()))
    assert ByShape('a').words(scene) == 'the ball' and ByShape('a').denotes(scene) == ('a', 'b')
    assert ByShape('c').denotes(scene) == ('c',)


def test_an_invented_noun_stands_for_all_that_looks_the_same():
    twin = replace(CUBE, name='object_3', size=(0.05, 0.05, 0.05))
    scene = Scene((CUBE, BLUE_CUBE, twin, TRAY))
    assert ByWord('object_2', 'dax').words(scene) == 'the dax'
    assert ByWord('object_2', 'dax').denotes(scene) == ('object_2',)
    assert ByWord('object_1', 'wug').denotes(scene) == ('object_1', 'object_3')


def test_an_invented_adjective_stands_for_a_factor_of_size():
    small = replace(CUBE, name='object_3', size=(0.02, 0.02, 0.02))
    scene = Scene((CUBE, small, replace(TRAY, noun='object')))
    assert ByAdjective('object_3', 'daxer', 0.5).words(scene) == 'the daxer object'
    assert ByAdjective('object_3', 'daxer', 0.5).denotes(scene) == ('object_3',)
    assert ByAdjective('object_1', 'kobar', 2.0).denotes(scene) == ('object_1',)


@pytest.mark.parametrize('name', AREAS)
def test_regions_are_named_areas(name):
    there = CUBE.at(AREAS[name].pose.shifted((0.01, 0.01, 0.02)))
    elsewhere = BLUE_CUBE.at(Pose((0.9, 0.0, 0.02)))
    scene = Scene((there, elsewhere, TRAY))
    assert ByRegion('object_1', AREAS[name]).words(scene) == f'the object in the {AREAS[name].words}'
    assert ByRegion('object_1', AREAS[name]).denotes(scene) == ('object_1',)
    assert ByRegion('object_1', AREAS[name]).denotes(Scene((there, elsewhere.at(there.pose)))) == ('object_1', 'object_2')
    with pytest.raises(TaskError, match='object_2 is not in the'):
        ByRegion('object_2', AREAS[name]).words(scene)


@pytest.mark.parametrize(
    ('yaw', 'word'), [(0.0, 'vertical'), (3.0, 'vertical'), (-0.4, 'vertical'), (1.4, 'horizontal'), (-1.9, 'horizontal')]
)
def test_a_direction_is_how_a_thing_lies(yaw, word):
    area = replace(TRAY, noun='area', pose=Pose.from_rpy((0.5, 0.2, 0.02), (0.0, 0.0, yaw)))
    other = replace(area, name='area_2', pose=Pose.from_rpy((0.5, -0.2, 0.02), (0.0, 0.0, yaw + np.pi / 2)))
    scene = Scene((area, other, CUBE))
    assert ByDirection('container_1').words(scene) == f'the {word} area'
    assert ByDirection('container_1').denotes(scene) == ('container_1',)


def test_what_lies_askew_has_no_direction():
    scene = Scene((CUBE.at(Pose.from_rpy((0.5, 0.0, 0.02), (0.0, 0.0, 0.7))),))
    with pytest.raises(TaskError, match=r'neither vertical \(0, π\) nor horizontal'):
        ByDirection('object_1').words(scene)


def chest(name: str = 'cabinet', drawers: int = 3) -> Mechanism:
    """Drawers above one another, the lowest first, and a door with a handle that turns."""

    def link(name: str, *more) -> Link:
        return Link(name, (replace(CUBE, name=name, pose=Pose()),), *more)

    links = [link('body')]
    for i in range(drawers):
        links.append(link(f'drawer_{i}', 'body', Joint('prismatic', Pose((0.0, 0.0, 0.1 * i)), (1.0, 0.0, 0.0), 0.0, 0.2)))
    links.append(link('leaf', 'body', Joint('revolute', Pose(), (0.0, 0.0, 1.0), 0.0, 1.0)))
    links.append(link('handle', 'leaf', Joint('revolute', Pose(), (1.0, 0.0, 0.0), 0.0, 0.5)))
    return Mechanism(name, tuple(links))


def test_a_content_denotes_the_vessels_that_hold_beads_or_those_that_hold_none():
    cups = [CUPS['cup0'].prop(f'cup_{i}', noun='cup').at(Pose((0.4, 0.2 * i, 0.033))) for i in range(3)]
    water = Beads('water', packed(cups[1], 3, np.random.default_rng(0)))
    one, several = Scene(tuple(cups[:2]), beads=(water,)), Scene((*cups, CUBE), beads=(water,))
    assert [ByContent(f'cup_{i}').words(one) for i in range(2)] == ['the empty cup', 'the full cup']
    assert [ByContent(f'cup_{i}').denotes(one) for i in range(2)] == [('cup_0',), ('cup_1',)]
    assert ByContent('cup_0').denotes(several) == ('cup_0', 'cup_2') and ByContent('cup_1').denotes(several) == ('cup_1',)


def test_a_level_denotes_one_of_the_links_above_one_another():
    scene = Scene((CUBE,), mechanisms=(chest(),))
    refs = [ByLevel(f'cabinet/drawer_{i}') for i in range(3)]
    assert [ref.words(scene) for ref in refs] == ['the bottom drawer', 'the middle drawer', 'the top drawer']
    assert [ref.denotes(scene) for ref in refs] == [(ref.prop,) for ref in refs]
    assert ByLevel('cabinet/leaf').words(scene) == 'the door'
    assert ByLevel('cabinet/leaf').denotes(scene) == ('cabinet/leaf',)
    both = Scene((), mechanisms=(chest(), chest('other', 2)))
    assert refs[2].denotes(both) == ('cabinet/drawer_2', 'other/drawer_1')
    assert refs[1].denotes(both) == ('cabinet/drawer_1',)


@pytest.mark.parametrize('model', [*CHESTS, *CABINETS])
def test_each_drawer_and_door_has_words_of_its_own(model):
    """The words are those of the layout, and mean that link alone, however far it is open."""
    piece = furniture(model, 'piece')
    piece = piece.started(**{name.split('/')[1]: joint.upper for name, joint in piece.joints.items()})
    scene = Scene((), mechanisms=(piece,))
    noun = 'drawer' if model.startswith('chest') else 'door'
    for row in MODELS[model].layout.names:
        for link in row:
            ref = ByLevel(piece.full(link))
            place = '' if link == noun else link.replace('_', ' ') + ' '
            assert ref.words(scene) == f'the {place}{noun}'
            assert ref.denotes(scene) == (piece.full(link),)


def test_a_level_that_is_not_there_is_an_error():
    with pytest.raises(TaskError, match=r"no furniture|No furniture .* 'cabinet/top'"):
        ByLevel('cabinet/top').words(Scene((), mechanisms=(chest(),)))
    with pytest.raises(TaskError, match='Words for places distinguish up to three'):
        ByLevel('cabinet/drawer_0').words(Scene((), mechanisms=(chest(drawers=4),)))


def test_a_noun_alone_denotes_all_that_have_it():
    scene = Scene((CUBE, BLUE_CUBE, TRAY), mechanisms=(chest(),))
    assert (ByNoun('container_1').words(scene), ByNoun('container_1').denotes(scene)) == ('the container', ('container_1',))
    assert ByNoun('object_1').denotes(scene) == ('object_1', 'object_2')
    assert (ByNoun('cabinet/leaf').words(scene), ByNoun('cabinet/leaf').denotes(scene)) == ('the door', ('cabinet/leaf',))
    with pytest.raises(SceneError, match=r"called 'cabinet/hatch'"):
        ByNoun('cabinet/hatch').words(scene)


REFS = [
    ByShape('a'), BySize('a'), BySide('a'), ByNoun('a'), ByTexture('a'), ByWord('a', 'dax'), ByAdjective('a', 'daxer', 1.5),
    ByRegion('a', AREAS['center']), ByDirection('a'), ByLevel('a/b'), ByContent('a'),
]  # fmt: skip


@pytest.mark.parametrize('ref', REFS, ids=lambda ref: type(ref).__name__)
def test_every_reference_is_written_and_read_again(ref):
    assert loads(dumps(ref)) == ref


@pytest.mark.parametrize(
    ('one', 'other'),
    [
        ('Put {item} in {box}.', 'Place {item} in {box}.'),
        ('Put {item} in {box}.', 'In {box} put {item}.'),
        ('Put {item} in {box}.', 'Put {item} on {box}.'),
        ('Put {item} in {box}.', '{box} is where {item} is put.'),
        ('Put {item} in {box}.', 'Can you put {item} in {box}?'),
    ],
)
def test_another_verb_or_another_structure_is_another_frame(one, other):
    assert sentence_form(one) != sentence_form(other)


@pytest.mark.parametrize(
    ('one', 'other'),
    [
        ('Put {item} in {box}.', 'Please put {item} into {box} now.'),
        ('Put {item} in {box}.', 'Put {item} inside {box}!'),
        ('{item} is put on {box}.', '{item} was put onto {box}.'),
    ],
)
def test_decoration_is_no_other_frame(one, other):
    assert sentence_form(one) == sentence_form(other)


def test_a_sentence_without_a_verb_is_found():
    assert sentence_form('Carry {a} over and drop it.').verbs == ('carry', 'drop')
    assert unbound(('Put {a} away.', '{a}, quickly!')) == ('{a}, quickly!',)


def test_a_look_denotes_by_both_colors_and_the_pattern():
    looks = [read_look(words, COLORS) for words in ('red', 'red and blue stripes', 'dark red and blue stripes', 'wooden')]
    scene = Scene(tuple(replace(CUBE, name=f'cube_{i}').dressed(look) for i, look in enumerate(looks)))
    assert [ByLook(prop.name).words(scene) for prop in scene.props] == [
        f'the red {CUBE.noun}',
        f'the {CUBE.noun} with bright red and blue stripes',
        f'the {CUBE.noun} with dark red and blue stripes',
        f'the wooden {CUBE.noun}',
    ]
    assert all(ByLook(prop.name).denotes(scene) == (prop.name,) for prop in scene.props)
    alone = replace(scene, props=scene.props[:2])
    assert ByLook('cube_1').words(alone) == f'the {CUBE.noun} with red and blue stripes'
    twins = replace(scene, props=(*scene.props, replace(scene.props[1], name='twin')))
    assert ByLook('twin').denotes(twins) == ('cube_1', 'twin')
