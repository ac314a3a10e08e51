"""A bench around a real arm: the same graph without the simulator, over a kinematic driver, with a person at the table."""

import time

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from nursery import Forked
from running_bench import GRIPPER, ros_environment
from running_real import JUDGE, LAY_TABLE, NO, UNSURE, YES, RunningReal, finished

from vlm_bench_sim.bags.reader import open_bag, snapshots
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.graph import NodeSpec
from vlm_bench_tasks.launching.processes import command

pytestmark = pytest.mark.ros
SUCCEEDED = 4
SUCCESS, FAILURE, UNOBSERVABLE = 1, 2, 3
UNSUPPORTED, STAGE_FAILED = 0, 104
INCORRECT_STATE, SCENE_INVALID, PENDING, REFUSED = 3, 101, 102, 103
GIVEN, TRUTH = 1, 2
AWAY = Pose((0.4, 0.3, 0.4), (1.0, 0.0, 0.0, 0.0))
WORDS = catalogue.build('vlmbench/pick_place', 'seen', 0).goal.leaves()[0].words()
HASTY = NodeSpec('hasty_judge_node', 'vlm_bench_tasks.nodes.person_judge_node', {'patience': 1.0})


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp('bags')


@pytest.fixture(scope='module')
def shared(module_domain, tmp_path_factory, folder):
    with RunningReal(module_domain, tmp_path_factory.mktemp('real'), record=str(folder)) as running:
        yield running
    running.stop()


@pytest.fixture
def bench(shared):
    shared.check()
    shared.forget()
    shared.person.script = {LAY_TABLE: (YES, ''), JUDGE: (YES, '')}
    shared.person.asked.clear()
    return shared


def play(bench):
    """What a policy does: moves the tool, closes the gripper, and says that it is done."""
    moved = bench.client.send(names.MOVE_TCP, {'target': fields.pose_stamped(AWAY, 0)}).result()
    assert moved.status == SUCCEEDED, moved.result.result.error_message
    assert fields.read_pose(moved.result.reached.pose).position == pytest.approx(AWAY.position, abs=1e-3)
    assert bench.client.send(GRIPPER, {'command': {'position': 0.0}}).result().status == SUCCEEDED
    bench.wait(lambda: bench.states[-1].opening < 1e-3, 'the gripper is seen to be closed')
    assert bench.client.ask(names.STOP_EPISODE, {}).result.result == 1
    return bench.report()


def test_an_episode_runs_from_the_table_to_a_verdict_and_a_bag_without_a_simulator(bench, folder):
    bench.begin()
    report = play(bench)
    assert (report.verdict, list(report.causes), report.judged_by) == (SUCCESS, [], 'person')
    assert [(leaf.words, leaf.holds) for leaf in report.leaves] == [(WORDS, True)]
    laid, judged = bench.person.asked[0], next(q for q in bench.person.asked if q.kind == JUDGE)
    assert laid.kind == LAY_TABLE and 'Lay the table' in laid.text and len(laid.picture.data) > 5000
    assert judged.text == f'Is it true: {WORDS}? (1 of 1)'
    nodes = bench.client.nodes[0].get_node_names()
    assert 'fake_driver_node' in nodes and 'sim_node' not in nodes
    bag = bench.bag_in(folder)
    film = list(snapshots(open_bag(bag)))
    assert [snapshot.seq for snapshot in film] == list(range(len(film)))
    assert film[-1].tool.position == pytest.approx(AWAY.position, abs=1e-3)
    assert film[-1].opening < 1e-3 < film[0].opening
    topics = open_bag(bag).topics
    assert {'/joint_states', '/tf', '/task/instruction', '/person/question', '/person/answer'} <= set(topics)
    assert topics['/joint_states'].count > len(film) / 4, 'a driver tells them by its own clock, and leaves some out on a busy machine'
    assert not {'/clock', '/sim/tick'} & set(topics)
    again = judge(bag)
    assert again.agrees and again.report.verdict is Verdict.SUCCESS, f'{again.report}\n{again.recorded}'


def test_time_passes_by_the_systems_clock(bench):
    bench.begin()
    bench.wait(lambda: bench.states[-1].seq >= 40, 'two seconds')
    first = bench.states[0]

    def since(state):
        return (fields.read_stamp(state.header.stamp) - fields.read_stamp(first.header.stamp)) * 1e-9

    bench.wait(lambda: abs(time.time_ns() - fields.read_stamp(bench.states[-1].header.stamp)) < 2e9, 'a state of now')
    bench.wait(lambda: since(bench.states[-1]) == pytest.approx((bench.states[-1].seq - first.seq) * 0.05, rel=0.1), 'one in time')
    assert bench.states[-1].contacts_unknown
    bench.wait(lambda: bench.client.heard(names.STATUS)[-1].seq >= 20, 'the status tells the time')
    bench.client.ask(names.STOP_EPISODE, {})
    bench.report()


