"""What was done to a world is in the bag, and doing it again comes to the same states, bit by bit."""

from dataclasses import replace

import pytest

from test.plays import Film, Hand, Scripted, bench, episode
from vlm_bench_sim.bags.definitions import deserialise, store
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.bags.recover import recover
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.command import Chunk, Hold, Joints, Wait
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.physics.history import Placement
from vlm_bench_sim.ros import names
from vlm_bench_sim.versions import versions
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.dataset.replay import replay
from vlm_bench_tasks.policies import policy


def record(folder, of, player, robot='panda', *others):
    recorder, film = Recorder(bench(robot), of, folder=folder), Film()
    run = bench(robot).run(of, player, recorder, film, *others)
    return recorder.close(run.report), run, film


def told(bag, row):
    """The actions of a topic, each with its period; the first says that the scene was laid out."""
    messages = [message for _, _, message in bag.messages(row.name)]
    assert [message.index for message in messages] == list(range(len(messages)))
    assert (messages[0].seq, messages[0].action) == (0, '')
    return [(message.seq, codec.loads(message.action)) for message in messages[1:]]


def rewritten(path, folder, change=lambda raw, message: message, custom=None):
    """The same bag with messages changed; where `change` gives None, one is left out."""
    bag = open_bag(path)
    rows = {row.name: row for row in names.FIXED}
    writer = BagWriter(folder, 'again', custom=dict(bag.custom) | (custom or {}))
    for raw in bag.raw():
        message = deserialise(raw.type, raw.data)
        changed = change(raw, message)
        if changed is not None:
            writer.write(rows[raw.topic], raw.data if changed is message else store().serialize_cdr(changed, raw.type))
    return writer.close()


@pytest.fixture(scope='module')
def fingers(tmp_path_factory):
    """The first episode, solved by the oracle with the Panda."""
    return record(tmp_path_factory.mktemp('bags'), episode(), policy('oracle'))


@pytest.fixture(scope='module')
def cups(tmp_path_factory):
    """An episode of the UR5e with suction cups, whose commands stray and which drops what it holds."""
    calm = catalogue.build('lohoravens/pick_and_place', 'train', 2)
    perturbed = catalogue.perturbed(calm, catalogue.perturbation(('drop_rate=0.5', 'action_noise=0.003')))
    return record(tmp_path_factory.mktemp('bags'), perturbed, policy('oracle'), 'ur5e')


def test_an_episode_with_fingers_comes_to_the_same_states(fingers):
    path, run, _ = fingers
    found = replay(path)
    assert found.same and found.where == '' and found.others == ()
    assert (found.periods, found.actions, found.robot) == (len(run.hashes), len(told(open_bag(path), names.APPLIED)), 'panda')
    assert found.episode == episode()


def test_an_episode_with_suction_that_strays_and_drops_comes_to_the_same_states(cups):
    path, run, _ = cups
    assert run.report.drops >= 1
    assert replay(path).same


def test_what_was_asked_and_what_was_done_stand_beside_each_other(fingers, cups):
    calm, perturbed = (open_bag(path) for path, _, _ in (fingers, cups))
    assert told(calm, names.COMMANDED) == told(calm, names.APPLIED)
    asked, done = told(perturbed, names.COMMANDED), told(perturbed, names.APPLIED)
    assert {type(action) for _, action in asked} == {Chunk, Seal}
    let_go = [entry for entry in done if entry not in asked and entry[1] == Seal(on=False)]
    assert len(let_go) == cups[1].report.drops
    kept = [action for seq, action in done if (seq, action) not in let_go]
    assert len(kept) == len(asked)
    strayed = [(was, is_) for (_, was), is_ in zip(asked, kept, strict=True) if isinstance(was, Chunk)]
    assert all(was.points[-1].positions != is_.points[-1].positions for was, is_ in strayed)


def test_each_action_stands_before_the_state_that_came_of_it(fingers):
    newest = 0
    for topic, _, message in open_bag(fingers[0]).messages(names.APPLIED.name, names.WORLD_STATE.name):
        newest = message.seq if topic == names.WORLD_STATE.name else newest
        assert topic == names.WORLD_STATE.name or message.seq == newest


def test_what_a_hand_did_to_the_world_is_done_again(tmp_path):
    name = next(iter(episode().scene.props)).name
    far = episode().scene.prop(name).pose.shifted((0.0, 0.0, 0.2))
    meddler = Hand(bench('panda').world, name, far, lambda now: now.seq == 5)
    moves = Scripted(Wait(0.5), Joints((0.0, -0.7, 0.1, -2.3, 0.0, 1.6, 0.8)))
    path, _, film = record(tmp_path, episode(), moves, 'panda', meddler)
    assert (5, Placement(name, far)) in told(open_bag(path), names.APPLIED)
    assert replay(path).same
    assert film.snapshots[6].bodies[name] != film.snapshots[5].bodies[name]


def test_a_robot_that_was_asked_for_nothing_is_replayed_too(tmp_path):
    path, _, _ = record(tmp_path, episode(), Scripted(Wait(0.2)))
    found = replay(path)
    assert found.same and found.actions == 0 and found.periods > 4


