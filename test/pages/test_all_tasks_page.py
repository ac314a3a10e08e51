"""The page of all tasks: a column only for what is known, and the rewards that controls end with."""

import json

from vlm_bench_tasks.pages.all_tasks_page import all_tasks_page

DOOR = 'vlmbench/door'


def tables(folder):
    """The tables of the page below each heading, as lists of cells, the head of each first."""
    sections = all_tasks_page(folder, 'HEAD').split('\n## ')
    cells = {part: [line.strip('| ').split(' | ') for line in part.splitlines() if line.startswith('| ')] for part in sections}
    return {part.partition('\n')[0]: [row for row in rows if '---' not in row] for part, rows in cells.items()}


def test_a_column_that_is_empty_in_every_row_of_a_suite_is_left_out(tmp_path):
    told = {'solved': 9, 'total': 10, 'chance': 1.0}
    (tmp_path / 'vlmbench_oracle.json').write_text(json.dumps({DOOR: told}))
    (tmp_path / 'arnold_oracle.json').write_text(json.dumps({'arnold/pour_water': told | {'cpu': 2.5, 'simulated': 8.0}}))
    found = tables(tmp_path)
    assert found['[vlmbench](vlmbench.md)'][:2] == [['task', 'expert', 'chance'], ['door', '9/10 (60 to 98)', '100 %']]
    assert found['[vlmbench](vlmbench.md)'][2] == ['drawer', '–', '–']
    assert found['[arnold](arnold.md)'][0] == ['task', 'expert', 'CPU s', 'simulated s', 'chance']
    assert found['[clevrskills](clevrskills.md)'][0] == ['task', 'level']
    assert not found['Dense reward'], 'no summary holds a reward'


def test_the_rewards_that_controls_end_with_are_listed_where_summaries_hold_them(tmp_path):
    for policy, reward in (('oracle', 1.0), ('still', 0.05), ('dawdle', 0.25)):
        told = {DOOR: {'solved': 0, 'total': 10, 'chance': 0.5, 'reward': reward, 'trend': 0.9}}
        (tmp_path / f'vlmbench_{policy}.json').write_text(json.dumps(told))
    head, *rows = tables(tmp_path)['Dense reward']
    assert head == ['task', 'oracle', 'still', 'dawdle', 'trend']
    assert [row[1:] for row in rows if row[0] == DOOR] == [['1.00', '0.05', '0.25', '0.90']]


def test_the_page_says_how_it_is_made_and_why_chance_can_be_whole(tmp_path):
    first = all_tasks_page(tmp_path, 'HEAD').split('\n\n')[2]
    assert '`make sweep`' in first and '`make docs`' in first and 'it is 100 %' in first
