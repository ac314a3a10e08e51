"""evaluate --policy ros: a node that somebody runs is scored as the same policy is in process, and one that says nothing fails."""

import subprocess
import sys
from pathlib import Path

import pytest
from running_bench import VLM_BENCH, ros_environment

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.cli.options import out
from vlm_bench_tasks.console import scoring
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.evaluation.compare import compared
from vlm_bench_tasks.evaluation.evaluate import evaluated
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.report import EvaluationReport

pytestmark = [pytest.mark.ros, pytest.mark.timeout(400)]

POLICIES = Path(__file__).parents[1] / 'evaluation'
TASK = 'vlmbench/pick_place'
SEEDS = range(100_000, 100_002)


def evaluate(report, environment, *words):
    command = [*VLM_BENCH, 'evaluate', '--policy', 'ros', '--tasks', TASK, '--axis', 'color', '--out', str(report), *words]
    done = subprocess.run(command, cwd=POLICIES.parents[1], env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return EvaluationReport.load(report)


def test_a_node_is_scored_as_the_same_policy_is_in_process(domains, tmp_path, monkeypatch):
    environment = ros_environment(domains())
    words = ('-p', 'policy:=moody:Reaches', '-p', 'cameras:=none')
    node = subprocess.Popen(
        [sys.executable, '-m', 'vlm_bench_tasks.nodes.policy_node', '--ros-args', *words], cwd=POLICIES, env=environment
    )
    try:
        recorded = ('--record', str(tmp_path / 'bags'))
        over_ros = evaluate(tmp_path / 'ros.json', environment, '--seeds', f'{SEEDS.start}:{SEEDS.stop}', *recorded)
    finally:
        node.kill()
        node.wait()
    monkeypatch.chdir(POLICIES)
    here = evaluated(planned(Asked('moody:Reaches', TASK, SEEDS, axis='color')), tmp_path / 'here.json', processes=1)
    assert (over_ros.isolation, here.isolation) == ('domain', 'none')
    assert over_ros.overall.causes == {'stopped': len(SEEDS)}
    # Only the last report reaches whoever scores over ROS: neither states nor rewards on the way are known.
    known = [[e.model_copy(update={'state_hash': '', 'trend': None}) for e in report.episodes] for report in (over_ros, here)]
    assert known[0] == known[1]
    assert {e.trend for e in over_ros.episodes} == {None}
    assert over_ros.decides == here.decides
    assert compared(over_ros, here)[-1].pairs.total == len(SEEDS)
    bags = [judge(tmp_path / 'bags' / name) for name in over_ros.circumstances.bags]
    assert [(bag.episode.seed, bag.agrees) for bag in bags] == [(seed, True) for seed in SEEDS]
    assert [bag.hashes[bag.report.seq] for bag in bags] == [episode.state_hash for episode in here.episodes]


@pytest.mark.long
def test_where_nobody_plays_each_episode_is_a_failure_for_silence(domains, tmp_path):
    report = evaluate(tmp_path / 'ros.json', ros_environment(domains()), '--seeds', '0:1', '--answer-timeout', '8')
    assert report.overall.causes == {'policy_timeout': 1}


def test_what_a_node_cannot_have_is_said(tmp_path):
    asked = Asked('ros', TASK, range(1), axis='color')
    with pytest.raises(ConfigError, match='plays one episode at a time; 2 workers were requested'):
        scoring.score(asked, tmp_path / 'report.json', 2, out)
