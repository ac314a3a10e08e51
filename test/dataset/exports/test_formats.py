"""What an export writes: a LeRobot dataset and plain numpy files, whole or not at all."""

import json
import os
import re
import shutil
import signal
import time
from pathlib import Path

import av
import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.render.jpeg import pixels
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.exports import lerobot, plain
from vlm_bench_tasks.dataset.exports.choice import bags, whole
from vlm_bench_tasks.dataset.exports.film import Film
from vlm_bench_tasks.dataset.exports.frames import Wish, frames
from vlm_bench_tasks.dataset.exports.summary import QUANTILES, summary, summary_of_pictures, together
from vlm_bench_tasks.dataset.exports.tables import Tables, table
from vlm_bench_tasks.dataset.labels import plain as plain_labels

DATASETS = Path(__file__).parents[3] / 'docs/datasets.md'


@pytest.fixture(scope='module')
def exported(recorded, tmp_path_factory):
    """A dataset of all three episodes, and their frames."""
    folder, _ = recorded
    out = tmp_path_factory.mktemp('exports') / 'dataset'
    with whole(out) as part:
        episodes = list(lerobot.export(bags(folder, failures=True), part, Wish()))
    return out, episodes


def data(out):
    return pq.read_table(out / 'data/chunk-000/file-000.parquet')


def test_the_tables_hold_every_frame_of_every_episode(exported):
    out, episodes = exported
    rows, count = data(out), sum(map(len, episodes))
    assert rows.num_rows == count == json.loads((out / 'meta/info.json').read_text())['total_frames']
    assert rows['index'].to_pylist() == list(range(count))
    assert rows['episode_index'].to_pylist() == [i for i, one in enumerate(episodes) for _ in range(len(one))]
    for name in ('observation.state', 'tool_pose', 'action', 'applied.action', 'next.reward', 'next.done', 'next.success'):
        ours = np.concatenate([one.columns[name] for one in episodes])
        assert np.array_equal(np.asarray(rows[name].to_pylist(), ours.dtype), ours), name


def test_every_column_is_a_feature_of_its_shape_and_names(exported):
    out, episodes = exported
    info = json.loads((out / 'meta/info.json').read_text())
    assert (info['codebase_version'], info['fps'], info['robot_type'], info['splits']) == ('v3.0', 20, 'panda', {'train': '0:3'})
    videos = {name for name, feature in info['features'].items() if feature['dtype'] == 'video'}
    assert videos == {'observation.images.front', 'observation.images.wrist'}
    assert set(info['features']) - videos == set(data(out).column_names)
    assert info['features']['action'] == {'dtype': 'float32', 'shape': [8], 'names': [*episodes[0].profile.joints, 'gripper.opening']}
    assert info['features']['next.done'] == {'dtype': 'bool', 'shape': [1], 'names': None}
    assert info['features']['observation.images.front']['shape'] == [48, 64, 3]


def test_nothing_but_the_action_is_called_one(exported):
    """LeRobot takes every key that begins so for something that the policy shall answer."""
    features = json.loads((exported[0] / 'meta/info.json').read_text())['features']
    assert [name for name in features if name.startswith('action')] == ['action']
    assert [name for name in features if name.startswith('observation') and 'images' not in name] == ['observation.state']


def test_episodes_say_where_they_lie(exported):
    out, episodes = exported
    rows = pq.read_table(out / 'meta/episodes/chunk-000/file-000.parquet').to_pylist()
    begin = 0
    for row, episode in zip(rows, episodes, strict=True):
        assert (row['dataset_from_index'], row['dataset_to_index'], row['length']) == (begin, begin + len(episode), len(episode))
        assert row['tasks'] == [episode.about['instruction']]
        for camera in ('front', 'wrist'):
            film = f'videos/observation.images.{camera}'
            assert (row[f'{film}/from_timestamp'], row[f'{film}/to_timestamp']) == (begin / 20, (begin + len(episode)) / 20)
        begin += len(episode)
    assert [row['vlm_bench/seed'] for row in rows] == ['3', '4', '5']
    assert [row['vlm_bench/verdict'] for row in rows] == ['success', 'success', 'failure']


