"""Planner, actor and reporter in a loop: bad answers are counted and end nothing, and the episode ends when it is done or by its limit."""

from dataclasses import replace

import pytest
from tabletop import TOP_LEFT, TOP_RIGHT, first, table, thing

from test.chat_server import raw, serving, silent
from test.plays import bench
from vlm_bench_sim import profiles
from vlm_bench_sim.core.areas import AREAS
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.agents.chat import Endpoint
from vlm_bench_tasks.agents.models import LanguagePlanner
from vlm_bench_tasks.agents.roles import DONE, Problem, StepFault, StepReport
from vlm_bench_tasks.agents.rule_planner import RulePlanner
from vlm_bench_tasks.agents.team import Crew, Team, pursue
from vlm_bench_tasks.agents.truth_reporter import FirstGlance, TruthReporter
from vlm_bench_tasks.agents.turns import Dialogue
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.logic import all_of
from vlm_bench_tasks.goals.placing import Within
from vlm_bench_tasks.language.sentences import Instruction
from vlm_bench_tasks.policy import EpisodeContext, Observation
from vlm_bench_tasks.skills import SkillContext

RED, BOWL = thing('red block', TOP_LEFT), thing('red bowl', TOP_RIGHT)
SCENE = table(RED, BOWL)
RIGHT = 'pick up the red block and place it in the top right area'
TEXT = 'Move all the blocks in the top left area to the top right area.'


class Scripted:
    """A planner that says one thing after the other, and remembers what it was told."""

    def __init__(self, *answers) -> None:
        self.answers, self.told = list(answers), []

    def next_step(self, instruction, reports):
        self.told.append((instruction, reports))
        return self.answers.pop(0) if self.answers else DONE


def episode(**more) -> Episode:
    return Episode(SCENE, Within(RED, AREAS['top_right']), Instruction(TEXT), task='agents/test', split='test', seed=1, **more)


def still() -> Observation:
    now = first(SCENE)
    return Observation(0.0, {}, now.tool, now.opening, truth=now)


def course(planner, *, steps=20, reporter=None) -> Dialogue:
    """A course of which no step can be carried out, so that no command is given."""
    went = Dialogue()
    crew = Crew(planner, reporter or TruthReporter(SCENE), steps)
    assert list(pursue(TEXT, crew, SkillContext(profiles.robot('panda'), SCENE, None), still(), went)) == []
    return went


def test_a_block_is_put_in_its_place_after_every_kind_of_bad_answer():
    late = Problem(StepFault.TIMEOUT, 'It came too late.')
    planner = Scripted('', 'x' * 10_000, 'sing a song', 'put the pink block in the red bowl', late, RIGHT)
    team = Team(planner, TruthReporter)
    run = bench().run(episode(horizon=30.0), team)
    assert run.report.verdict is Verdict.SUCCESS
    assert team.course.problems == {
        fault: 1 for fault in (StepFault.EMPTY, StepFault.TOO_LONG, StepFault.NONSENSE, StepFault.ABSENT, StepFault.TIMEOUT)
    }
    assert len(run.failures) == 5
    assert [bool(turn.step) for turn in team.course.turns[:5]] == [False, True, True, True, False]
    told = [report.action for report in planner.told[-1][1]]
    assert told[1].startswith('The planner said nothing')
    assert told[3].startswith('The step has failed: ')


def test_a_planner_that_never_makes_sense_uses_up_its_steps():
    went = course(Scripted(*['nonsense'] * 50), steps=7)
    assert (len(went.turns), went.done, went.problems) == (7, False, {StepFault.NONSENSE: 7})


def test_a_planner_that_is_done_ends_the_course():
    went = course(Scripted('nonsense', DONE, RIGHT))
    assert (len(went.turns), went.done) == (1, True)


def test_a_planner_is_told_text_alone():
    planner = Scripted('nonsense', DONE)
    course(planner)
    for instruction, reports in planner.told:
        assert instruction == TEXT
        assert all(type(text) is str for report in reports for text in (report.observation, report.action))
    assert planner.told[0][1] == (StepReport('I see a red block in the top left area; a red bowl in the top right area.'),)


def test_a_reporter_that_fails_is_counted_and_the_course_goes_on():
    class Broken:
        def report(self, step, before, after):
            return Problem(StepFault.BAD_JSON, 'No JSON.')

    planner = Scripted('nonsense', DONE)
    went = course(planner, reporter=Broken())
    assert went.problems == {StepFault.NONSENSE: 1, StepFault.BAD_JSON: 1}
    assert planner.told[-1][1] == (StepReport(), StepReport())
    assert went.done


def test_every_bad_answer_of_a_model_is_counted_and_nothing_hangs():
    answers = ['no idea', '', 'x' * 10_000, 'put the pink block in the red bowl', raw(b'?'), raw(b'busy', 503), silent, 'DONE']
    with serving(*answers) as (server, url):
        went = course(LanguagePlanner(Endpoint(url, 'small', timeout=0.5)))
    faults = (
        StepFault.NONSENSE,
        StepFault.EMPTY,
        StepFault.TOO_LONG,
        StepFault.ABSENT,
        StepFault.BAD_JSON,
        StepFault.HTTP_STATUS,
        StepFault.TIMEOUT,
    )
    assert went.problems == {fault: 1 for fault in faults}
    assert (went.done, len(server.asked)) == (True, 8)


def test_the_team_needs_the_scene_and_the_truth():
    team = Team(RulePlanner(), TruthReporter)
    with pytest.raises(VlmBenchError, match='scored policy'):
        team.reset(EpisodeContext(TEXT, profiles.robot('panda')))
    shown = catalogue.build('lohoravens/stack_same_color', 'train', 0, prompt='pictures,first_frame')
    with pytest.raises(VlmBenchError, match=r'reads text alone, and the instruction has pictures\. .* --prompt words'):
        bench('ur5e').run(shown, team)
    blind = TruthReporter(SCENE).report('', replace(still(), truth=None), replace(still(), truth=None))
    assert (blind.fault, 'needs the ground truth' in blind.text) == (StepFault.EMPTY, True)


def test_who_glances_once_says_nothing_afterwards():
    glance = FirstGlance(TruthReporter(SCENE))
    assert glance.report('', still(), still()) == TruthReporter(SCENE).report('', still(), still())
    assert glance.report(RIGHT, still(), still()) == StepReport()


@pytest.mark.slow
def test_a_planner_that_is_told_what_fell_has_it_picked_up_again_and_one_that_is_not_does_not():
    blocks = [thing('red block', (0.40, -0.12)), thing('blue block', (0.40, -0.24))]
    goal = all_of(*(Within(block, AREAS['top_right']) for block in blocks))
    wanted = replace(episode(horizon=120.0), seed=4, scene=table(*blocks), goal=goal, perturbation=Perturbation(drop_rate=0.5))
    told, untold = Team(RulePlanner(), TruthReporter), Team(RulePlanner(), lambda scene: FirstGlance(TruthReporter(scene)))
    assert bench().run(wanted, told).report.verdict is Verdict.SUCCESS
    assert bench().run(wanted, untold).report.verdict is Verdict.FAILURE
    assert untold.failures == ('red_block was lost on the way.', 'blue_block was lost on the way.')
    assert told.failures[:2] == untold.failures
    assert untold.course.done
