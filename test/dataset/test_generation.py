"""A generated data set: what is asked for, what lies in its folder, and how parts of it are joined."""

import json
import resource
import shutil
import time
from dataclasses import replace

import pytest

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import AxisError, BagError, ConfigError, PerturbationError, SeedError, SplitError, Unobservable
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset import demonstration, generated
from vlm_bench_tasks.dataset.aggregate import aggregate
from vlm_bench_tasks.dataset.demonstration import Order, demonstrate
from vlm_bench_tasks.dataset.executors import check_executor
from vlm_bench_tasks.dataset.generated import FAILED, INDEX, MAKING, SETTINGS, Folder
from vlm_bench_tasks.dataset.generation import Generation, generation
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.shards import WHOLE, Shard, read_shard
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policy import Player

TASK = 'vlmbench/pick_place'
SEEDS = '0:3'


def asked(seeds=SEEDS, *, tasks=(TASK,), axis='color', **more):
    return generation(tasks, seeds, axis=axis, **more)


def found(folder, trial, known, generation=None):
    return folder.found(trial, (generation or asked()).token(trial), known)


@pytest.fixture(scope='module')
def whole(tmp_path_factory):
    """Three episodes without pictures, and what `demonstrate` said of each."""
    folder = Folder(tmp_path_factory.mktemp('whole'))
    folder.begin(asked())
    made = [demonstrate(Order(trial, asked(), folder.root)) for trial in asked().trials()]
    folder.write_index(one.row for one in made)
    return folder, made


@pytest.fixture
def copied(whole, tmp_path):
    """A copy to spoil."""
    return Folder(shutil.copytree(whole[0].root, tmp_path / 'copied'))


def part(whole, folder, generation, leave_out=()):
    """The folder that a generate of a part would leave, of the bags of the whole."""
    folder.mkdir()
    Folder(folder).begin(generation)
    for trial in generation.trials():
        if trial.name not in leave_out:
            shutil.copytree(whole[0].root / trial.name, folder / trial.name)
    return folder


# What is asked for


def test_every_task_and_axis_has_every_seed_once():
    generation = asked('0:3', tasks=catalogue.chosen('vlmbench/*'), axis='')
    trials = generation.trials()
    axes = sum(len(catalogue.task(task).axes) for task in catalogue.chosen('vlmbench/*'))
    assert len({trial.name for trial in trials}) == len(trials) == 3 * axes
    assert len({generation.token(trial) for trial in trials}) == len(trials)


def test_a_trial_has_the_same_name_and_token_when_it_is_read_from_a_file():
    one = asked('7', perturb=('drop_rate=0.2',))
    read = Generation.model_validate_json(one.model_dump_json())
    assert one.trials()[0].name == 'vlmbench-pick_place_color_seen_7'
    assert read.trials() == one.trials()
    assert read.token(read.trials()[0]) == one.token(one.trials()[0])


@pytest.mark.parametrize('change', [
    {'robot': 'ur5e'}, {'cameras': 'vlmbench'}, {'size': '128x128'}, {'rate': 5.0}, {'perturb': ('drop_rate=0.2',)},
], ids=lambda change: next(iter(change)))  # fmt: skip
def test_whatever_decides_a_bag_changes_its_token_and_not_its_name(change):
    one, other = asked('0'), asked('0', **change)
    (plain,), (changed,) = one.trials(), other.trials()
    assert plain.name == changed.name
    assert one.token(plain) != other.token(changed)


def test_how_a_perturbation_is_worded_does_not_matter():
    one, other = (asked('0', perturb=words).settings for words in (('drop_rate=0.2',), ('drop_rate=0.1', 'drop_rate=0.20')))
    assert one == other
    assert asked('0', perturb=('drop_rate=0.2',)).trials()[0].build().perturbation == catalogue.perturbation(['drop_rate=0.2'])


@pytest.mark.parametrize(
    ('more', 'error', 'told'),
    [
        ({'seeds': '100000:100002'}, SeedError, 'for tests'),
        ({'seeds': '79999:80001'}, SeedError, 'do not all have one purpose'),
        ({'split': 'sean'}, SplitError, 'seen'),
        ({'axis': 'colour'}, AxisError, 'color'),
        ({'perturb': ('drops=1',)}, PerturbationError, 'drop'),
        ({'rate': 21.0}, ConfigError, 'rate of 21 a second'),
        ({'rate': 15.0}, ConfigError, 'Ask for 1, 2, 4, 5, 10, 20'),
        ({'size': '128'}, ConfigError, 'WIDTHxHEIGHT'),
    ],
)
def test_what_cannot_be_learned_from_or_does_not_exist_is_refused(more, error, told):
    with pytest.raises(error, match=told):
        asked(**more).check()


