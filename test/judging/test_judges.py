"""Every episode has a judge: one that cannot be read, or whose goal raises, ends as unobservable with its cause, live and from a bag."""

import signal
from dataclasses import dataclass, make_dataclass, replace
from itertools import islice
from math import inf, nan

import numpy as np
import pytest
from typer.testing import CliRunner

from test.films import CUBE, IN_TRAY, TRAY, Flag, flags, numbered, snapshot
from test.plays import Film, Scripted, bench, episode
from vlm_bench_sim.bags.reader import episode_truth, open_bag
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codec import dumps, serialisable
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.command import Wait
from vlm_bench_sim.core.errors import ExtensionError, TaskError, Unobservable, VlmBenchError
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.ros import names
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.console import episodes
from vlm_bench_tasks.dataset.judge import judge
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.goals.base import Leaf
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.goals.logic import Held, Never, all_of
from vlm_bench_tasks.goals.moving import Moved, Raised, Turned
from vlm_bench_tasks.goals.placing import Inside
from vlm_bench_tasks.judging.asking import asking
from vlm_bench_tasks.judging.cues import Markers
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.judges import NOBODY, PERSON, TRACKER, TRUTH, judge_for, read_episode
from vlm_bench_tasks.judging.late import late, settled
from vlm_bench_tasks.judging.messages import event_fields, report_fields
from vlm_bench_tasks.judging.person_judge import questions
from vlm_bench_tasks.judging.report import UNTIMED, Event

LIMITS = Limits(1000.0)
OUT, IN = snapshot(), snapshot(cube=IN_TRAY)
CAUSE = "the goal cannot be judged: KeyError: 'nobody thought of it'"


@serialisable
@dataclass(frozen=True)
class Faulty(Leaf):
    """Raises where it is told to, from a control period on."""

    where: str
    since: int = 0

    def _perhaps(self, where, seq=0):
        if self.where == where and seq >= self.since:
            raise KeyError('nobody thought of it')

    def holds(self, now, start):
        self._perhaps('holds', now.seq)
        return False

    def distance(self, now, start):
        self._perhaps('distance', now.seq)
        return 1.0

    def words(self):
        self._perhaps('words')
        return 'it is faulty'

    def props(self):
        self._perhaps('props')
        return ()

    def joints(self):
        self._perhaps('joints')
        return ()


def said(judged_by, goal, film=(OUT,) * 9, events=()):
    """The report after a film."""
    folding = judge_for(judged_by, goal, LIMITS)
    for event in events:
        folding.event(event)
    for now in numbered(film):
        folding.observe(now)
    return folding.report


@pytest.mark.parametrize('where', ['holds', 'distance', 'words', 'props', 'joints'])
def test_what_a_goal_raises_is_the_cause_of_an_unobservable_episode(where):
    report = said(TRUTH, all_of(Inside(CUBE, TRAY), Faulty(where)))
    assert (report.verdict, report.causes, report.seq) == (Verdict.UNOBSERVABLE, (CAUSE,), 0)


@pytest.mark.parametrize('goal', [Faulty('holds', 5), all_of(Inside(CUBE, TRAY), Never(Faulty('holds', 5)))], ids=lambda g: g.words())
def test_it_counts_at_the_period_at_which_it_was_raised_and_nothing_comes_after_it(goal):
    report = said(TRACKER, goal, [OUT] * 3 + [IN] * 20, [Event(7, EventKind.ABANDONED)])
    assert (report.verdict, report.causes, report.seq) == (Verdict.UNOBSERVABLE, (CAUSE,), 5)


def test_what_is_raised_after_the_verdict_changes_nothing():
    assert said(TRUTH, Faulty('holds', 5), events=[Event(4, EventKind.ABANDONED)]).causes == ('abandoned',)


def test_a_goal_that_cannot_be_put_into_words_is_put_to_nobody():
    for judged_by in (PERSON, NOBODY):
        assert said(judged_by, Faulty('words')).causes == (CAUSE,)
    with pytest.raises(Unobservable, match='nobody thought of it'):
        questions(Faulty('words'))


