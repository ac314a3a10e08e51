"""Pictures of an instruction in bags: the bytes that were drawn, wherever they come out again; a bag in words has none."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from test.plays import Scripted

pytest.importorskip('moderngl')

from vlm_bench_sim.bags.choice import Choice
from vlm_bench_sim.bags.definitions import deserialise, store
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.errors import CommandError, PromptError
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render.png import pixels
from vlm_bench_sim.render.prompt_sheet import prompt_sheet
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.demonstration import Order, demonstrate
from vlm_bench_tasks.dataset.exports import lerobot, plain
from vlm_bench_tasks.dataset.exports.choice import whole
from vlm_bench_tasks.dataset.exports.frames import Wish, frames
from vlm_bench_tasks.dataset.filming import render
from vlm_bench_tasks.dataset.generated import Folder
from vlm_bench_tasks.dataset.generation import Generation, generation
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.dataset.rendering import Angle
from vlm_bench_tasks.dataset.replay import replay
from vlm_bench_tasks.language.pictures import FIRST_FRAME, PICTURES, WORDS
from vlm_bench_tasks.run import Bench

TASK, SEED, ROLES = 'clevrskills/place', 3, ['object', 'object', 'scene']
ANGLE = Angle('vlmbench:front', width=32, height=24, rate=1.0)


@pytest.fixture(scope='module')
def made(tmp_path_factory):
    """A bench with one small camera, and by prompt the bag of an episode and its pictures as they were drawn."""
    bench, folder, bags = Bench('xarm6', 'vlmbench:front', width=64, height=48), tmp_path_factory.mktemp('bags'), {}
    for prompt in (FIRST_FRAME, WORDS):
        episode = catalogue.build(TASK, '', SEED, prompt=prompt)
        recorder = Recorder(bench, episode, folder=folder)
        bags[prompt] = recorder.close(bench.run(episode, Scripted(Wait(0.5)), recorder).report), bench.prompt_images(episode)
    yield bench, bags
    bench.close()


@pytest.fixture
def shown(made):
    """The bag with pictures, and what was drawn."""
    return made[1][FIRST_FRAME]


@pytest.fixture
def spoken(made):
    """The bag in words."""
    return made[1][WORDS][0]


def same(found, drawn):
    return [(one.role, one.png) for one in found] == [(one.role, one.png) for one in drawn]


def changed(path, folder, change, custom=None):
    """The same bag with another instruction."""
    bag, rows = open_bag(path), {row.name: row for row in names.recorded(robot('xarm6'), ('front',))}
    writer = BagWriter(folder, 'again', custom=dict(bag.custom) | (custom or {}))
    for raw in bag.raw():
        message = deserialise(raw.type, raw.data)
        told = change(message) if raw.topic == names.INSTRUCTION.name else message
        writer.write(rows[raw.topic], store().serialize_cdr(told, raw.type))
    return writer.close()


def test_a_bag_holds_the_pictures_as_they_were_drawn(shown):
    path, drawn = shown
    found = recorded_prompt(open_bag(path))
    assert [one.role for one in found] == ROLES and same(found, drawn)
    assert all(np.array_equal(ours.color, theirs.color) for ours, theirs in zip(found, drawn, strict=True))
    (told,) = [message for _, _, message in open_bag(path).messages(names.INSTRUCTION.name)]
    assert {picture.format for picture in told.pictures} == {'png'} and '<image 3>' in told.text
    assert open_bag(path).custom['prompt'] == FIRST_FRAME
    (public,) = [message for _, _, message in open_bag(path).messages(names.EPISODE.name)]
    assert public.prompt == FIRST_FRAME


def test_a_bag_in_words_has_none_and_so_has_one_from_before_there_were_any(spoken, shown, tmp_path):
    assert open_bag(spoken).custom['prompt'] == WORDS and recorded_prompt(open_bag(spoken)) == ()
    older = changed(shown[0], tmp_path, lambda told: told, custom={'prompt': ''})
    assert recorded_prompt(open_bag(older)) == ()


def test_a_damaged_picture_is_an_error_with_a_sentence(shown, tmp_path):
    def cut(told):
        told.pictures[0].data = told.pictures[0].data[:20]
        return told

    with pytest.raises(CommandError, match='20 bytes were given as a png file; they hold no picture'):
        recorded_prompt(open_bag(changed(shown[0], tmp_path, cut)))


def test_a_picture_without_a_role_is_read(shown, tmp_path):
    def bare(told):
        told.roles = told.roles[:1]
        return told

    found = recorded_prompt(open_bag(changed(shown[0], tmp_path, bare)))
    assert [one.role for one in found] == ['object', '', ''] and [one.png for one in found] == [one.png for one in shown[1]]


def test_a_recorded_episode_with_pictures_is_judged_and_replayed_alike(shown, spoken):
    for path, prompt in ((shown[0], FIRST_FRAME), (spoken, WORDS)):
        judgement = judge(path)
        assert judgement.agrees and judgement.episode == catalogue.build(TASK, '', SEED, prompt=prompt)
        assert replay(path).same
    assert judge(shown[0]).hashes == judge(spoken).hashes, 'pictures in the instruction move nothing'


def test_a_bag_of_few_topics_holds_the_pictures_too(made, tmp_path):
    bench, bags = made
    episode = catalogue.build(TASK, '', SEED, prompt=FIRST_FRAME)
    recorder = Recorder(bench, episode, folder=tmp_path, choice=Choice(topics=('/joint_states',)))
    path = recorder.close(bench.run(episode, Scripted(Wait(0.1)), recorder).report)
    assert judge(path).agrees
    found = recorded_prompt(open_bag(path))
    assert same(found, bags[FIRST_FRAME][1]) and names.TF.name not in open_bag(path).topics


# What comes out of a bag


def test_a_rendered_bag_has_the_recorded_pictures_and_the_whole_instruction(shown, tmp_path):
    path, drawn = shown
    told = render(path, ANGLE, tmp_path / 'out')
    files = {one.name: one.read_bytes() for one in (tmp_path / 'out' / 'prompt').iterdir()}
    assert files == {f'image_{number}.png': image.png for number, image in enumerate(drawn, start=1)}
    sheet = prompt_sheet(open_bag(path).custom['instruction'], drawn)
    assert np.array_equal(pixels((tmp_path / 'out' / 'prompt.png').read_bytes()), sheet)
    assert told['pictures'] == len(list((tmp_path / 'out' / 'front').iterdir()))


def test_a_rendered_bag_in_words_and_a_film_have_no_pictures_of_the_instruction(shown, spoken, tmp_path):
    render(spoken, ANGLE, tmp_path / 'out')
    assert [one.name for one in (tmp_path / 'out').iterdir()] == ['front']
    render(shown[0], ANGLE, tmp_path / 'film.mp4')
    assert [one.name for one in tmp_path.iterdir() if one.name != 'out'] == ['film.mp4']


def test_frames_carry_the_pictures(shown, spoken):
    wish = Wish(pictures=False)
    assert same(frames(shown[0], wish).prompt, shown[1]) and frames(spoken, wish).prompt == ()


def test_a_lerobot_dataset_holds_the_pictures_beside_the_row_of_their_episode(shown, spoken, tmp_path):
    pq = pytest.importorskip('pyarrow.parquet')
    with whole(tmp_path / 'set') as part:
        list(lerobot.export([shown[0], spoken], part, Wish(pictures=False)))
    meta = tmp_path / 'set' / 'meta'
    files = {str(one.relative_to(meta / 'prompts')): one.read_bytes() for one in (meta / 'prompts').rglob('*.png')}
    assert files == {f'episode_000000/image_{number}.png': image.png for number, image in enumerate(shown[1], start=1)}
    rows = pq.read_table(meta / 'episodes/chunk-000/file-000.parquet').to_pylist()
    assert [(row['vlm_bench/prompt'], row['vlm_bench/prompt_roles']) for row in rows] == [(FIRST_FRAME, ','.join(ROLES)), (WORDS, '')]
    assert rows[0]['tasks'] == [open_bag(shown[0]).custom['instruction']]


def test_a_numpy_file_holds_the_pictures_and_their_roles(shown, spoken, tmp_path):
    root = shown[0].parent
    list(plain.export([shown[0], spoken], tmp_path, Wish(pictures=False), root=root))
    with np.load(tmp_path / f'{shown[0].name}.npz') as found:
        keys = [name for name in found if name.startswith('prompt/')]
        assert keys == ['prompt/image_1', 'prompt/image_2', 'prompt/image_3']
        assert all(np.array_equal(found[key], image.color) for key, image in zip(keys, shown[1], strict=True))
        assert json.loads(str(found['metadata']))['prompt_roles'] == ROLES
    with np.load(tmp_path / f'{spoken.name}.npz') as found:
        assert not [name for name in found if name.startswith('prompt')] and json.loads(str(found['metadata']))['prompt_roles'] == []


# Generated data sets and the command


def asked(**more):
    return generation(('clevrskills/touch',), '3', axis='look', **more)


def test_a_generated_data_set_holds_the_pictures_of_its_instructions(tmp_path):
    wanted = asked(prompt=PICTURES)
    assert Generation.model_validate_json(wanted.model_dump_json()) == wanted and wanted.settings.prompt == PICTURES
    folder, (trial,) = Folder(tmp_path), wanted.trials()
    folder.begin(wanted)
    row = demonstrate(Order(trial, wanted, tmp_path)).row
    bag = open_bag(tmp_path / row.bag)
    assert row.verdict == 'success' and bag.custom['prompt'] == PICTURES
    bench = Bench('xarm6')
    assert same(recorded_prompt(bag), bench.prompt_images(trial.build()))
    bench.close()
    assert len(recorded_prompt(bag)) == 1


def test_the_prompt_changes_the_token_of_a_bag_and_not_its_name():
    words, pictures = (asked(**more) for more in ({}, {'prompt': PICTURES}))
    (one,), (other,) = words.trials(), pictures.trials()
    assert one.name == other.name and words.token(one) != pictures.token(other)


def test_an_unknown_prompt_is_refused_before_anything_is_generated():
    with pytest.raises(PromptError, match='Did you mean pictures'):
        asked(prompt='picture').check()


def test_the_command_writes_the_instruction_as_one_picture(tmp_path):
    words = ['run', '--task', TASK, '--seed', '3', '--prompt', PICTURES, '--policy', 'still', '--cameras', 'none', '--json']
    done = CliRunner().invoke(app, [*words, '--record', str(tmp_path)])
    assert done.exit_code in (0, 1), done.output
    told = json.loads(done.output[done.output.index('{') :])
    sheet = pixels((tmp_path / told['prompt_picture'].rpartition('/')[2]).read_bytes())
    bag = open_bag(Path(told['bag']))
    assert (told['prompt'], told['instruction']) == (PICTURES, bag.custom['instruction'])
    assert np.array_equal(sheet, prompt_sheet(told['instruction'], recorded_prompt(bag)))


def test_the_command_in_words_writes_no_picture(tmp_path):
    words = ['run', '--task', TASK, '--seed', '3', '--policy', 'still', '--cameras', 'none', '--json', '--record', str(tmp_path)]
    told = json.loads(CliRunner().invoke(app, words).output)
    assert told['prompt'] == WORDS and 'prompt_picture' not in told and not list(tmp_path.glob('*.png'))
