"""Missions: what a file may say, who gets which, and what is kept."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from vlm_bench_sim.core.errors import CommandError, ConfigError, VlmBenchError
from vlm_bench_tasks.dashboard import missions as kept
from vlm_bench_tasks.dashboard.missions import Missions, load

PLAN = """
name: first
attempts: 2
missions:
  - {task: vlmbench/pick_place, seeds: "0:2", axis: shape}
  - {task: vlmbench/drawer, seeds: 7, prompt: pictures, attempts: 1}
"""


ALIASES = 'a: &a0 [x, x]\n' + ''.join(f'a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 9)}]\n' for n in range(1, 30)) + 'missions: [*a29]\n'
"""Some hundred bytes that would take all memory, if anybody wrote them out."""


@pytest.fixture
def plan(tmp_path):
    (tmp_path / 'first.yaml').write_text(PLAN)
    return tmp_path / 'first.yaml'


def states(missions):
    return [mission['state'] for mission in missions.told()]


def test_a_file_names_tasks_and_seeds(plan):
    name, missions = load(plan)
    assert name == 'first' and [mission.name for mission in missions] == ['first 1', 'first 2', 'first 3']
    about = [(mission.task, mission.split, mission.axis, mission.prompt, mission.seed, mission.attempts) for mission in missions]
    assert about[1:] == [('vlmbench/pick_place', 'seen', 'shape', 'words', 1, 2), ('vlmbench/drawer', 'seen', 'level', 'pictures', 7, 1)]


@pytest.mark.parametrize(
    ('change', 'says'),
    [
        (('vlmbench/drawer', 'vlmbench/drawr'), 'drawr'),
        (('axis: shape', 'axis: shpae'), "no axis 'shpae'"),
        (('axis: shape', 'split: unseeen'), 'unseeen'),
        (('seeds: 7', 'seeds: 100000'), 'for tests, not for demonstrations'),
        (('seeds: 7', 'seeds: 7-9'), 'first:last'),
        (('pictures', 'songs'), 'songs'),
        (('attempts: 2', 'attempts: 0'), 'no file of missions'),
        (('name: first', 'name: ../first'), 'no file of missions'),
        (('name: first', 'nmae: first'), 'no file of missions'),
        (('"0:2"', '"0:10001"'), 'more than 10000 missions'),
        ((PLAN, '{'), 'no file of missions'),
        ((PLAN, '[' * 5000), 'no file of missions'),
        ((PLAN, ''), 'no file of missions'),
        ((PLAN, ALIASES), 'no file of missions'),
    ],
)
def test_a_wrong_file_is_told_what_is_wrong(plan, change, says):
    plan.write_text(PLAN.replace(*change))
    with pytest.raises(VlmBenchError, match=says):
        load(plan)


def test_a_file_that_is_none_is_told(tmp_path):
    for path in (tmp_path, tmp_path / 'nothing.yaml'):
        with pytest.raises(ConfigError, match='There is no file'):
            load(path)
    (tmp_path / 'bytes.yaml').write_bytes(b'\xff\xfe\x00')
    with pytest.raises(ConfigError, match='cannot be read'):
        load(tmp_path / 'bytes.yaml')


def test_the_next_that_waits_is_given_until_all_are_over(plan):
    missions = Missions(plan)
    first, number = missions.begin('anna')
    assert (first.name, number) == ('first 1', 1) and states(missions) == ['open', 'waiting', 'waiting']
    assert missions.begin('bert')[0].name == 'first 2'
    missions.decide('first 1', 1, 'done', 'abc')
    missions.decide('first 2', 1, 'failed')
    assert states(missions) == ['done', 'waiting', 'waiting']
    assert missions.begin('bert')[1] == 2
    missions.decide('first 2', 2, 'failed')
    assert missions.begin('bert')[0].name == 'first 3'
    missions.decide('first 3', 1, 'failed')
    assert states(missions) == ['done', 'failed', 'failed']
    with pytest.raises(CommandError, match='No mission waits'):
        missions.begin('anna')
    assert [(one['state'], one['operator'], one['failed']) for one in Missions(plan).told()] == [
        ('done', 'anna', 0), ('failed', 'bert', 2), ('failed', 'bert', 1)
    ]  # fmt: skip


def test_what_is_discarded_counts_as_no_attempt_even_if_it_was_done(plan):
    missions = Missions(plan)
    for _ in range(3):
        _, number = missions.begin('anna', 'first 3')
        missions.decide('first 3', number, 'done', 'abc')
        missions.decide('first 3', number, 'discarded')
    assert number == 3 and states(missions)[2] == 'waiting'
    assert [one['token'] for one in json.loads(plan.with_name('first.attempts.json').read_text())['attempts']] == ['abc'] * 3


def test_nobody_gets_what_another_is_at_unless_they_have_given_it_up(plan, monkeypatch):
    missions = Missions(plan)
    missions.begin('anna', 'first 2')
    with pytest.raises(CommandError, match='first 2 is open by anna'):
        Missions(plan).begin('bert', 'first 2')
    with pytest.raises(CommandError, match="no mission 'first 9'"):
        missions.begin('bert', 'first 9')
    monkeypatch.setattr(kept, 'CLAIM_S', -1.0)
    assert Missions(plan).begin('bert', 'first 2')[1] == 2


def test_many_windows_share_a_file(plan):
    plan.write_text(PLAN.replace('"0:2"', '"0:40"'))
    windows = [Missions(plan) for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        given = list(threads.map(lambda n: windows[n % 8].begin(f'person {n}')[0].name, range(40)))
    assert sorted(given) == sorted(f'first {n + 1}' for n in range(40))
    assert sorted(path.name for path in plan.parent.iterdir()) == ['first.attempts.json', 'first.yaml']


def test_a_log_that_is_none_is_not_overwritten(plan):
    log = plan.with_name('first.attempts.json')
    log.write_text('{"attempts": 7}')
    with pytest.raises(ConfigError, match='no log of attempts'):
        Missions(plan)
    assert log.read_text() == '{"attempts": 7}'