def test_a_cue_whose_goal_raises_makes_the_episode_unobservable():
    look = Look(CUBE.color)
    with pytest.raises(Unobservable, match='the goal of a cue cannot be judged: KeyError'):
        Markers((Cue('m', Faulty('holds'), look, look, look),)).see(OUT)
    cue = Cue(episode().scene.props[0].name, Faulty('holds', 3), look, look, look)
    run = bench().run(replace(episode(), cues=(cue,)), Scripted(Wait(1.0)))
    assert (run.report.verdict, run.report.seq) == (Verdict.UNOBSERVABLE, 3)
    assert run.report.causes == (CAUSE.replace('goal', 'goal of a cue'),)


@pytest.mark.parametrize('judged_by', [TRUTH, TRACKER, PERSON, NOBODY])
@pytest.mark.parametrize(
    ('change', 'why'),
    [
        (lambda text: text.replace('"is":"Inside"', '"is":"Nonsense"'), "names the unknown class 'Nonsense'"),
        (lambda text: text[:100], 'Expected JSON'),
        (lambda _: dumps(CUBE), 'found that of a Prop'),
        (lambda _: '', "in ''"),
        (lambda text: text.replace('"horizon":60.0', '"horizon":NaN'), 'the number NaN, which is not finite'),
        (lambda text: text.replace('"horizon":60.0', '"horizon":1e999'), 'the number 1e999, which is not finite'),
        (lambda text: text.replace('"horizon":60.0', '"horizon":-1'), 'The limits of an episode are -1 s'),
        (lambda text: text.replace('"step_limit":0', f'"step_limit":1{"0" * 400}'), 'The limits of an episode are 60 s and 1000'),
        (lambda text: text.replace('"size":[0.2,0.125,0.05]', '"size":[null,null,null]', 1), 'Prop.size takes tuple'),
        (lambda text: text.replace('"name":"blue"', '"name":"\\ud800"', 1), 'Color.name takes str'),
        (lambda text: text.replace('"name":"blue"', '"name":"re\\u0000d"', 1), 'Color.name takes str'),
        (lambda text: text.replace('"horizon":60.0', '"horizon":true'), 'Episode.horizon takes float; found'),
        (lambda text: text.replace('"step_limit":0', '"step_limit":1.5'), 'Episode.step_limit takes int; found'),
    ],
)
def test_an_episode_that_cannot_be_read_is_unobservable_from_the_start_and_stays_so(judged_by, change, why):
    found, folding = read_episode(change(dumps(episode())), judged_by)
    assert found is None and not folding.wants_time()
    (cause,) = folding.report.causes
    assert cause.startswith('the episode cannot be read: ') and why in cause
    before = folding.report
    assert before.verdict is Verdict.UNOBSERVABLE
    assert folding.event(Event(0, EventKind.STOP)) == folding.observe(OUT) == folding.event(Event(0, EventKind.FAULT, '', 'x')) == before


@pytest.mark.parametrize(
    'goal',
    [
        Raised(CUBE, nan),
        Moved(CUBE, nan),
        Turned(CUBE, nan),
        all_of(Inside(CUBE, TRAY), Raised(CUBE, inf)),
        Raised(CUBE, 0.1, None),
        Moved(CUBE, False),
        Raised(CUBE, np.float32('nan')),
        Held(Turned(CUBE, np.array(nan)), 1.0),
    ],
)
def test_a_number_that_is_not_finite_makes_no_goal_true(goal):
    """The greater of 0 and NaN is 0, so a distance would say that the goal is reached."""
    report = said(TRUTH, goal)
    assert (report.verdict, report.seq) == (Verdict.UNOBSERVABLE, 0)
    assert 'the goal cannot be judged: ' in report.causes[0]
    with pytest.raises(TaskError, match=r'(Raised|Moved|Turned)\.(height|least|angle|within) takes float and is'):
        replace(episode(), goal=goal)


@pytest.mark.parametrize('seconds', [-5.0, nan, inf])
def test_a_goal_is_not_held_for_less_than_no_time(seconds):
    with pytest.raises(TaskError, match='Give a finite number'):
        Held(Inside(CUBE, TRAY), seconds)


