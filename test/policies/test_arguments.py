"""What a policy of yours is made with: read from words, counted by content, and refused in words."""

import json

import pytest
from typer.testing import CliRunner

from vlm_bench_sim.core.errors import ConfigError, TaskError
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.evaluation import policy_digest
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.policy_digest import digest
from vlm_bench_tasks.graph import bench
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policies.arguments import read_arguments, read_setting, written
from vlm_bench_tasks.real_graph import real

LOADED = 'loaded:Loaded'
MODULE = """
from pathlib import Path
from vlm_bench_sim.core.command import Stop, Wait
from vlm_bench_tasks.policy import Policy


class Loaded(Policy):
    def __init__(self, checkpoint, turns='1'):
        self.seconds, self.turns = float(Path(checkpoint).read_text()), int(turns)

    def reset(self, context):
        self.left = self.turns

    def act(self, observation):
        self.left -= 1
        return Wait(self.seconds) if self.left >= 0 else Stop()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder of somebody's with a policy and its weights."""
    (tmp_path / 'loaded.py').write_text(MODULE)
    (tmp_path / 'weights').write_text('0.5')
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    import sys

    sys.modules.pop('loaded', None)


def test_words_are_read_in_any_order_and_every_value_is_a_string():
    assert read_arguments(['turns=2', 'checkpoint=a=b,c']) == (('checkpoint', 'a=b,c'), ('turns', '2'))
    assert (
        read_setting('turns=2,checkpoint=a')
        == read_setting('{"checkpoint": "a", "turns": "2"}')
        == read_arguments(['checkpoint=a', 'turns=2'])
    )
    assert read_setting(written((('checkpoint', 'a,b'),))) == (('checkpoint', 'a,b'),)
    assert written(()) == '' and read_setting('') == ()


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (['checkpoint'], 'name=value'),
        (['=a'], 'a name such as checkpoint'),
        (['a b=c'], 'a name such as checkpoint'),
        (['a=\udcff'], 'not valid UTF-8'),
        (['a=1', 'a=2'], "'a' of the policy is given twice"),
    ],
)
def test_words_that_are_no_arguments_are_refused(words, told):
    with pytest.raises(ConfigError, match=told):
        read_arguments(words)


@pytest.mark.parametrize(
    'text', ['{"a": 1}', '{"a": ', '{' * 100_000, '{"a b": "c"}', '{"a": "1", "a": "2"}', '{"a=b": "1"}', '{"a": {"b": "c"}}']
)
def test_a_setting_that_is_no_object_of_strings_is_refused(text):
    with pytest.raises(ConfigError):
        read_setting(text)


def test_a_class_is_made_with_them_and_others_take_none():
    player = policy(LOADED, (('checkpoint', 'weights'), ('turns', '3')))
    assert (player._policy.seconds, player._policy.turns) == (0.5, 3)
    with pytest.raises(TaskError, match=r'could not be created without arguments: TypeError.*checkpoint.*--policy-arg name=value'):
        policy(LOADED)
    with pytest.raises(TaskError, match=r'could not be created with checkpoint, speed: TypeError.*speed'):
        policy(LOADED, (('checkpoint', 'weights'), ('speed', '3')))
    with pytest.raises(TaskError, match='oracle takes no arguments'):
        policy('oracle', (('checkpoint', 'weights'),))


def test_of_a_file_or_folder_the_content_counts_and_not_the_place(folder):
    first = digest(LOADED, (('checkpoint', 'weights'),))
    assert first == digest(LOADED, (('checkpoint', str(folder / 'weights')),)) != digest(LOADED) != ''
    assert digest(LOADED, (('checkpoint', 'weights'), ('turns', '1'))) != first
    (folder / 'weights').write_text('0.7')
    assert digest(LOADED, (('checkpoint', 'weights'),)) != first
    shards = folder / 'shards'
    (shards / 'b').mkdir(parents=True)
    (shards / 'b' / 'c').write_text('1')
    before = digest(LOADED, (('checkpoint', 'shards'),))
    (shards / 'b' / 'c').rename(shards / 'd')
    assert digest(LOADED, (('checkpoint', 'shards'),)) != before
    assert digest('oracle', ()) == digest('ws://127.0.0.1:1', ()) == ''


