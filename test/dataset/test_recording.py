"""A run in process leaves the bag that a run over ROS leaves, and the bag is judged from its truth alone."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

from test.plays import Film, Scripted, bench, episode
from vlm_bench_sim.bags import reader
from vlm_bench_sim.bags.choice import ALWAYS, Choice
from vlm_bench_sim.bags.definitions import type_hash
from vlm_bench_sim.bags.metadata import qos
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.errors import BagError, ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import state_hash
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.dataset import judge as judging
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.judging.messages import read_report, report_fields
from vlm_bench_tasks.judging.report import NOT_SAID
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench


class Played:
    """An episode with the bag that was written of it."""

    def __init__(self, ours, of, player, folder) -> None:
        recorder = Recorder(ours, of, folder=folder)
        self.film = Film()
        self.run = ours.run(of, player, recorder, self.film)
        self.path = recorder.close(self.run.report)
        self.bag = open_bag(self.path)
        self.rows = {row.name: row for row in names.recorded(ours.profile, tuple(camera.name for camera in ours.cameras))}
        self.bench, self.profile = ours, ours.profile

    def newest(self, row):
        return [message for _, _, message in self.bag.messages(row.name)][-1]

    def rewritten(self, folder, *, state=None, report=None, leave_out=()):
        """The same bag with another truth (`state` changes snapshots and keeps their stored hash, or not) or another report."""
        writer = BagWriter(folder, 'again', custom=dict(self.bag.custom))
        for raw in self.bag.raw():
            row = self.rows[raw.topic]
            if raw.topic in leave_out:
                continue
            if state is not None and row == names.WORLD_STATE:
                message = reader.deserialise(raw.type, raw.data)
                snapshot, written = state(fields.read_snapshot(message), message.state_hash)
                writer.write_value(row, fields.world_state(snapshot, ns=raw.stamp_ns, token=message.token, state_hash=written))
            elif report is not None and row == names.REPORT:
                changed = report(read_report(reader.deserialise(raw.type, raw.data)))
                writer.write_value(row, report_fields(changed, raw.stamp_ns) | {'token': changed.token})
            else:
                writer.write(row, raw.data)
        return writer.close()


@pytest.fixture(scope='module')
def solved(tmp_path_factory):
    """The first episode, solved before one small camera."""
    ours = Bench(cameras='vlmbench:front', width=64, height=48)
    played = Played(ours, episode(), policy('oracle'), tmp_path_factory.mktemp('bags'))
    yield played
    ours.close()


@pytest.fixture(scope='module')
def waited(tmp_path_factory):
    """A second of waiting, without cameras."""
    return Played(bench(), episode(), Scripted(Wait(1.0)), tmp_path_factory.mktemp('bags'))


SAID_BY_AGENTS = (names.AGENT_STEP, names.AGENT_DEED, names.AGENT_REPORT, names.AGENT_COURSE)


def test_the_topics_are_those_of_the_table_with_their_types_and_qos(solved):
    """All that a bag over ROS holds but what only somebody else's policy makes anyone say, and what only realtime or a real arm knows."""
    unsaid = (names.arm_names(solved.profile)[1], names.DELTA_TWIST, names.POSE_TARGET, names.SERVO_STATUS, names.LAG)
    unsaid += (names.QUESTION, names.ANSWER, names.TRACKED, names.STAND_IN_STATE, *SAID_BY_AGENTS)
    assert {name: topic.type for name, topic in solved.bag.topics.items()} == {
        row.name: row.type for row in solved.rows.values() if row not in unsaid
    }
    for name, topic in solved.bag.topics.items():
        assert topic.hash == type_hash(topic.type)
        assert list(topic.qos) == yaml.safe_load(qos(solved.rows[name]))
        assert (topic.qos[0]['durability'] == 'transient_local') == solved.rows[name].latched


