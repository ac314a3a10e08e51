"""`vlm-bench record` beside a bench that runs already: it takes part from the next episode on, and its bag is as good as any."""

import signal

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from test_up import Up, assert_gone, bags
from typer.testing import CliRunner

from vlm_bench_sim.bags.choice import ALWAYS
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.ros import names
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.dataset.judge import judge

pytestmark = pytest.mark.ros
SUCCESS = 1


@pytest.fixture(scope='module')
def solving(start_bench, module_domain):
    """A bench with the expert and a camera that nobody records."""
    with start_bench(domain=module_domain, policy='oracle', cameras='vlmbench:front', width=64, height=48) as bench:
        bench.client.listen(names.ACK)
        yield bench


@pytest.fixture
def bench(solving):
    """It, with nothing heard of the episodes before."""
    solving.check()
    solving.forget()
    return solving


def recorded_whole(bench, late, folder):
    """The bag of the first episode in which a recorder that came later took part from the beginning."""
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
    (bag,) = [bag for bag in map(open_bag, bags(folder)) if bag.custom['token'] == bench.token]
    return bag


def test_a_recorder_that_comes_later_records_the_next_episode_whole(bench, tmp_path):
    folder = tmp_path / 'bags'
    late = Up(bench.domain, tmp_path, str(folder), '--cameras', 'vlmbench:front', '--leave-out', 'boxes', command='record')
    try:
        bag = recorded_whole(bench, late, folder)
        code, seconds = late.send(signal.SIGINT)
        bench.begin()
        bench.wait(lambda: len(bench.ticks) > 10, 'an episode that does not wait for who has left')
    finally:
        late.close()
    assert code == 0
    assert_gone(late, seconds)
    judgement = judge(bag.path)
    assert judgement.agrees and judgement.report.verdict.value == 'success'
    topics = bag.topics
    assert names.COLOR_JPEG.camera('front').name in topics and names.BOXES.camera('front').name not in topics


@pytest.mark.long
def test_a_recorder_keeps_the_topics_and_the_pictures_a_second_that_it_is_asked_for(bench, tmp_path):
    folder, jpegs = tmp_path / 'bags', names.COLOR_JPEG.camera('front').name
    choice = ('--topics', '/cameras/*,/joint_states', '--leave-out', 'depth', '--rate', '5')
    late = Up(bench.domain, tmp_path, str(folder), '--cameras', 'vlmbench:front', *choice, command='record')
    try:
        bag = recorded_whole(bench, late, folder)
    finally:
        late.close()
    assert judge(bag.path).agrees
    rows = (names.COLOR_JPEG, names.COLOR_INFO, names.SEGMENTATION, names.LABELS, names.BOXES, *names.KEY_STEP_NAMES)
    wanted = {row.camera('front').name for row in rows}
    assert set(bag.topics) - {row.name for row in ALWAYS} == {*wanted, '/joint_states'}
    shown = [(stamp - bag.start_ns) // PERIOD_NS for _, stamp, _ in bag.messages(jpegs)]
    periods = {stamp for _, stamp, _ in bag.messages('/joint_states')}  # the first is told again where a node gets no time
    assert shown == list(range(0, len(periods), 4))
    assert bag.topics[names.SEGMENTATION.camera('front').name].count == bag.topics[names.BOXES.camera('front').name].count == len(shown)
    assert [bag.topics[row.camera('front').name].count for row in names.KEY_STEP_NAMES] == [1, 1], 'whatever the rate is'


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (('--cameras', 'vlmbunch'), 'vlmbench'),
        (('--robot', 'pandu'), 'panda'),
        (('--topics', '/joint_state'), '/joint_states'),
        (('--leave-out', 'boxen'), 'boxen'),
        (('--rate', '15'), 'rate of 15'),
    ],
)
def test_what_does_not_exist_is_said_before_anything_starts(words, told, tmp_path):
    result = CliRunner().invoke(app, ['record', str(tmp_path / 'bags'), *words])
    assert result.exit_code == 2
    assert told in result.stderr and 'starting' not in result.stdout
    assert not (tmp_path / 'bags').exists()


def test_a_folder_that_cannot_be_written_is_said_at_once(domains, tmp_path):
    (tmp_path / 'file').write_text('')
    late = Up(domains(), tmp_path, str(tmp_path / 'file' / 'bags'), command='record')
    try:
        assert late.process.wait(30) == 2
        assert 'error: Bags cannot be recorded in' in late.output and 'starting' not in late.output
    finally:
        late.close()
