"""The monitor: verdicts, limits and events over short films, and the same report however the stream is fed."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from test.films import CUBE, IN_TRAY, TRAY, Flag, flags, numbered, snapshot
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.goals.logic import AtEnd, Held, Never, Not, Once, all_of, any_of, then
from vlm_bench_tasks.goals.mechanisms import JointAt
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.judging.late import too_late
from vlm_bench_tasks.judging.monitor import Limits, Monitor, judge
from vlm_bench_tasks.judging.report import Event, Report

INSIDE = Inside(CUBE, TRAY)
LONG = Limits(1000.0)
OUT, IN = snapshot(), snapshot(cube=IN_TRAY)
A, B, C = Flag('a'), Flag('b'), Flag('c')


def verdict_at(goal, film, limits=LONG, events=()):
    """Verdict and deciding control period."""
    report = judge(goal, limits, film, events)
    return report.verdict, report.seq


def test_success_is_half_a_second_inside_and_at_rest():
    film = numbered([OUT] * 3 + [IN] * 20)
    assert verdict_at(INSIDE, film[:13]) == (Verdict.RUNNING, 12)  # 0.45 s after frame 3
    assert verdict_at(INSIDE, film) == (Verdict.SUCCESS, 13)
    report = judge(INSIDE, LONG, film)
    assert (report.sim_seconds, report.progress, report.reward, report.causes) == (0.65, 1.0, 1.0, ())


def test_a_break_starts_the_half_second_again():
    assert verdict_at(INSIDE, numbered([OUT] + [IN] * 8 + [OUT] + [IN] * 20)) == (Verdict.SUCCESS, 20)


@pytest.mark.parametrize(
    ('motion', 'verdict'),
    [
        ({'linear': (0.0049, 0, 0)}, Verdict.SUCCESS),
        ({'linear': (0.0051, 0, 0)}, Verdict.RUNNING),
        ({'angular': (0, 0.049, 0)}, Verdict.SUCCESS),
        ({'angular': (0, 0.051, 0)}, Verdict.RUNNING),
    ],
)
def test_what_moves_has_not_been_placed(motion, verdict):
    sway = [snapshot(cube=IN_TRAY.shifted((x, 0.0, 0.0)), **motion) for x in (0.0, 0.001)]
    assert judge(INSIDE, LONG, numbered([OUT, *sway * 15])).verdict is verdict


def test_what_lies_still_has_been_placed_whatever_speed_the_solver_says():
    shaken = snapshot(cube=IN_TRAY, angular=(0.0, 0.13, 0.0))
    assert verdict_at(INSIDE, numbered([OUT] + [shaken] * 30)) == (Verdict.SUCCESS, 12)  # the first of them has leapt


def test_the_container_must_rest_too():
    up = [Body(TRAY.pose.shifted((0.0, 0.0, 0.002 * i)), linear=(0.0, 0.0, 0.1)) for i in range(30)]
    carried = [
        replace(IN, bodies={'object_1': Body(IN_TRAY.shifted((0.0, 0.0, 0.002 * i))), 'container_1': tray}) for i, tray in enumerate(up)
    ]
    assert judge(INSIDE, LONG, numbered([OUT, *carried])).verdict is Verdict.RUNNING


def test_a_root_held_replaces_the_half_second():
    film = flags(*['', *['a'] * 30])
    assert verdict_at(Held(A, 1.0), film) == (Verdict.SUCCESS, 21)
    assert verdict_at(Held(A, 0.1), film) == (Verdict.SUCCESS, 3)


def crept(share_a_second: float, seconds: float, goal: JointAt, hold: int = 0) -> list[Snapshot]:
    """A drawer that is led from 0 at a constant speed, and then held for so many periods."""
    travel = goal.joint.upper
    shares = [min(1.0, share_a_second * PERIOD_S * i) for i in range(round(seconds / PERIOD_S))]
    shares += shares[-1:] * hold
    return numbered([replace(OUT, mechanisms={goal.full: JointState(travel * share, travel * share_a_second)}) for share in shares])


@pytest.mark.parametrize('speed', [0.09, 0.03, 0.01, 0.003])
@pytest.mark.parametrize('share', [0.25, 0.5, 0.75])
def test_what_creeps_through_a_window_does_not_pass(share, speed):
    """ARNOLD's judge passes a drawer at 9 % a second through all three windows: each takes 2.2 s."""
    goal = JointAt(furniture('chest0', 'chest'), 'top', share)
    film = crept(speed, 60.0, goal)
    assert judge(Held(goal, 2.0, still=True), LONG, film).verdict is Verdict.RUNNING
    passes = any(goal.holds(now, film[0]) for now in film)
    assert judge(Held(goal, 2.0), LONG, film).verdict is (Verdict.SUCCESS if passes else Verdict.RUNNING)


