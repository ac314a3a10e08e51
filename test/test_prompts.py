"""The pictures of instructions as they are drawn: the same bytes everywhere, refusals in a sentence, and nothing but what they show."""

import json
import pickle
import struct
from contextlib import suppress
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from test.films import CUBE, TRAY

pytest.importorskip('moderngl')

from vlm_bench_sim.bags.definitions import serialise
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Stop
from vlm_bench_sim.core.errors import CommandError, ConfigError, SceneError, VlmBenchError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.prompts import KEY_STEP, OBJECT, PromptImage, PromptPicture
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.prompts import PromptStudio, read
from vlm_bench_sim.render.png import pixels, png, received
from vlm_bench_sim.render.prompt_sheet import prompt_sheet
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.prompts import read_pngs
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode_messages import episode_fields, instruction_fields, truth_fields
from vlm_bench_tasks.evaluation.aids import aided
from vlm_bench_tasks.language.pictures import FIRST_FRAME, look_tile, portrait
from vlm_bench_tasks.policy import Played, Policy
from vlm_bench_tasks.run import Bench

ARM = robot('xarm6')
KINEMATICS = Kinematics(ARM)
TABLE = Scene((CUBE, TRAY))
SHOWN = (portrait(CUBE, TABLE), look_tile(TRAY.look), PromptPicture(KEY_STEP, TABLE, 'clevrskills:base', robot=True, table=True))
BENT = tuple(a + b for a, b in zip(ARM.home, (0.4, 0.3, -0.3, 0.2, 0.3, 0.5), strict=True))


def made():
    return PromptStudio(ARM, KINEMATICS)


@pytest.fixture(scope='module')
def studio():
    one = made()
    yield one
    one.close()


def step(**more):
    """A picture of a state, small."""
    return PromptPicture(
        KEY_STEP, more.pop('scene', TABLE), **({'camera': 'vlmbench:front', 'table': True, 'width': 128, 'height': 96} | more)
    )


# Drawing


def test_the_same_pictures_have_the_same_bytes_in_another_studio_and_the_second_time(studio):
    first = studio.draw(SHOWN)
    studio.draw((step(),))
    again, other = studio.draw(SHOWN), made()
    try:
        apart = other.draw(SHOWN)
    finally:
        other.close()
    assert again is not first
    assert [image.png for image in first] == [image.png for image in again] == [image.png for image in apart]
    assert [image.role for image in first] == [picture.role for picture in SHOWN]
    assert len({image.png for image in first}) == len(SHOWN)
    for image in first:
        assert image.color.shape == (256, 256, 3) and np.array_equal(pixels(image.png), image.color) and image.color.std() > 5


def test_the_newest_pictures_are_kept(studio):
    assert studio.draw(SHOWN) is studio.draw(tuple(SHOWN)) is studio.draw(read(codec.dumps(SHOWN)))


def test_who_writes_into_a_picture_changes_it_for_nobody_else(studio):
    before = studio.draw(SHOWN)[0].color.copy()
    with suppress(ValueError):  # or it is read-only
        studio.draw(SHOWN)[0].color[:] = 7
    assert np.array_equal(studio.draw(SHOWN)[0].color, before)


def test_nobody_can_make_kept_pixels_writable(studio):
    with pytest.raises(ValueError, match='WRITEABLE'):
        studio.draw(SHOWN)[0].color.setflags(write=True)


def told_of(pictures, roles):
    return SimpleNamespace(pictures=[SimpleNamespace(data=data) for data in pictures], roles=roles)


@pytest.mark.parametrize(
    ('pictures', 'roles', 'words'),
    [
        ([b'x'] * 11, ['object'] * 11, r'at most 10 pictures; found 11\. Send fewer\.'),
        ([b'x'], ['object', 'object'], 'found 2 roles and 1 pictures'),
        ([b'x'], ['object,scene'], "no role 'object,scene'"),
        ([b'x'], ['object'], '1 bytes were given as a png file'),
        ([png(np.zeros((8, 1025, 3), np.uint8))], ['object'], 'sides of 1024 are allowed'),
    ],
)
def test_what_no_instruction_can_hold_is_refused_with_a_sentence(pictures, roles, words):
    with pytest.raises(CommandError, match=words):
        received(read_pngs(told_of(pictures, roles)))


def test_a_picture_without_a_role_is_read():
    small = png(np.full((8, 8, 3), 9, np.uint8))
    found = received(read_pngs(told_of([small, small], ['object'])))
    assert [(one.role, one.color.shape) for one in found] == [('object', (8, 8, 3)), ('', (8, 8, 3))]