def test_validation_seeds_are_told_from_training_seeds():
    assert asked('0:5').check() == 'train'
    assert asked('80000:80005').check() == 'validate'


@pytest.mark.parametrize('count', [1, 2, 3, 7, 20])
def test_shards_are_disjoint_and_complete(count):
    trials = asked('0:5', axis='').trials()
    shards = [asked('0:5', axis='', shard=read_shard(f'{index}/{count}')).trials() for index in range(count)]
    assert sorted(trial.name for shard in shards for trial in shard) == sorted(trial.name for trial in trials)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


@pytest.mark.parametrize('text', ['1', '4/4', '-1/4', 'a/b', '1/', '/4', '0/0'])
def test_a_shard_that_does_not_exist_is_refused(text):
    with pytest.raises(ConfigError, match='from 0/N to N-1/N'):
        read_shard(text)


def test_a_shard_is_read_as_it_is_written():
    assert read_shard('') == read_shard('0/1') == WHOLE
    assert str(read_shard('2/5')) == '2/5'
    with pytest.raises(ValueError, match='does not exist'):
        Shard(index=3, count=3)


def test_an_executor_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match='processes'):
        check_executor('process')


# What lies in the folder


def test_a_demonstration_is_the_bag_of_its_episode_and_is_judged_alike(whole):
    folder, made = whole
    for trial, one in zip(asked().trials(), made, strict=True):
        judgement = judge(folder.root / trial.name)
        assert judgement.agrees and judgement.report.verdict is Verdict.SUCCESS
        assert judgement.episode == trial.build()
        bag = open_bag(folder.root / trial.name)
        assert one.row.bytes == sum(file.stat().st_size for file in bag.path.iterdir()) > 100_000
        assert (bag.custom['token'], bag.custom['axis']) == (asked().token(trial), 'color')
        assert one.memory > 50e6


def test_a_bag_made_again_is_the_same_to_the_last_byte(whole, tmp_path):
    trial = asked().trials()[1]
    demonstrate(Order(trial, asked(), tmp_path))
    file = f'{trial.name}/{trial.name}_0.mcap'
    assert (tmp_path / file).read_bytes() == (whole[0].root / file).read_bytes()


def test_the_index_says_of_each_episode_what_its_bag_says(whole):
    folder, made = whole
    rows = [json.loads(line) for line in (folder.root / INDEX).read_text().splitlines()]
    assert [row['seed'] for row in rows] == [0, 1, 2]
    assert {row['verdict'] for row in rows} == {'success'}
    assert rows[0]['instruction'] == asked().trials()[0].build().instruction.text
    assert folder.rows() == {one.row.bag: one.row for one in made}
    judged = judge(folder.root / rows[0]['bag'])
    assert rows[0]['state_hash'] == judged.hashes[judged.report.seq] != ''
    assert rows[0]['chance'] == 1 / (1 + len(judged.episode.alternatives)) < 1.0


def test_what_is_there_is_found_with_and_without_the_index(copied):
    trials = asked().trials()
    assert all(found(copied, trial, copied.rows()) for trial in trials)
    (copied.root / INDEX).write_text('{"no": "row"}\n')
    assert copied.rows() == {}
    assert all(found(copied, trial, {}) for trial in trials)
    assert found(copied, asked('3').trials()[0], {}) is None


def zeroed(file):
    """64 bytes in the middle, which no index tells of."""
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes(whole[:middle] + bytes(64) + whole[middle + 64 :])


def test_bags_are_read_again_only_where_they_were_touched_since_the_index_was_written(copied, monkeypatch):
    trial, read = asked().trials()[0], []
    monkeypatch.setattr(generated, 'check', lambda bag: read.append(bag.path.name))
    rows = [found(copied, trial, copied.rows()) for trial in asked().trials()]  # each file is new here
    assert len(read) == 3
    copied.write_index(rows)
    assert [found(copied, trial, copied.rows()) for trial in asked().trials()] == rows and len(read) == 3
    time.sleep(0.05)  # the clock of files ticks every few milliseconds
    (copied.root / trial.name / f'{trial.name}_0.mcap').touch()
    assert [found(copied, trial, copied.rows()) for trial in asked().trials()] == rows and read[3:] == [trial.name]


