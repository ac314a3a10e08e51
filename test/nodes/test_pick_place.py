"""PickPlace over DDS: by words, by pixels and by poses the block goes where it shall, aids are declared, and each code can be had."""

import re
from contextlib import contextmanager
from math import nan
from pathlib import Path

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from geometry_msgs.msg import PoseStamped
from running_bench import LEAVE

from vlm_bench_sim import profiles
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.agents.whereabouts import whereabouts
from vlm_bench_tasks.nodes.agents import pick_place_server as codes

pytestmark = [pytest.mark.ros, pytest.mark.slow]
ACTION = Path(__file__).parents[2] / 'vlm_bench_msgs' / 'action' / 'PickPlace.action'
TASK, SEED = 'lohoravens/match_bowls', 100_000
CANCELED, OK = 5, 1
CAMERA = {'cameras': 'lohoravens:top', 'width': 320, 'height': 240}


@pytest.fixture(scope='module')
def table(start_bench, module_domain):
    """A bench with blocks and bowls, and a robot with a cup."""
    settings = {'robot': 'ur5e', 'task': TASK, 'split': 'test', 'seed': SEED, 'pick_place': True}
    with start_bench(domain=module_domain, **settings, **CAMERA) as bench:
        bench.client.listen(names.SCENE)
        yield bench


@pytest.fixture
def begun(table):
    """The same in a fresh episode."""
    table.check()
    table.forget()
    table.begin(seed=SEED)
    return table


def scene():
    return catalogue.build(TASK, 'test', SEED).scene


def stands(bench):
    return whereabouts(scene(), bench.now)


def blocks():
    return [prop for prop in scene().props if prop.noun.endswith('block')]


def words(text):
    return {'kind': codes.WORDS, 'words': text}


def called(prop):
    return f'the {prop.color.name} {prop.noun}'


def at(position, frame='world', orientation=(0.0, 0.0, 0.0, 0.0)):
    pose = fields.pose_stamped(Pose(tuple(position), orientation), 0, frame)
    return {'kind': codes.POSE, 'pose': pose}


def top(bench, prop):
    x, y, z = bench.now.pose(prop.name).position
    return x, y, z + prop.size[2] / 2


def asked(bench, seconds=60.0, **goal):
    """Send a goal and return its result, when everything has come to rest."""
    result = caught_up(bench, bench.client.send(names.PICK_PLACE, goal).result(seconds).result)
    bench.settle()
    return result


def caught_up(bench, result):
    """Return a result once the world is heard of as it was then: one topic may overtake another."""
    bench.wait(lambda: bench.states[-1].seq >= result.seq, 'the world state of the result')
    return result


@contextmanager
def held(bench):
    """Take part, so that the world goes on only as far as `let_pass` lets it, however late we are."""
    bench.client.join()
    try:
        yield
    finally:
        bench.client.ask(names.JOIN, {'participant': bench.client.nodes[0].get_name(), 'role': LEAVE}, again=True)


def let_pass(bench, periods):
    """Let so many control periods pass, when somebody needs them."""
    me, first = bench.client.nodes[0].get_name(), bench.now.seq
    for seq in range(first, first + periods):
        ack = {'participant': me, 'token': bench.token, 'seq': seq}
        bench.client.insist(
            lambda ack=ack: bench.client.say(names.ACK, ack), lambda seq=seq: bench.ticks[-1].seq > seq, f'period {seq + 1}'
        )


def free_spot(bench):
    """A point of the table with nothing near."""
    taken = [bench.now.pose(prop.name).position for prop in scene().props]
    grid = [(x / 100, y / 100) for x in range(35, 60, 3) for y in range(-30, 31, 3)]
    return max(grid, key=lambda spot: min((spot[0] - p[0]) ** 2 + (spot[1] - p[1]) ** 2 for p in taken))


