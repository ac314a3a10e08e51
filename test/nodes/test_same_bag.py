"""A bag that was recorded over DDS and one that was generated in process hold the same of the same episode, topic by topic."""

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from vlm_bench_sim.bags.definitions import deserialise, store
from vlm_bench_sim.bags.reader import events, open_bag, state_hashes
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.ros import names
from vlm_bench_tasks.dataset.demonstration import Order, demonstrate
from vlm_bench_tasks.dataset.exports.frames import Wish, frames
from vlm_bench_tasks.dataset.generation import generation
from vlm_bench_tasks.judging.messages import read_event

pytestmark = [pytest.mark.ros, pytest.mark.slow]
SEED = 3
CAMERAS = 'vlmbench:front,wrist'
OWN = ('token', 'isolation', 'signed')
"""What differs by nature: over ROS the token is drawn anew, a policy is kept from the truth by names, and a bench may have a key."""
LABELS = (EventKind.WAYPOINT, EventKind.SKILL_BEGUN, EventKind.SKILL_ENDED)
AGAIN = {row.name for row in (names.CLOCK, names.JOINT_STATES, names.TF, names.TCP_POSE, names.TICK, names.STATUS)}
"""What is told again of the first period where a part of the bench gets no time."""


@pytest.fixture(scope='module')
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp('generated')
    asked = generation(['vlmbench/pick_place'], str(SEED), axis='color', cameras=CAMERAS, size='64x48')
    return open_bag(folder / demonstrate(Order(asked.trials()[0], asked, folder)).row.bag)


@pytest.fixture(scope='module')
def recorded(start_bench, module_domain, tmp_path_factory):
    folder = tmp_path_factory.mktemp('recorded')
    options = {'policy': 'oracle', 'seed': SEED, 'record': str(folder), 'cameras': CAMERAS, 'width': 64, 'height': 48}
    with start_bench(domain=module_domain, **options) as bench:
        bench.begin(seed=SEED)
        bench.report(seconds=120)
        bench.wait(lambda: [path for path in folder.iterdir() if not path.name.startswith('.')], 'the bag')
    return open_bag(next(path for path in folder.iterdir() if not path.name.startswith('.')))


def test_the_topics_their_types_and_their_qos_are_the_same(generated, recorded):
    about = [{topic.name: (topic.type, topic.hash, topic.qos) for topic in bag.topics.values()} for bag in (generated, recorded)]
    assert about[0] == about[1]


def number(bag, topic):
    """How many messages there are on a topic; what is told again counts once."""
    if topic.name == names.STATUS.name:
        return len({(message.seq, message.state) for _, _, message in bag.messages(topic.name)})
    return len({raw.stamp_ns for raw in bag.raw(topic.name)}) if topic.name in AGAIN else topic.count


def test_there_are_as_many_messages_on_each_topic_but_pictures_and_aids(generated, recorded):
    counts = [
        {
            topic.name: number(bag, topic)
            for topic in bag.topics.values()
            if not topic.name.startswith('/cameras/') and topic.name != names.EVENTS.name
        }
        for bag in (generated, recorded)
    ]
    assert counts[0] == counts[1]
    assert {names.WORLD_STATE.name, names.COMMANDED.name, names.APPLIED.name, names.RUNNING_REPORT.name} <= counts[0].keys()


def test_the_expert_tells_the_same_steps_and_skills_and_uses_the_same_aids(generated, recorded):
    """Over ROS an aid is told of with each plan that uses it, in process once."""
    told = [[read_event(message) for message in events(bag)] for bag in (generated, recorded)]
    for kind in (EventKind.WAYPOINT, EventKind.SKILL_BEGUN, EventKind.SKILL_ENDED):
        ours, theirs = ([(event.seq, event.text) for event in one if event.kind is kind] for one in told)
        assert ours == theirs and ours, kind
    others = [{(event.kind, event.text) for event in one if event.kind not in LABELS} for one in told]
    assert others[0] == others[1] == {(EventKind.ASSISTANCE, 'truth')}


@pytest.mark.parametrize('camera', CAMERAS.partition(':')[2].split(','))
def test_the_pictures_of_key_steps_are_the_same(generated, recorded, camera):
    for row in (row.camera(camera) for row in names.KEY_STEP_NAMES):
        ours, theirs = taken(generated, row), taken(recorded, row)
        assert ours == theirs and len(ours) == 1, row.name


def test_the_metadata_has_the_same_keys_and_values(generated, recorded):
    about = [{key: value for key, value in bag.custom.items() if key not in OWN} for bag in (generated, recorded)]
    assert about[0] == about[1] and about[0]['state_hash']
    assert set(recorded.custom) - set(generated.custom) == {'signed'}, 'messages in one process have no signature'
    assert set(generated.custom) <= set(recorded.custom)
    assert (generated.custom['isolation'], recorded.custom['isolation']) == ('none', 'names')


def test_every_period_has_the_same_state(generated, recorded):
    assert state_hashes(generated) == state_hashes(recorded)


def taken(bag, row):
    """The messages of a camera's topic by control period, written anew: DDS leaves in the gaps what stood there before."""
    return {
        raw.stamp_ns // PERIOD_NS - 1: bytes(store().serialize_cdr(deserialise(raw.type, raw.data), raw.type)) for raw in bag.raw(row.name)
    }


@pytest.mark.parametrize('camera', CAMERAS.partition(':')[2].split(','))
def test_pictures_are_the_same_and_over_ros_there_is_one_more_wherever_the_world_waits(generated, recorded, camera):
    """A world that waits for the next command shows who listens one fresh picture, and so does one whose episode is over."""
    waits = {message.seq for _, _, message in recorded.messages(names.COMMANDED.name)} | {len(state_hashes(recorded)) - 1}
    for row in (row for row in names.picture_names(camera) if row.recorded):
        ours, theirs = taken(generated, row), taken(recorded, row)
        assert list(ours) == list(range(0, len(state_hashes(generated)), 2)), row.name
        assert ours.items() <= theirs.items(), row.name
        assert theirs.keys() - ours.keys() <= waits, row.name


def test_exports_hold_the_same_of_cameras(generated, recorded):
    """Poses and intrinsics are those that were told over ROS, and each depth is that of its picture."""
    ours, theirs = (frames(bag.path, Wish(depth=True)) for bag in (generated, recorded))
    assert ours.columns.keys() == theirs.columns.keys() >= {'camera_pose.front', 'camera_pose.wrist'}
    assert all(np.array_equal(values, theirs.columns[name]) for name, values in ours.columns.items())
    for camera in ('front', 'wrist'):
        assert np.array_equal(ours.intrinsics[camera], theirs.intrinsics[camera])
        assert all(np.array_equal(a, b) for a, b in zip(ours.depths[camera], theirs.depths[camera], strict=True))
    often = frames(recorded.path, Wish(fps=20, depth=True))
    assert len(often.depths['wrist']) == len(often)
