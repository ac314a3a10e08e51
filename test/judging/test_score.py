"""The score counts what is done now, in steps: what falls or is undone is lost again, while progress keeps what came true in order."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from test.films import Flag, flags
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.judge import judge as rejudge
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.goals.logic import Never, Not, Once, all_of, any_of, then
from vlm_bench_tasks.judging.messages import read_report, report_fields
from vlm_bench_tasks.judging.monitor import Limits, Monitor, judge
from vlm_bench_tasks.judging.report import NOT_SAID, Report, score
from vlm_bench_tasks.judging.watch import watch
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

A, B, C, D = (Flag(name) for name in 'abcd')
LONG = Limits(1000.0)


def scores(goal, *frames: str) -> list[float]:
    monitor = Monitor(goal, LONG)
    return [round(monitor.observe(frame).score, 1) for frame in flags(*frames)]


@pytest.mark.parametrize(
    ('goal', 'frames', 'wanted'),
    [
        (all_of(A, B, C), ('', 'a', 'ab', 'abc', 'a', ''), [0.0, 33.3, 66.7, 100.0, 33.3, 0.0]),  # a tower that falls
        (all_of(A, B, Not(C)), ('', 'a', 'ac', 'abc', 'ab'), [0.0, 50.0, 0.0, 50.0, 100.0]),  # what is put where it must not be
        (all_of(A, B, C), ('a', 'ab', 'b', ''), [0.0, 50.0, 0.0, 0.0]),  # what was done at the start is no step, but one to be done again
        (all_of(A, any_of(B, C)), ('', 'c', 'bc', 'abc'), [0.0, 50.0, 50.0, 100.0]),
        (all_of(A, Once(B)), ('', 'b', '', 'a'), [0.0, 50.0, 50.0, 100.0]),
        (then(A, B), ('', 'a', '', 'b', ''), [0.0, 50.0, 50.0, 100.0, 50.0]),
        (all_of(A, B, Never(C)), ('', 'a', 'ab/c'), [0.0, 50.0, 50.0]),
        (A, ('a', ''), [100.0, 0.0]),
    ],
    ids=str,
)
def test_a_score_is_the_share_of_the_steps_that_are_done_now(goal, frames, wanted):
    assert scores(goal, *frames) == wanted


def test_progress_keeps_what_the_score_loses():
    report = judge(then(A, B), LONG, flags('', 'a', 'b', ''))
    assert (report.progress, report.score) == (1.0, 50.0)


FRAMES = st.lists(st.sets(st.sampled_from('abcd')).map(lambda on: ''.join(sorted(on))), min_size=1, max_size=6)


def joined(parts):
    return st.lists(parts, min_size=1, max_size=3).flatmap(lambda some: st.sampled_from([all_of(*some), any_of(*some)]))


GOALS = st.recursive(st.sampled_from([A, B, C, D, Not(A), Not(D)]), joined, max_leaves=5)


@given(goal=GOALS, frames=FRAMES)
def test_it_is_full_exactly_where_the_goal_holds(goal, frames):
    film = flags(*frames)
    watching = watch(goal, film[0])
    for found, now in zip(scores(goal, *frames), film, strict=True):
        watching.see(now)
        assert 0.0 <= found <= 100.0
        assert (found == 100.0) is watching.holds is goal.holds(now, film[0])


def test_nothing_to_do_is_a_full_score():
    assert (score(0, 0), score(1, 0), score(1, 4), score(9, 4)) == (100.0, 0.0, 75.0, 0.0)


def test_it_goes_through_the_message_and_an_older_one_says_none():
    told = report_fields(Report(score=62.5, progress=0.75), 0)
    assert told['score'] == 62.5
    message = SimpleNamespace(**told)
    assert read_report(message) == Report(score=62.5, progress=0.75)
    del message.score
    assert read_report(message).score == NOT_SAID


@pytest.mark.parametrize('words', [(), ('drop_rate=0.5',)])
def test_a_bag_that_is_judged_again_comes_to_the_same_score(tmp_path, words):
    """Of an episode that is left halfway: one block of five stands on the zone."""
    built = catalogue.build('lohoravens/stack_alternate', 'test', 100_000)
    episode = replace(catalogue.perturbed(built, catalogue.perturbation(words)), horizon=7.0)
    bench = Bench('ur5e')
    recorder = Recorder(bench, episode, folder=tmp_path)
    report = bench.run(episode, policy('oracle'), recorder).report
    judgement = rejudge(recorder.close(report))
    bench.close()
    assert judgement.agrees
    assert judgement.report.score == judgement.recorded.score == report.score
    assert 0.0 < report.score < 100.0 or words