def test_a_block_goes_where_words_say_and_the_report_says_that_they_were_looked_up(begun):
    block = blocks()[0]
    bowl = next(prop for prop in scene().props if prop.noun == 'bowl' and prop.color == block.color)
    result = asked(begun, pick=words(called(block)), place=words(called(bowl)))
    assert (result.result.result, result.result.error_message) == (OK, '')
    assert stands(begun)[block.name].on == bowl.name
    assert 0 < result.seq <= begun.now.seq
    second = blocks()[1]
    result = asked(begun, sentence=f'put {called(second)} on {called(blocks()[2])}')
    assert (result.result.result, stands(begun)[second.name].on) == (OK, blocks()[2].name)
    assert list(begun.stop_episode().assistance) == ['pick_place_reference', 'truth']


def test_a_block_goes_from_point_to_point_without_any_aid(begun):
    block, spot = blocks()[0], free_spot(begun)
    goal = begun.client.send(names.PICK_PLACE, {'pick': at(top(begun, block)), 'place': at((*spot, 0.0))})
    result = caught_up(begun, goal.result(60.0).result)
    begun.settle()
    assert (result.result.result, result.result.error_message) == (OK, '')
    assert begun.now.pose(block.name).position == pytest.approx((*spot, block.size[2] / 2), abs=0.01)
    begun.wait(lambda: len(goal.feedback) > 1, 'the second stage')
    assert [message.feedback.stage for message in goal.feedback] == [0, 1]
    assert list(begun.stop_episode().assistance) == []


def test_a_pose_of_which_the_position_alone_was_given_is_reached_from_above(begun):
    block, spot = blocks()[0], free_spot(begun)

    def plain(position):
        pose = PoseStamped()
        pose.header.frame_id = 'world'
        pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = position
        return {'kind': codes.POSE, 'pose': pose}

    result = asked(begun, pick=plain(top(begun, block)), place=plain((*spot, 0.0)))
    assert (result.result.result, result.result.error_message) == (OK, '')
    assert begun.now.pose(block.name).position == pytest.approx((*spot, block.size[2] / 2), abs=0.01)


def test_a_block_goes_where_pixels_show(begun):
    block, spot = blocks()[0], free_spot(begun)
    (camera,) = profiles.cameras(CAMERA['cameras'], CAMERA['width'], CAMERA['height'], robot='ur5e')
    pixels = camera.project([top(begun, block), (*spot, 0.0)], camera.pose).round().astype(int).tolist()
    pick, place = ({'kind': codes.PIXEL, 'camera': 'top', 'column': u, 'row': v} for u, v in pixels)
    result = asked(begun, pick=pick, place=place)
    assert (result.result.result, result.result.error_message) == (OK, '')
    assert begun.now.pose(block.name).position == pytest.approx((*spot, block.size[2] / 2), abs=0.015)
    assert list(begun.stop_episode().assistance) == []


def test_words_and_points_go_together_and_a_frame_of_the_robot_will_do(begun):
    first, second = blocks()[:2]
    spot = free_spot(begun)
    here = at((*spot, 0.0), frame='base_link')
    assert asked(begun, pick=words(called(first)), place=here).result.result == OK
    assert begun.now.pose(first.name).position[:2] == pytest.approx(spot, abs=0.02)
    result = asked(begun, pick=at(top(begun, second)), place=words(called(first)))
    assert (result.result.result, stands(begun)[second.name].on) == (OK, first.name)


