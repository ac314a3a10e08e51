"""Planner, actor and reporter as nodes: they tell one another text, bad answers cost a step each, and the loop solves what it shall."""

from pathlib import Path

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

from test.chat_server import serving
from vlm_bench_sim.bags.reader import open_bag, state_hashes
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.agents.examples import examples
from vlm_bench_tasks.agents.roles import DONE, StepFault
from vlm_bench_tasks.agents.rule_planner import RulePlanner
from vlm_bench_tasks.agents.team import Team
from vlm_bench_tasks.agents.truth_reporter import TruthReporter
from vlm_bench_tasks.run import Bench

pytestmark = pytest.mark.ros
SUCCESS, FAILURE = 1, 2
SEED = 100_000
AGENTS = (names.AGENT_STEP, names.AGENT_DEED, names.AGENT_REPORT, names.AGENT_COURSE, names.INSTRUCTION)
FOUND_S = 4.0
"""In which any two nodes have found each other: a node announces itself every 3 s. What it says before that is in no bag."""
TABLE = {'robot': 'ur5e', 'split': 'test', 'policy': 'agents'}


def course(bench):
    """The last word about the course of the episode."""
    return said(bench, names.AGENT_COURSE)[-1]


def said(bench, row):
    """What was said on a topic about the episode."""
    return [one for one in bench.client.heard(row) if one.token == bench.token]


def whole(bench, untold):
    """Tell whether all that led to the course has come; one topic may overtake another, and of steps and deeds the newest alone is kept."""
    went = course(bench)
    asked = went.steps + went.done
    steps, deeds = ({one.number for one in said(bench, row)} for row in (names.AGENT_STEP, names.AGENT_DEED))
    reported = bool(said(bench, names.INSTRUCTION)) and len(said(bench, names.AGENT_REPORT)) >= asked
    return reported and asked - 1 in steps | {-1} and went.steps - untold in deeds | {0}


def solve(start_bench, domain, task, seed, seconds, untold=0, **settings):
    """Run an episode to its report; `untold` deeds are cut short by the verdict, as where the goal holds before the hand is back."""
    with start_bench(domain=domain, task=f'lohoravens/{task}', seed=seed, **TABLE, **settings) as bench:
        bench.client.listen(*AGENTS)
        bench.wait(lambda: all(map(bench.client.nodes[0].count_publishers, (row.name for row in AGENTS))), 'those who talk')
        bench.client.rest(FOUND_S)
        bench.begin(seed=seed)
        report = bench.report(seconds=seconds)
        bench.wait(lambda: any(one.over for one in said(bench, names.AGENT_COURSE)), 'the end of the course')
        bench.wait(lambda: whole(bench, untold), 'all that led to it')
        if folder := settings.get('record'):
            bench.wait(lambda: any(not path.name.startswith('.') for path in Path(folder).iterdir()), 'the bag')
        assert subscribed(bench, 'planner_node') == {names.INSTRUCTION.name, names.AGENT_REPORT.name}, 'all that a planner hears'
        return report, course(bench), {row.name: said(bench, row) for row in AGENTS}


def subscribed(bench, name):
    """The topics that a node of the public domain hears."""
    bench.wait(lambda: name in bench.client.nodes[0].get_node_names(), name)
    return {topic for topic, _ in bench.client.nodes[0].get_subscriber_names_and_types_by_node(name, '/')}


def alone(task):
    """The same episode and the same three in one process, without ROS."""
    bench = Bench('ur5e')
    run = bench.run(catalogue.build(f'lohoravens/{task}', 'test', SEED), Team(RulePlanner(), TruthReporter))
    bench.close()
    return run


@pytest.mark.timeout(300)
def test_a_primitive_is_planned_acted_and_reported_as_in_one_process_and_no_secret_is_told(start_bench, domains, tmp_path):
    settings = {'scored': True, 'record': str(tmp_path)}
    report, went, heard = solve(start_bench, domains(), 'pick_and_place', SEED, 120.0, **settings)
    assert (went.steps, list(went.problems)) == (1, [])
    assert (report.verdict, list(report.assistance)) == (SUCCESS, ['pick_place_reference', 'truth', 'truth_report'])
    steps, reports = heard[names.AGENT_STEP.name], heard[names.AGENT_REPORT.name]
    assert [step.number for step in steps] == list(range(len(steps)))
    assert [said.number for said in reports] == [0, 1]
    assert reports[0].observation.startswith('I see ') and reports[0].action == ''
    assert reports[1].action.startswith('The step has succeeded')
    (deed,) = heard[names.AGENT_DEED.name]
    assert (deed.number, deed.step, list(deed.problem)) == (1, steps[0].text, [])
    bag = open_bag(next(path for path in tmp_path.iterdir() if not path.name.startswith('.')))
    assert list(state_hashes(bag)) == list(alone('pick_and_place').hashes)
    assert {bag.topics[row.name].count for row in (names.AGENT_DEED, names.AGENT_REPORT)} == {1, 2}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize('task', ['match_bowls', 'stack_in_area', 'stack_alternate'])
def test_a_planner_by_rules_solves_long_tasks(start_bench, domains, task):
    report, went, heard = solve(start_bench, domains(), task, SEED, 400.0, untold=int(task.startswith('stack')))
    assert (report.verdict, went.over, list(went.problems)) == (SUCCESS, True, [])
    assert sum(step.text != DONE for step in heard[names.AGENT_STEP.name]) >= 4


