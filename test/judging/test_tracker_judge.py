"""A judge that needs no contacts: what it believes follows from poses, and what poses leave open stays open."""

from collections import Counter
from dataclasses import replace
from functools import cache
from math import radians

import pytest

from test.films import CUBE, IN_TRAY, TRAY, numbered, snapshot
from test.plays import Film, bench
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.pose_tracker import EXACT, Accuracy
from vlm_bench_sim.core.sighting import Sight, Sightings
from vlm_bench_sim.core.snapshot import Body, pair
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.motion.contact_estimator import ContactEstimator
from vlm_bench_sim.motion.observed import Blindfold, Observation, trackable
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.goals.logic import Never, Not, all_of
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.goals.touching import Touching
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.judges import TRACKER, judge_for
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.judging.tracker_judge import TrackerJudge
from vlm_bench_tasks.policies import policy

LIMITS = Limits(1000.0)


@cache
def played(task: str, seed: int = 0):
    """An episode of the expert, its film, and its report."""
    episode, film = catalogue.build(task, catalogue.splits(task)[0], seed), Film()
    own = bench(catalogue.task(task).robot)
    return episode, film, own.run(episode, policy('oracle'), film).report


def unseeing(now):
    """The snapshot as it would be observed around a real arm."""
    return replace(now, contacts=False, held='', touching=(), touched=(), grasped=(), released=())


def estimator(task: str, episode, accuracy=EXACT):
    return ContactEstimator(bench(catalogue.task(task).robot).kinematics, episode.scene, accuracy=accuracy)


FINE = Sight(Accuracy(0.0003, radians(0.1)), delay=0.05, drop_out=0.02)
COARSE = Sight(Accuracy(0.002, radians(0.5)), delay=0.1, drop_out=0.1)


def seen_by(task, episode, snapshots, sight):
    blindfold = Blindfold(bench(catalogue.task(task).robot).kinematics, episode.scene, sight=sight)
    return [blindfold.observe(now) for now in snapshots]


def waited(film, count=60):
    """The snapshots, and what follows if nothing moves any more."""
    last = film[-1]
    return [*film, *(replace(last, seq=last.seq + i, step=last.step + 12 * i, grasped=(), released=()) for i in range(1, count))]


@pytest.mark.parametrize('task', ['vlmbench/pick_place', 'vlmbench/drawer', 'lohoravens/pick_and_place'])
def test_contacts_and_grasps_are_told_from_poses(task):
    """What surely touches nearly always does, and nothing touches that does not possibly; fingers, furniture and suction."""
    episode, film, _ = played(task)
    guess, wrong = estimator(task, episode), Counter()
    for now in film.snapshots:
        ((sure, possible),) = guess.estimate(unseeing(now))
        wrong['sure'] += not set(sure.touching) <= set(now.touching)
        wrong['possible'] += not set(now.touching) <= set(possible.touching)
        wrong['surely held'] += bool(sure.held) and sure.held != now.held
        wrong['possibly held'] += bool(now.held) and possible.held != now.held
    assert any(now.held for now in film.snapshots)
    assert all(count <= 3 for count in wrong.values()), wrong
    assert len(film.snapshots) > 80


@pytest.mark.parametrize('task', ['vlmbench/pick_place', 'vlmbench/drawer', 'lohoravens/pick_and_place'])
def test_an_episode_has_the_verdict_of_the_judge_that_sees_contacts(task):
    episode, film, report = played(task)
    limits = Limits(episode.horizon, episode.step_limit)
    judge = judge_for(TRACKER, episode.goal, limits, estimator(task, episode))
    for event in film.events:
        judge.event(event)
    for now in film.snapshots:
        judge.observe(unseeing(now))
    assert report.verdict is Verdict.SUCCESS
    assert judge.report.verdict is Verdict.SUCCESS, judge.report.causes


@pytest.mark.parametrize('sight', [Sight(), FINE, COARSE], ids=['exact', 'fine', 'coarse'])
@pytest.mark.parametrize('task', ['vlmbench/pick_place', 'vlmbench/drawer', 'lohoravens/pick_and_place'])
def test_a_tracker_that_errs_and_is_late_gives_the_same_verdict(task, sight):
    episode, film, _ = played(task)
    judge = judge_for(TRACKER, episode.goal, Limits(episode.horizon), estimator(task, episode, sight.accuracy))
    for now in seen_by(task, episode, waited(film.snapshots), sight):
        judge.observe(now)
    assert judge.report.verdict is Verdict.SUCCESS, judge.report.causes


@pytest.mark.parametrize('sight', [Sight(), FINE, COARSE], ids=['exact', 'fine', 'coarse'])
@pytest.mark.parametrize('task', ['vlmbench/pick_place', 'vlmbench/drawer', 'lohoravens/pick_and_place'])
def test_what_ends_too_early_is_no_success_for_it(task, sight):
    """A film that is cut before the goal holds."""
    episode, film, _ = played(task)
    cut = next(i for i, now in enumerate(film.snapshots) if episode.goal.holds(now, film.snapshots[0])) - 10
    judge = judge_for(TRACKER, episode.goal, Limits(100.0), estimator(task, episode, sight.accuracy))
    judge.event(Event(cut, EventKind.STOP, 'policy'))
    still = waited(film.snapshots[:cut], 120)
    for now in seen_by(task, episode, still, sight):
        judge.observe(now)
    assert judge.report.verdict in (Verdict.FAILURE, Verdict.UNOBSERVABLE)


