"""The expert's word beside another policy's deed, from the states that the policy reaches, and nothing else changed by it."""

from pathlib import Path

import pytest

from test.plays import Scripted, bench, episode
from vlm_bench_sim.bags.reader import events, open_bag
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.command import Stop, ToolPose, Wait
from vlm_bench_sim.core.errors import BagError, VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.dataset.waypoints import advice
from vlm_bench_tasks.policies.adviser import Adviser
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext

AWAY = ToolPose(Pose((0.35, -0.3, 0.35), (1.0, 0.0, 0.0, 0.0)))


class Follows(Scripted):
    """Does what it was advised, one turn late, as a policy that has learned well would."""

    def __init__(self, told) -> None:
        super().__init__()
        self._told = told

    def act(self, observation):
        return self._told()


class Heeded(Adviser):
    """Keeps its last word."""

    def advise(self, observation):
        self.word = super().advise(observation)
        return self.word


@pytest.fixture(scope='module')
def strayed(tmp_path_factory):
    """An episode of a policy that goes astray with closed fingers, beside an adviser."""
    recorder = Recorder(bench(), episode(), folder=tmp_path_factory.mktemp('bags'))
    run = bench().run(episode(), Scripted(Wait(0.1), AWAY, Grip(0.0)), recorder, adviser=Adviser())
    return run, recorder.close(run.report)


def test_each_command_of_the_policy_has_the_experts_word_beside_it(strayed):
    run, path = strayed
    (at_first, first), (waited, again), (away, astray), (closed, shut) = advice(path)
    assert (at_first, waited) == (0, 2) and waited < away < closed
    assert isinstance(first, ToolPose) and first.pose.distance(again.pose) < 1e-4, 'nothing has changed'
    assert isinstance(astray, (ToolPose, Grip)) and not isinstance(shut, Stop)
    assert closed <= run.report.seq


def test_a_word_changes_nothing_of_the_episode(strayed):
    run, path = strayed
    alone = bench().run(episode(), Scripted(Wait(0.1), AWAY, Grip(0.0)))
    assert (run.hashes, run.report) == (alone.hashes, alone.report)
    assert run.report.assistance == (), 'the policy was told nothing'
    assert judge(path).agrees


def test_who_does_what_it_is_told_solves_the_episode():
    adviser = Heeded()
    player = Follows(lambda: adviser.word)
    player.privileged = True  # so that paths keep clear of props, as the expert's do
    assert bench().run(episode(), player, adviser=adviser).report.verdict is Verdict.SUCCESS


def test_an_expert_alone_has_no_adviser(tmp_path):
    recorder = Recorder(bench(), episode(), folder=tmp_path)
    run = bench().run(episode(), Oracle(), recorder)
    path = recorder.close(run.report)
    assert advice(path) == ()
    assert EventKind.WAYPOINT in {event.kind for event in events(open_bag(path))}


def test_an_adviser_must_know_the_scene():
    with pytest.raises(VlmBenchError, match='received none of them'):
        Adviser().reset(EpisodeContext('a sentence', robot('panda')))
    with pytest.raises(BagError, match='/nowhere'):
        advice(Path('/nowhere'))
