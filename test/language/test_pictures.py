"""Sentences with pictures: which blanks are drawn and which are told in words, and that nothing else of an episode changes."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from test.films import BLUE, CUBE, RED, TRAY
from vlm_bench_sim.core.areas import AREAS
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.errors import PromptError, TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Look, Texture
from vlm_bench_sim.core.matter import Beads, packed
from vlm_bench_sim.core.objects.furniture import CHESTS, furniture
from vlm_bench_sim.core.objects.instances import CUPS
from vlm_bench_sim.core.prompts import KEY_STEP, MOST_PICTURES, OBJECT, SCENE, TEXTURE, PromptPicture, marker
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import cameras
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode, Task
from vlm_bench_tasks.language.invented import ByAdjective, ByWord
from vlm_bench_tasks.language.looks import ByLook
from vlm_bench_tasks.language.pictures import ALONE, FIRST_FRAME, FORMS, PICTURES, TILE, WORDS, Exhibit, look_tile, portrait, twins
from vlm_bench_tasks.language.places import ByContent, ByDirection, ByLevel, ByNeighbour, ByRegion
from vlm_bench_tasks.language.references import (
    ByColor,
    ByNoun,
    ByShape,
    BySide,
    BySize,
    ByTexture,
    Ref,
)  # fmt: skip
from vlm_bench_tasks.language.sentences import say
from vlm_bench_tasks.language.sizes import BySizedColor

BLUE_CUBE = replace(CUBE, name='object_2', color=BLUE)
TABLE = Scene((CUBE, BLUE_CUBE, TRAY))
ITEM, BOX = ByColor('object_1'), ByColor('container_1')
GOAL = PromptPicture(KEY_STEP, TABLE, 'vlmbench:front', table=True)
(EYE,) = cameras(ALONE)
SEED = 3


def chance(seed=0):
    return np.random.default_rng(seed)


def numbers(text):
    """The numbers of the markers in a sentence, each once, in the order of the text."""
    return list(dict.fromkeys(int(number) for number in re.findall(r'<image (\d+)>', text)))


def told(instruction):
    return (instruction.text, *instruction.paraphrases)


# Sentences


def test_a_sentence_with_a_picture_without_words_may_leave_references_out():
    made = say('Make it look like {goal}.', 'Put {item} in {box}.', 'Like {goal}, with {item}.', goal=GOAL, item=ITEM, box=BOX)
    assert made.drawings == {'goal': GOAL} and made.refs == {'item': ITEM, 'box': BOX}


def test_a_sentence_in_words_needs_every_reference_though_others_have_pictures():
    with pytest.raises(TaskError, match=r"'Put \{item\} away\.' and its references differ in 'box'"):
        say('Make it look like {goal}.', 'Put {item} away.', goal=GOAL, item=ITEM, box=BOX)


@pytest.mark.parametrize('templates', [('Make it like {gaol}.',), ('Make it like {goal} with {itm}.',)])
def test_a_blank_needs_a_reference_or_a_picture(templates):
    with pytest.raises(TaskError, match='every blank its reference or picture'):
        say(*templates, goal=GOAL, item=ITEM)


def test_a_picture_that_no_sentence_shows_is_refused():
    with pytest.raises(TaskError, match="No sentence has a blank for the picture 'goal'"):
        say('Put {item} in {box}.', goal=GOAL, item=ITEM, box=BOX)


def test_in_words_sentences_with_pictures_are_skipped():
    made = say('Make it look like {goal}.', 'Put {item} in {box}.', '{box} is for {item}.', goal=GOAL, item=ITEM, box=BOX)
    for seed in range(8):
        spoken = made.spoken(TABLE, chance(seed))
        assert set(told(spoken)) == {'Put the red object in the blue container.', 'The blue container is for the red object.'}
        assert (spoken.pictures, spoken.drawings) == ((), {})


def test_what_has_only_sentences_with_pictures_cannot_be_told_in_words():
    with pytest.raises(TaskError, match=r'Each sentence of the task has a picture without words. Ask the task with pictures'):
        say('Make it look like {goal}.', 'Reach {goal}.', goal=GOAL).spoken(TABLE, chance())


def test_pictures_have_the_numbers_of_the_text_and_paraphrases_show_the_same_ones():
    made = say('Put {item} in {box}.', '{box} is where {item} belongs, so bring {item}.', item=ITEM, box=BOX)
    texts = set()
    for seed in range(12):
        found = made.pictured(TABLE, chance(seed))
        (other,) = found.paraphrases
        first, second = (portrait(prop, TABLE) for prop in (CUBE, TRAY))
        if found.text.startswith('Put'):
            assert found.text == 'Put <image 1> in <image 2>.' and other == '<image 2> is where <image 1> belongs, so bring <image 1>.'
            assert found.pictures == (first, second)
        else:
            assert found.text == '<image 1> is where <image 2> belongs, so bring <image 2>.' and other == 'Put <image 2> in <image 1>.'
            assert found.pictures == (second, first)
        assert found.refs == made.refs and not found.drawings
        texts.add(found.text)
    assert len(texts) == 2, 'each sentence is drawn'


def test_a_paraphrase_has_the_same_blanks_as_the_text():
    made = say('Make it like {goal}.', 'Reach {goal}.', 'Put {item} in {box}.', goal=GOAL, item=ITEM, box=BOX)
    kinds = set()
    for seed in range(12):
        found = made.pictured(TABLE, chance(seed))
        roles = tuple(picture.role for picture in found.pictures)
        kinds.add(roles)
        assert all(numbers(sentence) == list(range(1, len(roles) + 1)) for sentence in told(found))
        assert len(found.paraphrases) == (1 if roles == (KEY_STEP,) else 0)
    assert kinds == {(KEY_STEP,), (OBJECT, OBJECT)}


def test_a_picture_that_begins_a_sentence_and_a_word_that_does_are_both_written_well():
    made = say('{item} beside {box}.', item=ByWord('object_1', 'dax'), box=BOX)
    assert made.pictured(TABLE, chance()).text == 'The dax beside <image 1>.'
    assert say('{box} is next.', box=BOX).pictured(TABLE, chance()).text == '<image 1> is next.'


def test_the_table_at_the_start_comes_last_in_every_sentence():
    made = say('Put {item} in {box}.', '{box} is for {item}.', item=ITEM, box=BOX)
    found = made.pictured(TABLE, chance(), 'vlmbench:front')
    assert all(sentence.endswith(' The table at the start: <image 3>.') for sentence in told(found))
    assert found.pictures[-1] == PromptPicture(SCENE, TABLE, 'vlmbench:front', robot=True, table=True)


def test_more_pictures_than_a_policy_takes_are_refused():
    many = Scene(tuple(replace(CUBE, name=f'object_{i}', size=(0.04 + i / 1000,) * 3, kind='cube' if i % 2 else 'star',
                               color=replace(RED, name=f'c{i}', rgb=(i / 20, 0.0, 0.0))) for i in range(MOST_PICTURES + 1)))  # fmt: skip
    refs = {f'o{i}': ByColor(prop.name) for i, prop in enumerate(many.props)}
    most = dict(list(refs.items())[:MOST_PICTURES])
    listed = ', '.join(f'{{{blank}}}' for blank in most)
    assert len(say(listed, **most).pictured(many, chance()).pictures) == MOST_PICTURES
    with pytest.raises(TaskError, match=r'11 pictures in .* are too many; 10 are allowed'):
        say(listed, **most).pictured(many, chance(), 'vlmbench:front')
    with pytest.raises(TaskError, match='11 pictures in'):
        say(listed + ', {o10}', **refs).pictured(many, chance())


def test_an_example_that_is_not_in_the_scene_is_a_word_or_a_picture():
    star = replace(CUBE, name='example', kind='star')
    blanks = {'example': Exhibit(star, 'a red star'), 'item': ByWord('object_1', 'dax')}
    made = say('{example} is a dax. Lift {item}.', 'Lift {item}: {example} is one.', **blanks)
    assert 'A red star is a dax. Lift the dax.' in told(made.spoken(TABLE, chance()))
    found = made.pictured(TABLE, chance())
    assert '<image 1> is a dax. Lift the dax.' in told(found) and len(found.paraphrases) == 1
    ((shown,),) = (picture.scene.props for picture in found.pictures)
    assert (shown.kind, shown.look, found.pictures[0].role) == ('star', star.look, OBJECT)
    with pytest.raises(TaskError, match="differ in 'example'"):
        say('Lift {item}.', **blanks)


# Pictures of things


def test_things_that_look_the_same_are_told_in_words():
    twin = replace(CUBE, name='object_2', size=(0.06, 0.06, 0.06), pose=Pose((0.5, -0.4, 0.03)))
    scene = Scene((CUBE, twin, TRAY))
    assert twins(CUBE, scene) == ('object_2',) and twins(TRAY, scene) == ()
    found = say('Put {item} in {box}.', item=BySide('object_1'), box=BOX).pictured(scene, chance())
    assert found.text == 'Put the left object in <image 1>.'
    assert found.pictures == (portrait(TRAY, scene),)
    with pytest.raises(TaskError, match=r"picture of 'object_1' also shows 'object_2', which looks the same. Refer to it in words"):
        portrait(CUBE, scene)


@pytest.mark.parametrize('change', [{'color': BLUE}, {'kind': 'star'}, {'texture': Texture('stripe', BLUE)}])
def test_one_difference_in_shape_or_look_makes_a_picture(change):
    other = replace(CUBE, name='object_2', **change)
    scene = Scene((CUBE, other))
    assert twins(CUBE, scene) == () and portrait(CUBE, scene) != portrait(other, scene)


def corners(prop):
    """The corners of a prop's bounding box in the world, (8, 3) m."""
    signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
    return prop.pose.apply(signs * np.array(prop.size))


