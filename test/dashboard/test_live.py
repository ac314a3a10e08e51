"""What a window shows of a running bench is what the bench has said of its newest episode, and nothing else."""

import json
from dataclasses import replace

import pytest

from test.plays import Film, bench
from vlm_bench_sim.core.codes import EpisodeState, EventKind, Verdict
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dashboard import live as lives
from vlm_bench_tasks.dashboard.live import FREE, Live
from vlm_bench_tasks.dashboard.question import Question
from vlm_bench_tasks.dashboard.timeline import timeline
from vlm_bench_tasks.judging.fold import Limits
from vlm_bench_tasks.judging.monitor import Monitor
from vlm_bench_tasks.judging.report import Event, Report
from vlm_bench_tasks.policies import policy

ABOUT = {'task': 'vlmbench/pick_place', 'axis': 'color', 'split': 'seen', 'robot': 'panda', 'prompt': 'words'}


@pytest.fixture(scope='module')
def played():
    """The episode of the recorded bag `solved`, and what its observers were told."""
    episode, film = catalogue.build('vlmbench/pick_place', 'seen', 3), Film()
    bench().run(episode, policy('oracle'), film)
    return episode, film


def heard(live, episode, film, token='a', *, every=1):
    """Tell all of an episode, or only every so many periods."""
    live.laid(token, episode.scene)
    live.truth(token, episode, seed=episode.seed)
    live.episode(token, ABOUT)
    live.instruction(token, episode.instruction.text, ())
    live.status(token, EpisodeState.RUNNING, 60.0)
    monitor = Monitor(episode.goal, Limits(episode.horizon))
    for event in film.events:
        live.event(token, event)
    for now in film.snapshots:
        report = monitor.observe(now)
        if now.seq % every == 0 or now is film.snapshots[-1]:
            live.moved(token, now)
            live.report(token, report)
    live.status(token, EpisodeState.ENDED, 0.0)


def test_it_shows_what_a_bag_of_the_episode_shows(played, bags):
    live = Live()
    heard(live, *played)
    told, kept = live.told(), timeline(bags / 'solved')
    for name in ('periods', 'progress', 'reward', 'clauses', 'things', 'steps', 'skills', 'instruction', 'task', 'seed', 'robot'):
        assert told[name] == kept[name], name
    assert told['judged']['verdict'] == 'success' and told['state'] == 'ended' and told['free']
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_periods_that_were_not_heard_are_taken_as_the_one_before(played):
    live = Live()
    heard(live, *played, every=7)
    told = live.told()
    assert len(told['progress']) == told['periods'] == len(played[1].snapshots) and told['progress'][-1] == 1.0
    assert told['clauses'][0]['holds'][0][1] == told['periods'] - 1


def test_an_aid_that_is_told_with_each_command_is_one_mark():
    live = Live()
    live.episode('a', ABOUT)
    for seq, text in ((0, 'truth'), (0, 'subgoals'), (3, 'truth'), (9, 'truth')):
        live.event('a', Event(seq, EventKind.ASSISTANCE, text=text))
    live.event('a', Event(9, EventKind.VIOLATION))
    live.event('a', Event(9, EventKind.VIOLATION))
    assert [mark['kind'] for mark in live.told()['marks']] == ['assistance', 'assistance', 'violation', 'violation']


def test_a_period_beyond_all_measure_is_not_believed(played):
    live = Live()
    heard(live, *played)
    periods = live.told()['periods']
    live.report('a', Report(seq=2**60))
    assert live.told()['periods'] == periods


def test_another_episode_begins_with_nothing_of_the_last(played):
    live = Live()
    heard(live, *played)
    live.laid('b', played[0].scene)
    told = live.told()
    assert (told['token'], told['periods'], told['marks'], told['free']) == ('b', 0, [], False) and live.moment() is None


def test_what_is_said_late_of_the_last_episode_is_not_taken_for_the_next(played):
    """As topics come in any order, and the last report is latched until the next one."""
    live, (episode, film) = Live(), played
    live.laid('b', episode.scene)
    live.episode('b', ABOUT)
    live.instruction('b', 'Put it there.', ())
    live.report('a', Report(verdict=Verdict.SUCCESS, seq=9))
    live.moved('a', film.snapshots[5])
    live.event('a', Event(3, EventKind.VIOLATION))
    live.status('b', EpisodeState.RUNNING, 60.0)
    told = live.told()
    assert (told['token'], told['instruction'], told['judged']['verdict'], told['periods']) == ('b', 'Put it there.', 'running', 0)
    live.moved('b', film.snapshots[0])
    assert live.told()['free']
    for number in range(10):
        live.report(f'c{number}', Report())
    assert live.told()['instruction'] == 'Put it there.' and len(live._episodes) <= lives.MOST_EPISODES