def test_what_is_no_path_counts_as_it_is(folder):
    """An empty value is not this folder, a long one is no file, and nothing in a value is taken for another argument."""
    values = ('', 'x' * 5000, 'a\0b', 'x\nturns=2')
    assert len({digest(LOADED, (('checkpoint', value),)) for value in values}) == len(values)
    before = digest(LOADED, (('checkpoint', ''),))
    (folder / 'more').write_text('1')
    assert digest(LOADED, (('checkpoint', ''),)) == before
    assert digest(LOADED, (('a', 'x'), ('b', 'y'))) != digest(LOADED, (('a', 'x\nb=y'),))


def test_a_policy_whose_file_is_nowhere_still_has_its_weights_counted(folder):
    first = digest('installed_as_zip:Loaded', (('checkpoint', 'weights'),))
    (folder / 'weights').write_text('0.9')
    assert digest('installed_as_zip:Loaded', (('checkpoint', 'weights'),)) != first


def test_a_folder_of_too_many_files_is_refused(folder, monkeypatch):
    monkeypatch.setattr(policy_digest, 'MOST_FILES', 1)
    with pytest.raises(ConfigError, match='holds more than 1 files'):
        digest(LOADED, (('checkpoint', str(folder)),))


def test_a_file_that_cannot_be_read_is_named(folder, monkeypatch):
    def denied(*_):
        raise PermissionError(13, 'Permission denied')

    monkeypatch.setattr(policy_digest, '_of_file', denied)
    with pytest.raises(ConfigError, match=r'weights, an argument of the policy, cannot be read: .*Permission denied'):
        digest('nowhere_at_all:Nobody', (('checkpoint', 'weights'),))
    with pytest.raises(ConfigError, match=r'loaded\.py, of the policy, cannot be read: .*Permission denied'):
        digest(LOADED)


def evaluate(*words):
    common = ('--tasks', 'vlmbench/pick_place', '--axis', 'color', '--seeds', '0:1', '--out', 'report.json')
    return CliRunner().invoke(app, ['evaluate', *common, *words])


def test_a_report_names_them_and_refuses_to_go_on_with_other_weights(folder):
    words = ('--policy', LOADED, '--policy-arg', 'checkpoint=weights', '--policy-arg', 'turns=2')
    said = evaluate(*words)
    assert said.exit_code == 0, said.output
    report = json.loads((folder / 'report.json').read_text())
    assert report['options'] == {'checkpoint': 'weights', 'turns': '2'}
    assert report['code'] == digest(LOADED, (('checkpoint', 'weights'), ('turns', '2')))
    assert report['episodes'][0]['causes'] == ['stopped']
    assert report['episodes'][0]['sim_seconds'] == pytest.approx(2 * 0.5 + 2.5), 'after a stop the judge looks on for 2.5 s'
    (folder / 'weights').write_text('0.7')
    again = evaluate(*words)
    assert again.exit_code == 2 and 'has changed since' in again.output.replace('\n', ' ')


def test_one_that_takes_none_is_refused_before_anything_is_played():
    said = evaluate('--policy', 'still', '--policy-arg', 'a=b')
    assert said.exit_code == 2 and 'needs a policy module:Class' in said.output.replace('\n', ' ')
    up = CliRunner().invoke(app, ['up', '--policy', 'oracle', '--policy-arg', 'a=b'])
    assert up.exit_code == 2 and 'takes none' in up.output.replace('\n', ' ')


def test_the_token_of_a_bag_does_not_tell_where_the_weights_lie(folder):
    plans = [planned(Asked(LOADED, 'vlmbench/pick_place', range(1), axis='color', policy_arg=(f'checkpoint={place}',)))
             for place in ('weights', folder / 'weights')]  # fmt: skip
    one, other = (plan.jobs(plan.trials, folder)[0].token for plan in plans)
    assert one == other


def test_over_ros_the_node_is_handed_them():
    for nodes in (
        bench({'policy': LOADED, 'policy_args': 'checkpoint=weights'}),
        real({'policy': LOADED, 'policy_args': 'checkpoint=weights'}),
    ):
        (node,) = [spec for spec in nodes if spec.name == 'policy_node']
        assert node.parameters['policy_args'] == 'checkpoint=weights'


def test_the_content_of_linked_folders_counts_and_a_circle_of_links_ends(folder):
    (folder / 'other').mkdir()
    (folder / 'other' / 'weights').write_text('1')
    (folder / 'named').mkdir()
    (folder / 'named' / 'link').symlink_to(folder / 'other')
    (folder / 'named' / 'circle').symlink_to(folder / 'named')
    before = digest(LOADED, (('checkpoint', str(folder / 'named')),))
    (folder / 'other' / 'weights').write_text('2')
    assert digest(LOADED, (('checkpoint', str(folder / 'named')),)) != before