@pytest.mark.parametrize('size', [(0.02, 0.02, 0.02), (0.18, 0.18, 0.18), (0.5, 0.1, 0.02), (0.3, 0.3, 0.6), (0.05, 0.05, 1.5)])
def test_the_camera_of_one_thing_sees_all_of_it(size):
    picture = portrait(replace(CUBE, size=size), Scene((replace(CUBE, size=size),)))
    (shown,) = picture.scene.props
    pixels = EYE.project(corners(shown), EYE.pose)
    assert EYE.pose.inverse().apply(corners(shown))[:, 2].min() > EYE.near
    assert (pixels >= 0).all() and (pixels <= 255).all()
    assert np.abs(EYE.project(np.array([shown.pose.position]), EYE.pose) - 127.5).max() < 0.01, 'in the middle'


def test_a_thing_that_fits_stays_where_it_is_and_a_larger_one_would_not_be_whole_there():
    small, large = (replace(CUBE, size=(side,) * 3, pose=Pose()) for side in (0.1, 0.3))
    assert portrait(small, Scene((small,))).scene.props[0].pose == Pose()
    assert np.abs(EYE.project(corners(large), EYE.pose) - 127.5).max() > 128
    assert portrait(large, Scene((large,))).scene.props[0].pose != Pose()


def test_what_stands_turned_or_tipped_on_the_table_is_drawn_upright():
    tipped = CUBE.at(Pose.from_rpy((0.5, 0.1, 0.2), (1.0, 0.5, 0.3)))
    assert portrait(tipped, Scene((tipped,))) == portrait(CUBE, Scene((CUBE,)))