def test_an_instruction_in_words_has_no_pictures_and_needs_no_renderer():
    one = made()
    assert one.draw(()) == () and one._painter is None
    one.close()


def test_a_picture_has_the_size_that_it_says(studio):
    assert studio.draw((step(),))[0].color.shape == (96, 128, 3)


def differ(one, other):
    """The share of pixels that differ clearly."""
    return float((np.abs(one.color.astype(int) - other.color).max(axis=2) > 24).mean())


def test_the_robot_stands_with_its_tool_at_the_pose(studio):
    (wanted,) = studio.draw((step(robot=True, tool=KINEMATICS.tool_pose(BENT)),))
    (bent,) = studio.draw((step(robot=True, scene=replace(TABLE, robot=RobotStart(joints=BENT))),))
    (home,) = studio.draw((step(robot=True),))
    assert differ(wanted, bent) < 0.002
    assert differ(wanted, home) > 0.03


def test_what_the_robot_holds_goes_with_the_pose(studio):
    grasp = Pose.from_rpy((0.0, 0.0, 0.02), (np.pi, 0.0, 0.0))
    lying, held = (replace(TABLE, robot=RobotStart(**more)) for more in ({}, {'held': CUBE.name, 'grasp': grasp}))
    tool = KINEMATICS.tool_pose(BENT)
    there = replace(TABLE, props=(CUBE.at(tool @ grasp.inverse()), TRAY), robot=RobotStart(joints=BENT))
    (wanted,), (same,), (without,) = (
        studio.draw((picture,))
        for picture in (step(robot=True, tool=tool, scene=held), step(robot=True, scene=there), step(robot=True, tool=tool, scene=lying))
    )
    assert differ(wanted, same) < 0.002 < differ(wanted, without)


def test_robot_and_table_are_drawn_on_request_only(studio):
    bare, table, both = (studio.draw((step(table=t, robot=r),))[0] for t, r in ((False, False), (True, False), (True, True)))
    assert differ(bare, table) > 0.2 and differ(table, both) > 0.02


@pytest.mark.parametrize(
    ('pictures', 'error', 'words'),
    [
        ((step(robot=True, tool=Pose((2.0, 0.0, 0.3))),), WorldError, r'xarm6 does not reach the pose of a picture at 2, 0, 0\.3 m'),
        ((step(camera='vlmbench:frnt'),), ConfigError, "no camera called 'frnt'. Did you mean front"),
        ((step(camera='vlmbensh'),), ConfigError, "no camera set called 'vlmbensh'. Did you mean vlmbench"),
        ((step(camera='vlmbench'),), ConfigError, "A picture has one camera; 'vlmbench' names 5. Name one"),
        ((step(camera='vlmbench:front,wrist'),), ConfigError, 'names 2'),
        ((step(camera='none'),), ConfigError, 'names 0'),
        ((step(),) * 11, ConfigError, 'An instruction has at most 10 pictures; 11 were requested. Leave some out'),
        ((step(scene=Scene((replace(CUBE, kind='cubee'),))),), SceneError, 'cubee'),
        ((step(scene=replace(TABLE, robot=RobotStart(joints=(0.0,) * 7))),), SceneError, '7 joint positions; xarm6 has 6 joints'),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_and_the_next_is_drawn(studio, pictures, error, words):
    (before,) = studio.draw((step(),))
    with pytest.raises(error, match=words):
        studio.draw(pictures)
    assert studio.draw((step(),))[0].png == before.png
    assert studio.draw((step(width=64),))[0].color.shape == (96, 64, 3)


@pytest.mark.parametrize(('width', 'height'), [(1_000_000, 1), (1, 1_000_000)])
def test_a_picture_longer_than_the_renderer_draws_is_refused_with_a_sentence(studio, width, height):
    with pytest.raises(VlmBenchError, match='pixels'):
        studio.draw((step(width=width, height=height),))


def test_a_closed_studio_opens_again(studio):
    one = made()
    (before,) = one.draw((step(),))
    one.close()
    assert one.draw((step(width=64),))[0].color.shape == (96, 64, 3)
    assert one.draw((step(),))[0].png == before.png
    one.close()


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('', 'Expected JSON'),
        ('a picture', 'Expected JSON'),
        ('7', 'found that of a int'),
        ('{}', 'found that of a dict'),
        (codec.dumps(CUBE), 'found that of a Prop'),
        (codec.dumps(SHOWN[0]), 'found that of a PromptPicture'),
        (codec.dumps((SHOWN[0], CUBE)), 'found that of a Prop'),
        (codec.dumps((SHOWN[:1], SHOWN[1:])), 'found that of a tuple'),
        (codec.dumps(SHOWN).replace('"role":"object"', '"role":"thing"'), "no role 'thing'"),
        ('[' * 100_000, 'Expected JSON'),
    ],
)
def test_json_of_something_else_is_refused(text, words):
    with pytest.raises(VlmBenchError, match=words):
        read(text)


