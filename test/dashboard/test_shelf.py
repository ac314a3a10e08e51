"""The list of episodes, from a folder of bags or from a report."""

import os
import shutil

import pytest

from test.evaluation.test_page import report, score
from vlm_bench_sim.bags.reader import open_bag
from vlm_bench_sim.core.errors import BagError
from vlm_bench_tasks.dashboard import shelf as shelves
from vlm_bench_tasks.dashboard.shelf import Row, Shelf, of_folder, of_report


def rows(shelf):
    assert shelf.whole.wait(20)
    told = shelf.rows()
    assert told['whole']
    return told['rows']


def test_the_bags_below_a_folder_are_listed_by_what_they_say(bags, tmp_path):
    shutil.copytree(bags, tmp_path / 'deep' / 'er')
    found = {row['name']: row for row in rows(of_folder(tmp_path))}
    assert list(found) == ['deep/er/asked', 'deep/er/solved', 'deep/er/still']
    solved, still = found['deep/er/solved'], found['deep/er/still']
    assert (solved['task'], solved['split'], solved['seed'], solved['verdict'], solved['cause']) == (
        'vlmbench/pick_place',
        'seen',
        '3',
        'success',
        '',
    )
    assert (still['verdict'], still['cause'], still['robot'], still['bag']) == ('failure', 'stopped', 'panda', True)
    assert solved['instruction'] == still['instruction'] != ''


def test_a_bag_is_known_by_its_number_alone(bags):
    shelf = of_folder(bags)
    names = [row['name'] for row in rows(shelf)]
    assert [shelf.path(number) for number in range(3)] == [bags / name for name in names]
    for number in (3, -1, 10**9):
        with pytest.raises(BagError, match='has no bag'):
            shelf.path(number)


def test_a_damaged_bag_is_listed_with_its_fault_and_the_others_too(bags, tmp_path):
    shutil.copytree(bags, tmp_path, dirs_exist_ok=True)
    (tmp_path / 'solved' / 'metadata.yaml').write_text('[')
    (tmp_path / 'still' / 'metadata.yaml').write_text('rosbag2_bagfile_information: {custom_data: {task: [1]}}')
    found = {row['name']: row['fault'] for row in rows(of_folder(tmp_path))}
    assert found['asked'] == '' and 'is damaged' in found['solved'] and 'is damaged' in found['still']


def test_what_a_killed_recorder_left_is_listed_with_the_remedy(bags, tmp_path):
    (tmp_path / '.solved.part').mkdir()
    (row,) = rows(of_folder(tmp_path))
    assert row['name'] == '.solved.part' and 'recorder was killed or is still running' in row['fault']
    (tmp_path / 'empty').mkdir()
    with pytest.raises(BagError, match='holds no bags'):
        of_folder(tmp_path / 'empty')


@pytest.mark.timeout(60)
def test_a_pipe_in_the_place_of_a_file_stops_nobody(bags, tmp_path):
    shutil.copytree(bags, tmp_path, dirs_exist_ok=True)
    for name in ('asked', 'solved'):
        file = tmp_path / name / ('metadata.yaml' if name == 'asked' else 'solved_0.mcap')
        file.unlink()
        os.mkfifo(file)
    found = {row['name']: row for row in rows(of_folder(tmp_path))}
    assert 'is not a bag' in found['asked']['fault'] and found['still']['fault'] == ''
    with pytest.raises(BagError, match='is no file'):
        open_bag(tmp_path / 'solved')


def test_too_many_are_refused(bags, monkeypatch):
    monkeypatch.setattr(shelves, 'MOST_BAGS', 2)
    with pytest.raises(BagError, match='at most 2 are listed'):
        of_folder(bags)


def test_rows_come_in_parts_and_it_is_said_when_all_are_there(monkeypatch):
    monkeypatch.setattr(shelves, '_AT_ONCE', 2)
    shelf = Shelf()
    for number in range(3):
        shelf.add(Row(seed=str(number)), None)
    assert [row['seed'] for row in shelf.rows()['rows']] == ['0', '1'] and not shelf.rows(2)['whole']
    shelf.whole.set()
    assert not shelf.rows()['whole'] and shelf.rows(2)['whole'] and shelf.rows(3) == {'since': 3, 'rows': [], 'whole': True}


def test_a_report_has_a_row_for_each_episode_with_what_was_missed(bags):
    failed = score(3, 'failure', causes=('time_limit',), missed=('the cube is in the tray',))
    shelf = of_report(report(score(4), failed, policy='mine'), bags)
    told = {row['seed']: row for row in rows(shelf)}
    assert (told['3']['cause'], told['3']['detail']) == ('time_limit', 'time_limit; not true: the cube is in the tray')
    assert (told['3']['policy'], told['3']['robot'], told['3']['bag'], told['4']['bag']) == ('mine', 'panda', True, False)


def test_a_report_without_bags_is_a_list_alone():
    shelf = of_report(report(score(3)), None)
    assert [row['bag'] for row in rows(shelf)] == [False]
    with pytest.raises(BagError, match='evaluate --record'):
        shelf.path(0)