@pytest.mark.parametrize('number', [float('nan'), float('inf'), -float('inf')])
def test_what_no_page_can_show_is_refused(number):
    live = Live()
    for say in (
        lambda: live.lag(number), lambda: live.status('a', EpisodeState.RUNNING, number), lambda: live.report('a', Report(progress=number)),
        lambda: live.report('a', Report(reward=number)), lambda: live.report('a', Report(score=number)),
    ):  # fmt: skip
        with pytest.raises(CommandError, match='Finite numbers'):
            say()
    json.dumps(live.told(), allow_nan=False)


def test_without_the_truth_nothing_of_it_is_shown():
    """As a scored bench speaks where policies hear it."""
    live = Live()
    live.episode('a', ABOUT)
    live.instruction('a', 'Put it there.', (b'png',))
    live.status('a', EpisodeState.RUNNING, 59.0)
    live.picture('front', b'jpeg')
    told = live.told()
    assert 'seed' not in told and told['things'] == told['clauses'] == [] and not told['free']
    assert (told['cameras'], told['pictures'], told['left']) == (['front'], 1, 59.0)
    assert live.moment() is None and live.seen_by('front') == b'jpeg' and live.seen_by('wrist') is None
    assert live.image(1) == b'png' and live.image(0) is live.image(2) is None


def test_a_running_report_that_comes_late_does_not_hide_the_final_one():
    live = Live()
    live.episode('a', ABOUT)
    live.report('a', Report(seq=5, verdict=Verdict.FAILURE, causes=('stopped',)))
    live.report('a', Report(seq=5, causes=('stopped',)))
    assert live.verdict is Verdict.FAILURE
    live.episode('b', ABOUT)
    live.report('b', Report(seq=1))
    assert live.verdict is Verdict.RUNNING


def test_things_that_nobody_sees_are_not_drawn(played):
    """Around a real arm without a tracker the robot alone is shown."""
    episode, film = played
    live, (first, *others) = Live(), episode.scene.props
    live.laid('a', episode.scene)
    live.episode('a', ABOUT)
    assert not live.whole
    now = film.snapshots[0]
    live.moved('a', replace(now, bodies={}, mechanisms={}))
    alone, _ = live.moment()
    assert not alone.scene.props and not live.whole
    live.moved('a', replace(now, seq=1, bodies={first.name: now.bodies[first.name]}))
    one, _ = live.moment()
    live.moved('a', replace(now, seq=2, bodies={first.name: now.bodies[first.name]}))
    assert one.scene.props == (first,) and live.moment()[0].scene is one.scene, 'a renderer would load another one anew'
    live.moved('a', replace(now, seq=3))
    assert live.moment()[0].scene is episode.scene and live.whole and others


def test_a_question_is_told_until_it_is_withdrawn():
    live = Live()
    assert live.question is live.told()['question'] is None
    live.asked(Question(id='1', kind='judge', text='Is it true?'))
    assert live.told()['question'] == {'id': '1', 'kind': 'judge', 'text': 'Is it true?', 'proven': True, 'picture': 0}
    live.asked(Question(id='2', kind='lay_table', text='Is it done?', picture=b'1', proven=False))
    before = live.told()['question']['picture']
    live.asked(Question(id='2', kind='lay_table', text='Is it done?', picture=b'2', proven=False))
    assert live.told()['question']['picture'] > before > 0
    live.withdrawn('1')
    assert live.question.picture == b'2'
    live.withdrawn('2')
    assert live.question is None


def test_a_state_of_another_table_is_not_drawn_on_this_one(played):
    episode, film = played
    live, fewer = Live(), episode.scene.with_props(episode.scene.props[:1])
    live.laid('a', episode.scene)
    live.moved('a', film.snapshots[0])
    assert live.moment() is None and live.shown(FREE) == 0, 'nobody knows the robot'
    live.episode('a', ABOUT)
    live.moved('a', film.snapshots[0])  # said again for who comes late
    assert live.shown(FREE) == 1
    live.laid('b', fewer)
    assert live.moment() is None


def test_numbers_rise_with_what_is_new_and_events_are_limited(played, monkeypatch):
    monkeypatch.setattr(lives, 'MOST_EVENTS', 3)
    live = Live()
    live.episode('a', ABOUT)
    for number in range(5):
        live.event('a', Event(number, EventKind.VIOLATION, text='x'))
    assert live.version == 6 and len(live.told()['marks']) == 3
    before = live.shown('front')
    live.picture('front', b'1')
    live.picture('front', b'2')
    assert live.shown('front') == before + 2 and live.shown('wrist') == 0
    version = live.version
    live.lag(0.5)
    live.picture('front', b'3')
    assert live.told()['lag'] == 0.5 and live.version == version, 'pages are told so with the next news'
    live.forget('front')
    assert live.told()['cameras'] == [] and live.version == version + 1
