"""Tasks, a robot, cameras and shapes of an extension over ROS: bit by bit as in one process."""

from pathlib import Path

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_sim.bags.reader import open_bag, report, state_hashes
from vlm_bench_sim.extensions import PATH
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.replay import replay
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

pytestmark = pytest.mark.ros
SEED = 3


@pytest.mark.parametrize('task', ['kitchen/pack', pytest.param('kitchen/tidy', marks=pytest.mark.long)])
def test_the_expert_solves_it_with_its_robot_seen_by_its_cameras(start_bench, domains, tmp_path, monkeypatch, task):
    monkeypatch.setenv(PATH, str(Path(__file__).parents[1] / 'acme_bench'))
    here = Bench('acme_arm')
    alone = here.run(catalogue.build(task, 'seen', SEED), Oracle())
    here.close()
    seen = {'cameras': 'acme:wrist', 'width': 64, 'height': 48}
    with start_bench(domain=domains(), task=task, policy='oracle', record=str(tmp_path), **seen) as bench:
        bench.begin(seed=SEED)
        bench.report(seconds=90)
        bench.wait(lambda: [path for path in tmp_path.iterdir() if not path.name.startswith('.')], 'the bag')
    (path,) = (path for path in tmp_path.iterdir() if not path.name.startswith('.'))
    bag = open_bag(path)
    assert report(bag).verdict == alone.report.verdict.code == 1
    assert list(state_hashes(bag)) == list(alone.hashes) and replay(path).same
    assert [word.partition('=')[0] for word in report(bag).versions if word.startswith('extension')] == ['extension:acme_bench']
    assert bag.topics['/cameras/wrist/color/image_raw/compressed'].count > len(alone.hashes) // 4
