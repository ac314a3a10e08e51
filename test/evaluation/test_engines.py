"""The engine is a condition of a score: reports and bags name it, comparisons do not mix two, unless they are what is compared."""

import json
import shutil
from importlib.metadata import version

import pytest
import yaml
from typer.testing import CliRunner

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.engine import MUJOCO, NO_ENGINE, PYBULLET, recorded
from vlm_bench_sim.core.errors import BagError, ConfigError, NeedError
from vlm_bench_sim.versions import versions
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.console.comparing import side_by_side
from vlm_bench_tasks.dataset.generation import generation
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.dataset.replay import replay
from vlm_bench_tasks.evaluation.compare import compared
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.pages.engines_page import engines_page
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

pytest.importorskip('mujoco')
TASK, SEEDS = 'clevrskills/move_without_hitting', range(170000, 170002)
MATTER = {'vlmbench/pour': 'beads', 'vlmbench/wipe': 'dirt', 'arnold/pour_water': 'beads', 'arnold/transfer_water': 'beads'}


@pytest.fixture(scope='module')
def reports(tmp_path_factory):
    """The paths of the reports of two policies, each in both engines."""
    folder = tmp_path_factory.mktemp('reports')
    found = {}
    for engine in (PYBULLET, MUJOCO):
        for name in ('oracle', 'still'):
            path = found[engine, name] = folder / f'{name}_{engine}.json'
            evaluated(planned(Asked(name, TASK, SEEDS, engine=engine)), path, processes=1)
    return found


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    """The bag of an episode in MuJoCo, and its hashes."""
    bench = Bench(catalogue.task(TASK).robot, engine=MUJOCO)
    episode = catalogue.build(TASK, 'seen', SEEDS.start)
    recorder = Recorder(bench, episode, folder=tmp_path_factory.mktemp('bags'))
    run = bench.run(episode, policy('oracle'), recorder)
    bench.close()
    return recorder.close(run.report), run


def read(reports):
    return {key: EvaluationReport.load(path) for key, path in reports.items()}


def told(bag, folder, **versions_):
    """A copy of the bag that says other versions."""
    copy = shutil.copytree(bag, folder)
    about = yaml.safe_load((copy / 'metadata.yaml').read_text())
    custom = about['rosbag2_bagfile_information']['custom_data']
    words = dict(word.split('=', 1) for word in custom['versions'].split() if '=' in word)
    custom['versions'] = ' '.join(f'{name}={version}' for name, version in (words | versions_).items())
    (copy / 'metadata.yaml').write_text(yaml.safe_dump(about))
    return copy


def test_a_report_names_its_engine_and_the_engines_version(reports):
    for (engine, name), report in read(reports).items():
        words = dict(word.split('=', 1) for word in report.conditions.versions)
        assert report.conditions.engine == words['engine'] == engine and words[engine] != 'unknown'
        assert report.overall.successes == (len(SEEDS) if name == 'oracle' else 0)
    assert read(reports)[PYBULLET, 'oracle'].bench != read(reports)[MUJOCO, 'oracle'].bench


def test_two_engines_are_compared_only_if_that_is_asked_for(reports):
    found = read(reports)
    ours, theirs = found[PYBULLET, 'oracle'], found[MUJOCO, 'oracle']
    with pytest.raises(ConfigError, match=r'engines pybullet and mujoco\. Add --across-engines'):
        compared(ours, theirs)
    assert compared(ours, theirs, across=True)[-1].pairs.both == len(SEEDS)
    both = side_by_side(list(found.values()))
    agreed = both.agreement
    assert [(a.conditions.engine, b.conditions.engine) for a, b in both.pairs] == [(PYBULLET, MUJOCO)] * 2
    assert (agreed.tau, agreed.low, agreed.high) == (1.0, 1.0, 1.0)
    assert side_by_side([ours, theirs]).agreement is None  # both solve all, so there is no order
    with pytest.raises(ConfigError, match="found 'still' in mujoco"):
        side_by_side([ours, theirs, found[MUJOCO, 'still']])


def test_the_command_compares_engines_and_says_which_one_was_first(reports):
    paths = [str(path) for path in reports.values()]
    result = CliRunner().invoke(app, ['compare', '--across-engines', *paths, '--json'])
    assert result.exit_code == 0, result.output
    words = json.loads(result.stdout)
    assert words['engines'] == [PYBULLET, MUJOCO] and words['rank_agreement'] == {'tau': 1.0, 'interval': [1.0, 1.0]}
    assert [one['first'] for one in words['policies']] == ['oracle', 'still']
    refused = CliRunner().invoke(app, ['compare', *paths])
    assert refused.exit_code == 2 and 'found 4 reports' in refused.stderr