def test_there_is_one_message_a_period_of_what_is_told_once_a_period(solved):
    periods = len(solved.run.hashes)
    once = (names.CLOCK, names.JOINT_STATES, names.TF, names.TCP_POSE, names.WORLD_STATE, names.TICK, names.RUNNING_REPORT)
    assert {row.name: solved.bag.topics[row.name].count for row in once} == {row.name: periods for row in once}
    pictures = [row for row in solved.rows.values() if row.name.startswith('/cameras/') and not (row.latched or row.occasional)]
    assert {solved.bag.topics[row.name].count for row in pictures} == {(periods + 1) // 2}
    latched = [row.name for row in solved.rows.values() if row.latched and row not in (names.STATUS, names.QUESTION, *SAID_BY_AGENTS)]
    assert {name: solved.bag.topics[name].count for name in latched} == dict.fromkeys(latched, 1)


def test_the_truth_channel_gives_every_snapshot_back_to_the_last_bit(solved):
    assert list(reader.snapshots(solved.bag)) == solved.film.snapshots
    assert reader.state_hashes(solved.bag) == solved.run.hashes


def test_the_bag_says_what_it_holds(solved):
    custom = solved.bag.custom
    told = {
        'task': 'vlmbench/pick_place',
        'split': 'seen',
        'seed': '0',
        'axis': 'color',
        'revision': str(episode().revision),
        'robot': 'panda',
    }
    assert told.items() <= custom.items()
    assert custom['instruction'] == custom['lerobot.operator_prompt'] == episode().instruction.text
    assert (custom['verdict'], custom['cause'], custom['assistance'], custom['isolation']) == ('success', '', 'truth', 'none')
    assert custom['versions'].split()[0].startswith('vlm_bench=')
    assert custom['renderer'] not in ('', 'none')
    assert solved.path.name == f'vlmbench-pick_place_seen_0_{custom["token"][:8]}'


def test_times_are_simulated_and_begin_after_one_period(solved):
    """As over ROS, where a stamp of 0 means that there is none."""
    stamps = [stamp for _, stamp, _ in solved.bag.messages(names.WORLD_STATE.name)]
    assert stamps == [PERIOD_NS * (i + 1) for i in range(len(solved.run.hashes))]
    assert solved.bag.start_ns == PERIOD_NS
    for row in (names.JOINT_STATES, names.TCP_POSE, names.TICK, names.RUNNING_REPORT):
        messages = list(solved.bag.messages(row.name))
        assert [fields.read_stamp(message.header.stamp) for _, _, message in messages] == stamps
        assert [stamp for _, stamp, _ in messages] == stamps


def test_what_is_public_holds_neither_seed_nor_goal(solved):
    public = solved.newest(names.EPISODE)
    assert not {'seed', 'goal', 'plan', 'episode'} & set(vars(public))
    assert solved.newest(names.EPISODE_TRUTH).seed == 0
    assert (public.task, public.time_limit, public.step_limit) == ('vlmbench/pick_place', 60.0, 1200)


def test_the_running_report_ends_as_the_final_one(solved):
    running, final = (read_report(solved.newest(row)) for row in (names.RUNNING_REPORT, names.REPORT))
    assert running == final
    assert final == replace(solved.run.report, token=solved.bag.custom['token'])
    first = next(message for _, _, message in solved.bag.messages(names.RUNNING_REPORT.name))
    assert read_report(first).verdict is Verdict.RUNNING


def test_pictures_are_those_of_the_period_they_are_stamped_with(solved):
    messages = list(solved.bag.messages('/cameras/front/aligned_depth_to_color/image_raw'))
    assert [stamp for _, stamp, _ in messages[:3]] == [PERIOD_NS, 3 * PERIOD_NS, 5 * PERIOD_NS]
    for _, stamp, depth in (messages[0], messages[40]):
        drawn = solved.bench.picture(solved.bench.cameras[0], solved.film.snapshots[stamp // PERIOD_NS - 1]).depth
        assert (depth.encoding, fields.read_stamp(depth.header.stamp)) == ('16UC1', stamp)
        assert np.abs(fields.read_image(depth) - drawn * 1000.0).max() <= 0.5001
    assert (fields.read_image(messages[0][2]) != fields.read_image(messages[40][2])).sum() > 20


def test_a_bag_judged_again_gives_the_same_report(solved, waited):
    for played in (solved, waited):
        judgement = judge(played.path)
        assert judgement.agrees
        assert judgement.hashes == played.run.hashes
        assert judgement.episode == episode()
        theirs = replace(played.run.report, versions=(), token='')
        assert replace(judgement.report, versions=(), token='') == theirs
    assert judge(solved.path).report.verdict is Verdict.SUCCESS
    assert judge(waited.path).report.verdict is Verdict.FAILURE


def lifted_out(snapshot):
    """The prop of the goal one metre up, in every period."""
    name = episode().goal.prop.name
    body = snapshot.bodies[name]
    return replace(snapshot, bodies=snapshot.bodies | {name: replace(body, pose=body.pose.shifted((0.0, 0.0, 1.0)))})


def test_a_truth_that_was_changed_with_its_hashes_changes_the_verdict(solved, tmp_path):
    def forge(snapshot, _):
        moved = lifted_out(snapshot)
        return moved, state_hash(moved)

    judgement = judge(solved.rewritten(tmp_path, state=forge))
    assert judgement.recorded.verdict is Verdict.SUCCESS
    assert judgement.report.verdict is not Verdict.SUCCESS
    assert not judgement.agrees


def test_a_single_changed_pose_does_not_fit_its_hash_and_makes_the_episode_unobservable(solved, tmp_path):
    def flip(snapshot, written):
        if snapshot.seq != 60:
            return snapshot, written
        body = snapshot.bodies['object_2']
        nudged = Pose((np.nextafter(body.pose.position[0], 1.0), *body.pose.position[1:]), body.pose.orientation)
        return replace(snapshot, bodies=snapshot.bodies | {'object_2': replace(body, pose=nudged)}), written

    judgement = judge(solved.rewritten(tmp_path, state=flip))
    assert judgement.report.verdict is Verdict.UNOBSERVABLE
    assert 'period 60' in judgement.report.causes[0]
    assert not judgement.agrees


CHANGES = [{'verdict': Verdict.FAILURE}, {'reward': 0.9999999}, {'leaves': ()}]
"""A code, a number and a list."""

MORE_CHANGES = [
    {'verdict': Verdict.UNOBSERVABLE},
    {'progress': 0.5},
    {'seq': 136},
    {'assistance': ()},
    {'violations': 1},
    {'causes': ('time_limit',)},
]


@pytest.mark.parametrize(
    'change', [*CHANGES, *[pytest.param(change, marks=pytest.mark.slow) for change in MORE_CHANGES]], ids=lambda change: next(iter(change))
)
def test_a_report_that_was_changed_disagrees_and_does_not_sway_the_judge(solved, tmp_path, change):
    judgement = judge(solved.rewritten(tmp_path, report=lambda report: replace(report, **change)))
    assert judgement.report.verdict is Verdict.SUCCESS
    assert not judgement.agrees


def test_a_bag_rewritten_as_it_was_agrees(solved, tmp_path):
    assert judge(solved.rewritten(tmp_path)).agrees


def test_a_report_from_before_there_were_scores_agrees_and_one_with_another_score_does_not(solved, tmp_path):
    older, other = (
        judge(solved.rewritten(tmp_path / str(score), report=lambda report, score=score: replace(report, score=score)))
        for score in (NOT_SAID, 99.0)
    )
    assert older.agrees and not other.agrees
    assert older.report.score == other.report.score == 100.0


def test_a_bag_without_a_report_is_judged_and_agrees_with_nothing(solved, tmp_path):
    judgement = judge(solved.rewritten(tmp_path, leave_out=(names.REPORT.name,)))
    assert judgement.report.verdict is Verdict.SUCCESS
    assert judgement.recorded is None
    assert not judgement.agrees


def test_the_recorded_report_is_read_after_ours_is_made(solved, monkeypatch):
    """Neither through `reader.report` nor by reading its topic does the judge see it earlier."""
    order = []
    fold, recorded, raw = judging._fold, reader.report, reader.Bag.raw

    def folding(*arguments):
        report = fold(*arguments)
        order.append('ours')
        return report

    def reading(bag):
        order.append('theirs')
        return recorded(bag)

    def watched(bag, *topics):
        assert 'ours' in order or (topics and not {names.REPORT.name, names.RUNNING_REPORT.name} & set(topics))
        return raw(bag, *topics)

    monkeypatch.setattr(judging, '_fold', folding)
    monkeypatch.setattr(reader, 'report', reading)
    monkeypatch.setattr(reader.Bag, 'raw', watched)
    assert judge(solved.path).agrees
    assert order == ['ours', 'theirs']


def test_a_bag_without_truth_cannot_be_judged(solved, tmp_path):
    with pytest.raises(BagError, match='truth/episode'):
        judge(solved.rewritten(tmp_path, leave_out=(names.EPISODE_TRUTH.name,)))


@pytest.fixture(scope='module')
def two_cameras():
    made = Bench(cameras='vlmbench:front,wrist', width=64, height=48)
    yield made
    made.close()


def chosen(two_cameras, folder, choice):
    """A short episode with what was chosen of it."""
    recorder = Recorder(two_cameras, episode(), folder=folder, choice=choice)
    run = two_cameras.run(episode(), Scripted(Wait(1.0)), recorder)
    return recorder.close(run.report), run


def test_a_bag_holds_the_topics_and_the_pictures_that_were_chosen_and_is_judged_alike(two_cameras, tmp_path):
    choice = Choice(topics=('/cameras/front/color/*', '/joint_states', '/truth/applied'), leave_out=('camera_info',), rate=5.0)
    (few, run), (all_, _) = (chosen(two_cameras, tmp_path / name, choice) for name, choice in (('few', choice), ('all', Choice())))
    bag, whole = open_bag(few), open_bag(all_)
    said = {row.name for row in ALWAYS}
    jpegs = '/cameras/front/color/image_raw/compressed'
    assert set(bag.topics) == {jpegs, '/joint_states', '/truth/applied'} | (said & set(whole.topics))
    assert len(whole.topics) > 20 and said <= set(whole.topics)
    periods = len(run.hashes)
    assert (bag.topics[jpegs].count, whole.topics[jpegs].count) == ((periods + 3) // 4, (periods + 1) // 2)
    pictures = [{stamp: bytes(message.data) for _, stamp, message in one.messages(jpegs)} for one in (bag, whole)]
    assert pictures[0].items() <= pictures[1].items()
    assert judge(few).agrees and judge(all_).agrees
    assert judge(few).hashes == run.hashes
    assert {key: bag.custom[key] for key in bag.custom if key != 'token'} == {
        key: whole.custom[key] for key in bag.custom if key != 'token'
    }
    assert sum(file.stat().st_size for file in few.iterdir()) < sum(file.stat().st_size for file in all_.iterdir()) / 2


def test_what_no_bag_could_hold_is_refused_before_the_episode(two_cameras, tmp_path):
    with pytest.raises(ConfigError, match='Did you mean /joint_states'):
        Recorder(two_cameras, episode(), folder=tmp_path / 'new', choice=Choice(topics=('/joint_state',)))
    assert not (tmp_path / 'new').exists()


def test_a_folder_that_cannot_be_written_is_refused_before_the_episode(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(BagError, match='file'):
        Recorder(bench(), episode(), folder=tmp_path / 'file')


def test_each_picture_comes_with_the_box_of_each_thing_and_what_share_of_it_is_seen(solved):
    ids = [fields.read_image(message) for _, _, message in solved.bag.messages(names.SEGMENTATION.camera('front').name)]
    told = [message.boxes for _, _, message in solved.bag.messages(names.BOXES.camera('front').name)]
    assert len(told) == len(ids) > 10
    for picture, boxes in zip(ids, told, strict=True):
        assert {box.id: box.pixels for box in boxes} == {i: int((picture == i).sum()) for i in np.unique(picture) if i}
        for box in boxes:
            rows, columns = np.nonzero(picture == box.id)
            assert (box.x, box.y, box.x + box.width, box.y + box.height) == (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
            assert 0.0 < box.visibility <= 1.0
    hidden = [box.visibility for boxes in told for box in boxes if box.name in {prop.name for prop in episode().scene.props}]
    assert min(hidden) < 0.9, 'the hand was before a thing, or a thing in a tray'
