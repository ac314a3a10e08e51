"""The barrier's bookkeeping: pure, with the wall clock handed in."""

import pytest

from vlm_bench_sim.nodes.lockstep.barrier import Lockstep, Role, Standing


@pytest.fixture
def barrier():
    """A monitor and a policy have joined and acknowledged period 0."""
    made = Lockstep()
    made.join('monitor', Role.BENCH, 0.0)
    made.join('policy', Role.POLICY, 0.0)
    made.restart(0.0)
    made.tick(0, 0.0)
    for name in ('monitor', 'policy'):
        made.ack(name, 0, 0)
    return made


def test_nothing_runs_while_nobody_needs_time(barrier):
    assert not barrier.waiting_for()
    assert not barrier.ready(busy=False)
    assert barrier.ready(busy=True)


def test_a_period_waits_for_every_acknowledgement(barrier):
    barrier.tick(1, 0.1)
    assert barrier.waiting_for() == ('monitor', 'policy')
    barrier.ack('policy', 1, 0)
    assert not barrier.ready(busy=True)
    barrier.ack('monitor', 1, 0)
    assert barrier.ready(busy=True)


def test_periods_that_were_asked_for_run_and_no_more(barrier):
    barrier.ack('policy', 0, 2)
    ran = 0
    while barrier.ready(busy=False):
        ran += 1
        barrier.tick(ran, 0.1 * ran)
        barrier.ack('monitor', ran, 0)
        barrier.ack('policy', ran, 2 - ran)
    assert ran == 2


def test_a_later_acknowledgement_of_the_same_tick_may_ask_for_time(barrier):
    assert not barrier.ready(busy=False)
    barrier.ack('monitor', 0, 1)
    assert barrier.ready(busy=False)


@pytest.mark.parametrize(('name', 'seq'), [('stranger', 1), ('policy', 0), ('policy', 2)])
def test_acknowledgements_of_strangers_of_the_past_and_of_the_future_are_no_use(barrier, name, seq):
    barrier.tick(1, 0.1)
    barrier.ack('monitor', 1, 0)
    barrier.ack(name, seq, 5)
    assert barrier.waiting_for() == ('policy',)
    assert not barrier.ready(busy=True)


def test_who_joins_in_the_middle_is_waited_for(barrier):
    barrier.tick(1, 0.1)
    barrier.ack('monitor', 1, 0)
    barrier.ack('policy', 1, 0)
    barrier.join('second policy', Role.POLICY, 0.2)
    assert barrier.waiting_for() == ('second policy',)
    barrier.ack('second policy', 1, 0)
    assert barrier.ready(busy=True)


def test_a_restart_forgets_what_was_acknowledged_and_asked_for(barrier):
    barrier.ack('policy', 0, 7)
    barrier.restart(1.0)
    barrier.tick(0, 1.0)
    assert set(barrier.waiting_for()) == {'monitor', 'policy'}
    for name in ('monitor', 'policy'):
        barrier.ack(name, 0, 0)
    assert not barrier.ready(busy=False)


def test_silence_begins_with_the_tick_and_names_only_who_is_silent(barrier):
    barrier.tick(1, 10.0)
    barrier.ack('policy', 1, 0)
    assert barrier.silent(12.9, 3.0) == ()
    assert barrier.silent(13.1, 3.0) == ('monitor',)
    assert barrier.role('monitor') is Role.BENCH


def test_nobody_is_silent_in_a_world_that_pauses(barrier):
    assert barrier.silent(1e9, 3.0) == ()


def test_who_joins_late_is_given_its_own_time(barrier):
    barrier.join('recorder', Role.BENCH, 100.0)
    assert barrier.silent(102.0, 3.0) == ()
    assert barrier.silent(104.0, 3.0) == ('recorder',)


def test_a_newcomer_gives_nobody_else_more_time(barrier):
    barrier.tick(1, 10.0)
    barrier.join('late policy', Role.POLICY, 12.9)
    assert barrier.silent(13.1, 3.0) == ('monitor', 'policy')


