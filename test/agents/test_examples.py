"""Worked examples: what an expert did is told in sentences that mean it, and the committed ones are what its runs give."""

from collections import Counter
from dataclasses import replace

import pytest
import typer
from tabletop import TOP_LEFT, TOP_RIGHT, first, put, stacked, table, thing

from vlm_bench_sim.assets import config
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.agents.examples import COUNT, MIXED, OF_EACH, SEEN, Chronicle, Example, Told, examples, read, write
from vlm_bench_tasks.agents.roles import DONE, SUCCEEDED, StepReport
from vlm_bench_tasks.agents.rule_planner import RulePlanner
from vlm_bench_tasks.agents.steps import readings
from vlm_bench_tasks.cli.examples import made, main
from vlm_bench_tasks.run import Bench

LARGEST = 100_000  # bytes
RED, TWIN, BLUE, BOWL = (
    thing('red block', TOP_LEFT, name='red'), thing('red block', (0.40, -0.1), name='twin'), thing('blue block', (0.45, 0.1)),
    thing('red bowl', TOP_RIGHT),
)  # fmt: skip


def told(scene, *states):
    """What is told of a run in which each state follows by one thing that is taken and put down."""
    chronicle, now = Chronicle(), first(scene)
    chronicle.period(now)
    for name, after in states:
        chronicle.period(replace(now, held=name))
        chronicle.period(replace(now, held=name))
        now = after
        chronicle.period(now)
    return chronicle.told(scene)


def test_each_thing_that_was_taken_makes_a_step_with_what_was_seen_afterwards():
    scene = table(RED, BLUE, BOWL)
    inside = put(first(scene), 'red', Pose((*TOP_RIGHT, 0.03)))
    on_top = stacked(scene, inside, 'blue_block', 'red')
    look, one, two = told(scene, ('red', inside), ('blue_block', on_top))
    assert look == Told(
        '', 'I see a red block in the top left area; a blue block in the top right area; a red bowl in the top right area.', ''
    )
    assert one.step == 'pick up the red block and place it in the red bowl'
    assert one.action == f'{SUCCEEDED}: the red block is in the red bowl.'
    assert two.step == 'pick up the blue block and place it on the red block'
    assert 'a red block under a blue block in the red bowl' in two.observation


def test_of_two_that_look_alike_any_is_said_that_stands_there():
    scene = table(RED, TWIN, BOWL)
    inside = put(first(scene), 'twin', Pose((*TOP_RIGHT, 0.03)))
    assert told(scene, ('twin', inside))[1].step == 'pick up a red block in the top left area and place it in the red bowl'


def test_a_run_in_which_a_step_came_to_nothing_is_no_example():
    scene = table(RED, BLUE)
    start = first(scene)
    assert told(scene, ('red', start)) == (), 'it stands where it stood'
    assert told(scene, ('red', put(start, 'red', Pose((0.4, 0.9, -0.7))))) == (), 'it fell to the floor'
    assert Chronicle().told(scene) == ()


def test_examples_are_written_and_read_again():
    example = Example(
        3, 'size', 'Go.', (Told('', 'I see nothing.', ''), Told('put the red block in the center', 'I see “it”.', f'{SUCCEEDED}: so.'))
    )
    assert read(write([example])) == (example,)
    assert example.as_plan().splitlines() == [
        'Instruction: Go.', 'Report 0: I see nothing.', 'Next step: put the red block in the center',
        f'Report 1: {SUCCEEDED}: so. I see “it”.', f'Next step: {DONE}',
    ]  # fmt: skip
    assert example.as_looks() == 'What stands where? I see nothing.\nWhat stands where? I see “it”.'
    assert example.as_judgements() == f'The step was: put the red block in the center. {SUCCEEDED}: so.'
    for text in ('{', '[1]', '[{"seed": 1}]', '[{"seed": 1, "axis": "", "instruction": "", "turns": [{"x": 1}]}]'):
        with pytest.raises(ConfigError, match='Worked examples'):
            read(text)


@pytest.mark.parametrize('task', SEEN)
def test_each_seen_task_has_ten_small_ones_of_seeds_to_learn_from(task):
    text, found = config(f'prompts/{task}.json').read_text(), examples(f'lohoravens/{task}')
    assert (len(found), len({example.seed for example in found})) == (COUNT, COUNT)
    assert len(text.encode()) < LARGEST
    assert text == write(found)
    axes = catalogue.task(f'lohoravens/{task}').axes
    counts = Counter(example.axis for example in found)
    assert counts.keys() == set(axes) and min(counts.values()) >= COUNT // len(axes) - 1
    for example in found:
        assert catalogue.seeds_to_learn_from(f'lohoravens/{task}', 'train', range(example.seed, example.seed + 1)) == 'train'
        assert example.instruction == catalogue.build(f'lohoravens/{task}', 'train', example.seed, example.axis).instruction.text
        assert all(len(readings(turn.step)) == 1 and turn.action.startswith(SUCCEEDED) for turn in example.turns[1:])
        assert example.as_plan().endswith(f'Next step: {DONE}')


@pytest.mark.parametrize('task', SEEN)
def test_when_the_expert_was_done_a_planner_by_rules_is_done_too(task):
    """Another reader of the same reports agrees that nothing is left to do."""

    for example in examples(task):
        reports = [StepReport(turn.observation, turn.action) for turn in example.turns]
        assert RulePlanner().next_step(example.instruction, reports) == DONE, example.seed


def test_a_mixed_prompt_has_two_of_each_and_of_unseen_tasks_there_is_none():
    assert len(examples(MIXED)) == OF_EACH * len(SEEN) == COUNT
    assert examples('') == ()
    with pytest.raises(ConfigError, match=r'no prompts/stack_alternate\.json'):
        examples('stack_alternate')


def test_the_first_example_is_what_the_expert_does_now():
    bench = Bench('ur5e')
    assert next(made(bench, 'pick_and_place')) == examples('pick_and_place')[0]
    bench.close()


def test_of_seeds_that_are_not_to_learn_from_no_examples_are_made(tmp_path, capsys):
    for seeds, why in (('100000:100010', 'are for tests'), ('990:1010', 'has the seeds 0 to 999'), ('ten', 'first:last')):
        with pytest.raises(typer.Exit):
            main(['match_bowls'], seeds, tmp_path)
        assert why in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize('task', SEEN)
def test_the_first_example_of_each_task_is_what_the_expert_does_now(task):
    bench = Bench('ur5e')
    assert next(made(bench, task)) == examples(task)[0], 'python -m vlm_bench_tasks.cli.examples'
    bench.close()