def test_a_look_is_shown_on_a_tile_from_above():
    look = Look(RED, Texture('stripe', BLUE))
    picture = look_tile(look)
    (tile,) = picture.scene.props
    assert (picture.role, picture.camera, tile.look, picture.robot, picture.table) == (TEXTURE, TILE, look, False, False)
    (above,) = cameras(TILE)
    top = corners(tile)[corners(tile)[:, 2] > -1e-9]
    spread = above.project(top, above.pose)
    assert (spread.min(axis=0) < 0).all() and (spread.max(axis=0) > 255).all(), 'the tile fills the picture'


def chest_and_cups():
    """A scene with everything that references name."""
    cups = tuple(CUPS['cup0'].prop(f'cup_{i}', noun='cup').at(Pose((0.4, 0.2 * i, 0.033))) for i in range(2))
    cups = (cups[0], cups[1].dressed(Look(BLUE)))
    small = replace(BLUE_CUBE, name='object_2', size=(0.02, 0.02, 0.02), texture=Texture('dot', RED))
    area = AREAS['center']
    placed = CUBE.at(area.pose.shifted((0.01, 0.01, 0.02)))
    lying = replace(TRAY, noun='area', name='area_1', color=RED, pose=Pose((0.5, 0.2, 0.02)))
    water = Beads('water', packed(cups[1], 3, chance()))
    chest = furniture(next(iter(CHESTS)), 'chest')
    return Scene((placed, small, TRAY, lying, *cups), mechanisms=(chest,), beads=(water,)), chest


