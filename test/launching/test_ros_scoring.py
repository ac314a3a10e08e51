"""How an evaluation over ROS begins its episodes."""

from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks.evaluation.plan import ROS
from vlm_bench_tasks.launching import ros_scoring
from vlm_bench_tasks.trial import Trial

TRIAL = Trial('vlmbench/pick_place', '', 'seen', 0, 'panda', ROS)
OK, NOT_FOUND, JUST_SET_UP, NOT_JOINED = 1, 2, 3, 105


class Bench:
    """Answers one request after the other."""

    def __init__(self, *results):
        self.left, self.ear = list(results), self

    def answers(self):
        return _done(None)

    def begin(self, _asked):
        result = SimpleNamespace(result=self.left.pop(0), error_message='no')
        return _done(SimpleNamespace(result=result, token='it'))

    def lost(self):
        return ''

    def spin(self):
        pass


def _done(value):
    future = Future()
    future.set_result(value)
    return future


def test_it_waits_for_a_node_that_has_not_joined_and_for_an_episode_that_a_policy_has_begun():
    bench = Bench(NOT_JOINED, JUST_SET_UP, JUST_SET_UP, OK)
    assert ros_scoring._begun(TRIAL, bench) == 'it'
    assert not bench.left


def test_it_does_not_ask_again_for_what_cannot_be(monkeypatch):
    with pytest.raises(VlmBenchError, match='no'):
        ros_scoring._begun(TRIAL, Bench(NOT_FOUND, OK))
    monkeypatch.setattr(ros_scoring, 'READY_S', 0.0)
    with pytest.raises(VlmBenchError, match='no'):
        ros_scoring._begun(TRIAL, Bench(JUST_SET_UP, JUST_SET_UP, OK))