@pytest.mark.parametrize('spoil', ['no metadata', 'cut off', 'no file', 'empty metadata', 'of the same size'])
def test_a_broken_bag_is_not_there_and_is_made_again(copied, spoil, monkeypatch):
    trial = asked().trials()[0]
    bag = copied.root / trial.name
    file = bag / f'{trial.name}_0.mcap'
    if spoil == 'no metadata':
        (bag / 'metadata.yaml').unlink()
    elif spoil == 'cut off':
        file.write_bytes(file.read_bytes()[:-1000])
    elif spoil == 'no file':
        file.unlink()
    elif spoil == 'of the same size':
        zeroed(file)
    else:
        (bag / 'metadata.yaml').write_text('')
    assert found(copied, trial, copied.rows()) is None
    monkeypatch.setattr(demonstration, 'policy', lambda _: policy('still'))  # which is quicker, and fails
    assert demonstrate(Order(trial, asked(), copied.root)).row.verdict == 'failure'
    assert not bag.exists() and found(copied, trial, copied.rows()).bag == f'{FAILED}/{trial.name}'


def test_an_episode_that_the_expert_fails_lies_apart_with_its_cause_and_is_found_there(tmp_path, monkeypatch):
    monkeypatch.setattr(demonstration, 'policy', lambda _: policy('still'))
    trial, folder = asked().trials()[0], Folder(tmp_path)
    row = demonstrate(Order(trial, asked(), tmp_path)).row
    assert (row.bag, row.verdict) == (f'{FAILED}/{trial.name}', 'failure')
    assert '; '.join(row.causes) == open_bag(tmp_path / row.bag).custom['cause'] != ''
    assert found(folder, trial, {}) == row


class Fault(Player):
    """A policy with a fault of its own."""

    def __init__(self, error):
        self.error = error

    def reset(self, _):
        pass

    def act(self, _):
        raise self.error


def test_what_ends_in_an_error_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(demonstration, 'policy', lambda _: Fault(Unobservable('no light')))
    with pytest.raises(Unobservable, match='no light'):
        demonstrate(Order(asked().trials()[0], asked(), tmp_path))
    assert list(tmp_path.iterdir()) == [tmp_path / MAKING]
    assert list((tmp_path / MAKING).iterdir()) == []