@pytest.mark.slow  # each word of the worlds: furniture, beads, dirt and what is held at the start
@pytest.mark.parametrize('task', ['vlmbench/drawer', 'vlmbench/pour', 'vlmbench/wipe', 'lohoravens/stack_same_size', 'clevrskills/throw'])
def test_whatever_a_scene_holds_comes_to_the_same_states(tmp_path, task):
    robot = catalogue.task(task).robot
    path, _, _ = record(tmp_path, catalogue.build(task, catalogue.splits(task)[0], 1), policy('oracle'), robot)
    assert replay(path).same


def nudged(raw, message):
    """The third action ends elsewhere, by a hair."""
    if raw.topic != names.APPLIED.name or message.index != 3:
        return message
    action = codec.loads(message.action)
    assert isinstance(action, Chunk)
    last = action.points[-1]
    moved = replace(last, positions=(last.positions[0] + 1e-6, *last.positions[1:]))
    return replace(message, action=codec.dumps(replace(action, points=(*action.points[:-1], moved))))


def test_an_action_that_was_changed_by_a_hair_is_found_at_its_period(fingers, tmp_path):
    path, _, film = fingers
    began = told(open_bag(path), names.APPLIED)[2][0]
    found = replay(rewritten(path, tmp_path, nudged))
    assert not found.same
    assert began < found.differs < len(film.snapshots)
    assert 'panda_joint' in found.where or 'off' in found.where


def test_a_state_that_was_changed_is_found(fingers, tmp_path):
    def forged(raw, message):
        forge = raw.topic == names.WORLD_STATE.name and message.seq == 40
        return replace(message, state_hash='0' * 64) if forge else message

    assert replay(rewritten(fingers[0], tmp_path, forged)).differs == 40


def left_out(topic, **at):
    return lambda raw, message: (
        None if raw.topic == topic and all(getattr(message, name) == value for name, value in at.items()) else message
    )


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        (left_out(names.APPLIED.name), 'older than this topic'),
        (left_out(names.APPLIED.name, index=2), 'Action 2 is missing'),
        (left_out(names.WORLD_STATE.name, seq=7), 'period 7 is missing'),
        (left_out(names.WORLD_STATE.name), 'nothing on /truth/world_state'),
        (left_out(names.EPISODE_TRUTH.name), 'nothing on /truth/episode'),
        (lambda raw, message: replace(message, index=0, action='') if raw.topic == names.APPLIED.name else message, 'laid out twice'),
    ],
)
def test_a_bag_that_lacks_something_says_what(fingers, tmp_path, change, words):
    with pytest.raises(BagError, match=words):
        replay(rewritten(fingers[0], tmp_path, change))


def test_an_action_that_is_none_is_an_error_that_quotes_it(fingers, tmp_path):
    def spoilt(raw, message):
        return replace(message, action='{"is":"Os"}') if raw.topic == names.APPLIED.name and message.index else message

    with pytest.raises(BagError, match='Os'):
        replay(rewritten(fingers[0], tmp_path, spoilt))


def test_other_physics_is_refused_and_another_library_is_told(fingers, tmp_path):
    ours = dict(word.split('=', 1) for word in versions('none'))

    def older(**other):
        return {'versions': ' '.join(f'{name}={version}' for name, version in (ours | other).items())}

    with pytest.raises(BagError, match=r'pybullet=2\.0\.0, but pybullet=3.*Install'):
        replay(rewritten(fingers[0], tmp_path / 'a', custom=older(pybullet='2.0.0')))
    found = replay(rewritten(fingers[0], tmp_path / 'b', custom=older(numpy='1.24.0')))
    assert found.same and found.others == ('numpy=1.24.0',)
    found = replay(rewritten(fingers[0], tmp_path / 'c', custom={'processor': 'a 68000'}))
    assert found.same and found.others == ('processor=a 68000',)


def test_a_bag_cut_short_is_refused(fingers, tmp_path):
    path = rewritten(fingers[0], tmp_path)
    file = next(path.glob('*.mcap'))
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(BagError, match='damaged'):
        replay(path)


def test_what_a_killed_recorder_left_is_replayed_as_far_as_it_goes(tmp_path):
    recorder = Recorder(bench('panda'), episode(), folder=tmp_path)
    moves = Scripted(Joints((0.0, -0.7, 0.1, -2.3, 0.0, 1.6, 0.8)), Wait(5.0))
    run = bench('panda').run(episode(), moves, recorder)
    recorder.abort()
    found = replay(recover(next(tmp_path.glob('.*.part'))).path)
    assert found.same and found.actions == 1 and 40 < found.periods < len(run.hashes)


def test_a_grip_and_a_hold_come_back_from_json_as_they_were():
    for action in (Grip(0.04, 20.0), Hold('arm'), Seal(on=True)):
        assert codec.loads(codec.dumps(action)) == action


def test_the_same_bag_written_again_is_byte_for_byte_the_same_messages(fingers, tmp_path):
    """So what the tests above change is all that they change."""
    again = open_bag(rewritten(fingers[0], tmp_path))
    assert [(raw.topic, raw.stamp_ns, raw.data) for raw in again.raw()] == [
        (raw.topic, raw.stamp_ns, raw.data) for raw in open_bag(fingers[0]).raw()
    ]
