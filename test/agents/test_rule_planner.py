"""The planner that goes by rules solves long instructions from sentences alone, and mends what it is told has gone wrong."""

import pytest
from tabletop import BOTTOM_LEFT, BOTTOM_RIGHT, TOP_LEFT, TOP_RIGHT, first, moved, put, stacked, table, thing

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.agents.moves import understood
from vlm_bench_tasks.agents.roles import DONE, Problem, StepFault, StepReport
from vlm_bench_tasks.agents.rule_planner import RulePlanner
from vlm_bench_tasks.agents.scene_text import read
from vlm_bench_tasks.agents.truth_reporter import achieved, seen
from vlm_bench_tasks.agents.whereabouts import whereabouts

LOHORAVENS = [name for name in catalogue.tasks() if name.startswith('lohoravens/')]
WAYS = 'put the red block in the top right area'


def play(instruction, scene, now=None, *, told=True, limit=24, meddle=None):
    """Let the planner play on a table without physics; returns its steps and how the table looks in the end."""
    now = now or first(scene)
    reports, steps = [StepReport(seen(scene, now))], []
    while (step := RulePlanner().next_step(instruction, reports)) != DONE:
        assert isinstance(step, str), step
        assert len(steps) < limit, steps
        steps.append(step)
        before, now = now, moved(understood(step, scene, now), scene, now)
        if meddle and len(steps) == 1:
            now = meddle(now)
        reports.append(StepReport(seen(scene, now), achieved(step, scene, before, now)) if told else StepReport())
    return steps, now


def stands_on(scene, now):
    return {name: stand.on for name, stand in whereabouts(scene, now).items() if stand.on}