def test_who_is_deaf_and_asks_again_and_again_gets_no_more_time_for_it(barrier):
    barrier.join('recorder', Role.BENCH, 100.0)
    for second in range(1, 4):
        barrier.join('recorder', Role.BENCH, 100.0 + second)
    assert barrier.silent(103.1, 3.0) == ('recorder',)
    barrier.excuse(['recorder'])
    barrier.join('recorder', Role.BENCH, 104.0)
    assert barrier.waiting_for() == ()


def test_who_starts_over_starts_afresh(barrier):
    barrier.excuse(['monitor'])
    barrier.join('monitor', Role.BENCH, 100.0)
    assert barrier.waiting_for() == ('monitor',)
    assert barrier.missing(['monitor']) == []
    assert barrier.silent(102.9, 3.0) == ()


def test_a_part_of_the_bench_is_unheard_until_it_acknowledges_something_of_the_episode(barrier):
    barrier.restart(0.0)
    barrier.ack('policy', 0, 0)
    assert barrier.unheard()
    barrier.ack('monitor', 0, 0)
    assert not barrier.unheard(), 'and a policy may think for as long as it likes'
    barrier.tick(1, 1.0)
    assert not barrier.unheard()
    barrier.restart(2.0)
    assert barrier.unheard()
    barrier.excuse(['monitor'])
    assert not barrier.unheard()


def test_who_is_excused_holds_nobody_up_until_it_is_heard_of_again(barrier):
    barrier.tick(1, 0.1)
    barrier.ack('monitor', 1, 0)
    barrier.ack('policy', 0, 5)
    barrier.excuse(['policy'])
    barrier.ack('policy', 0, 5)  # it says again what it said before
    assert barrier.ready(busy=True)
    assert not barrier.ready(busy=False), 'what it asked for counts no longer'
    assert barrier.missing(['monitor', 'policy', 'recorder']) == ['policy', 'recorder']
    barrier.restart(1.0)
    barrier.tick(0, 1.0)
    assert barrier.waiting_for() == ('monitor',)
    barrier.ack('policy', 0, 0)
    barrier.tick(1, 1.1)
    assert set(barrier.waiting_for()) == {'monitor', 'policy'}
    assert barrier.missing(['policy']) == []


def test_who_was_excused_and_gives_a_sign_of_life_takes_part_in_the_next_episode(barrier):
    """A judge that woke up too late, and has judged meanwhile, has no more to acknowledge in this one."""
    barrier.tick(1, 0.1)
    barrier.hear('monitor')  # what it said before tells nothing
    barrier.excuse(['monitor', 'policy'])
    barrier.hear('monitor')
    barrier.hear('a stranger')
    assert barrier.missing(['monitor', 'policy']) == ['policy']
    assert barrier.waiting_for() == ()
    barrier.restart(1.0)
    assert barrier.waiting_for() == ('monitor',)


def test_there_is_room_for_so_many_and_for_who_is_there_already():
    barrier = Lockstep()
    for name in ('one', 'two'):
        barrier.join(name, Role.POLICY, 0.0)
    assert not barrier.has_room('three', 2)
    assert barrier.has_room('two', 2) and barrier.has_room('three', 3)


def test_who_leaves_is_waited_for_no_more(barrier):
    barrier.tick(1, 0.1)
    barrier.ack('monitor', 1, 0)
    barrier.leave('policy')
    barrier.leave('nobody')
    assert barrier.ready(busy=True)


def test_whom_the_world_stands_still_for_is_noticed_once():
    standing = Standing(3.0)
    assert not any(standing.notice(('policy',), now) for now in (0.0, 2.0, 3.0))
    assert standing.notice(('policy',), 3.1)
    assert not standing.notice(('policy',), 60.0)
    assert not standing.notice((), 61.0), 'no period is needed'
    assert not standing.notice(('policy',), 62.0), 'its time begins when one is'
    assert standing.notice(('policy',), 65.1)
