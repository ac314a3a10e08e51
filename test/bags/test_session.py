"""One bag an episode, whatever the order in which the topics arrive."""

import itertools

import pytest

from vlm_bench_sim.bags.definitions import serialise
from vlm_bench_sim.bags.reader import episode_truth, open_bag, snapshots
from vlm_bench_sim.bags.session import PATIENCE, Session
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.operator import Operator
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import fields, names


class Bench:
    """Sends what the nodes of a bench send."""

    def __init__(self, folder, rate=0.0, **given):
        self.session = Session(folder, rate=rate, about={'processor': 'a 68000'}, **given)
        self.offset = 0

    def send(self, row, given):
        self.session.take(row, serialise(row.type, given))

    def stamp(self, seq):
        return self.offset + PERIOD_NS * (seq + 1)

    def latched(self, token):
        return [
            (names.INSTRUCTION, {'token': token, 'text': 'the part of a plan'}),
            (names.EPISODE, {'token': token, 'revision': 3, 'robot': 'panda'}),
            (
                names.EPISODE_TRUTH,
                {
                    'token': token,
                    'task': 'vlmbench/pick_place',
                    'axis': 'color',
                    'split': 'seen',
                    'seed': 7,
                    'instruction': f'sort {token}',
                },
            ),
            (names.SCENE, {'token': token, 'scene': '{}', 'renderer': 'llvmpipe'}),
        ]

    def period(self, token, snapshot):
        ns = self.stamp(snapshot.seq)
        return [
            (names.JOINT_STATES, fields.joint_state(snapshot.joints, ns)),
            (names.WORLD_STATE, fields.world_state(snapshot, ns=ns, token=token, state_hash='')),
            (names.TICK, {'header': fields.header(ns), 'token': token, 'seq': snapshot.seq}),
        ]

    def report(self, token, verdict, seq):
        given = {'header': fields.header(self.stamp(seq)), 'token': token, 'seq': seq, 'verdict': verdict, 'causes': ['time_limit', 'x']}
        said = {'versions': ['numpy=2.0', 'pin=3.3'], 'assistance': ['truth'], 'isolation': 'names'}
        self.send(names.REPORT, given | said | {'perturbations': ['mass=0.1', 'drop_rate=0.1 1/s']})

    def run(self, token, episode, *, verdict=1):
        for row in self.latched(token):
            self.send(*row)
        for snapshot in episode:
            for row in self.period(token, snapshot):
                self.send(*row)
        self.report(token, verdict, episode[-1].seq)
        self.offset += PERIOD_NS * (len(episode) + 1)


@pytest.fixture
def bench(tmp_path):
    """A session into an empty folder, which has heard the robot's description long ago."""
    made = Bench(tmp_path)
    made.send(names.ROBOT_DESCRIPTION, {'data': '<robot/>'})
    made.send(names.TF_STATIC, {'transforms': [{'header': fields.header(0)}]})
    made.send(names.CLOCK, {'clock': fields.stamp(1)})
    return made


def settled(bench):
    for _ in range(PATIENCE):
        bench.session.settle()
    return [open_bag(path) for path in bench.session.finished]


def test_each_episode_has_its_own_bag_with_the_latched_topics_at_its_head(bench, episode):
    for token, verdict in (('aaaa', 1), ('bbbb', 2)):
        bench.run(token, episode, verdict=verdict)
        settled(bench)
    first, second = settled(bench)
    assert [b.custom['verdict'] for b in (first, second)] == ['success', 'failure']
    for bag, token in ((first, 'aaaa'), (second, 'bbbb')):
        assert list(snapshots(bag)) == episode
        assert episode_truth(bag).token == token
        head = {topic for topic, stamp, _ in bag.messages() if stamp == bag.start_ns}
        assert head >= {'/robot_description', '/tf_static', '/task/instruction', '/task/episode', '/truth/scene', '/truth/episode'}
        assert bag.topics['/joint_states'].count == bag.topics['/sim/tick'].count == len(episode)
    assert second.start_ns > first.end_ns