@pytest.mark.slow
@pytest.mark.timeout(1000)
def test_who_is_told_what_fell_picks_it_up_again_and_who_is_told_nothing_does_not(start_bench, domains):
    drops = {'perturb': 'drop_rate=0.2', 'seed': SEED}
    told, went, _ = solve(start_bench, domains(), 'match_bowls', seconds=400.0, **drops)
    assert (told.verdict, told.drops > 0) == (SUCCESS, True)
    assert {problem.fault for problem in went.problems} == {StepFault.LOST.value}
    untold, went, heard = solve(start_bench, domains(), 'match_bowls', seconds=400.0, reporter='silent', **drops)
    assert (untold.verdict, untold.drops > 0, went.done) == (FAILURE, True, True)
    assert list(untold.assistance) == ['pick_place_reference', 'truth', 'truth_report']
    assert {(said.observation != '', said.action) for said in heard[names.AGENT_REPORT.name][1:]} == {(False, '')}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_each_bad_answer_costs_a_step_and_the_steps_end_the_episode(start_bench, domains):
    """The test is the planner: it says nothing of use, too much, or nothing at all."""
    absent, several = 'pick up the golden block and place it in the blue bowl', 'put the block on the table'
    answers = ['sing a song', '', 'x' * 10_000, absent, several, None]
    faults = [StepFault.NONSENSE, StepFault.EMPTY, StepFault.TOO_LONG, StepFault.ABSENT, StepFault.AMBIGUOUS, StepFault.TIMEOUT]
    settings = {'step_planner': 'none', 'steps': len(answers), 'answer_timeout': 8.0}
    with start_bench(domain=domains(), task='lohoravens/match_bowls', seed=SEED, **TABLE, **settings) as bench:
        bench.client.listen(*AGENTS)
        bench.client.say(names.AGENT_STEP, {'token': 'of no episode', 'text': DONE})  # so that the two know one another
        bench.begin(seed=SEED)

        def reports():
            return [said for said in bench.client.heard(names.AGENT_REPORT) if said.token == bench.token]

        for number, answer in enumerate(answers):
            bench.wait(lambda number=number: len(reports()) > number, f'report {number}')
            assert reports()[-1].number == number
            if answer is not None:
                bench.client.say(names.AGENT_STEP, {'token': bench.token, 'number': number + 7, 'text': DONE})
                bench.client.say(names.AGENT_STEP, {'token': 'of another episode', 'number': number, 'text': DONE})
                bench.client.say(names.AGENT_STEP, {'token': bench.token, 'number': number, 'text': answer})
        report = bench.report()
        bench.wait(lambda: any(one.over for one in said(bench, names.AGENT_COURSE)), 'the end of the course')
        bench.wait(lambda: len(reports()) > len(answers), 'what is reported of the last step')
        went, seen = course(bench), reports()
    assert (report.verdict, 'stopped' in list(report.causes)) == (FAILURE, True)
    assert (went.steps, went.done) == (len(answers), False)
    assert [problem.fault for problem in went.problems] == [fault.value for fault in faults], went.problems
    assert [said.action != '' for said in seen] == [False, *[True] * len(answers)]
    assert [said.observation != '' for said in seen[1:]] == [True, False, True, True, True, False], 'who was told to do something looks'


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_where_planner_and_reporter_are_silent_the_steps_end_the_episode_all_the_same(start_bench, domains):
    short = {'policy_timeout': 7.0, 'participant_timeout': 6.0}  # their silence lasts longer: five answers of 3 s
    nobody = {'step_planner': 'none', 'reporter': 'none', 'steps': 2, 'answer_timeout': 3.0} | short
    with start_bench(domain=domains(), task='lohoravens/match_bowls', seed=SEED, **TABLE, **nobody) as bench:
        bench.client.listen(*AGENTS)
        bench.begin(seed=SEED)
        report = bench.report()
        bench.wait(lambda: any(one.over for one in said(bench, names.AGENT_COURSE)), 'the end of the course')
        went = course(bench)
    assert (report.verdict, 'stopped' in list(report.causes), went.steps, went.done) == (FAILURE, True, 2, False)
    assert [problem.fault for problem in went.problems] == ['timeout'] * 4, 'of each turn: neither has answered'


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_models_plan_and_report_from_text_and_pictures_alone(start_bench, domains, monkeypatch):
    eyes, head = ['I see a red block on the table.'], ['I do not know', 'DONE']
    with serving(*eyes) as (seeing, vlm), serving(*head) as (planning, llm):
        for prefix, url in (('VLM_BENCH_VLM', vlm), ('VLM_BENCH_LLM', llm)):
            monkeypatch.setenv(f'{prefix}_BASE_URL', url)
            monkeypatch.setenv(f'{prefix}_MODEL', 'small')
        models = {'step_planner': 'chat', 'reporter': 'vision', 'examples': 'match_bowls'}
        settings = models | {'cameras': 'lohoravens:top', 'width': 64, 'height': 48}
        report, went, heard = solve(start_bench, domains(), 'match_bowls', SEED, 60.0, **settings)
        (text, picture) = seeing.asked[0][2]['messages'][-1]['content']
        assert text['type'] == 'text' and picture['image_url']['url'].startswith('data:image/png;base64,')
        known = examples('match_bowls')[-1]
        assert seeing.asked[0][2]['messages'][0]['content'].endswith(known.as_looks())
        assert planning.asked[0][2]['messages'][0]['content'].endswith(known.as_plan())
        (instruction,) = heard[names.INSTRUCTION.name]
        assert instruction.text in planning.asked[0][2]['messages'][-1]['content']
        assert 'I see a red block on the table.' in planning.asked[1][2]['messages'][-1]['content']
    assert (report.verdict, list(report.assistance), went.done) == (FAILURE, [], True)
    assert [problem.fault for problem in went.problems] == [StepFault.NONSENSE.value]