def test_who_judges_is_one_of_four():
    report = said('a martian', Inside(CUBE, TRAY), [OUT] * 3 + [IN] * 20)
    assert (report.verdict, report.causes) == (
        Verdict.UNOBSERVABLE, ("there is no judge called 'a martian'; known are truth, tracker, person, nobody",)
    )  # fmt: skip


def test_who_never_sees_anything_can_give_up_and_says_why():
    folding = judge_for(TRUTH, Inside(CUBE, TRAY), LIMITS)
    folding.event(Event(0, EventKind.STOP))
    assert not folding.begun
    assert folding.give_up('nothing came').causes == folding.give_up('again').causes == ('nothing came',)
    assert folding.observe(OUT).verdict is Verdict.UNOBSERVABLE


def test_an_episode_that_can_be_read_has_the_judge_of_who_sees_the_props():
    found, folding = read_episode(dumps(episode()), TRUTH)
    assert found == episode() and folding.report.verdict is Verdict.RUNNING


def test_the_handler_of_a_signal_is_no_goal():
    """A policy's alarm may ring while its episode is judged, and is the policy's."""

    def ring(*_):
        raise ValueError('a policy')

    before = signal.signal(signal.SIGUSR1, ring)
    try:
        with pytest.raises(ValueError, match='a policy'), asking():
            signal.raise_signal(signal.SIGUSR1)
        with pytest.raises(Unobservable), asking():
            raise ValueError
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.fixture
def played(tmp_path):
    """A bag of an episode whose goal raises, as it was judged live."""
    of = replace(episode(), goal=all_of(episode().goal, Faulty('distance', 4)))
    recorder, film = Recorder(bench(), of, folder=tmp_path), Film()
    run = bench().run(of, Scripted(Wait(1.0)), recorder, film)
    return recorder.close(run.report), run


def without_report(bag, folder):
    """Write a bag's episode and states once more."""
    writer = BagWriter(folder, 'again', custom=dict(bag.custom))
    rows = {row.name: row for row in (names.EPISODE_TRUTH, names.WORLD_STATE)}
    for raw in bag.raw(*rows):
        writer.write(rows[raw.topic], raw.data)
    return writer


def test_a_bag_of_an_episode_whose_goal_raises_is_judged_as_it_was_live(played):
    path, run = played
    judgement = judge(path)
    assert judgement.agrees
    assert (run.report.verdict, run.report.causes, run.report.seq) == (Verdict.UNOBSERVABLE, (CAUSE,), 4)


def test_a_bag_of_an_episode_that_cannot_be_read_is_judged_as_it_was_live(played, tmp_path, monkeypatch):
    bag = open_bag(played[0])
    monkeypatch.delitem(codec._KNOWN, codec.name_of(Faulty))
    writer = without_report(bag, tmp_path)
    truth = episode_truth(bag)
    report = read_episode(truth.episode, TRUTH)[1].report
    writer.write_value(names.REPORT, report_fields(replace(report, token=truth.token), PERIOD_NS))
    judgement = judge(writer.close())
    assert judgement.agrees and judgement.episode is None
    assert f'names the unknown class {codec.name_of(Faulty)!r}' in judgement.report.causes[0]
    shown = episodes.judged(judgement)
    assert (shown['task'], shown['seed'], shown['verdict'], shown['instruction']) == (episode().task, 0, 'unobservable', '')


def test_a_bag_whose_extension_is_not_here_is_not_judged_at_all(played, tmp_path, monkeypatch):
    """Its verdict is not another one: nobody can tell."""
    path, _ = played
    monkeypatch.delitem(codec._KNOWN, codec.name_of(Faulty))
    package = codec.name_of(Faulty).partition('.')[0]
    with pytest.raises(ExtensionError, match=rf'again.* cannot be judged here: There is no extension called {package!r}') as told:
        judge(without_report(open_bag(path), tmp_path).close())
    assert str(told.value).endswith('Install it, or name its folder in VLM_BENCH_PATH.')
    result = CliRunner().invoke(app, ['judge', str(path)])
    assert result.exit_code == 2 and result.stdout == '' and 'cannot be judged here' in result.stderr