DRAWN = {
    ByNoun: lambda: ByNoun('container_1'), ByColor: lambda: ByColor('object_1'), BySizedColor: lambda: BySizedColor('object_1'),
    ByShape: lambda: ByShape('object_1'),
    BySize: lambda: BySize('object_2'), BySide: lambda: BySide('object_1'), ByTexture: lambda: ByTexture('object_2'),
    ByLook: lambda: ByLook('object_2'), ByRegion: lambda: ByRegion('object_1', AREAS['center']),
    ByDirection: lambda: ByDirection('area_1'), ByContent: lambda: ByContent('cup_1'),
}  # fmt: skip
IN_WORDS = (ByWord, ByAdjective, ByLevel, ByNeighbour)


def test_every_kind_of_reference_is_in_these_tests():
    def below(kind):
        return {kind, *(each for one in kind.__subclasses__() for each in below(one))}

    known = {kind for kind in below(Ref) - {Ref} if kind.__module__.startswith('vlm_bench_tasks.')}
    assert known == {*DRAWN, *IN_WORDS}


@pytest.mark.parametrize('kind', DRAWN, ids=lambda kind: kind.__name__)
def test_a_reference_to_a_prop_shows_that_prop(kind):
    scene, _ = chest_and_cups()
    ref = DRAWN[kind]()
    assert ref.words(scene).startswith('the ')
    (shown,) = ref.picture(scene).scene.props
    meant = scene.prop(ref.prop)
    assert (shown.kind, shown.look, shown.size) == (meant.kind, meant.look, meant.size)
    twin = replace(scene, props=(*scene.props, replace(meant, name='twin')))
    assert ref.picture(twin) is None


def test_invented_words_and_links_of_furniture_are_told_in_words():
    scene, chest = chest_and_cups()
    link = next(iter(chest.joints))
    refs = (
        ByWord('object_1', 'dax'),
        ByAdjective('object_2', 'daxer', 0.5),
        ByLevel(link),
        ByNeighbour('object_1', 'object_2'),
        ByNoun(link),
    )
    assert {type(ref) for ref in refs} == {*IN_WORDS, ByNoun}
    assert all(ref.words(scene).startswith('the ') and ref.picture(scene) is None for ref in refs)


# The catalogue


@cache
def built(task, prompt=''):
    return catalogue.build(task, '', SEED, prompt=prompt)


def own(task):
    """What a task has of its own, and what it is asked in."""
    episode = built(task)
    return episode, catalogue.task(task).prompts