def test_films_show_the_pictures_at_their_times(exported):
    out, episodes = exported
    with av.open(str(out / 'videos/observation.images.front/chunk-000/file-000.mp4')) as film:
        shown = list(film.decode(video=0))
    jpegs = [jpeg for one in episodes for jpeg in one.pictures['front']]
    assert [round(frame.time * 20, 6) for frame in shown] == list(range(len(jpegs)))
    for i in (0, len(jpegs) // 2, len(jpegs) - 1):
        off = np.abs(shown[i].to_ndarray(format='rgb24').astype(int) - pixels(jpegs[i]))
        assert off.mean() < 6  # of 255: colors are kept at half the resolution


def test_a_table_of_sentences_has_them_as_its_index(exported):
    out, episodes = exported
    stored = pq.read_table(out / 'meta/tasks.parquet')
    about = json.loads(stored.schema.metadata[b'pandas'])
    assert about['index_columns'] == ['__index_level_0__']
    sentences = list(dict.fromkeys(one.about['instruction'] for one in episodes))
    assert stored.to_pydict() == {'task_index': list(range(len(sentences))), '__index_level_0__': sentences}


def words(out, which):
    return pq.read_table(out / f'meta/{which}.parquet')['__index_level_0__'].to_pylist()


def test_each_frame_has_its_sub_task_and_its_step(exported):
    out, episodes = exported
    rows, subtasks, steps = data(out), words(out, 'subtasks'), words(out, 'steps')
    due = [step for one in episodes for step in one.labels.at(one.begins)]
    assert [subtasks[i] for i in rows['subtask_index'].to_pylist()] == ['' if step is None else step.subtask for step in due]
    assert [steps[i] for i in rows['step_index'].to_pylist()] == ['' if step is None else step.sentence for step in due]
    assert rows['leaf'].to_pylist() == [-1 if step is None else step.leaf for step in due]
    assert [step is None for step in due] == [one is episodes[2] for one in episodes for _ in range(len(one))], 'who waits has no steps'


def test_labels_are_a_line_for_each_episode_with_the_pictures_of_its_key_steps(exported):
    out, episodes = exported
    lines = [json.loads(line) for line in (out / 'meta/labels.jsonl').read_text().splitlines()]
    assert [line['episode_index'] for line in lines] == [0, 1, 2]
    assert [line['instruction'] for line in lines] == [one.about['instruction'] for one in episodes]
    for line, episode in zip(lines, episodes, strict=True):
        assert [skill['number'] for skill in line['skills']] == [one.number for one in episode.labels.skills]
        assert [step['seq'] for step in line['key_steps']] == [one.seq for one in episode.labels.key_steps]
        for step in line['key_steps']:
            seen = {one.camera: one for one in episode.labels.pictures[step['seq']]}
            assert [one['camera'] for one in step['pictures']] == list(seen) == ['front', 'wrist']
            for one in step['pictures']:
                assert (out / one['shown']).read_bytes() == seen[one['camera']].shown
                assert (out / one['hidden']).read_bytes() == seen[one['camera']].hidden
    assert lines[0]['key_steps'] and not lines[2]['key_steps'] and not lines[2]['steps']


def test_the_summary_of_all_is_that_of_the_table(exported):
    out, episodes = exported
    stats = json.loads((out / 'meta/stats.json').read_text())
    actions = np.concatenate([one.columns['action'] for one in episodes]).astype(float)
    assert stats['action']['mean'] == pytest.approx(actions.mean(0))
    assert stats['action']['std'] == pytest.approx(actions.std(0))
    assert (stats['action']['min'], stats['action']['max']) == (pytest.approx(actions.min(0)), pytest.approx(actions.max(0)))
    assert stats['action']['count'] == [len(actions)]
    assert np.shape(stats['observation.images.front']['mean']) == (3, 1, 1)
    assert set(stats) == set(json.loads((out / 'meta/info.json').read_text())['features'])


def test_summaries_of_parts_make_that_of_the_whole():
    rows = np.random.default_rng(0).normal(size=(90, 3))
    parts = [summary(rows[:20]), summary(rows[20:90])]
    for name, value in summary(rows).items():
        assert together(parts)[name] == pytest.approx(value, abs=0.4 if name.startswith('q') else 1e-12), name


def test_a_summary_of_pictures_is_over_all_their_pixels():
    pictures = np.random.default_rng(0).integers(3, 250, (4, 20, 30, 3), np.uint8)
    found, pixels_ = summary_of_pictures(list(pictures)), pictures.reshape(-1, 3) / 255
    assert found['count'] == [4]
    assert (found['min'].reshape(-1), found['max'].reshape(-1)) == (pytest.approx(pixels_.min(0)), pytest.approx(pixels_.max(0)))
    assert (found['mean'].reshape(-1), found['std'].reshape(-1)) == (pytest.approx(pixels_.mean(0)), pytest.approx(pixels_.std(0)))
    for name, part in QUANTILES.items():
        assert found[name].reshape(-1) == pytest.approx(np.quantile(pixels_, part, axis=0), abs=1.5 / 255), name


def test_files_divide_between_episodes_when_they_are_full(tmp_path):
    film = Film(lambda number: tmp_path / f'{number}.mp4', fps=10, limit_mb=1e-4)
    pictures = [np.full((16, 16, 3), 20 * i, np.uint8) for i in range(5)]
    assert [film.add(pictures) for _ in range(2)] == [(0, 0.0, 0.5), (1, 0.0, 0.5)]
    film.close()
    rows = Tables(lambda number: tmp_path / f'{number}.parquet', limit_mb=1e-4)
    for _ in range(3):
        rows.add(table({'x': np.arange(20)}))
    rows.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ['0.mp4', '0.parquet', '1.mp4', '1.parquet', '2.parquet']


def test_pictures_that_the_codec_cannot_take_are_refused(tmp_path):
    with pytest.raises(BagError, match='63x48, and h264 needs an even width'):
        Film(lambda _: tmp_path / 'x.mp4', fps=10, limit_mb=1).add([np.zeros((48, 63, 3), np.uint8)])


def test_a_dataset_has_one_set_of_cameras(recorded, tmp_path):
    first, second, _ = (frames(path, Wish()) for path, *_ in recorded[1])
    del second.pictures['wrist']
    dataset = lerobot.Dataset(tmp_path, Wish(), first=first)
    with pytest.raises(BagError, match=r'has panda with the cameras front 64x48, but .* front 64x48, wrist 64x48. A dataset has one'):
        dataset.add(second)
    dataset.close()


def test_numpy_files_hold_the_same_frames_without_pickle(recorded, tmp_path):
    paths = bags(recorded[0], failures=True)
    found = list(plain.export(paths, tmp_path, Wish(fps=5, action='pose'), root=recorded[0]))
    assert {path.with_suffix('').relative_to(tmp_path) for path in tmp_path.rglob('*.npz')} == {p.relative_to(recorded[0]) for p in paths}
    for episode in found:
        with np.load(tmp_path / f'{episode.bag.relative_to(recorded[0])}.npz', allow_pickle=False) as stored:
            pictures = {f'observation.images.{name}' for name in episode.pictures}
            shown = {f'key_step/{seq}/{one.camera}' for seq, of in episode.labels.pictures.items() for one in of}
            others = {'metadata', 'timestamp', 'intrinsics.front', 'intrinsics.wrist'}
            assert set(stored.files) == others | set(episode.columns) | pictures | shown
            about = json.loads(str(stored['metadata']))
            assert (about['fps'], about['action'], about['bag']['instruction']) == (5, 'pose', episode.about['instruction'])
            assert about['names']['action'] == list(episode.names['action'])
            assert about['labels'] == plain_labels(episode.labels, episode.begins)
            for seq, (front, _) in episode.labels.pictures.items():
                assert np.array_equal(stored[f'key_step/{seq}/front'], [pixels(front.shown), pixels(front.hidden)])
            for name, values in episode.columns.items():
                assert np.array_equal(stored[name], values), name
            assert stored['observation.images.wrist'].shape == (len(episode), 48, 64, 3)
            assert np.array_equal(stored['observation.images.wrist'][-1], pixels(episode.pictures['wrist'][-1]))
            assert stored['timestamp'][:2] == pytest.approx([0.0, 0.2])


def test_bags_of_one_name_in_two_folders_become_two_files(recorded, tmp_path):
    bag, name = recorded[1][2][0], recorded[1][2][0].name
    for part in ('first', 'second/deep'):
        shutil.copytree(bag, tmp_path / 'bags' / part / name)
    words = ['--cameras', 'front', '--failures']
    done = CliRunner().invoke(app, ['export', 'numpy', str(tmp_path / 'bags'), str(tmp_path / 'out'), *words])
    assert (done.exit_code, done.output.startswith('2 episodes, ')) == (0, True), done.output
    files = sorted(path.relative_to(tmp_path / 'out') for path in (tmp_path / 'out').rglob('*.npz'))
    assert [str(file) for file in files] == [f'first/{name}.npz', f'second/deep/{name}.npz']
    alone = CliRunner().invoke(app, ['export', 'numpy', str(bag), str(tmp_path / 'alone'), *words])
    assert (alone.exit_code, [path.name for path in (tmp_path / 'alone').iterdir()]) == (0, [f'{name}.npz'])


def test_only_successes_are_taken_unless_failures_are_asked_for(recorded):
    folder, episodes = recorded
    assert bags(folder) == [path for path, run, _ in episodes if run.report.verdict.value == 'success']
    assert bags(folder, failures=True) == [path for path, *_ in episodes]
    assert bags(episodes[0][0]) == [episodes[0][0]]
    with pytest.raises(BagError, match=r'of 1 bags none has the verdict success. Include failed episodes with --failures'):
        bags(folder / 'bad')


def test_a_level_leaves_out_the_bags_of_other_tasks(recorded, tmp_path):
    folder, _ = recorded
    tasks = {open_bag(path).custom['task'] for path in bags(folder, failures=True)}
    assert bags(folder, failures=True, tasks=tasks) == bags(folder, failures=True)
    with pytest.raises(BagError, match='no bag of the chosen level'):
        bags(folder, failures=True, tasks={'clevrskills/pick'})
    for level, error in (('L0', 'no bag of the chosen level'), ('L7', "no level called 'L7'")):
        refused = CliRunner().invoke(app, ['export', 'numpy', str(folder), str(tmp_path / 'out'), '--failures', '--level', level])
        assert (refused.exit_code, list(tmp_path.iterdir())) == (2, [])
        assert error in ' '.join(refused.output.split())


def test_a_folder_without_bags_is_refused(tmp_path):
    with pytest.raises(BagError, match=r'nothing to export in .* Name a folder that bags were recorded to'):
        bags(tmp_path)


def test_an_export_appears_when_it_is_whole_and_leaves_nothing_when_it_fails(tmp_path):
    def fails():
        with whole(tmp_path / 'out') as part:
            (part / 'half').write_text('')
            raise BagError('no')

    with pytest.raises(BagError, match='no'):
        fails()
    assert list(tmp_path.iterdir()) == []
    with whole(tmp_path / 'out') as part:
        (part / 'file').write_text('')
        assert not (tmp_path / 'out').exists()
    assert [path.name for path in (tmp_path / 'out').iterdir()] == ['file']
    with pytest.raises(BagError, match='exists already'), whole(tmp_path / 'out'):
        pass


def test_nothing_is_left_of_an_export_that_a_signal_ends(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit, match='143'), whole(tmp_path / 'out') as part:
        (part / 'half').write_text('')
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_commands_say_what_they_wrote_and_what_is_wrong(recorded, tmp_path):
    run, folder = CliRunner().invoke, str(recorded[0])
    for kind in ('lerobot', 'numpy'):
        done = run(app, ['export', kind, folder, str(tmp_path / kind), '--fps', '5', '--cameras', 'front', '--failures'])
        assert (done.exit_code, done.output.startswith('3 episodes, ')) == (0, True), done.output
        again = run(app, ['export', kind, folder, str(tmp_path / kind)])
        assert (again.exit_code, 'exists already' in again.output) == (2, True)
    assert run(app, ['export', 'numpy', folder, str(tmp_path / 'x'), '--fps', '7']).exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ['lerobot', 'numpy']


def test_the_examples_of_the_docs_read_a_bag_and_both_exports(recorded, exported, tmp_path, capsys):
    bag = recorded[1][0][0]
    list(plain.export([bag], tmp_path, Wish(), root=bag.parent))
    named = {
        'DIR/clevrskills-pick_look_seen_0': bag,
        'OUT/clevrskills-pick_look_seen_0.npz': tmp_path / f'{bag.name}.npz',
        'OUT/meta/labels.jsonl': exported[0] / 'meta/labels.jsonl',
    }
    text = DATASETS.read_text()
    for name, found in named.items():
        assert name in text
        text = text.replace(name, str(found))
    examples = [block for block in re.findall(r'```python\n(.*?)```', text, re.DOTALL) if str(tmp_path.parent) in block]
    assert len(examples) == 3
    for block in examples:
        exec(block, {})
    said = capsys.readouterr().out
    assert said.startswith('0 0.') and said.count("'pick'") >= 2
