"""Tasks are chosen by names and levels, and what leaves none is refused."""

import pytest

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.task_choice import chosen, levels


def test_levels_are_those_of_the_tasks():
    assert levels() == levels('clevrskills') == ('L0', 'L1', 'L2')
    assert levels('vlmbench') == ()


def test_a_level_narrows_what_is_named():
    found = chosen('clevrskills/*', 'L0')
    assert len(found) == 12 and {catalogue.task(task).level for task in found} == {'L0'}
    assert chosen('*', 'L0') == found
    assert len(chosen('clevrskills', 'L0,L2')) == 18
    assert chosen('clevrskills') == chosen('clevrskills', 'L0, L1, L2')


def test_names_are_separated_by_commas_and_count_once():
    assert chosen('vlmbench/door, vlmbench/d*') == ('vlmbench/door', 'vlmbench/drawer', 'vlmbench/drop_pencil')


@pytest.mark.parametrize(
    ('tasks', 'level', 'error'),
    [
        ('clevrskills', 'L3', "no level called 'L3'"),
        ('clevrskills', 'l0', 'Did you mean L0'),
        ('clevrskills', 'L0,', "no level called ''"),
        ('vlmbench', 'L0', 'has the level L0; their levels: none'),
        ('clevrskills/pick', 'L1', 'has the level L1; their levels: L0'),
        ('clevrskills,vlmbnch', '', 'Did you mean vlmbench'),
        ('', '', 'no task or family called'),
    ],
)
def test_what_leaves_no_task_is_refused(tasks, level, error):
    with pytest.raises(TaskError, match=error):
        chosen(tasks, level)
