"""Who joins the barrier is ready for the episode that then begins."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_sim.ros import names

pytestmark = pytest.mark.ros
INCORRECT_STATE = 3


def test_what_needs_the_episode_joins_only_once_it_knows_who_describes_it(start_bench, domains):
    """Else an episode could begin that they do not hear of, and the world would wait for them until they count as silent."""
    needing = ('aid_node', 'monitor_node')
    bench = start_bench(domain=domains(), only=('sim_node', 'arm_node', *needing), assist='subgoals')
    bench.client.listen(names.TICK, names.WORLD_STATE, names.STATUS)

    def absent(*participants):
        load = {'scene': '{"is":"Scene","props":[]}', 'token': 'never', 'participants': participants}
        answer = bench.client.ask(names.LOAD_SCENE, load, again=True).result
        return [name for name in participants if answer.result == INCORRECT_STATE and name in answer.error_message]

    bench.wait(lambda: 'arm_node' not in absent(*needing, 'arm_node'), 'the arm node, which needs no episode')
    assert absent(*needing) == [*needing]
    bench.start('task_node')
    bench.begin(seed=1)
    bench.check()
