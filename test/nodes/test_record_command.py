"""`vlm-bench record` beside a bench that runs already: it takes part from the next episode on, and its bag is as good as any."""

import signal

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from test_up import Up, assert_gone, bags

from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.ros import names
from vlm_bench_tasks.dataset.judge import judge

pytestmark = pytest.mark.ros
SUCCESS = 1


def test_a_recorder_that_comes_later_records_the_next_episode_whole(start_bench, domains, tmp_path):
    domain, folder = domains(), tmp_path / 'bags'
    with start_bench(domain=domain, policy='oracle', cameras='vlmbench:front', width=64, height=48) as bench:
        bench.client.listen(names.ACK)
        late = Up(domain, tmp_path, str(folder), '--cameras', 'vlmbench:front', '--leave-out', 'boxes', command='record')
        try:
            late.wait(lambda: 'starting recorder_node' in late.output, 'the recorder is started')
            bench.wait(lambda: 'recorder_node' in bench.client.nodes[0].get_node_names(), 'the recorder')
            takes_part = False
            while True:  # one that joins in the middle of an episode has but its end
                bench.begin(seed=3)
                assert bench.report(seconds=60).verdict == SUCCESS
                if takes_part:
                    break
                acked = {ack.participant for ack in bench.client.heard(names.ACK) if ack.token == bench.token}
                takes_part = 'recorder_node' in acked
                bench.forget()
            late.wait(lambda: any(open_bag(path).custom['token'] == bench.token for path in bags(folder)), 'the bag')
            code, seconds = late.send(signal.SIGINT)
        finally:
            late.close()
    assert code == 0
    assert_gone(late, seconds)
    (bag,) = [path for path in bags(folder) if open_bag(path).custom['token'] == bench.token]
    judgement = judge(bag)
    assert judgement.agrees and judgement.report.verdict.value == 'success'
    topics = open_bag(bag).topics
    assert names.COLOR_JPEG.camera('front').name in topics and names.BOXES.camera('front').name not in topics


def test_a_folder_that_cannot_be_written_is_said_at_once(domains, tmp_path):
    (tmp_path / 'file').write_text('')
    late = Up(domains(), tmp_path, str(tmp_path / 'file' / 'bags'), command='record')
    try:
        assert late.process.wait(30) == 2
        assert 'error: Bags were to be recorded in' in late.output and 'starting' not in late.output
    finally:
        late.close()