@pytest.mark.parametrize(('periods', 'verdict'), [(39, Verdict.RUNNING), (40, Verdict.SUCCESS)])
def test_1_95_s_at_rest_fail_and_2_s_pass(periods, verdict):
    goal = JointAt(furniture('chest0', 'chest'), 'top', 0.5)
    film = crept(0.25, 2.05, goal, hold=periods)  # it comes to rest in the middle of the window
    assert judge(Held(goal, 2.0, still=True), LONG, film).verdict is verdict


def test_a_prop_that_stirs_begins_its_rest_again():
    resting = [IN] * 30
    stirred = [*resting, snapshot(cube=IN_TRAY.shifted((0.0006, 0.0, 0.0)))]
    trembling = [*resting, snapshot(cube=IN_TRAY.shifted((0.0004, 0.0, 0.0)))]
    for film, verdict in ((stirred, Verdict.RUNNING), (trembling, Verdict.SUCCESS)):
        assert judge(Held(INSIDE, 2.0, still=True), LONG, numbered([OUT, *film, *film[-1:] * 15])).verdict is verdict


def test_rest_is_measured_over_the_last_seconds_also_for_what_settles_slowly():
    """A bottle that turns between the fingers by 0.06° a second is at rest for 2 s at any time; what slides by 0.4 mm a second never is."""
    slow, fast = ([IN_TRAY.shifted((by * i, 0.0, 0.0)) for i in range(120)] for by in (1e-5, 2e-5))
    for film, verdict in ((slow, Verdict.SUCCESS), (fast, Verdict.FAILURE)):
        for periods in range(60, 120):
            seen = numbered([OUT, *(snapshot(cube=pose) for pose in film[:periods])])
            assert judge(AtEnd(Held(INSIDE, 2.0, still=True)), Limits(600.0, periods), seen).verdict is verdict, periods


STOPS_AND_GOES = flags('', *['a'] * 50, *[''] * 30, *['b'] * 50)


@pytest.mark.parametrize('goal', [AtEnd(A), AtEnd(Held(A, 2.0))])
def test_what_held_before_the_end_counts_nothing(goal):
    film, stop = STOPS_AND_GOES, [Event(130, EventKind.STOP)]  # it stops at b
    assert verdict_at(goal.goal, film)[0] is Verdict.SUCCESS, 'whoever rests at every value passes where the first rest counts'
    assert verdict_at(goal, film)[0] is Verdict.RUNNING
    assert judge(goal, LONG, numbered([*film, *film[-1:] * 60]), stop).causes == ('stopped',)
    assert judge(goal, Limits(6.5), film).causes == ('time_limit',)


@pytest.mark.parametrize('goal', [AtEnd(A), AtEnd(Held(A, 2.0)), AtEnd(Once(A))])
def test_what_holds_when_the_watch_after_the_stop_is_over_counts(goal):
    film = flags('', *['a'] * 120)
    for stop in (1, 10, 40, 60):
        assert verdict_at(goal, film, events=[Event(stop, EventKind.STOP)]) == (Verdict.SUCCESS, stop + 50), stop
        assert verdict_at(goal, film[: stop + 50], events=[Event(stop, EventKind.STOP)])[0] is Verdict.RUNNING


def test_one_stop_passes_no_more_than_one_goal():
    """A node may still move the robot for a while after it has stopped."""
    film, stop = flags('', *['a'] * 42, *[''] * 8, *['b'] * 60), [Event(41, EventKind.STOP)]
    assert judge(AtEnd(Held(A, 2.0)), LONG, film, stop).verdict is Verdict.FAILURE
    assert verdict_at(AtEnd(Held(B, 2.0)), film, events=stop) == (Verdict.SUCCESS, 91)