def test_a_vacuum_sensor_tells_that_cups_hold_what_has_not_moved_yet():
    """Cups that have sealed on a thing that stands: poses alone cannot tell it from a touch."""
    task = 'lohoravens/pick_and_place'
    episode, film, _ = played(task)
    own = bench(catalogue.task(task).robot).profile.gripper
    sealed = next(now for now in film.snapshots if now.held and any(now.held in two and 'robot' not in two for two in now.touching))
    for told, held in ((own.sensed(sealed.held), sealed.held), (own.sensed(''), ''), ({}, '')):
        now = replace(unseeing(sealed), joints=sealed.joints | told)
        assert [one.held for one in estimator(task, episode).estimate(now)[0]] == [held, held]


def test_what_cups_hold_is_taken_once_however_far_a_tracker_errs():
    task = 'lohoravens/pick_and_place'
    episode, film, _ = played(task)
    guess, taken = estimator(task, episode, COARSE.accuracy), Counter()
    for now in seen_by(task, episode, waited(film.snapshots), COARSE):
        for told in guess.estimate(now):
            taken.update((which, name) for which, one in zip(('sure', 'possible'), told, strict=True) for name in one.grasped)
    grasps = Counter(name for now in film.snapshots for name in now.grasped)
    assert taken == {(which, name): count for name, count in grasps.items() for which in ('sure', 'possible')}


def test_fingers_hold_a_wedge():
    """The fingers push at 120° to one another on a triangular prism."""
    episode, film = catalogue.build('clevrskills/pick', 'seen', 170000, 'look'), Film()
    own = bench('panda')
    assert next(iter(episode.goal.props())).kind == 'triangular_prism'
    own.run(episode, policy('oracle'), film)
    guess = ContactEstimator(own.kinematics, episode.scene)
    told = [(now.held, *(one.held for one in guess.estimate(unseeing(now))[0])) for now in film.snapshots]
    held = [one for one in told if one[0]]
    assert len(held) > 20 and all(one == (one[0],) * 3 for one in held[3:]), held


def test_the_robot_beside_a_thing_may_touch_it_or_not():
    """A gap of ten micrometres is none that a tracker could tell; an overlap is a contact."""
    task = 'clevrskills/swap_push'
    episode, film, _ = played(task)
    guess, answers = estimator(task, episode), Counter()
    for now in film.snapshots:
        sure, possible = ({two for two in one.touching if 'robot' in two} for one in guess.estimate(unseeing(now))[0])
        told = {two for two in now.touching if 'robot' in two}
        answers['open'] += sure != possible
        answers['wrong'] += not sure <= told or not told <= possible
        answers['touching'] += bool(sure)
    assert answers['touching'] > 20 and answers['open'] and answers['wrong'] <= 3, answers


def held_in_the_tray(film):
    """The film, stopped just before the hand lets go: the thing is where it should be, and held."""
    last = max(now.seq for now in film.snapshots if now.held)
    return waited(film.snapshots[:last], 120), [Event(last - 1, EventKind.STOP, 'policy')]


def blind_verdict(task, episode, snapshots, events, sight, *, joints=lambda _, told: told, poses=lambda _, told: told):
    """The verdict by poses if a driver tells `joints` and a tracker `poses` of what there is, given the control period."""
    kinematics = bench(catalogue.task(task).robot).kinematics
    observation, looks = Observation(kinematics, accuracy=sight.accuracy), Sightings(sight)
    observation.lay_out(episode.scene)
    judge = judge_for(TRACKER, episode.goal, Limits(episode.horizon), estimator(task, episode, sight.accuracy))
    for event in events:
        judge.event(event)
    for now in snapshots:
        for before in range(20 if now.seq == 0 else 0, -1, -1):
            ns = PERIOD_NS * (now.seq - before)
            observation.hear(joints(now.seq, now.joints), ns)
            for one in poses(now.seq, looks.look(trackable(episode.scene, now), ns)):
                observation.see(one.name, one.pose, one.ns)
        judge.observe(observation.snapshot(now.seq, ns))
    return judge.give_up('the film ends')


@pytest.mark.parametrize('sight', [Sight(), COARSE], ids=['exact', 'coarse'])
@pytest.mark.parametrize('change', [{}, {'position': float('nan')}], ids=['silent', 'nan'])
def test_fingers_that_are_told_no_more_do_not_count_as_open(sight, change):
    task = 'vlmbench/pick_place'
    episode, film, _ = played(task)
    snapshots, events = held_in_the_tray(film)
    begun = next(now.seq for now in snapshots if now.held) - 12

    def joints(seq, told):
        fingers = {} if not change else {name: replace(told[name], **change) for name in told if 'finger' in name}
        return told if seq < begun else {name: joint for name, joint in told.items() if 'finger' not in name} | fingers

    assert blind_verdict(task, episode, snapshots, events, sight).verdict is Verdict.FAILURE
    report = blind_verdict(task, episode, snapshots, events, sight, joints=joints)
    assert report.verdict is Verdict.UNOBSERVABLE and 'finger' in report.causes[0]