def test_pictures_are_thinned_from_the_first_period_of_each_episode_on(tmp_path, episode):
    bench, jpeg = Bench(tmp_path, rate=5.0), names.COLOR_JPEG.camera('front')
    period = bench.period
    bench.period = lambda token, snapshot: [
        *period(token, snapshot),
        *([(jpeg, {'header': fields.header(bench.stamp(snapshot.seq))})] if snapshot.seq % 2 == 0 else []),
    ]
    for token, count in (('aaaa', 39), ('bbbb', 40)):
        bench.run(token, episode[:count])
        settled(bench)
    for bag, count in zip(settled(bench), (39, 40), strict=True):
        shown = [(stamp - bag.start_ns) // PERIOD_NS for _, stamp, _ in bag.messages(jpeg.name)]
        assert shown == list(range(0, count, 4))
        assert bag.topics['/joint_states'].count == count


def test_custom_data_tells_the_episode(bench, episode):
    bench.run('aaaa', episode, verdict=2)
    custom = settled(bench)[0].custom
    assert custom == {
        'processor': 'a 68000',
        'token': 'aaaa',
        'task': 'vlmbench/pick_place',
        'axis': 'color',
        'split': 'seen',
        'seed': '7',
        'revision': '3',
        'robot': 'panda',
        'prompt': '',
        'instruction': 'sort aaaa',
        'lerobot.operator_prompt': 'sort aaaa',
        'renderer': 'llvmpipe',
        'verdict': 'failure',
        'cause': 'time_limit; x',
        'versions': 'numpy=2.0 pin=3.3',
        'assistance': 'truth',
        'perturbations': 'mass=0.1; drop_rate=0.1 1/s',
        'isolation': 'names',
        'score': '0.0',
        'progress': '0.0',
        'reward': '0.0',
        'sim_seconds': '0.0',
        'drops': '0',
        'violations': '0',
        'state_hash': '',  # as its world says
    }


def test_custom_data_tells_who_has_driven_as_it_was_said_last(bench, episode):
    """What another episode's driver or nobody has said is left out."""
    said = [('aaaa', Operator('carl')), ('bbbb', Operator('bert', ('handle',))), ('aaaa', Operator('anna', ('keyboard',), 'shelf', 2))]
    events = [{'token': token, 'kind': EventKind.OPERATED, 'text': codec.dumps(operator)} for token, operator in said]
    for row in bench.latched('aaaa') + [row for snapshot in episode for row in bench.period('aaaa', snapshot)]:
        bench.send(*row)
    for event in (*events, {'token': 'aaaa', 'kind': EventKind.OPERATED, 'text': 'nonsense'}, {'token': 'aaaa', 'kind': EventKind.STOP}):
        bench.send(names.EVENTS, event)
    bench.report('aaaa', 1, episode[-1].seq)
    bench.offset += PERIOD_NS * (len(episode) + 1)
    settled(bench)
    bench.run('cccc', episode)
    first, second = settled(bench)
    about = {name: first.custom.get(name) for name in ('operator', 'devices', 'mission', 'attempt')}
    assert about == {'operator': 'anna', 'devices': 'keyboard', 'mission': 'shelf', 'attempt': '2'}
    assert 'operator' not in second.custom


def test_nothing_is_lost_whatever_comes_first(tmp_path, episode):
    """DDS keeps the order of a topic, not that of two topics."""
    truth, others = 2, [0, 3]
    for n, place in enumerate(itertools.product(range(4), range(4))):
        bench = Bench(tmp_path / str(n))
        latched, first = bench.latched('aaaa'), bench.period('aaaa', episode[0])
        order = list(first)
        order.insert(place[0], latched[truth])
        for other in others:
            order.insert(place[1], latched[other])
        for row in [*order, latched[1], *bench.period('aaaa', episode[1])]:
            bench.send(*row)
        assert bench.session.acknowledged == ('aaaa', 1)
        bench.report('aaaa', 1, 1)
        bag = settled(bench)[0]
        assert list(snapshots(bag)) == episode[:2]
        assert {t: bag.topics[t].count for t in ('/joint_states', '/sim/tick', '/task/instruction', '/truth/scene')} == {
            '/joint_states': 2, '/sim/tick': 2, '/task/instruction': 1, '/truth/scene': 1,
        }  # fmt: skip
        assert bag.custom['instruction'] == 'sort aaaa'


def test_a_tick_is_acknowledged_only_when_its_world_state_is_in_the_bag(bench, episode):
    for row in bench.latched('aaaa'):
        bench.send(*row)
    _, state, tick = bench.period('aaaa', episode[0])
    bench.send(*tick)
    assert bench.session.acknowledged == ('', 0)
    bench.send(*state)
    assert bench.session.acknowledged == ('aaaa', 0)
    _, state, tick = bench.period('aaaa', episode[1])
    bench.send(*state)
    assert bench.session.acknowledged == ('aaaa', 0)
    bench.send(*tick)
    assert bench.session.acknowledged == ('aaaa', 1)
    bench.session.finish()


def test_an_episode_whose_truth_is_missing_is_not_acknowledged(bench, episode):
    for row in bench.period('aaaa', episode[0]):
        bench.send(*row)
    assert bench.session.acknowledged == ('', 0)


@pytest.mark.parametrize('first', [0, 1])
def test_a_state_that_is_told_again_is_in_the_bag_once(bench, episode, first):
    """As a world that pauses does, to others who come late: before the bag is open or after."""
    for token in ('aaaa', 'bbbb'):
        before, after = bench.latched(token)[:first], bench.latched(token)[first:]
        for row in [*before, *2 * bench.period(token, episode[0]), *after, *2 * bench.period(token, episode[1])]:
            bench.send(*row)
        assert bench.session.acknowledged == (token, 1)
        bench.report(token, 1, 1)
        bench.offset += 3 * PERIOD_NS
    assert [list(snapshots(bag)) for bag in settled(bench)] == [episode[:2]] * 2


def test_an_idle_bench_is_never_held_up(bench, episode):
    for row in bench.period('', episode[5]):
        bench.send(*row)
    assert bench.session.acknowledged == ('', 5)
    assert settled(bench) == []


def test_what_comes_just_after_the_report_is_still_recorded(bench, episode):
    bench.run('aaaa', episode)
    bench.session.settle()
    bench.send(names.STATUS, {'header': fields.header(bench.offset), 'token': 'aaaa', 'state': 3})
    bag = settled(bench)[0]
    assert bag.topics['/task/status'].count == 1


def test_a_report_that_overtakes_the_last_periods_does_not_cut_them_off(bench, episode):
    """A recorder that is starved takes a message of each topic in turn, and there is one report."""
    for row in bench.latched('aaaa') + bench.period('aaaa', episode[0]):
        bench.send(*row)
    bench.report('aaaa', 1, 2)
    for snapshot in episode[1:3]:
        bench.session.settle()
        bench.session.settle()
        assert not bench.session.finished
        for row in bench.period('aaaa', snapshot):
            bench.send(*row)
    assert list(snapshots(settled(bench)[0])) == episode[:3]


def test_a_period_that_never_comes_holds_a_bag_up_for_a_while_only(bench, episode):
    for row in bench.latched('aaaa') + bench.period('aaaa', episode[0]):
        bench.send(*row)
    bench.report('aaaa', 1, 2)
    settled(bench)
    bench.session.settle()
    assert len(bench.session.finished) == 1


def test_the_next_episodes_first_period_is_not_in_the_bag_before(bench, episode):
    bench.run('aaaa', episode)
    for row in bench.period('bbbb', episode[0]) + bench.latched('bbbb'):
        bench.send(*row)
    bench.report('bbbb', 1, 0)
    first, second = settled(bench)
    assert first.topics['/joint_states'].count == first.topics['/truth/world_state'].count == len(episode)
    assert second.topics['/joint_states'].count == second.topics['/truth/world_state'].count == 1


def test_a_chunk_sent_between_two_episodes_is_in_neither_bag(bench, episode):
    chunk = next(row for row in names.recorded(robot('panda'), ()) if row.name.endswith('joint_trajectory'))
    bench.send(chunk, {'header': fields.header(PERIOD_NS)})
    bench.run('aaaa', episode[:1])
    settled(bench)
    bench.send(chunk, {})
    for row in [*bench.latched('bbbb'), *bench.period('bbbb', episode[0])]:
        bench.send(*row)
    bench.send(chunk, {'joint_names': ['a']})
    bench.report('bbbb', 1, 0)
    first, second = settled(bench)
    assert chunk.name not in first.topics
    assert [m.joint_names for _, _, m in second.messages(chunk.name)] == [['a']]


def test_the_next_episode_need_not_wait_for_the_stragglers(bench, episode):
    bench.run('aaaa', episode)
    bench.run('bbbb', episode)
    assert len(bench.session.finished) == 1
    assert [list(snapshots(bag)) for bag in settled(bench)] == [episode, episode]


def test_a_report_that_arrives_after_the_next_episode_began_is_waited_for(bench, episode):
    for row in bench.latched('aaaa'):
        bench.send(*row)
    for row in bench.period('aaaa', episode[0]):
        bench.send(*row)
    late = (1, 0)
    bench.offset = 10 * PERIOD_NS
    for row in [*bench.latched('bbbb'), *bench.period('bbbb', episode[0])]:
        bench.send(*row)
    assert bench.session.acknowledged == ('aaaa', 0)
    bench.report('aaaa', *late)
    bench.session.settle()
    bench.session.settle()
    assert bench.session.acknowledged == ('bbbb', 0)
    bench.report('bbbb', 2, 0)
    assert [bag.custom['verdict'] for bag in settled(bench)] == ['success', 'failure']


def test_a_report_that_never_comes_makes_the_bag_unobservable(bench, episode):
    for token in ('aaaa', 'bbbb'):
        for row in [*bench.latched(token), *bench.period(token, episode[0])]:
            bench.send(*row)
    for _ in range(PATIENCE + 1):
        bench.session.settle()
    bench.session.finish()
    causes = [(b.custom['verdict'], b.custom['cause']) for b in settled(bench)]
    assert causes == [
        ('unobservable', 'the next episode began before the report came'),
        ('unobservable', 'the recorder was stopped before the report came'),
    ]


def test_a_bag_that_lacks_the_beginning_claims_no_verdict(bench, episode):
    bench.run('aaaa', episode[2:])
    bench.run('bbbb', episode)
    late, whole = settled(bench)
    assert (late.custom['verdict'], late.custom['cause']) == (
        'unobservable', 'the recorder came late: the bag begins with control period 2',
    )  # fmt: skip
    assert whole.custom['verdict'] == 'success'


def test_a_bag_that_may_lack_something_claims_no_verdict_though_it_holds_every_state(tmp_path, episode):
    late = [True]
    bench = Bench(tmp_path, late=lambda: late[0])
    bench.run('aaaa', episode)
    late[0] = False
    bench.run('bbbb', episode)
    first, second = settled(bench)
    assert (first.custom['verdict'], first.custom['cause']) == (
        'unobservable', 'the recorder came late: it had not joined when the episode began',
    )  # fmt: skip
    assert second.custom['verdict'] == 'success'


@pytest.mark.parametrize('verdict', [0, 3, 200])
def test_a_verdict_that_is_neither_is_unobservable(bench, episode, verdict):
    bench.run('aaaa', episode, verdict=verdict)
    assert settled(bench)[0].custom['verdict'] == 'unobservable'


def test_a_disk_that_fails_ends_the_bag_and_not_the_bench(bench, episode, tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, 'No space left on device')

    for row in [*bench.latched('aaaa'), *bench.period('aaaa', episode[0])]:
        bench.send(*row)
    with monkeypatch.context() as patch, pytest.raises(BagError, match='No space left'):
        patch.setattr('os.fsync', full)
        bench.send(names.EVENTS, {'token': 'aaaa', 'text': 'x' * 1_000_000})
    for row in bench.period('aaaa', episode[1]):
        bench.send(*row)
    assert bench.session.acknowledged == ('aaaa', 1)  # or the barrier would wait for a recorder that has nothing to record
    bench.report('aaaa', 1, 1)
    assert settled(bench) == []
    bench.offset = 10 * PERIOD_NS
    bench.run('bbbb', episode)
    assert [bag.custom['token'] for bag in settled(bench)] == ['bbbb']
    assert sorted(p.name for p in tmp_path.iterdir()) == ['.vlmbench-pick_place_seen_7_aaaa.part', 'vlmbench-pick_place_seen_7_bbbb']


def test_a_bag_that_cannot_be_begun_is_told_once(bench, episode, tmp_path):
    (tmp_path / 'vlmbench-pick_place_seen_7_aaaa').mkdir()
    with pytest.raises(BagError, match='its name is invalid'):
        bench.run('aaaa', episode)
    bench.session.settle()
    for row in bench.period('aaaa', episode[1]):
        bench.send(*row)
    assert bench.session.acknowledged == ('aaaa', 1)
    bench.run('bbbb', episode)
    assert [bag.custom['token'] for bag in settled(bench)] == ['bbbb']


def test_a_disk_that_fails_at_the_end_leaves_no_bag_that_claims_success(bench, episode, tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, 'No space left on device')

    bench.run('aaaa', episode)
    monkeypatch.setattr('os.fsync', full)
    with pytest.raises(BagError, match='No space left'):
        settled(bench)
    assert bench.session.finished == [] and all(p.name.startswith('.') for p in tmp_path.iterdir())


def test_an_open_bag_says_what_it_still_needs(bench, episode):
    *before, last = episode
    for row in bench.latched('aaaa'):
        bench.send(*row)
    assert bench.session.awaits == '', 'none is open'
    for snapshot in before:
        for row in bench.period('aaaa', snapshot):
            bench.send(*row)
    assert bench.session.awaits == 'the report came'
    bench.report('aaaa', 1, last.seq)
    assert bench.session.awaits == f'period {last.seq} came, which the report names; the newest is {before[-1].seq}'
    assert settled(bench) == []
    for row in bench.period('aaaa', last):
        bench.send(*row)
    assert bench.session.awaits == ''
    assert [bag.custom['verdict'] for bag in settled(bench)] == ['success']