def test_of_a_full_disk_it_is_said_what_is_true_nothing_is_left_and_it_is_made_anew(tmp_path):
    """The largest file that this process may write stands for the space that is left."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    try:
        with pytest.raises(BagError, match=r'File too large.*run the same command again') as failed:
            demonstrate(Order(asked().trials()[0], asked(), tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert 'recovered' not in str(failed.value)
    assert list((tmp_path / MAKING).iterdir()) == []


@pytest.mark.parametrize(
    ('other', 'told'),
    [
        ({'rate': 5.0}, 'rate 10.0 and 5.0'),
        ({'cameras': 'vlmbench'}, 'cameras "none" and "vlmbench"'),
        ({'perturb': ('drop_rate=0.2',)}, 'perturb none and drop_rate=0.2'),
        ({'axis': 'shape'}, 'axis "color" and "shape"'),
        ({'shard': Shard(index=0, count=2)}, 'shard 0/1 and 0/2'),
        ({'seeds': '1:9'}, 'seeds 0:3, but 1:9'),
    ],
)
def test_a_folder_with_other_settings_is_refused_by_name(copied, other, told):
    with pytest.raises(ConfigError, match=told):
        copied.begin(asked(**other))
    assert copied.generation == asked()


def test_a_folder_can_be_given_more_seeds(copied):
    copied.begin(asked('0:5'))
    assert copied.generation == asked('0:5')
    assert [bool(found(copied, trial, copied.rows())) for trial in asked('0:5').trials()] == [True] * 3 + [False] * 2


def test_a_whole_bag_of_other_settings_is_an_error_and_is_left_alone(copied):
    other = asked(rate=5.0)
    (trial, *_) = other.trials()
    with pytest.raises(ConfigError, match=f'{trial.name} was made with other settings'):
        found(copied, trial, {}, other)
    assert (copied.root / trial.name).exists()


def test_a_bag_of_another_revision_is_an_error_that_says_so(copied, monkeypatch):
    trial, task = asked().trials()[0], catalogue.task(TASK)
    monkeypatch.setattr(catalogue, 'task', lambda _: replace(task, revision=9))
    with pytest.raises(ConfigError, match=f'with revision {task.revision} of vlmbench/pick_place, now at 9'):
        found(copied, trial, {})


def test_a_folder_of_other_bags_is_refused(copied):
    (copied.root / SETTINGS).unlink()
    with pytest.raises(ConfigError, match='that no generate command made'):
        copied.begin(asked())


def test_one_process_at_a_time_generates_into_a_folder_and_clears_what_was_left(tmp_path):
    folder = Folder(tmp_path)
    (tmp_path / MAKING / '.x.part').mkdir(parents=True)
    with folder.held():
        assert not (tmp_path / MAKING).exists()
        with pytest.raises(BagError, match='another process'), Folder(tmp_path).held():
            pass
    with folder.held():
        pass


# Joining parts


def test_shards_become_what_one_machine_would_have_made(whole, tmp_path):
    shards = [part(whole, tmp_path / f's{i}', asked(shard=read_shard(f'{i}/2'))) for i in range(2)]
    aggregate(shards, tmp_path / 'all')
    joined = Folder(tmp_path / 'all')
    assert joined.generation == asked()
    assert (joined.root / INDEX).read_bytes() == (whole[0].root / INDEX).read_bytes()
    name = asked().trials()[1].name
    assert (joined.root / name / f'{name}_0.mcap').samefile(shards[1] / name / f'{name}_0.mcap')
    assert not list(tmp_path.glob('.*.part'))
    joined.begin(asked())
    assert all(found(joined, trial, joined.rows()) for trial in asked().trials())


def test_ranges_of_seeds_that_adjoin_are_joined(whole, tmp_path):
    ranges = [part(whole, tmp_path / name, asked(seeds)) for name, seeds in (('a', '0:1'), ('b', '1:3'))]
    aggregate(ranges, tmp_path / 'all')
    assert Folder(tmp_path / 'all').generation == asked()


def test_a_missing_shard_is_named(whole, tmp_path):
    shards = [part(whole, tmp_path / f's{i}', asked(shard=read_shard(f'{i}/3'))) for i in (0, 2)]
    with pytest.raises(ConfigError, match=r'No folder holds vlmbench-pick_place_color_seen_1 \(missing shards: 1/3\)'):
        aggregate(shards, tmp_path / 'all')
    assert not (tmp_path / 'all').exists()


def test_a_gap_between_ranges_is_named(whole, tmp_path):
    ranges = [part(whole, tmp_path / name, asked(seeds)) for name, seeds in (('a', '0:1'), ('b', '2:3'))]
    with pytest.raises(ConfigError, match='No folder holds vlmbench-pick_place_color_seen_1'):
        aggregate(ranges, tmp_path / 'all')


def test_a_part_that_is_not_finished_or_holds_a_broken_bag_is_named(whole, tmp_path):
    name = asked().trials()[1].name
    lacking = part(whole, tmp_path / 'lacking', asked(), leave_out=[name])
    with pytest.raises(ConfigError, match=f'lacking lacks {name}'):
        aggregate([lacking], tmp_path / 'all')
    for which in ('metadata', 'data'):
        broken = part(whole, tmp_path / which, asked())
        if which == 'data':
            zeroed(broken / name / f'{name}_0.mcap')
        else:
            (broken / name / 'metadata.yaml').unlink()
        Folder(broken).write_index(one.row for one in whole[1])  # which is newer than the damage
        with pytest.raises(ConfigError, match=f'{which} holds incomplete or damaged bags: {name}'):
            aggregate([broken], tmp_path / 'all')


def test_an_episode_that_is_there_twice_is_named(whole, tmp_path):
    parts = [part(whole, tmp_path / name, asked(seeds)) for name, seeds in (('a', '0:2'), ('b', '1:3'))]
    with pytest.raises(ConfigError, match=r'a and .*b both hold vlmbench-pick_place_color_seen_1'):
        aggregate(parts, tmp_path / 'all')


def test_parts_that_were_made_otherwise_are_named_with_what_differs(whole, tmp_path):
    one, other = (part(whole, tmp_path / name, asked(seeds)) for name, seeds in (('a', '0:1'), ('b', '1:3')))
    text = (other / SETTINGS).read_text()
    (other / SETTINGS).write_text(text.replace('"rate": 10.0', '"rate": 5.0'))
    with pytest.raises(ConfigError, match='made with other settings'):
        aggregate([one, other], tmp_path / 'all')
    (other / SETTINGS).write_text(text.replace('"rate": 10.0', '"fps": 10.0'))
    with pytest.raises(BagError, match='fps'):
        aggregate([one, other], tmp_path / 'all')


@pytest.mark.parametrize(('error', 'told'), [(KeyboardInterrupt(), KeyboardInterrupt), (OSError(28, 'No space left'), BagError)])
def test_a_join_that_fails_leaves_nothing(whole, tmp_path, monkeypatch, error, told):
    def fails(*_):
        raise error

    monkeypatch.setattr(Folder, 'write_index', fails)
    with pytest.raises(told):
        aggregate([whole[0].root], tmp_path / 'all')
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_data_set_and_what_is_there_already_is_refused(whole, tmp_path):
    with pytest.raises(BagError, match=r'holds no generation\.json'):
        aggregate([tmp_path], tmp_path / 'all')
    with pytest.raises(BagError, match='exists already'):
        aggregate([whole[0].root], tmp_path)
