"""A perturbed bench over DDS does, period by period and bit by bit, what it does in one process, and says what was perturbed."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

import numpy as np

from vlm_bench_sim.bags.reader import events, open_bag, report, state_hashes
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.noise import strayed
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.replay import replay
from vlm_bench_tasks.judging.messages import read_event
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

pytestmark = [pytest.mark.ros, pytest.mark.slow]
INVALID_PERTURBATION = 106  # of vlm_bench_msgs/StartEpisode
SEED = 14  # the oracle loses what it holds twice, and succeeds all the same
PERTURB = 'pixel_noise=3,depth_noise=0.003,action_noise=0.0025,drop_rate=0.2,camera_position=0.01,camera_angle=0.02'
PERTURBATIONS = [
    'pixel_noise=3 of 255', 'depth_noise=0.003 m', 'action_noise=0.0025 m', 'drop_rate=0.2 1/s',
    'camera_position=0.01 m', 'camera_angle=0.02 rad',
]  # fmt: skip
DEPTH = '/cameras/front/aligned_depth_to_color/image_raw'
CAMERA = {'cameras': 'vlmbench:front', 'width': 64, 'height': 48}


class Watched:
    """Keeps what was told of, and what the camera saw at one period."""

    def __init__(self, bench) -> None:
        self.bench, self.events, self.depth = bench, [], None

    def period(self, snapshot) -> None:
        if snapshot.seq == 20:
            self.depth = self.bench.pictures(snapshot)['front'].depth

    def event(self, event) -> None:
        self.events.append((event.seq, event.kind, event.text))


@pytest.fixture(scope='module')
def alone():
    """The run in this process."""
    episode = catalogue.perturbed(catalogue.build('vlmbench/pick_place', 'seen', SEED), catalogue.perturbation([PERTURB]))
    bench = Bench(**CAMERA)
    seen = Watched(bench)
    run = bench.run(episode, policy('oracle'), seen)
    camera = strayed(bench.cameras[0], episode.seeded_perturbation)
    bench.close()
    return run, seen, camera


@pytest.mark.timeout(300)
def test_a_perturbed_episode_is_the_same_over_ros_and_in_process(start_bench, domains, tmp_path, alone):
    run, seen, camera = alone
    with start_bench(domain=domains(), policy='oracle', seed=SEED, perturb=PERTURB, record=str(tmp_path), **CAMERA) as bench:
        bench.begin(seed=SEED)
        told = bench.report(seconds=120)
        bench.wait(lambda: [path for path in tmp_path.iterdir() if not path.name.startswith('.')], 'the bag')
    bag = open_bag(next(tmp_path.iterdir()))
    assert list(state_hashes(bag)) == list(run.hashes)
    assert replay(bag.path).same
    assert (told.verdict, told.seq, told.reward) == (run.report.verdict.code, run.report.seq, run.report.reward)
    assert told.score == report(bag).score == run.report.score
    assert told.drops == run.report.drops == 2
    assert list(told.perturbations) == list(report(bag).perturbations) == list(run.report.perturbations) == PERTURBATIONS
    assert bag.custom['perturbations'] == '; '.join(PERTURBATIONS)

    mishaps = [(event.seq, event.kind, event.text) for event in map(read_event, events(bag)) if event.kind >= EventKind.DROPPED]
    assert sorted(mishaps) == sorted(event for event in seen.events if event[1] >= EventKind.DROPPED)
    assert sum(kind is EventKind.DROPPED for _, kind, _ in mishaps) == 2
    again = judge(bag_path(tmp_path))
    assert again.agrees and again.report.drops == 2

    frames = fields.read_transforms(next(message for _, _, message in bag.messages(names.TF_STATIC.name)))
    assert frames[camera.frame] == ('world', camera.pose), 'the frames say where the camera really is'
    first = next(stamp for _, stamp, _ in bag.messages(names.WORLD_STATE.name))
    depth = next(message for _, stamp, message in bag.messages(DEPTH) if stamp == first + 20 * PERIOD_NS)
    assert np.abs(fields.read_image(depth) - seen.depth * 1000.0).max() <= 0.5001, 'noise and all'


def bag_path(folder):
    return next(path for path in folder.iterdir() if not path.name.startswith('.'))


def test_a_perturbation_is_asked_for_with_the_episode_or_refused(bench):
    """A bench that was started without one runs one with it, and the next without it again."""
    wrong = {
        '{"is":"Perturbation","drop_rate":2}': 'drop_rate',
        '{"is":"Pose"}': 'Perturbation',
        'pixel': 'JSON',
        '{"is":[]}': 'unhashable',
    }
    for text, says in wrong.items():
        answer = bench.client.ask(names.START_EPISODE, {'perturbation': text})
        assert answer.result.result == INVALID_PERTURBATION and says in answer.result.error_message
    plain = bench.now
    bench.begin(perturbation=dumps(Perturbation(table_height=0.05, distractors=2)))
    harder = bench.now
    assert set(harder.bodies) - set(plain.bodies) == {'distractor_1', 'distractor_2'}
    shifts = {name: harder.pose(name).position[2] - plain.pose(name).position[2] for name in plain.bodies}
    assert len({round(shift, 3) for shift in shifts.values()}) == 1 and 0.001 < abs(next(iter(shifts.values()))) <= 0.05
    assert list(bench.stop_episode().perturbations) == ['distractors=2 props', 'table_height=0.05 m']
    bench.begin()
    assert bench.now.bodies == plain.bodies
    assert list(bench.stop_episode().perturbations) == []