@pytest.mark.parametrize('heard', [60, 61, 80, 109])
def test_when_the_stop_arrives_does_not_matter(heard):
    film, stop = flags('', *['a'] * 130), Event(60, EventKind.STOP)
    live = Monitor(AtEnd(Held(A, 2.0)), LONG)
    for now in film:
        live.observe(now)
        if now.seq == heard:
            live.event(stop)
    assert live.report == judge(AtEnd(Held(A, 2.0)), LONG, film, [stop]) and live.report.seq == 110
    assert not too_late(stop, heard)


def test_a_stop_that_arrives_after_its_watch_counts_when_it_arrives():
    assert too_late(Event(60, EventKind.STOP), 110) and too_late(Event(60, EventKind.FAULT), 61)
    assert not too_late(Event(60, EventKind.FAULT), 60) and not too_late(Event(60, EventKind.VIOLATION), 200)


LACKS = 'every clause is true, but not for as long as asked: at the end, a is on for 2 s'


@pytest.mark.parametrize(('periods', 'causes'), [(39, ('time_limit', LACKS)), (40, ())])
def test_what_has_held_long_enough_at_the_time_limit_counts(periods, causes):
    report = judge(AtEnd(Held(A, 2.0)), Limits(PERIOD_S * (1 + periods)), flags('', *['a'] * (1 + periods)))
    assert (report.causes, report.seq) == (causes, 1 + periods)


def test_time_waits_for_a_policy_that_has_not_said_that_it_is_done():
    monitor = Monitor(AtEnd(Held(A, 2.0)), LONG)
    film = flags('', *['a'] * 50)
    for now in film:
        monitor.observe(now)
        assert not monitor.wants_time()
    monitor.event(Event(50, EventKind.STOP))
    assert monitor.wants_time()


def test_a_silent_policy_fails_although_its_goal_holds():
    report = judge(AtEnd(A), LONG, flags('', *['a'] * 50), [Event(50, EventKind.POLICY_TIMEOUT)])
    assert (report.verdict, report.causes) == (Verdict.FAILURE, ('policy_timeout',))


def test_a_root_once_succeeds_at_once():
    assert verdict_at(Once(A), flags('', '', '/a', '')) == (Verdict.SUCCESS, 2)


def test_a_broken_never_fails_at_once_and_names_the_leaf():
    report = judge(all_of(A, Never(B)), LONG, flags('', 'a', 'a/b', 'a'))
    assert (report.verdict, report.seq, report.causes) == (Verdict.FAILURE, 2, ('broken: never b is on',))
    assert report.reward == 0.0


def test_then_is_judged_to_its_end():
    film = flags('', 'a', '', *['b'] * 12)
    assert verdict_at(then(A, B), film) == (Verdict.SUCCESS, 13)
    report = judge(then(A, B), LONG, film[:3])
    assert (report.progress, report.failed_leaves) == (0.5, ('b is on',))


def test_what_a_word_of_time_has_latched_is_reported_as_reached():
    film = flags('', 'a', 'b', '')
    holds = {
        then(A, B): [True, False],
        all_of(Once(A), Once(B)): [True, True],
        then(all_of(A, Never(C)), Once(B), C): [True, True, True, False],
        all_of(Not(A), Never(C)): [True, True],
    }
    for goal, expected in holds.items():
        assert [leaf.holds for leaf in judge(goal, LONG, film).leaves] == expected, goal.words()


def test_time_and_step_limits_end_in_failure():
    film = numbered([OUT] * 100)
    report = judge(INSIDE, Limits(2.0), film)
    assert (report.verdict, report.seq, report.sim_seconds, report.causes) == (Verdict.FAILURE, 40, 2.0, ('time_limit',))
    report = judge(INSIDE, Limits(2.0, steps=7), film)
    assert (report.verdict, report.seq, report.causes) == (Verdict.FAILURE, 7, ('step_limit',))


def test_success_in_the_last_period_counts():
    film = numbered([OUT] * 3 + [IN] * 20)
    assert verdict_at(INSIDE, film, Limits(0.65)) == (Verdict.SUCCESS, 13)
    assert verdict_at(INSIDE, film, Limits(0.60)) == (Verdict.FAILURE, 12)