def scattered(*what):
    """Things in a grid, 12 cm apart."""
    return table(*(thing(each, (0.32 + 0.13 * (i % 3), -0.4 + 0.13 * (i // 3)), name=f'thing_{i}') for i, each in enumerate(what)))


def test_blocks_go_into_the_bowls_of_their_color():
    scene = scattered('red block', 'blue block', 'blue bowl', 'red bowl', 'green bowl', 'pink block')
    steps, now = play('Put the blocks in the bowls with matching colors.', scene)
    assert steps == ['pick up the red block and place it in the red bowl', 'pick up the blue block and place it in the blue bowl']
    assert stands_on(scene, now) == {'thing_0': 'thing_3', 'thing_1': 'thing_2'}


def test_blocks_go_into_bowls_of_other_colors_and_the_last_finds_one_too():
    scene = scattered('red block', 'blue block', 'green block', 'red bowl', 'blue bowl', 'green bowl')
    _, now = play('Put the blocks in the bowls with mismatched colors.', scene)
    on = stands_on(scene, now)
    assert len(set(on.values())) == 3
    assert all(scene.prop(name).color != scene.prop(base).color for name, base in on.items())


def test_a_tower_is_built_in_an_area_and_what_falls_is_put_back():
    scene = table(*(thing(f'{c} block', (0.56, -0.4 + 0.12 * i)) for i, c in enumerate(('red', 'blue', 'green', 'pink', 'cyan'))))
    steps, now = play('Stack all the blocks in the top right area.', scene)
    assert len(steps) == 5
    assert len(stands_on(scene, now)) == 4
    fallen, now = play(
        'Stack all the blocks in the top right area.', scene, meddle=lambda now: put(now, 'red_block', Pose((0.65, 0.4, 0.02)))
    )
    assert len(fallen) == 6
    assert len(stands_on(scene, now)) == 4


def test_a_wrong_block_on_a_tower_is_taken_off_again():
    scene = table(
        thing('green zone', BOTTOM_RIGHT),
        *(thing(f'{c} block', (0.3 + 0.1 * i, -0.2), name=f'{c}_{i}') for i, c in enumerate(['red', 'blue', 'red'])),
    )
    now = put(first(scene), 'red_0', scene.prop('green_zone').pose.shifted((0.0, 0.0, 0.02)))
    now = stacked(scene, now, 'red_2', 'red_0')
    steps, now = play('Stack blocks with alternate colors on the green zone, starting with the red color.', scene, now)
    assert steps[0] == 'pick up the red block on a red block and place it on the table'
    assert len(steps) == 3
    assert stands_on(scene, now) == {'red_0': 'green_zone', 'blue_1': 'red_0', 'red_2': 'blue_1'}


def test_a_planner_that_is_told_nothing_believes_that_all_went_well():
    scene = scattered('red block', 'blue block', 'blue bowl', 'red bowl')
    told, _ = play('Put the blocks in the bowls with matching colors.', scene)
    untold, _ = play('Put the blocks in the bowls with matching colors.', scene, told=False)
    assert untold == told
    lost = lambda now: put(now, 'thing_0', Pose((0.6, 0.3, 0.02)))  # noqa: E731
    mended, now = play('Put the blocks in the bowls with matching colors.', scene, meddle=lost)
    assert (len(mended), len(stands_on(scene, now))) == (3, 2)
    missed, now = play('Put the blocks in the bowls with matching colors.', scene, told=False, meddle=lost)
    assert (len(missed), len(stands_on(scene, now))) == (2, 1)


def test_a_step_that_failed_is_followed_by_another_where_there_is_one():
    planner, scene = RulePlanner(), scattered('red block', 'blue block', 'blue bowl', 'red bowl')
    look = seen(scene, first(scene))
    reports = [StepReport(look)]
    said = []
    for _ in range(3):
        said.append(planner.next_step('Put the blocks in the bowls with matching colors.', reports))
        reports.append(StepReport(look, 'The step has failed: out of reach.'))
    assert said[0] != said[1]
    assert said[2] == said[0]


def test_an_instruction_that_is_a_step_is_done_once_it_has_succeeded():
    planner, look = RulePlanner(), StepReport('I see a red block in the top left area.')
    step = planner.next_step(WAYS, [look])
    assert step == 'pick up the red block and place it in the top right area'
    assert planner.next_step(WAYS, [look, StepReport(look.observation, 'The step has failed: it fell.')]) == step
    assert planner.next_step(WAYS, [look, StepReport(look.observation, 'The step has succeeded: it is there.')]) == DONE
    assert planner.next_step(WAYS, [look, StepReport()]) == DONE


@pytest.mark.parametrize(
    ('instruction', 'look', 'fault'),
    [
        ('Sing a song.', 'I see a red block on the table.', StepFault.NONSENSE),
        (WAYS, '', StepFault.EMPTY),
        (WAYS, '?' * 10_000, StepFault.EMPTY),
    ],
)
def test_what_no_rule_reads_is_a_problem(instruction, look, fault):
    answer = RulePlanner().next_step(instruction, [StepReport(look)])
    assert isinstance(answer, Problem)
    assert answer.fault is fault


def test_what_the_reporter_says_the_planner_reads():
    scene = table(
        *(
            thing(w, at)
            for w, at in (('red block', TOP_LEFT), ('blue block', TOP_RIGHT), ('green bowl', BOTTOM_LEFT), ('pink zone', BOTTOM_RIGHT))
        )
    )
    now = stacked(scene, first(scene), 'blue_block', 'red_block')
    said = seen(scene, now)
    tower, *targets = said.removesuffix('.').split('; ')
    assert tower == 'I see a red block under a blue block in the top left area'
    assert targets == ['a green bowl in the bottom left area', 'a pink zone in the bottom right area']
    scene_text = read(said)
    assert [(block.kind.color, block.below, block.place) for block in scene_text.blocks] == [
        ('red', None, 'top left area'),
        ('blue', 0, None),
    ]
    assert [target.words() for target in scene_text.targets] == ['the green bowl', 'the pink zone']


@pytest.mark.skipif(not LOHORAVENS, reason='there is no task of LoHoRavens in the catalogue')
@pytest.mark.parametrize('name', LOHORAVENS or ['none'])
def test_every_task_of_lohoravens_is_solved_and_every_sentence_read_alike(name):
    for axis in catalogue.task(name).axes:
        episode = catalogue.build(name, 'train', 3, axis)
        steps, now = play(episode.instruction.text, episode.scene)
        assert episode.goal.holds(now, first(episode.scene)), steps
        look = [StepReport(seen(episode.scene, first(episode.scene)))]
        said = {RulePlanner().next_step(text, look) for text in episode.instruction.paraphrases}
        assert said == {steps[0]}