@pytest.mark.parametrize('task', catalogue.tasks())
def test_pictures_change_the_sentence_alone(task):
    default, prompts = own(task)
    assert default.prompt == prompts[0]
    if PICTURES not in prompts:
        with pytest.raises(PromptError, match=f'{task}.* cannot be asked with pictures. Use the prompt words'):
            built(task, PICTURES)
        return
    for prompt in (PICTURES, FIRST_FRAME):
        shown = built(task, prompt)
        assert shown == replace(default, instruction=shown.instruction, prompt=prompt)
        assert shown.instruction.refs == default.instruction.refs
        assert Episode.from_json(dumps(shown)) == shown
    if WORDS in prompts:
        assert built(task, WORDS) == default and not default.instruction.pictures
    else:
        with pytest.raises(PromptError, match=f'{task}.* cannot be asked in words.* Use the prompt pictures'):
            built(task, WORDS)


@pytest.mark.parametrize('task', [task for task in catalogue.tasks() if PICTURES in catalogue.task(task).prompts])
def test_a_sentence_names_each_picture_once_and_nothing_that_is_drawn(task):
    shown, view = built(task, PICTURES), built(task, FIRST_FRAME)
    instruction = shown.instruction
    assert all(sorted(numbers(sentence)) == list(range(1, len(instruction.pictures) + 1)) for sentence in told(instruction))
    assert numbers(instruction.text) == list(range(1, len(instruction.pictures) + 1)), 'in the order of the text'
    drawn = [ref for ref in instruction.refs.values() if ref.picture(shown.scene) is not None]
    if {picture.role for picture in instruction.pictures} <= {OBJECT}:
        assert all(ref.picture(shown.scene) in instruction.pictures for ref in drawn)
    for ref in drawn:
        assert not [sentence for sentence in told(instruction) if ref.words(shown.scene).lower() in sentence.lower()]
    assert '{' not in instruction.text and not instruction.drawings
    last = view.instruction.pictures[-1]
    assert (last.role, last.scene, last.robot, last.table) == (SCENE, shown.scene, True, True)
    assert view.instruction.pictures[:-1] == instruction.pictures
    assert view.instruction.text == f'{instruction.text} The table at the start: {marker(len(view.instruction.pictures))}.'


def test_most_tasks_that_name_a_prop_show_it():
    """What the test above says of drawn references is said of many."""
    counts = [len(built(task, PICTURES).instruction.pictures) for task in catalogue.tasks() if PICTURES in catalogue.task(task).prompts]
    assert sum(count > 0 for count in counts) >= 25


@pytest.mark.parametrize('task', ['vlmbench/pick_place', 'clevrskills/place', 'lohoravens/pick_and_place', 'arnold/pickup_object'])
def test_a_perturbed_episode_shows_its_perturbed_table_and_the_same_things(task):
    before = built(task, FIRST_FRAME)
    after = catalogue.perturbed(before, catalogue.perturbation(['distractors=2']))
    assert len(after.scene.props) == len(before.scene.props) + 2
    *things, last = after.instruction.pictures
    assert last == replace(before.instruction.pictures[-1], scene=after.scene)
    assert things == list(before.instruction.pictures[:-1]) and things
    assert told(after.instruction) == told(before.instruction)


def test_an_unknown_prompt_is_answered_with_near_ones():
    for prompt in ('picture', 'Words', 'pictures, first_frame'):
        with pytest.raises(PromptError, match=f'There is no prompt called {prompt!r}.*Did you mean'):
            catalogue.build('vlmbench/pick_place', '', 0, prompt=prompt)


def test_a_task_lists_only_prompts_that_there_are():
    assert {prompt for task in catalogue.tasks() for prompt in catalogue.task(task).prompts} <= set(FORMS)
    with pytest.raises(TaskError, match=r"unknown prompt 'picture'. Did you mean pictures"):
        Task(lambda draw: None, axes=('color',), horizon=1.0, prompts=('picture',))
