"""The judge that sees no props: it waits for the end, and then for a person."""

import pytest

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.engine import NO_ENGINE, PYBULLET
from vlm_bench_sim.core.errors import NeedError, TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Task
from vlm_bench_tasks.goals.logic import AtEnd, Never, Not, Once, all_of, any_of, then
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.judges import judge_for
from vlm_bench_tasks.judging.monitor import Monitor
from vlm_bench_tasks.judging.person_judge import PersonJudge, answer_text, clauses, holds
from vlm_bench_tasks.judging.report import Event

A, B = (catalogue.build('vlmbench/pick_place', 'seen', seed).goal for seed in (0, 1))
LIMITS = Limits(seconds=2.0)


def seen(seq: int) -> Snapshot:
    return Snapshot(seq, seq * STEPS_PER_PERIOD, {}, Pose(), 0.0, contacts=False)


def said(word: str, goal, seq: int = 5, why: str = '') -> Event:
    return Event(seq, EventKind.ANSWER, 'person', answer_text(word, goal.words(), why))


def judged(goal, *events: Event, periods: int = 10, judged_by: str = 'person'):
    judge = judge_for(judged_by, goal, LIMITS)
    for event in events:
        judge.event(event)
    for seq in range(periods):
        judge.observe(seen(seq))
    return judge.report


STOP = Event(5, EventKind.STOP)


def test_a_person_is_asked_for_each_leaf_and_for_words_of_time_as_a_whole():
    assert clauses(A) == (A,)
    assert clauses(all_of(A, Not(any_of(B, A)))) == (A, B, A)
    assert clauses(all_of(Once(A), then(A, B))) == (Once(A), then(A, B))
    assert clauses(AtEnd(all_of(A, Not(B)))) == (A, B)  # a person is asked at the end anyway


@pytest.mark.parametrize(('a', 'b'), [(True, True), (True, False), (False, True), (False, False)])
def test_what_is_said_of_the_clauses_decides_the_goal(a, b):
    truth = {A.words(): a, B.words(): b}
    assert holds(all_of(A, B), truth) == (a and b)
    assert holds(any_of(A, B), truth) == (a or b)
    assert holds(all_of(A, Not(B)), truth) == holds(AtEnd(all_of(A, Not(B))), truth) == (a and not b)


def test_until_the_end_nothing_is_decided_and_the_running_report_says_when_it_has_come():
    assert judged(A, said('yes', A, seq=2)).verdict is Verdict.RUNNING, 'nobody was asked yet'
    waiting = judged(A, STOP)
    assert (waiting.verdict, waiting.causes, waiting.seq) == (Verdict.RUNNING, ('stopped',), 5)
    assert judged(A, periods=60).causes == ('time_limit',)


def test_a_reason_changes_no_answer_and_is_told_with_what_cannot_be_told():
    assert judged(A, STOP, said('yes', A, why='it\nlies  in it')).verdict is Verdict.SUCCESS
    assert judged(A, STOP, said('no', A, why='yes')).verdict is Verdict.FAILURE
    unsure = judged(A, STOP, said('unsure', A, why='an arm\nis in the way'))
    assert unsure.causes == (f'the person cannot tell whether {A.words()}: an arm is in the way', 'stopped')


@pytest.mark.parametrize('came', [5, 6, 9, 45])
def test_that_the_policy_has_stopped_counts_at_its_period_however_late_the_word_comes(came):
    live = judge_for('person', A, LIMITS)
    for seq in range(50):
        live.observe(seen(seq))
        if seq == came:
            live.event(STOP)
    assert live.report == judged(A, STOP, periods=50)
    assert (live.report.seq, live.report.sim_seconds, live.report.causes) == (5, 0.25, ('stopped',))


def test_yes_is_success_no_is_failure_and_unsure_is_unobservable():
    yes, no, unsure = (judged(A, STOP, said(word, A)) for word in ('yes', 'no', 'unsure'))
    assert (yes.verdict, yes.causes, yes.progress, yes.seq) == (Verdict.SUCCESS, (), 1.0, 5)
    assert (no.verdict, no.causes, no.progress) == (Verdict.FAILURE, ('stopped',), 0.0)
    assert [(leaf.words, leaf.holds, leaf.distance) for leaf in no.leaves] == [(A.words(), False, -1.0)]
    assert (unsure.verdict, unsure.causes) == (Verdict.UNOBSERVABLE, (f'the person cannot tell whether {A.words()}', 'stopped'))