def test_the_page_sets_engines_side_by_side_and_names_what_only_one_solved(reports, tmp_path):
    found = read(reports)
    lost = found[MUJOCO, 'oracle'].episodes[0]
    episodes = (
        lost.model_copy(update={'verdict': 'failure', 'causes': ('time_limit',), 'missed': ('a | b <i>',)}),
        *found[MUJOCO, 'oracle'].episodes[1:],
    )
    worse = found[MUJOCO, 'oracle'].model_copy(update={'episodes': episodes})
    still = [found[engine, 'still'].model_copy(update={'policy': 'still<b>'}) for engine in (PYBULLET, MUJOCO)]
    both = side_by_side([found[PYBULLET, 'oracle'], worse, *still])
    text = engines_page(both.pairs, both.comparisons, both.agreement)
    assert '| clevrskills/move_without_hitting | 2/2 | 1/2 | 0/2 | 0/2 |' in text
    assert '| clevrskills/move_without_hitting | goal | seen | 170000 | mujoco | time_limit; a \\| b &lt;i> |' in text
    assert 'still&lt;b>: none.' in text and '<b>' not in text and f'mujoco={version(MUJOCO)}' in text and 'over 2 cells' in text
    paths = [str(path) for path in reports.values()]
    page = tmp_path / 'engines.md'
    result = CliRunner().invoke(app, ['compare', '--across-engines', *paths, '--page', str(page)])
    assert result.exit_code == 0 and page.read_text().startswith('# Engines side by side: pybullet and mujoco'), result.output
    page.write_text('mine')
    refused = CliRunner().invoke(app, ['compare', '--across-engines', *paths, '--page', str(page)])
    assert refused.exit_code == 2 and page.read_text() == 'mine' and '--page' in refused.stderr
    alone = CliRunner().invoke(app, ['compare', *paths[:1], *paths[:1], '--page', str(page)])
    assert alone.exit_code == 2 and 'Add --across-engines' in alone.stderr


def test_a_bag_is_replayed_in_its_own_engine_and_in_no_other_version_of_it(bag, tmp_path):
    path, run = bag
    assert recorded(open_bag(path).custom['versions'].split()) == MUJOCO
    found = replay(path)
    assert found.same and found.periods == len(run.hashes)
    assert judge(path).report.verdict == run.report.verdict
    with pytest.raises(BagError, match=r'recorded with mujoco=2\.1\.0, but mujoco=3'):
        replay(told(path, tmp_path / 'older', mujoco='2.1.0'))
    assert replay(told(path, tmp_path / 'bullet', pybullet='2.0.0')).same  # it was not in use
    assert not replay(told(path, tmp_path / 'other', engine=PYBULLET)).same
    with pytest.raises(BagError, match='around a real arm, which no physics engine replays'):
        replay(told(path, tmp_path / 'real', engine=NO_ENGINE))


def test_versions_that_name_no_engine_are_of_pybullet():
    assert recorded(versions('none')) == recorded(()) == PYBULLET
    assert recorded(versions('none', MUJOCO)) == MUJOCO
    assert recorded(versions('none', NO_ENGINE)) == NO_ENGINE


def test_tasks_with_matter_are_refused_by_name_before_anything_is_played():
    assert {name for name in catalogue.tasks() if {'beads', 'dirt'} & set(catalogue.task(name).needs)} == MATTER.keys()
    for name, what in MATTER.items():
        catalogue.check_needs(name, engine=PYBULLET)
        with pytest.raises(NeedError, match=f'{name} needs {what}, which the engine mujoco does not have'):
            planned(Asked('still', name, SEEDS, engine=MUJOCO))
    with pytest.raises(NeedError, match='vlmbench/pour needs beads, vlmbench/wipe needs dirt, which the engine mujoco'):
        generation(catalogue.chosen('vlmbench'), '0:1', engine=MUJOCO).check()


@pytest.mark.parametrize(
    'name', ['evaluate --policy still --seeds 0:1 --out r.json --tasks', 'generate --seeds 0:1 --out d --tasks', 'run --task']
)
def test_commands_refuse_what_an_engine_lacks_and_engines_that_do_not_exist(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for more, words in ((['vlmbench/wipe', '--engine', 'mujoco'], 'needs dirt'), ([TASK, '--engine', 'mujuco'], 'Did you mean mujoco')):
        result = CliRunner().invoke(app, [*name.split(), *more], env={'COLUMNS': '400', 'TERM': 'dumb'})
        assert (result.exit_code, words in result.stderr) == (2, True), result.output
    assert not list(tmp_path.iterdir())