def test_what_makes_no_sense_is_refused_by_number_and_nothing_moves(begun):
    before, block = begun.now, called(blocks()[0])
    good, where = at((0.4, 0.0, 0.04)), words('the table')
    tilted = at((0.4, 0.0, 0.04), orientation=(1.0, 0.0, 0.0, 0.0))
    refused = {
        codes.FEATURE_UNSUPPORTED: [{'pick': {'kind': 9}, 'place': where}, {'sentence': 'Put it there.', 'place': {'kind': 3}}],
        codes.INVALID_WORDS: [
            {'pick': words(''), 'place': where}, {'sentence': 'sing a song'}, {'sentence': 'x' * 10_000},
            {'pick': words('what is nice and blue'), 'place': good}, {'pick': words(block), 'place': words('')},
            {'sentence': f'put {block} on the table', 'pick': words(block)}, {'sentence': f'put {block} on the table', 'place': good},
        ],
        codes.ABSENT: [
            {'pick': words('the golden block'), 'place': where}, {'sentence': f'put {block} on the golden block'},
            {'pick': at((0.4, 0.0, 0.25)), 'place': where}, {'pick': at((0.4, 0.0, 0.0)), 'place': good},
        ],
        codes.AMBIGUOUS: [{'pick': words('the block'), 'place': where}],
        codes.IMPOSSIBLE: [{'pick': words(called(next(prop for prop in scene().props if prop.fixed))), 'place': where}],
        codes.INVALID_POSE: [
            {'pick': at((0.4, nan, 0.04)), 'place': where}, {'pick': at((0.4, 0.0, 0.04), frame=''), 'place': where},
            {'pick': tilted, 'place': where}, {'pick': words(block), 'place': tilted},
        ],
        codes.UNKNOWN_FRAME: [{'pick': good, 'place': at((0.4, 0.0, 0.0), frame='moon')}],
        codes.UNKNOWN_CAMERA: [{'pick': {'kind': codes.PIXEL, 'camera': 'tpo'}, 'place': where}],
        codes.INVALID_PIXEL: [{'pick': {'kind': codes.PIXEL, 'camera': 'top', 'column': 9999}, 'place': where}],
        codes.INVALID_HEIGHT: [
            *({'pick': good, 'place': good, 'height': height} for height in (-0.1, nan, 0.6)),
            {'pick': words(block), 'place': good, 'height': 0.04}, {'pick': good, 'place': where, 'height': 0.04},
            {'sentence': f'put {block} on the table', 'height': 0.04},
        ],
    }  # fmt: skip
    for code, goals in refused.items():
        for goal in goals:
            result = begun.client.send(names.PICK_PLACE, goal).result(30.0).result.result
            assert (result.result, bool(result.error_message)) == (code, True), (code, goal, result.error_message)
    begun.settle()
    assert begun.now.bodies == before.bodies
    assert begun.now.seq == before.seq, 'no time has passed'
    near = begun.client.send(names.PICK_PLACE, refused[codes.UNKNOWN_CAMERA][0]).result().result.result.error_message
    assert 'Did you mean top?' in near


def test_what_is_tried_in_vain_says_how_far_it_came(begun):
    block, spot = blocks()[0], free_spot(begun)
    air = asked(begun, pick=at((*spot, 0.04)), place=at((*spot, 0.0)))
    assert (air.result.result, 'closed on nothing' in air.result.error_message) == (codes.PICK_FAILED, True)
    far = asked(begun, pick=at(top(begun, block)), place=at((1.6, 0.0, 0.0)))
    assert (far.result.result, begun.now.held) == (codes.PLACE_FAILED, block.name)


@pytest.mark.parametrize('by_words', [True, False], ids=['words', 'points'])
def test_what_could_not_be_put_down_is_put_down_before_anything_else(begun, by_words):
    """Words ask for another block: the first goes to a free spot. Points know of none, so that it goes back where it was taken."""
    first, second, third = blocks()[:3]
    start = begun.now.pose(first.name).position
    far = asked(begun, pick=at(top(begun, first)), place=at((1.6, 0.0, 0.0)))
    assert (far.result.result, begun.now.held) == (codes.PLACE_FAILED, first.name)
    spot = free_spot(begun)
    ends = (words(called(second)), words(called(third))) if by_words else (at(top(begun, second)), at((*spot, 0.0)))
    result = asked(begun, pick=ends[0], place=ends[1]).result
    assert (result.result, result.error_message) == (OK, '')
    where = begun.now.pose(first.name).position
    assert (begun.now.held, where[2]) == ('', pytest.approx(start[2], abs=2e-3))
    if by_words:
        assert stands(begun)[second.name].on == third.name
    else:
        assert where == pytest.approx(start, abs=0.01)
        assert begun.now.pose(second.name).position[:2] == pytest.approx(spot, abs=0.01)