def test_every_clause_must_be_answered_and_gates_weigh_nothing():
    both = all_of(A, B)
    half = judged(both, STOP, said('yes', A))
    assert (half.verdict, half.progress) == (Verdict.RUNNING, 0.5)
    assert judged(both, STOP, said('yes', A), said('no', B)).verdict is Verdict.FAILURE
    gated = all_of(A, Never(B))
    assert judged(gated, STOP, said('no', A), Event(5, EventKind.ANSWER, '', answer_text('yes', Never(B).words()))).progress == 0.0
    assert judged(A, STOP, Event(5, EventKind.ANSWER, '', 'yes the moon is made of cheese')).verdict is Verdict.RUNNING


def test_the_score_counts_what_is_said_to_be_done_and_takes_off_what_is_said_to_be_broken():
    third = catalogue.build('vlmbench/pick_place', 'seen', 2).goal
    assert judged(all_of(A, B), STOP, said('yes', A)).score == 50.0
    gated = all_of(A, B, Not(third))
    assert [judged(gated, STOP, said('yes', A), said(word, third)).score for word in ('no', 'yes')] == [50.0, 0.0]
    assert judged(gated, STOP, said('yes', A), said('yes', B), said('no', third)).score == 100.0


def test_a_fault_and_a_gap_are_unobservable_also_while_the_person_thinks():
    report = judged(A, STOP, Event(6, EventKind.FAULT, 'x', 'the lamp went out'), said('yes', A, seq=7))
    assert (report.verdict, report.causes, report.seq) == (Verdict.UNOBSERVABLE, ('the lamp went out',), 5)
    judge = PersonJudge(A, LIMITS, person=True)
    judge.observe(seen(0))
    assert judge.observe(seen(2)).verdict is Verdict.UNOBSERVABLE


def test_where_nobody_judges_the_end_is_unobservable():
    report = judged(A, STOP, judged_by='nobody')
    assert (report.verdict, report.causes[1]) == (Verdict.UNOBSERVABLE, 'stopped')
    assert 'neither a tracker nor a person' in report.causes[0]


def test_a_leaf_that_needs_contacts_is_unobservable_by_a_tracker_and_says_so():
    now = Snapshot(0, 0, {}, Pose(), 0.0, contacts=False)
    blind = Monitor(A, LIMITS).observe(now)
    assert 'holds no pose of' in blind.causes[0]
    film = catalogue.build('vlmbench/pick_place', 'seen', 0).scene
    tracked = Snapshot(0, 0, {}, Pose(), 0.0, bodies={prop.name: Body(prop.pose) for prop in film.props}, contacts=False)
    report = Monitor(A, LIMITS).observe(tracked)
    assert (report.verdict, report.causes) == (
        Verdict.UNOBSERVABLE,
        (f'snapshots lack contacts, and this clause needs them: {A.leaves()[0].words()}',),
    )


def test_a_task_that_needs_a_simulator_is_refused_by_name_on_a_real_arm(monkeypatch):
    needy = Task(catalogue.task('vlmbench/pick_place').build, axes=('color',), horizon=1.0, needs=('cues', 'reset'))
    catalogue.check_needs('vlmbench/pick_place', engine=NO_ENGINE)
    monkeypatch.setattr(catalogue, 'task', lambda _: needy)
    catalogue.check_needs('vlmbench/pick_place', engine=PYBULLET)
    with pytest.raises(NeedError, match=r'vlmbench/pick_place needs cues and reset, which a real arm does not have'):
        catalogue.check_needs('vlmbench/pick_place', engine=NO_ENGINE)
    with pytest.raises(TaskError, match='Did you mean cues'):
        Task(needy.build, axes=('color',), horizon=1.0, needs=('cue',))