@pytest.mark.parametrize('periods', [8, 14, 19])
@pytest.mark.parametrize('sight', [Sight(), FINE], ids=['exact', 'fine'])
def test_what_is_hidden_while_it_is_taken_out_has_not_come_to_rest(sight, periods):
    """The thing is in the tray for an instant, is lost from sight, and is seen again outside."""
    task = 'vlmbench/pick_place'
    episode, film, _ = played(task)
    first = next(now.seq for now in film.snapshots if episode.goal.holds(now, film.snapshots[0])) + 2
    name = next(iter(episode.goal.props())).name
    out = film.snapshots[first].pose(name).shifted((-0.25, 0.0, 0.05))
    snapshots = [now if now.seq < first else replace(now, bodies=now.bodies | {name: Body(out)}) for now in waited(film.snapshots, 90)]

    def poses(_, told):
        return [one for one in told if one.name != name or not first <= one.ns // PERIOD_NS < first + periods]

    report = blind_verdict(task, episode, snapshots, [Event(first, EventKind.STOP, 'policy')], sight, poses=poses)
    assert report.verdict in (Verdict.FAILURE, Verdict.UNOBSERVABLE), report


def test_what_is_hidden_and_comes_back_where_it_was_is_a_success():
    task = 'vlmbench/pick_place'
    episode, film, _ = played(task)
    first = next(now.seq for now in film.snapshots if episode.goal.holds(now, film.snapshots[0])) + 2
    name = next(iter(episode.goal.props())).name

    def poses(_, told):
        return [one for one in told if one.name != name or not first <= one.ns // PERIOD_NS < first + 10]

    report = blind_verdict(task, episode, waited(film.snapshots), (), Sight(), poses=poses)
    assert report.verdict is Verdict.SUCCESS, report.causes


def test_without_what_tells_contacts_a_clause_that_needs_them_cannot_be_judged():
    judge = judge_for(TRACKER, Touching(CUBE, TRAY), LIMITS)
    judge.observe(unseeing(snapshot()))
    assert judge.report.verdict is Verdict.UNOBSERVABLE and 'contacts' in judge.report.causes[0]


class Guess:
    """Believes surely in some contacts, and possibly in others as well."""

    def __init__(self, *, sure=(), possible=()) -> None:
        self.sure, self.possible = tuple(sure), (*sure, *possible)

    def estimate(self, now):
        return [tuple(replace(now, contacts=True, touching=pairs, touched=pairs) for pairs in (self.sure, self.possible))]


TOUCH = pair('object_1', 'container_1')


@pytest.mark.parametrize(
    ('guess', 'goal', 'verdict'),
    [
        (Guess(sure=[TOUCH]), Touching(CUBE, TRAY), Verdict.SUCCESS),
        (Guess(), Touching(CUBE, TRAY), Verdict.FAILURE),
        (Guess(possible=[TOUCH]), Touching(CUBE, TRAY), Verdict.UNOBSERVABLE),
        (Guess(possible=[TOUCH]), Not(Touching(CUBE, TRAY)), Verdict.UNOBSERVABLE),
        (Guess(possible=[TOUCH]), Inside(CUBE, TRAY), Verdict.SUCCESS),
        (Guess(possible=[TOUCH]), all_of(Inside(CUBE, TRAY), Never(Touching(CUBE, TRAY))), Verdict.UNOBSERVABLE),
        (Guess(sure=[TOUCH]), all_of(Inside(CUBE, TRAY), Never(Touching(CUBE, TRAY))), Verdict.FAILURE),
    ],
)
def test_a_verdict_is_what_follows_from_both_answers(guess, goal, verdict):
    judge = TrackerJudge(goal, LIMITS, guess=guess)
    judge.event(Event(20, EventKind.STOP, 'policy'))
    for now in numbered([unseeing(snapshot(cube=IN_TRAY))] * 120):
        judge.observe(now)
    assert judge.report.verdict is verdict
    assert (verdict is Verdict.UNOBSERVABLE) == any('poses cannot tell' in cause for cause in judge.report.causes)


def test_the_cause_names_the_clause_that_poses_leave_open():
    goal = all_of(Inside(CUBE, TRAY), Touching(CUBE, TRAY))
    judge = TrackerJudge(goal, Limits(2.0), guess=Guess(possible=[TOUCH]))
    for now in numbered([unseeing(snapshot(cube=IN_TRAY))] * 60):
        judge.observe(now)
    (cause,) = judge.report.causes
    assert Touching(CUBE, TRAY).words() in cause and Inside(CUBE, TRAY).words() not in cause