def test_a_goal_that_is_refused_does_not_disturb_the_one_that_runs(begun):
    block, base = blocks()[:2]
    going = begun.client.send(names.PICK_PLACE, {'sentence': f'put {called(block)} on {called(base)}'})
    begun.wait(lambda: begun.now.seq > 5, 'the arm to move')
    good = at((0.4, 0.0, 0.04))
    refused = {
        codes.INVALID_HEIGHT: {'pick': good, 'place': good, 'height': nan},
        codes.UNKNOWN_FRAME: {'pick': good, 'place': at((0.4, 0.0, 0.0), frame='moon')},
        codes.ABSENT: {'sentence': 'put the golden block on the table'},
        codes.INVALID_WORDS: {'pick': words('sing a song'), 'place': good},
    }
    for code, goal in refused.items():
        assert begun.client.send(names.PICK_PLACE, goal).result(30.0).result.result.result == code
    assert caught_up(begun, going.result(60.0).result).result.result == OK
    begun.settle()
    assert stands(begun)[block.name].on == base.name


def test_what_slips_away_on_the_way_is_told(table):
    by_words = {'sentence': f'put {called(blocks()[0])} on {called(blocks()[1])}'}
    for by_points in (False, True):
        table.forget()
        table.begin(seed=SEED, perturbation=dumps(Perturbation(drop_rate=1.0)))
        goal = {'pick': at(top(table, blocks()[0])), 'place': at((*free_spot(table), 0.0))} if by_points else by_words
        assert asked(table, **goal).result.result == codes.LOST
        assert table.stop_episode().drops == 1


def test_a_newer_goal_preempts_the_one_before_and_a_canceled_one_holds(begun):
    block, other = blocks()[:2]
    third = called(blocks()[2])
    with held(begun):
        first = begun.client.send(names.PICK_PLACE, {'sentence': f'put {called(block)} on {third}'})
        let_pass(begun, 6)
        second = begun.client.send(names.PICK_PLACE, {'sentence': f'put {called(other)} on {third}'})
        assert first.result().result.result.result == codes.PREEMPTED
    assert caught_up(begun, second.result(60.0).result).result.result == OK
    assert stands(begun)[other.name].on == blocks()[2].name
    with held(begun):
        last = begun.client.send(names.PICK_PLACE, {'sentence': f'put {called(block)} on {called(other)}'})
        let_pass(begun, 6)
        last.cancel()
        ended = last.result()
    assert (ended.status, ended.result.result.result) == (CANCELED, codes.OPERATION_FAILED)
    assert begun.still()
    assert asked(begun, sentence=f'put {called(block)} on {called(other)}').result.result == OK, 'after a cancel it goes on'


def test_without_an_episode_nobody_moves(begun):
    with held(begun):
        going = begun.client.send(names.PICK_PLACE, {'sentence': f'put {called(blocks()[0])} on {called(blocks()[1])}'})
        let_pass(begun, 6)
        assert begun.client.ask(names.STOP_EPISODE, {}).result.result == OK
    assert going.result().result.result.result == codes.NOT_RUNNING
    result = begun.client.send(names.PICK_PLACE, {'sentence': f'put {called(blocks()[0])} on {called(blocks()[1])}'}).result().result.result
    assert (result.result, 'No episode' in result.error_message) == (codes.NOT_RUNNING, True)


def test_a_camera_that_is_silent_is_not_waited_for(table):
    """The last test of this bench: its simulator is gone then."""
    table.begin(seed=SEED)
    table.kill('sim_node')
    pixel = {'kind': codes.PIXEL, 'camera': 'top', 'column': 10, 'row': 10}
    result = table.client.send(names.PICK_PLACE, {'pick': pixel, 'place': pixel}).result().result.result
    assert (result.result, 'sent no depth picture' in result.error_message) == (codes.NO_PICTURE, True)


def test_the_numbers_are_those_of_the_interface_file():
    declared = {name: int(value) for name, value in re.findall(r'^uint8 (\w+)=(\d+)', ACTION.read_text(), re.MULTILINE)}
    own = {name: value for name, value in declared.items() if value > 100}
    assert own == {name: getattr(codes, name) for name in own}
    assert set(codes.CODES.values()) <= set(own.values())
