"""The reporter on its own: what it says where nothing is to be seen."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_sim.ros import names

pytestmark = pytest.mark.ros


@pytest.mark.slow
def test_a_camera_that_shows_nothing_is_named(start_bench, domains, monkeypatch):
    monkeypatch.setenv('VLM_BENCH_VLM_BASE_URL', 'http://127.0.0.1:9')
    monkeypatch.setenv('VLM_BENCH_VLM_MODEL', 'small')
    settings = {'policy': 'agents', 'reporter': 'vision', 'cameras': 'lohoravens', 'reporter_camera': 'left'}
    bench = start_bench(domain=domains(), only=['reporter_node'], **settings)
    bench.client.listen(names.AGENT_REPORT)
    bench.client.say(names.EPISODE, {'token': 'dark'})
    bench.wait(lambda: bench.client.heard(names.AGENT_REPORT), 'the report')
    (said,) = bench.client.heard(names.AGENT_REPORT)
    assert (said.token, said.number, said.problem[0].fault) == ('dark', 0, 'empty')
    assert "The camera 'left' sent nothing new in 10 s" in said.problem[0].text