def test_after_a_stop_the_goal_is_watched_for_two_and_a_half_seconds():
    stop = [Event(5, EventKind.STOP, 'policy')]
    report = judge(INSIDE, LONG, numbered([OUT] * 100), stop)
    assert (report.verdict, report.seq, report.causes) == (Verdict.FAILURE, 55, ('stopped',))
    assert verdict_at(INSIDE, numbered([OUT] * 45 + [IN] * 50), events=stop) == (Verdict.SUCCESS, 55)
    assert verdict_at(INSIDE, numbered([OUT] * 46 + [IN] * 50), events=stop) == (Verdict.FAILURE, 55)
    assert verdict_at(INSIDE, numbered([OUT] * 100), events=[*stop, Event(9, EventKind.STOP)]) == (Verdict.FAILURE, 55)


@pytest.mark.parametrize(
    ('end', 'missing'),
    [
        ([OUT] * 50, ()),
        ([IN] * 5, ('every clause is true, but not for 0.5 s at rest',)),
        (
            [snapshot(cube=IN_TRAY.shifted((x, 0.0, 0.0)), linear=(0.2, 0, 0)) for x in (0.0, 0.01)] * 10,
            ('every clause is true, but object_1 did not come to rest',),
        ),
    ],
    ids=['false', 'late', 'rocking'],
)
@pytest.mark.parametrize(
    ('limits', 'events', 'cause'), [(LONG, [Event(5, EventKind.STOP)], 'stopped'), (Limits(2.75), [], 'time_limit')], ids=['stop', 'limit']
)
def test_a_failure_with_every_clause_true_says_what_is_missing(end, missing, limits, events, cause):
    film = numbered(([OUT] * 56)[: 56 - len(end)] + end)
    report = judge(INSIDE, limits, film, events)
    assert (report.verdict, report.seq, report.causes) == (Verdict.FAILURE, 55, (cause, *missing))


def test_a_silent_policy_failed_and_a_faulty_bench_says_nothing_of_it():
    film = numbered([OUT] * 10)
    report = judge(INSIDE, LONG, film, [Event(3, EventKind.POLICY_TIMEOUT, 'task_node')])
    assert (report.verdict, report.seq, report.causes) == (Verdict.FAILURE, 3, ('policy_timeout',))
    report = judge(INSIDE, LONG, film, [Event(3, EventKind.FAULT, 'sim_node', 'recorder silent for 10 s')])
    assert (report.verdict, report.seq, report.causes) == (Verdict.UNOBSERVABLE, 3, ('recorder silent for 10 s',))
    report = judge(INSIDE, LONG, film, [Event(3, EventKind.FAULT, 'sim_node')])
    assert report.causes == ('fault in sim_node',)


def test_violations_are_counted_and_aids_are_listed_once():
    events = [
        Event(1, EventKind.VIOLATION, 'task_node'),
        Event(1, EventKind.ASSISTANCE, 'arm_node', 'truth'),
        Event(2, EventKind.VIOLATION, 'task_node'),
        Event(2, EventKind.ASSISTANCE, 'arm_node', 'truth'),
        Event(2, EventKind.ASSISTANCE, 'sim_node', 'grasp_aid'),
    ]
    report = judge(INSIDE, LONG, numbered([OUT] * 4), events)
    assert (report.verdict, report.violations, report.assistance) == (Verdict.RUNNING, 2, ('grasp_aid', 'truth'))


def test_a_gap_or_a_late_start_is_unobservable():
    film = numbered([OUT] * 10)
    report = judge(INSIDE, LONG, film[:4] + film[6:])
    assert (report.verdict, report.causes) == (Verdict.UNOBSERVABLE, ('snapshot 4 was expected and 6 came',))
    assert judge(INSIDE, LONG, film[1:]).causes == ('snapshot 0 was expected and 1 came',)
    assert judge(INSIDE, LONG, [*film[:3], film[2]]).causes == ('snapshot 3 was expected and 2 came',)


def test_an_unseen_prop_is_unobservable_never_a_failure():
    blind = replace(OUT, bodies={'container_1': OUT.bodies['container_1']})
    lost = snapshot(cube=Pose((float('nan'), 0.0, 0.0)))
    for frame in (blind, lost):
        report = judge(INSIDE, Limits(0.1), numbered([OUT, frame, OUT, OUT, OUT]))
        assert (report.verdict, report.causes) == (Verdict.UNOBSERVABLE, ('snapshot 1 holds no pose of object_1',))


def test_an_event_that_lies_ahead_waits_for_its_snapshot():
    monitor = Monitor(INSIDE, LONG)
    film = numbered([OUT] * 5)
    monitor.observe(film[0])
    assert monitor.event(Event(3, EventKind.FAULT, 'x', 'late')).verdict is Verdict.RUNNING
    assert monitor.wants_time(), 'somebody must let the time pass until then'
    assert [monitor.observe(frame).verdict for frame in film[1:4]] == [Verdict.RUNNING, Verdict.RUNNING, Verdict.UNOBSERVABLE]


