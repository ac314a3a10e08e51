"""Episodes over DDS: how they begin and end, what they tell, and what a policy may do to them."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

import itertools
import time

from policy_client import PolicyClient
from running_bench import CHUNK, FOLLOW, GRIPPER, PANDA

from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.errors import NoRoomError, SceneError
from vlm_bench_sim.nodes.base.qos import qos
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import interface
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.nodes.episodes.start_codes import CODES

pytestmark = pytest.mark.ros
UNSUPPORTED, OK, INCORRECT_STATE, OPERATION_FAILED = 0, 1, 3, 4
UNKNOWN_TASK, UNKNOWN_SPLIT, UNKNOWN_AXIS, STAGE_FAILED = range(101, 105)
RUNNING, ENDED = 2, 3
UNOBSERVABLE = 3  # of Report
POLICY, BENCH, LEAVE = 0, 1, 2
TASK = 'vlmbench/pick_place'


def to(positions, **time):
    """A trajectory that leads there."""
    return {'joint_names': list(PANDA.joints), 'points': [{'positions': list(positions), 'time_from_start': time}]}


BREATH = to(PANDA.home, nanosec=100_000_000)  # two periods in which nothing moves


@pytest.mark.parametrize(
    ('asked', 'code', 'says'),
    [
        ({'task': 'vlmbench/pick_plaice'}, UNKNOWN_TASK, f'Did you mean {TASK}'),
        ({'task': '../../etc/passwd'}, UNKNOWN_TASK, 'Known: arnold/'),
        ({'task': TASK, 'split': 'sen'}, UNKNOWN_SPLIT, 'Did you mean seen'),
        ({'task': TASK, 'seed': 2**64 - 1}, UNKNOWN_TASK, 'A seed is a whole number from 0 to'),
        ({'task': TASK, 'split': 'seen', 'axis': 'colour'}, UNKNOWN_AXIS, 'Did you mean color?'),
    ],
)
def test_a_name_that_does_not_exist_has_its_number_and_near_matches(calm, asked, code, says):
    answer = calm.client.ask(names.START_EPISODE, asked)
    assert (answer.result.result, answer.token) == (code, '')
    assert says in answer.result.error_message
    assert calm.runs and calm.client.heard(names.STATUS)[-1].state == RUNNING, 'the episode that runs is left alone'


def test_a_layout_without_room_has_the_number_of_a_scene_that_could_not_be_laid_out():
    assert CODES[NoRoomError] == CODES[SceneError] == STAGE_FAILED


@pytest.mark.parametrize('field', ['task', 'split', 'axis'])
@pytest.mark.parametrize('name', ['x' * 10_000, '\x1b[31m\r\n\t"; rm -rf /\u202e{[', '{task: &a [*a]}', '💥' * 3000])
def test_hostile_names_are_answered_in_one_short_printable_line(calm, field, name):
    answer = calm.client.ask(names.START_EPISODE, {field: name})
    assert answer.result.result == {'task': UNKNOWN_TASK, 'split': UNKNOWN_SPLIT, 'axis': UNKNOWN_AXIS}[field]
    assert len(answer.result.error_message) < 400
    assert answer.result.error_message.isprintable()
    calm.check()


def test_the_largest_seed_is_a_seed(bench):
    bench.begin(seed=2**63 - 1)


def test_what_is_told_of_an_episode_is_latched_and_without_its_seed(bench):
    late = PolicyClient(bench.domain, name='late_policy')
    rows = (names.INSTRUCTION, names.EPISODE, names.STATUS, names.ROBOT_DESCRIPTION, names.TF_STATIC)
    try:
        late.listen(*rows)
        late.wait(lambda: all(late.heard(row) for row in rows), 'everything that is latched')
        instruction, episode, status, model, frames = (late.heard(row)[-1] for row in rows)
    finally:
        late.close()
    assert {instruction.token, episode.token, status.token} == {bench.token}
    assert instruction.text == catalogue.build(TASK, 'seen', 0).instruction.text
    assert (episode.task, episode.split, episode.robot, status.state) == (TASK, 'seen', 'panda', RUNNING)
    assert not [field for field in episode.get_fields_and_field_types() if field in ('seed', 'goal', 'plan', 'episode')]
    assert model.data == PANDA.urdf
    edges = {child: parent for child, (parent, _) in fields.read_transforms(frames).items()}
    assert 'front_color_optical_frame' in edges
    assert 'world' in edges.values() and 'world' not in edges


def test_who_takes_pictures_slowly_loses_them_alone(bench):
    row = names.COLOR.camera('front')
    slow, taken = PolicyClient(bench.domain, name='slow_policy'), []
    slow.nodes[0].create_subscription(interface(row.type), row.name, taken.append, qos(row))
    bench.client.listen(row)
    try:
        bench.wait(lambda: bench.client.heard(row), 'a picture')
        slow.wait(lambda: taken, 'a picture')
        begun = len(bench.ticks)
        assert bench.client.send(FOLLOW, {'trajectory': to(PANDA.home, sec=3)}).result().status == 4
        bench.settle()
        due = {fields.read_stamp(tick.header.stamp) for tick in bench.ticks[begun:] if tick.seq % 2 == 0}
        assert len(due) > 2 * row.depth
        bench.wait(lambda: due <= {fields.read_stamp(picture.header.stamp) for picture in bench.client.heard(row)}, 'every picture')
        time.sleep(1.0)  # its middleware takes pictures in a thread of its own, which a busy machine may keep waiting
        taken.clear()
        slow.wait(lambda: taken and fields.read_stamp(taken[-1].header.stamp) == max(due), 'the newest picture')
    finally:
        bench.client.deafen(row)
        slow.close()
    assert 0 < len(taken) <= row.depth
    assert fields.read_stamp(taken[-1].header.stamp) == max(due), 'the newest are kept'


def test_a_policy_that_asks_for_a_picture_while_the_world_pauses_gets_a_fresh_one(bench):
    for _ in range(3):
        assert bench.still(0.1)
        late = PolicyClient(bench.domain, name='seeing_policy')
        rows = [row.camera('front') for row in (names.COLOR, names.COLOR_INFO, names.DEPTH, names.DEPTH_INFO)]
        try:
            late.listen(*rows)
            late.wait(lambda rows=rows, late=late: all(late.heard(row) for row in rows), 'a picture of each kind')
            color, color_info, depth, depth_info = (late.heard(row)[-1] for row in rows)
        finally:
            late.close()
        assert color.header == color_info.header and depth.header == depth_info.header
        assert color.header.frame_id == 'front_color_optical_frame'
        assert color.header.stamp == bench.ticks[-1].header.stamp, 'it shows the world as it is'
        assert (color.width, color.height, color.encoding) == (64, 48, 'rgb8')
        assert (color_info.width, color_info.height) == (64, 48)
        assert fields.read_image(color).std() > 5
        assert 0.3 < fields.read_image(depth)[24, 32] / 1000 < 3.0
        bench.pass_time(0.08 if bench.now.opening < 0.04 else 0.0)


def test_pictures_come_at_their_rate_each_with_its_info(bench):
    rows = [row.camera('front') for row in (names.COLOR, names.COLOR_INFO)]
    bench.client.listen(*rows)
    bench.wait(lambda: all(bench.client.heard(row) for row in rows), 'the first picture')
    bench.settle()
    since = fields.read_stamp(bench.ticks[-1].header.stamp)  # each of the two was a newcomer then, and may be shown it twice
    bench.pass_time()

    def stamped(row):
        told = [(fields.read_stamp(said.header.stamp), said.header) for said in bench.client.heard(row)]
        return [(stamp, header) for stamp, header in told if stamp > since]

    def come():
        images, infos = (dict(stamped(row)) for row in rows)
        return len(images.keys() & infos.keys()) >= 3 and fields.read_stamp(bench.ticks[-1].header.stamp) >= max(images)

    bench.wait(come, 'pictures with their infos, and the ticks of their time')
    images, infos = (dict(stamped(row)) for row in rows)
    due = {fields.read_stamp(tick.header.stamp) for tick in bench.ticks if tick.seq % 2 == 0}
    assert len(stamped(rows[0])) == len(images), 'each once'
    assert set(images) <= due, 'who is no participant may miss some'
    assert all(images[stamp] == infos[stamp] for stamp in images.keys() & infos.keys())
    for row in rows:
        bench.client.deafen(row)


def test_the_clock_rises_over_resets_and_by_whole_periods(bench):
    bench.pass_time()
    bench.begin()
    bench.pass_time()
    bench.settle()
    times = [fields.read_stamp(message.clock) for message in bench.client.heard(names.CLOCK)]
    stamps = list(dict.fromkeys(fields.read_stamp(tick.header.stamp) for tick in bench.client.heard(names.TICK)))  # one may be told again
    assert all(b > a for a, b in itertools.pairwise(stamps))
    assert all(b >= a for a, b in itertools.pairwise(times))
    assert {b - a for a, b in itertools.pairwise(stamps)} == {50_000_000}
    assert bench.ticks[0].seq == 0 and bench.ticks[-1].step == 12 * bench.ticks[-1].seq


def test_the_world_pauses_while_nobody_needs_time(bench):
    assert bench.still(1.0)
    bench.pass_time()
    assert bench.still(1.0)


def test_a_participant_holds_the_world_until_it_acknowledges_and_gets_the_periods_it_asks_for(bench):
    client = bench.client
    assert client.ask(names.JOIN, {'participant': 'slow', 'role': POLICY}, again=True).result.result == OK
    first = {'participant': 'slow', 'token': bench.token, 'seq': 0, 'periods_wanted': 3}
    client.insist(lambda: client.say(names.ACK, first), lambda: len(bench.ticks) == 2, 'one period')
    assert bench.still(), 'the second waits for the acknowledgement of the first'
    for seq in (1, 2, 3):
        client.say(names.ACK, {'participant': 'slow', 'token': bench.token, 'seq': seq, 'periods_wanted': 3 - seq})
        bench.wait(lambda seq=seq: len(bench.ticks) == min(seq + 2, 4), 'the next period')
    assert bench.still(), 'what it asked for has run'
    client.send(GRIPPER, {'command': {'position': 0.0}})
    bench.wait(lambda: len(bench.ticks) == 5, 'one period of the gripper goal')
    assert bench.still(), 'a running goal waits, too'
    assert client.ask(names.JOIN, {'participant': 'slow', 'role': LEAVE}).result.result == OK
    bench.wait(lambda: len(bench.ticks) > 10, 'the goal runs on')


def test_a_participant_that_missed_the_tick_is_told_it_again_and_holds_nobody_up(bench):
    assert bench.client.ask(names.JOIN, {'participant': 'late_policy', 'role': BENCH}, again=True).result.result == OK
    assert bench.client.send(GRIPPER, {'command': {'position': 0.0}}).accepted
    assert bench.still(), 'the goal waits for who has not heard of the tick'
    late = PolicyClient(bench.domain, name='late_policy')
    try:
        late.listen(names.TICK)
        late.wait(lambda: late.heard(names.TICK), 'the newest tick')
        (told,) = late.heard(names.TICK)
        assert told == bench.ticks[-1]
        ack = {'participant': 'late_policy', 'token': told.token, 'seq': told.seq, 'periods_wanted': 0}
        bench.client.insist(lambda: late.say(names.ACK, ack), lambda: bench.ticks[-1].seq > told.seq, 'the world to go on')
        assert bench.client.ask(names.JOIN, {'participant': 'late_policy', 'role': LEAVE}).result.result == OK
        bench.wait(lambda: len(bench.ticks) > 10, 'the goal runs on')
    finally:
        late.close()


def test_hundreds_of_participants_that_leave_in_a_burst_hold_nobody(bench):
    client, crowd = bench.client, [{'participant': f'visitor_{number}', 'role': POLICY} for number in range(300)]
    for one in crowd:
        assert client.ask(names.JOIN, one, again=True).result.result == OK
    begun = len(bench.ticks)
    assert client.send(GRIPPER, {'command': {'position': 0.0}}).accepted
    assert bench.still(), 'the goal waits for all of them'
    client.fling(names.JOIN, [one | {'role': LEAVE} for one in crowd])
    bench.wait(lambda: len(bench.ticks) > begun + 10, 'the goal to run on')


def test_joins_that_make_no_sense_are_answered(calm):
    for asked, code in (
        ({'participant': 'policy', 'role': 77}, UNSUPPORTED),
        ({'participant': '', 'role': POLICY}, OPERATION_FAILED),
        ({'participant': 'x' * 257, 'role': POLICY}, OPERATION_FAILED),
        ({'participant': 'x' * 257, 'role': LEAVE}, OPERATION_FAILED),
        ({'participant': 'monitor_node', 'role': LEAVE}, INCORRECT_STATE),
        ({'participant': 'nobody', 'role': LEAVE}, OK),
    ):
        answer = calm.client.ask(names.JOIN, asked, again=True)
        assert answer.result.result == code, asked
        assert bool(answer.result.error_message) == (code != OK)
    calm.check()


def test_stopping_lets_the_goal_be_watched_a_little_longer_and_ends_the_episode(bench):
    report = bench.stop_episode()
    assert (report.verdict, list(report.causes)) == (2, ['stopped'])
    assert report.seq == 50, 'two and a half seconds'
    assert report.isolation == 'names' and report.judged_by == 'truth' and not report.assistance
    again = bench.client.ask(names.STOP_EPISODE, {})
    assert again.result.result == INCORRECT_STATE and again.result.error_message


def test_a_policy_node_that_says_its_fault_has_failed_with_it_at_once(bench):
    bench.client.ask(names.STOP_EPISODE, {'fault': 'the camera\nis gone'})
    report = bench.report()
    assert (report.verdict, list(report.causes)) == (2, ['policy_raised: the camera is gone'])
    assert report.seq <= 1


def test_an_episode_that_cannot_be_read_ends_as_unobservable_and_says_why(bench):
    """The judge is told another episode under the same token, as one of another version of the bench would."""
    unreadable = dumps(catalogue.build(TASK, 'seen', 0)).replace('"is":"Inside"', '"is":"Nonsense"')
    other = PolicyClient(bench.domain, name='another_version', beside=bench.client)  # what it said is latched, and goes with it
    try:
        other.say(names.EPISODE_TRUTH, {'token': bench.token, 'task': TASK, 'episode': unreadable})
        bench.client.insist(lambda: bench.client.say(CHUNK, BREATH), lambda: not bench.runs, 'the judge to hear of it as time passes')
        report = bench.report()
    finally:
        other.close()
    assert (report.verdict, report.token) == (UNOBSERVABLE, bench.token)
    (cause,) = report.causes
    assert cause.startswith('the episode cannot be read: ') and "names the unknown class 'Nonsense'" in cause
    bench.forget()
    bench.begin()
    assert list(bench.stop_episode().causes) == ['stopped'], 'the next episode is judged as ever'


def test_commands_outside_an_episode_move_nothing_and_are_counted(bench):
    bench.client.insist(lambda: bench.client.say(CHUNK, BREATH), lambda: len(bench.ticks) > 1, 'the simulator to know who sends chunks')
    bench.stop_episode()
    arm = list(bench.now.arm(PANDA.joints))
    trajectory = to([arm[0] + 0.5, *arm[1:]], sec=1)
    bench.wait(lambda: not bench.client.send(FOLLOW, {'trajectory': trajectory}).accepted, 'the simulator to hear of the end')
    assert not bench.client.send(GRIPPER, {'command': {'position': 0.0}}).accepted
    since = len(bench.log('sim_node'))
    bench.client.say(CHUNK, trajectory)
    bench.wait(lambda: 'Ignored a trajectory on the topic' in bench.log('sim_node')[since:], 'the simulator to hear it')
    assert bench.still()
    bench.begin()
    assert bench.stop_episode().violations == 3
    bench.begin()
    assert bench.stop_episode().violations == 0, 'they are counted once'


def test_two_episodes_begun_in_a_row_end_the_first_and_run_the_second(bench):
    first = bench.client.ask(names.START_EPISODE, {'seed': 1})
    bench.token = first.token
    assert bench.client.send(GRIPPER, {'command': {'position': 0.0}}).accepted
    bench.wait(lambda: len(bench.ticks) > 1, 'the judge of the first, for whom its second period waits')
    second = bench.client.ask(names.START_EPISODE, {'seed': 2})
    assert first.result.result == second.result.result == OK
    assert bench.report(first.token).verdict == 2
    bench.token = second.token
    assert bench.stop_episode().token == second.token


def test_two_benches_in_two_domains_do_not_hear_each_other(bench, domains, start_bench):
    other = start_bench(domain=domains(), only=('sim_node',))
    other.client.listen(names.CLOCK, names.TICK, names.WORLD_STATE)
    other.wait(lambda: other.client.nodes[0].count_publishers(names.TICK.name), 'the other simulator')
    assert other.client.nodes[0].count_publishers(names.STATUS.name) == 0, 'the task node of the first'
    bench.pass_time()
    assert len(bench.ticks) > 10
    assert not [tick for tick in other.client.heard(names.TICK) if tick.token]
    load = {'token': 'other', 'scene': '{"is":"Scene","props":[]}', 'participants': []}
    assert other.client.ask(names.LOAD_SCENE, load, again=True).result.result == OK
    other.wait(lambda: any(tick.token == 'other' for tick in other.client.heard(names.TICK)), 'the other world')
    assert bench.still()
    assert 'other' not in {tick.token for tick in bench.client.heard(names.TICK)}
    other.stop()


def test_the_status_tells_the_time_that_is_left(bench):
    bench.stop_episode()
    last = bench.client.heard(names.STATUS)[-1]
    assert (last.state, last.seq) == (ENDED, 50)
    assert last.time_left == pytest.approx(60.0 - 2.5)