def test_a_person_who_says_no_makes_a_failure(bench, folder):
    bench.person.script[JUDGE] = (NO, 'it lies beside it')
    bench.begin()
    report = play(bench)
    assert (report.verdict, list(report.causes), report.progress) == (FAILURE, ['stopped'], 0.0)
    assert judge(bench.bag_in(folder)).agrees


def test_a_person_who_cannot_tell_makes_the_episode_unobservable(bench):
    bench.person.script[JUDGE] = (UNSURE, '')
    bench.begin()
    report = play(bench)
    assert (report.verdict, list(report.causes)) == (UNOBSERVABLE, [f'the person cannot tell whether {WORDS}', 'stopped'])


def test_a_person_who_never_answers_makes_the_episode_unobservable(bench, tmp_path):
    """The bench's own judge has patience with a busy machine; one beside it has none."""
    del bench.person.script[JUDGE]
    hasty = Forked(command(HASTY), env=ros_environment(bench.domain), output=tmp_path / 'hasty.log')
    try:
        bench.begin()
        report = play(bench)
    finally:
        hasty.terminate()
        hasty.wait(10)
    assert (report.verdict, list(report.causes)) == (UNOBSERVABLE, [f'the person did not say within 1 s whether {WORDS}'])

    def judging():
        asked = [question for question in bench.person.heard(names.QUESTION) if (question.token, question.kind) == (bench.token, JUDGE)]
        return {question.id: question.open for question in asked}

    bench.wait(lambda: judging() and not any(judging().values()), 'what was asked is withdrawn')


def test_a_perturbation_is_refused_on_a_real_arm(bench):
    answer = bench.ask_to_begin(perturbation='{"is":"Perturbation","drop_rate":0.1}')
    assert answer.result.result == UNSUPPORTED
    assert 'drop_rate=0.1' in answer.result.error_message
    assert not bench.person.heard(names.QUESTION) or not bench.person.heard(names.QUESTION)[-1].open, 'nobody is troubled'


def test_a_refusal_to_lay_the_table_is_the_answer_to_start_episode(bench):
    bench.person.script[LAY_TABLE] = (NO, 'the tray is broken')
    answer = bench.ask_to_begin()
    assert answer.result.result == STAGE_FAILED
    assert 'the tray is broken' in answer.result.error_message
    bench.person.script[LAY_TABLE] = (YES, '')
    bench.begin()
    assert play(bench).verdict == SUCCESS, 'the next one runs'


def test_the_arm_is_planned_around_what_is_given_and_never_around_a_truth_that_nobody_sees(bench):
    bench.begin()
    wall = {'pose': fields.pose(Pose((0.45, 0.0, 0.3))), 'size': fields.vector((0.05, 0.05, 0.6))}
    side = {'target': fields.pose_stamped(Pose((0.45, -0.3, 0.3), AWAY.orientation), 0)}
    assert bench.client.send(names.MOVE_TCP, side).result().status == SUCCEEDED
    around = {'target': fields.pose_stamped(Pose((0.45, 0.3, 0.3), AWAY.orientation), 0), 'collision_scene': GIVEN, 'boxes': [wall]}
    assert bench.client.send(names.MOVE_TCP, around).result().status == SUCCEEDED
    blind = bench.client.send(names.MOVE_TCP, side | {'collision_scene': TRUTH}).result()
    assert blind.status != SUCCEEDED
    assert 'holds no prop' in blind.result.result.error_message
    bench.client.ask(names.STOP_EPISODE, {})
    bench.report()


@pytest.mark.long
def test_a_driver_that_is_killed_makes_the_episode_unobservable_with_its_cause(domains, tmp_path):
    with RunningReal(domains(), tmp_path, patience=3.0) as bench:
        bench.person.script = {LAY_TABLE: (YES, '')}
        bench.begin()
        bench.kill('fake_driver_node')
        report = bench.report()
        assert (report.verdict, list(report.causes)) == (UNOBSERVABLE, ['the driver is silent: no joint states for 3 s'])
        bench.stop()


def test_what_the_stage_cannot_do_is_answered_with_its_number(bench):
    def ask(token, scene, *participants):
        answer = bench.client.ask(names.LOAD_SCENE, {'token': token, 'scene': scene, 'participants': participants}, again=True)
        return answer.result.result, answer.result.error_message

    empty = codec.dumps(Scene(()))
    bench.person.script = {}
    assert ask('', empty)[0] == SCENE_INVALID
    assert ask('a', 'nonsense')[0] == SCENE_INVALID
    assert ask('a', '7') == (SCENE_INVALID, 'The JSON of a Scene was expected; found that of a int.')
    assert ask('a', empty, 'ghost_node') == (INCORRECT_STATE, 'ghost_node has not subscribed to the world state yet. Start it, or wait.')
    assert ask('a', empty)[0] == INCORRECT_STATE, 'whoever is turned away needs another token'
    assert ask('b', empty, 'monitor_node')[0] == PENDING
    bench.person.script = {LAY_TABLE: (UNSURE, '')}
    bench.wait(lambda: ask('b', empty)[0] == REFUSED, 'the person has answered')
    assert 'no reason was given' in ask('b', empty)[1]