def test_after_the_verdict_nothing_changes_the_report():
    monitor = Monitor(INSIDE, LONG)
    film = numbered([OUT] * 3 + [IN] * 20)
    for frame in film[:14]:
        final = monitor.observe(frame)
    assert final.verdict is Verdict.SUCCESS
    assert monitor.event(Event(13, EventKind.FAULT, 'x', 'late')) == final
    assert monitor.observe(film[14]) == final == monitor.report


def test_it_asks_for_time_only_while_a_dwell_or_a_stop_runs():
    monitor = Monitor(INSIDE, LONG)
    asked = []
    for frame in numbered([OUT, IN, OUT] + [IN] * 11):
        monitor.observe(frame)
        asked.append(monitor.wants_time())
    assert asked == [False, True, False] + [True] * 10 + [False]
    stopped = Monitor(INSIDE, LONG)
    asked = [stopped.wants_time()]
    for frame in numbered([OUT] * 52):
        stopped.observe(frame)
        if frame.seq == 0:
            stopped.event(Event(0, EventKind.STOP))
        asked.append(stopped.wants_time())
    assert asked == [False] + [True] * 50 + [False] * 2
    holding = Monitor(all_of(Held(A, 0.2), B), LONG)
    asked = []
    for frame in flags('', 'a', 'a', 'a', 'a', 'a', 'a'):
        holding.observe(frame)
        asked.append(holding.wants_time())
    assert asked == [False, True, True, True, True, False, False]


def test_the_report_names_each_leaf():
    report = judge(INSIDE, LONG, numbered([OUT, snapshot(cube=IN_TRAY.shifted((0, 0, 0.126)))]))
    (leaf,) = report.leaves
    assert (leaf.words, leaf.holds) == ('the red object is inside the blue container', False)
    assert leaf.distance == pytest.approx(0.1)
    assert report.failed_leaves == ('the red object is inside the blue container',)
    assert 0.0 < report.reward < 0.9


def test_a_gate_is_reported_as_a_whole_and_missed_only_where_it_is_violated():
    goal = AtEnd(all_of(Held(all_of(A, Not(any_of(B, C))), 1.0), Never(B)))
    for on, missed in (('a', ()), ('', ('a is on',)), ('ac', ('not (b is on or c is on)',))):
        report = judge(goal, LONG, flags('', *[on] * 3))
        assert [leaf.words for leaf in report.leaves] == ['a is on', 'not (b is on or c is on)', 'never b is on']
        assert report.failed_leaves == missed


def test_a_report_and_its_events_survive_json():
    report = judge(INSIDE, Limits(1.0), numbered([OUT] * 30), [Event(2, EventKind.ASSISTANCE, 'a', 'truth')])
    assert loads(dumps(report)) == report
    assert json.loads(dumps(report))['verdict'] == 'failure'
    event = Event(2, EventKind.STOP, 'policy')
    assert loads(dumps(event)) == event
    assert type(loads(dumps(event)).kind) is EventKind


def test_verdict_numbers_are_those_of_the_message():
    assert [verdict.code for verdict in (Verdict.RUNNING, Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNOBSERVABLE)] == [0, 1, 2, 3]


FRAMES = st.lists(st.sampled_from([OUT, IN, snapshot(cube=IN_TRAY, linear=(0.1, 0, 0))]), min_size=1, max_size=60)
EVENTS = st.lists(st.builds(Event, st.integers(0, 60), st.sampled_from(EventKind), st.just('node'), st.just('text')), max_size=4)


@given(frames=FRAMES, events=EVENTS)
def test_live_and_from_a_bag_the_report_is_the_same(frames, events):
    film, events = numbered(frames), sorted(events, key=lambda event: event.seq)
    live = Monitor(INSIDE, Limits(2.5))
    for frame in film:
        live.observe(frame)
        for event in (event for event in events if event.seq == frame.seq):
            live.event(event)
    assert live.report == judge(INSIDE, Limits(2.5), film, events)
    assert isinstance(live.report, Report)
    assert 0.0 <= live.report.progress <= 1.0 and 0.0 <= live.report.reward <= 1.0