def test_json_of_pictures_is_read():
    assert read(codec.dumps(SHOWN)) == SHOWN and read('[]') == ()


# The instruction as one picture

SIDE = 160  # pixels, of a picture on the sheet


def noise(seed, width=SIDE):
    """A picture that is shown at its own size."""
    color = np.random.default_rng(seed).integers(0, 200, (SIDE, width, 3), dtype=np.uint8)
    return PromptImage(OBJECT, color, png(color))


def places(sheet, image):
    """Where the upper left corner of a picture is on the sheet."""
    corner = (sheet[: 1 - SIDE, :, :] == image.color[0, 0]).all(axis=2)
    tall, wide = image.color.shape[:2]
    return [(int(y), int(x)) for y, x in np.argwhere(corner) if np.array_equal(sheet[y : y + tall, x : x + wide], image.color)]


def inked(sheet):
    """The rows on which something is written."""
    return np.flatnonzero((sheet < 128).any(axis=(1, 2)))


def test_a_sheet_shows_every_picture_in_its_place():
    images = [noise(seed) for seed in range(3)]
    sheet = prompt_sheet('Put <image 2> on <image 1>, then <image 3> on <image 2>.', images)
    assert sheet.shape[1:] == (800, 3) and sheet.dtype == np.uint8
    first, second, third = (places(sheet, image) for image in images)
    assert (len(first), len(second), len(third)) == (1, 2, 1)
    assert sorted([*first, *second, *third]) == [second[0], first[0], third[0], second[1]], 'in the order of the text'


def test_a_long_sentence_is_wrapped_within_the_margins():
    words = ' '.join(f'word{i}' for i in range(200))
    short, sheet = prompt_sheet('word', ()), prompt_sheet(words, ())
    assert (sheet[:, :20] == 255).all() and (sheet[:, 780:] == 255).all()
    assert len(inked(sheet)) > 10 * len(inked(short)) > 0
    assert (sheet[:20] == 255).all() and (sheet[-20:] == 255).all()


def test_a_word_wider_than_the_sheet_and_a_picture_wider_than_it_stay_on_it():
    wide = noise(0, width=1000)
    for hostile in ('a \0 b', 'a \ud800 b', f'<image {"9" * 5000}>'):
        assert prompt_sheet(hostile, [wide]).shape[1] == 800
    sheet = prompt_sheet('x' * 500 + ' <image 1> end', [wide])
    assert sheet.shape[1] == 800 and len(inked(sheet)) > SIDE


@pytest.mark.parametrize(
    'text', ['See <image 3>.', 'See <image 0>.', 'See <image 99999999999999999999>.', 'See <image one>.', 'a < b <<image']
)
def test_unknown_markers_stay_text(text):
    images = [noise(0), noise(1)]
    sheet = prompt_sheet(text, images)
    assert np.array_equal(sheet, prompt_sheet(text, ()))
    assert len(inked(sheet)) > 0 and not any(places(sheet, image) for image in images)
    assert not np.array_equal(sheet, prompt_sheet('See', ()))


def test_an_empty_sentence_is_an_empty_sheet():
    assert (prompt_sheet('', [noise(0)]) == 255).all()


# What a policy in this process is told


@pytest.mark.parametrize(('aids', 'kept'), [((), True), (('oracle_stop',), True), (('subgoals',), False)], ids=str)
def test_an_aid_keeps_the_pictures_unless_it_tells_something_else(aids, kept):
    episode, bench, keeps = catalogue.build('vlmbench/pick_place', '', 3, prompt=FIRST_FRAME), Bench(), Keeps()
    helped = aided(Played(keeps), aids, bench, episode)
    bench.run(episode, helped, assisted=helped.assisted)
    drawn = bench.prompt_images(episode)
    bench.close()
    assert [image.png for image in keeps.context.pictures] == ([image.png for image in drawn] if kept else [])
    assert (keeps.context.instruction == episode.instruction.text) is kept and len(drawn) == 3
    assert kept or '<image' not in keeps.context.instruction


# Nothing of the truth leaks

