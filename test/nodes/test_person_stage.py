"""The stage on a real arm: which requests make it ask a person."""

from types import SimpleNamespace

import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import INCORRECT_STATE
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.person_stage_node import PENDING, PersonStageNode

pytestmark = pytest.mark.ros


def test_a_request_that_was_turned_away_asks_nobody_when_it_is_repeated_later(monkeypatch):
    """Calls are repeated until they are answered, so the old request can arrive once more when the node is ready for the new one."""
    stage, asked, lacks = object.__new__(PersonStageNode), [], ['monitor_node has not subscribed yet.']
    stage._token, stage._code, stage._text, stage._turned_away = '', PENDING, '', {}
    monkeypatch.setattr(stage, '_missing', lambda _: lacks[0] if lacks else '')
    monkeypatch.setattr(stage, '_ask', lambda _, token: (asked.append(token), setattr(stage, '_token', token)))

    def serve(token):
        result = SimpleNamespace(result=0, error_message='')
        request = SimpleNamespace(token=token, participants=['monitor_node'], scene=codec.dumps(Scene(())))
        return stage._serve(request, SimpleNamespace(result=result)).result.result

    assert serve('old') == INCORRECT_STATE
    lacks.clear()
    assert serve('old') == INCORRECT_STATE
    assert (serve('new'), serve('old'), serve('new')) == (PENDING, INCORRECT_STATE, PENDING)
    assert asked == ['new']