@pytest.mark.long
def test_scored_nobody_outside_hears_what_a_person_is_asked(domains, tmp_path):
    with RunningReal(domains(), tmp_path, scored=True) as bench:
        bench.person.script = {LAY_TABLE: (YES, ''), JUDGE: (YES, '')}
        bench.begin()
        report = play(bench)
        assert (report.verdict, report.isolation) == (SUCCESS, 'domain')
        public = bench.client.nodes[0]
        visible = {name for name, _ in (*public.get_topic_names_and_types(), *public.get_service_names_and_types())}
        assert '/joint_states' in visible
        assert not visible & {row.name for row in names.FIXED if row.private}
        bench.stop()


@pytest.mark.long
def test_without_an_observer_the_verdict_is_unobservable_and_without_a_person_at_the_table_there_is_no_episode(domains, tmp_path):
    with RunningReal(domains(), tmp_path, observer='none', stage_patience=4.0) as bench:
        answer = bench.ask_to_begin()
        assert answer.result.result == STAGE_FAILED
        assert answer.result.error_message == 'The person has not answered within 4 s. Is `vlm-bench person` running?'
        bench.person.script = {LAY_TABLE: (YES, '')}
        bench.begin()
        report = play(bench)
        assert (report.verdict, report.judged_by) == (UNOBSERVABLE, 'nobody')
        assert report.causes[0] == 'nobody judges: there is neither a tracker nor a person'
        assert not [question for question in bench.person.asked if question.kind == JUDGE]
        bench.stop()


@pytest.mark.slow  # it takes DDS some twenty seconds to give a process up
def test_a_recorder_that_is_killed_makes_the_episode_unobservable(domains, tmp_path):
    with RunningReal(domains(), tmp_path, record=str(tmp_path / 'bags')) as bench:
        bench.person.script = {LAY_TABLE: (YES, '')}
        bench.begin()
        bench.kill('recorder_node')
        report = bench.report(seconds=60)
        assert (report.verdict, list(report.causes)) == (UNOBSERVABLE, ['recorder_node no longer receives the world state'])
        bench.stop()


def test_a_tracker_is_believed_in_what_it_sees_and_without_one_nothing_is(domains, tmp_path):
    """The goal asks that the object was let go, which follows from where the hand is."""
    episode = catalogue.build('vlmbench/pick_place', 'seen', 0)
    (leaf,) = episode.goal.leaves()
    within = episode.scene.prop(leaf.container.name).pose
    done = {leaf.prop.name: Pose((*within.position[:2], within.position[2] + 0.01), episode.scene.prop(leaf.prop.name).pose.orientation)}
    with RunningReal(domains(), tmp_path, observer='tracker') as bench:
        bench.person.script = {LAY_TABLE: (YES, '')}
        bench.begin()
        report = bench.report()
        unseen = ', '.join(prop.name for prop in episode.goal.props())
        assert (report.verdict, report.judged_by) == (UNOBSERVABLE, 'tracker')
        assert list(report.causes) == [f'snapshot 0 holds no pose of {unseen}']

        work, last, moved = bench.person.spin, [0.0], {}

        def track(timeout=0.02):
            work(timeout)
            if time.monotonic() - last[0] > 0.05:
                last[0] = time.monotonic()
                poses = {prop.name: prop.pose for prop in episode.scene.props} | moved
                told = [fields.transform('world', name, pose, time.time_ns()) for name, pose in poses.items()]
                bench.client.say(names.TRACKED, fields.tf_message(told))

        bench.person.spin = track
        bench.begin()
        bench.wait(lambda: bench.states[-1].seq > 10, 'half a second')
        seen = fields.read_snapshot(bench.states[0])
        assert {name: body.pose.position for name, body in seen.bodies.items()} == {
            prop.name: prop.pose.position for prop in episode.scene.props
        }
        moved |= done
        report = bench.report()
        assert (report.verdict, list(report.causes)) == (SUCCESS, [])
        bench.stop()


@pytest.mark.long
def test_a_policy_of_ones_own_moves_a_real_arm_by_the_same_class(domains, tmp_path):
    folder = tmp_path / 'bags'
    with RunningReal(domains(), tmp_path, record=str(folder), policy='test.nodes.various_policies:Varied') as bench:
        bench.person.script = {LAY_TABLE: (YES, ''), JUDGE: (NO, '')}
        bench.begin(task='vlmbench/pick_place', split='seen', seed=0)
        report = bench.report(seconds=60)
        bench.wait(lambda: finished(folder), 'the bag')
    assert report.verdict == FAILURE and 'stopped' in list(report.causes)
    seen = list(snapshots(open_bag(finished(folder)[0])))
    heights = [snapshot.tool.position[2] for snapshot in seen]
    assert min(abs(height - 0.35) for height in heights) < 0.01, 'it went where its first command led'
    openings = [snapshot.opening for snapshot in seen]
    assert min(abs(opening - 0.02) for opening in openings) < 2e-3, 'and its second'
    assert abs(openings[-1] - 0.05) < 2e-3, 'and the last for the gripper, which was for a period'
