"""Which report `vlm-bench up` takes for that of the episode which it was started with."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from policy_client import PolicyClient

from vlm_bench_sim.ros import names
from vlm_bench_tasks.launching.listener import listener

pytestmark = pytest.mark.ros
WANTED = '{"it": "is this one"}'
SUCCESS = 1


@pytest.fixture
def told(domains, monkeypatch):
    """A listener that waits for an episode, and what tells it of episodes and reports, at once."""
    domain = domains()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    with listener(scored=False, wanted=WANTED) as ear:
        client = PolicyClient(domain)

        def tell(row, seen, **content):
            client.say(row, content)
            client.wait(lambda: ear.spin(0.01) or seen(), f'{content} to be heard')

        yield ear, tell
        client.close()


def test_an_episode_that_is_begun_again_does_not_stand_for_the_first(told):
    ear, tell = told
    tell(names.EPISODE_TRUTH, lambda: 'first' in ear._tokens, token='first', episode=WANTED)
    assert not ear.overtaken(0.0)
    tell(names.EPISODE_TRUTH, lambda: ear.overtaken(0.0), token='again', episode=WANTED)
    assert not ear.overtaken(60.0), 'the report of the first may be on its way'
    tell(names.REPORT, lambda: ear.begun, token='again', verdict=SUCCESS)
    assert ear.report is None
    tell(names.REPORT, lambda: ear.report is not None, token='first', verdict=2)
    assert (ear.report.token, ear.overtaken(0.0)) == ('first', False)