@pytest.mark.parametrize(
    ('fields', 'told'),
    [
        (None, 'names the unknown class {name}. Was it written by another version'),
        ([('more', float)], "{name} has no field ['since', 'where']; it has ['more']. Was it written by another version"),
    ],
)
def test_nor_is_one_whose_extension_has_changed(played, tmp_path, monkeypatch, fields, told):
    """The module is there, but its goal class is gone or has other fields."""
    name = codec.name_of(Faulty)
    changed = make_dataclass('Faulty', fields or [], frozen=True)
    monkeypatch.setattr(codec, '_LOADERS', [lambda _: None])
    monkeypatch.delitem(codec._KNOWN, name)
    if fields:
        monkeypatch.setitem(codec._KNOWN, name, changed)
    with pytest.raises(ExtensionError, match='cannot be judged here: ') as error:
        judge(without_report(open_bag(played[0]), tmp_path).close())
    assert told.format(name=name if fields else repr(name)) in str(error.value)


def test_a_bag_that_ends_before_a_verdict_is_unobservable_with_that_cause(played, tmp_path):
    bag = open_bag(played[0])
    truth = episode_truth(bag)
    writer = BagWriter(tmp_path, 'short', custom=dict(bag.custom))
    writer.write_value(names.EPISODE_TRUTH, {'token': truth.token, 'episode': truth.episode})
    for raw in islice(bag.raw(names.WORLD_STATE.name), 3):
        writer.write(names.WORLD_STATE, raw.data)
    judgement = judge(writer.close())
    assert (judgement.report.verdict, judgement.report.token) == (Verdict.UNOBSERVABLE, truth.token)
    assert judgement.report.causes == ('the bag ends at control period 2, before a verdict',)
    assert judgement.recorded is None and not judgement.agrees


def test_a_report_of_an_unknown_verdict_is_an_error_that_says_so(played, tmp_path):
    writer = without_report(open_bag(played[0]), tmp_path)
    writer.write_value(names.REPORT, report_fields(played[1].report, PERIOD_NS) | {'verdict': 9})
    with pytest.raises(VlmBenchError, match='A report has the unknown verdict 9; known are 0 to 3'):
        judge(writer.close())


@pytest.mark.parametrize(
    ('event', 'heard', 'counts'),
    [
        (Event(UNTIMED, EventKind.FAULT, 'up', 'it burnt'), 3, (('it burnt',), 3)),
        (Event(1, EventKind.FAULT, 'sim_node', 'it burnt'), 3, (('it burnt',), 3)),
        (Event(1, EventKind.FAULT, 'sim_node', 'it burnt'), UNTIMED, ((CAUSE,), 4)),
        (Event(1, EventKind.FAULT, 'sim_node', 'it burnt'), None, (('it burnt',), 1)),
    ],
)
def test_an_event_that_came_late_counts_at_the_period_at_which_its_judge_heard_it(played, tmp_path, event, heard, counts):
    writer, token = without_report(open_bag(played[0]), tmp_path), episode_truth(open_bag(played[0])).token
    for told in (event, *([late(event, heard, 'monitor_node')] if heard is not None else [])):
        writer.write_value(names.EVENTS, event_fields(told, token))
    report = judge(writer.close()).report
    assert (report.causes, report.seq) == counts


def test_each_of_two_equal_events_is_late_by_itself_and_what_is_no_event_is_an_error():
    event = Event(1, EventKind.DROPPED, 'sim_node', 'cube')
    assert settled([event, event, late(event, 5, 'monitor_node')]) == [replace(event, seq=5), event]
    with pytest.raises(VlmBenchError, match='The JSON of an Event was expected'):
        settled([Event(1, EventKind.LATE, 'somebody', 'nonsense')])


def test_an_event_of_a_kind_that_nobody_knows_is_a_fault(played, tmp_path):
    writer = without_report(open_bag(played[0]), tmp_path)
    told = event_fields(Event(2, EventKind.STOP, 'somebody'), episode_truth(open_bag(played[0])).token)
    writer.write_value(names.EVENTS, told | {'kind': 200})
    report = judge(writer.close()).report
    assert (report.verdict, report.seq) == (Verdict.UNOBSERVABLE, 2)
    assert 'an event has the unknown kind 200' in report.causes[0]


def test_flags_are_judged_as_ever():
    assert said(TRUTH, Flag('a'), flags(*['a'] * 20)).verdict is Verdict.SUCCESS