TASKS = ('clevrskills/place', 'clevrskills/stack', 'vlmbench/pick_place', 'clevrskills/match_pose', 'clevrskills/rearrange')
LONG = 8  # digits and more: shorter numbers, such as 0.45, occur anywhere


class Keeps(Policy):
    """Keeps what it is told, and stops."""

    def reset(self, context):
        self.context = context

    def act(self, observation):
        return Stop()


@cache
def run(task):
    """An episode, its pictures and what a policy is told of it."""
    episode, bench, keeps = catalogue.build(task, '', 3, prompt=FIRST_FRAME), Bench(catalogue.task(task).robot, 'vlmbench:front'), Keeps()
    bench.run(episode, Played(keeps))
    images = bench.prompt_images(episode)
    bench.close()
    return episode, images, keeps.context


def coordinates(value):
    """The long numbers of all poses in JSON that was read."""
    if isinstance(value, dict):
        own = [number for name in ('position', 'orientation') for number in value.get(name, ())]
        return {number for number in own if len(repr(number)) >= LONG} | {found for part in value.values() for found in coordinates(part)}
    return {found for part in value for found in coordinates(part)} if isinstance(value, list) else set()


@cache
def secrets(task):
    """What the public must not hold: names of props, and coordinates of them and of places in the goal."""
    episode, _, _ = run(task)
    numbers = coordinates(json.loads(codec.dumps((episode.scene.props, episode.goal, episode.plan))))
    return tuple(prop.name for prop in episode.scene.props), tuple(sorted(numbers))


def leaks(task, data):
    """The secrets of a task that some bytes hold, as text or as a number in any of the usual forms."""
    called, numbers = secrets(task)
    text = data.lower()
    found = {name for name in called if name.lower().encode() in text}
    for number in numbers:
        forms = {struct.pack(form, number) for form in ('<d', '>d', '<f', '>f')} | {repr(abs(number)).encode()}
        if any(form in data for form in forms):
            found.add(number)
    return found


def message(row, content):
    return serialise(row.type, content)


@pytest.mark.parametrize('task', TASKS)
def test_there_are_secrets_to_look_for_and_each_is_found_where_it_is(task):
    episode, _, _ = run(task)
    called, numbers = secrets(task)
    assert len(called) >= 1 and len(numbers) >= 4
    assert leaks(task, message(names.EPISODE_TRUTH, truth_fields(episode, 'token'))) == {*called, *numbers}
    assert leaks(task, pickle.dumps(episode)) >= {*called, *numbers}
    for kind in ('<f8', '>f8', '<f4', '>f4'):
        assert leaks(task, b'\0' + np.array(numbers, kind).tobytes()) == set(numbers), kind
    assert leaks(task, codec.dumps(episode.instruction.pictures).encode()) >= set(called[:1]), 'what pictures are made of is private'


@pytest.mark.parametrize('task', TASKS)
def test_messages_to_policies_hold_no_pose_and_no_name(task):
    episode, images, _ = run(task)
    told = instruction_fields(episode, 'token', images)
    assert len(told['pictures']) == len(images) >= 2
    assert leaks(task, message(names.INSTRUCTION, told)) == set()
    assert leaks(task, message(names.EPISODE, episode_fields(episode, 'token', 'panda'))) == set()
    assert leaks(task, json.dumps({name: str(value) for name, value in told.items()}).encode()) == set()


@pytest.mark.parametrize('task', TASKS)
def test_a_policy_class_is_told_no_pose_and_no_name(task):
    episode, images, context = run(task)
    assert [image.png for image in context.pictures] == [image.png for image in images]
    assert context.instruction == episode.instruction.text
    assert (context.privileged_info, context.seed) == (None, 0)
    for data in (repr(context).encode(), *(pickle.dumps(context, protocol) for protocol in (2, 5))):
        assert leaks(task, data) == set()
    leaking = replace(context, privileged_info=episode.scene)
    assert leaks(task, pickle.dumps(leaking)) >= set(secrets(task)[0])


def chunks(data):
    """The kinds of the chunks of a png file."""
    at, found = 8, []
    while at < len(data):
        (size,) = struct.unpack('>I', data[at : at + 4])
        found.append(data[at + 4 : at + 8])
        at += 12 + size
    return found


@pytest.mark.parametrize('task', TASKS)
def test_a_png_file_holds_pixels_and_nothing_else(task):
    _, images, _ = run(task)
    for image in images:
        kinds = chunks(image.png)
        assert kinds[0] == b'IHDR' and kinds[-1] == b'IEND' and set(kinds[1:-1]) == {b'IDAT'}
        assert leaks(task, image.png) == set()
