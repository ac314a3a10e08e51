"""What shares a board, in which order, and why everything else does not."""

import os

import pytest

from test.reports import TASK, altered, made, under
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.board import leaderboard
from vlm_bench_tasks.evaluation.compare import differences
from vlm_bench_tasks.evaluation.declaration import Declaration


def of(folder, **reports):
    """The leaderboard of these reports by the names of their files; __ stands for a folder."""
    for name, report in reports.items():
        report.save(folder / f'{name.replace("__", "/")}.json')
    return leaderboard(folder)


def mine(solved, name='mine:Policy', code='ab', **more):
    return made(solved, name, code=code, **more)


def files(board):
    return [(row.rank, row.entry.file) for row in board]


def reasons(found):
    return {entry.file: why for entry, why in found.unranked}


def test_comparable_reports_are_ranked_by_rate_and_told_apart_by_the_exact_test(tmp_path):
    worse, best = mine('-' * 20, 'worse:P'), mine('+' * 20, 'best:P')
    found = of(tmp_path, worse=worse, deep__down__best=best, a=mine('+' * 19 + '-', 'nearly:P', 'cd'), b=mine('-' + '+' * 19, 'too:P'))
    (board,) = found.boards
    assert files(board) == [(1, 'deep/down/best.json'), (2, 'a.json'), (2, 'b.json'), (4, 'worse.json')]
    assert [row.apart for row in board] == [False, False, False, True]
    assert board[0].above is None
    assert (board[3].above.first_only, board[3].above.p_value) == (19, pytest.approx(2 * 0.5**19))
    assert not (found.knowing or found.unranked or found.skipped)


def test_spoiled_episodes_are_no_gain(tmp_path):
    (board,) = of(tmp_path, spoils=mine('+???', 'spoils:P'), fair=mine('++--')).boards
    assert files(board) == [(1, 'fair.json'), (2, 'spoils.json')]
    assert board[1].entry.rate == 0.25


@pytest.mark.parametrize(
    'change',
    [
        {'cameras': 'vlmbench'}, {'size': '64x64'}, {'perturbations': ('light=0.1',)}, {'assistance': ('subgoals',)},
        {'answer_seconds': 1.0}, {'versions': ('vlm_bench=2', 'engine=pybullet', 'renderer=none')},
        {'versions': ('vlm_bench=1', 'engine=mujoco', 'renderer=none')},
        {'tasks': (made('+').conditions.tasks[0].model_copy(update={'robot': 'ur5e'}),)},
        {'tasks': (made('+').conditions.tasks[0].model_copy(update={'revision': 1}),)},
    ],
)  # fmt: skip
def test_whatever_decides_a_score_parts_boards(tmp_path, change):
    found = of(tmp_path, a=mine('+-'), b=mine('--'), c=under(mine('++'), **change), d=under(mine('-+'), **change))
    assert [[file for _, file in files(board)] for board in found.boards] == [['a.json', 'b.json'], ['c.json', 'd.json']]


def test_what_is_alone_is_told_with_what_differs_from_the_nearest(tmp_path):
    found = of(tmp_path, a=mine('+-'), b=mine('--'), c=under(mine('++'), cameras='vlmbench'), d=mine('+++'))
    (board,) = found.boards
    assert len(board) == 2
    assert reasons(found)['c.json'] == (
        'no other report is comparable; a.json (the second) is nearest: They differ in cameras: vlmbench and none.'
    )
    assert 'They differ in seeds' in reasons(found)['d.json']
    only = of(tmp_path / 'own', only=mine('+'))
    assert (only.boards, reasons(only)) == ((), {'only.json': 'there is no other report'})


def test_whoever_knows_the_truth_is_in_a_list_of_its_own(tmp_path):
    oracle, given = made('++', 'oracle', assistance=('truth',)), mine('++', options={'given': 'position'})
    found = of(tmp_path, oracle=oracle, twice=oracle, given=given, also=given, a=mine('+-'), b=mine('--'))
    assert [(entry.file, what) for entry, what in found.knowing] == [
        ('also.json', 'position'), ('given.json', 'position'), ('oracle.json', 'all of it'), ('twice.json', 'all of it'),
    ]  # fmt: skip
    assert [file for board in found.boards for _, file in files(board)] == ['a.json', 'b.json']


def test_what_does_not_follow_from_its_episodes_and_what_is_no_test_is_not_ranked(tmp_path):
    false = mine('+-').model_copy(update={'groups': mine('++').groups})
    train = under(mine('+-'), seeds=(0, 2), purpose='train')
    train = train.model_copy(update={'episodes': tuple(one.model_copy(update={'seed': one.seed - 100_000}) for one in train.episodes)})
    found = of(tmp_path, a=mine('+-'), b=mine('--'), false=false, train=train, lies=altered(mine('+-'), 0, score=1000.0))
    assert [file for board in found.boards for _, file in files(board)] == ['a.json', 'b.json']
    why = reasons(found)
    assert f'it does not follow from its own episodes or conditions: The group {TASK} seen color says causes' in why['false.json']
    assert 'And ' in why['false.json']
    assert 'has the score 1000' in why['lies.json']
    assert why['train.json'] == 'its seeds are for: train; only test seeds are ranked'


def test_a_protocol_has_boards_of_its_own_and_is_held_to(tmp_path):
    declared = mine('+-').model_copy(update={'declared': Declaration(protocol='vlmbench', variant='aided')})
    unknown = mine('+-').model_copy(update={'declared': Declaration(protocol='ravens', variant='x')})
    found = of(tmp_path, a=declared, b=unknown)
    assert 'does not follow the protocol vlmbench as it is here: it has the cameras none, not vlmbench' in reasons(found)['a.json']
    assert "There is no protocol called 'ravens'" in reasons(found)['b.json']


def test_the_same_policy_twice_stands_twice_and_says_so(tmp_path):
    first = mine('++--', options={'checkpoint': '/here/a.pt'})
    again, other = mine('++--', options={'checkpoint': '/there/a.pt'}), mine('+---')
    (board,) = of(tmp_path, first=first, again=again, other=other, edited=mine('+---', code='cd')).boards
    assert {row.entry.file: row.twins for row in board} == {
        'first.json': (('again.json', 0), ('other.json', 1)),
        'again.json': (('first.json', 0), ('other.json', 1)),
        'other.json': (('again.json', 1), ('first.json', 1)),
        'edited.json': (),
    }


def test_files_that_are_no_reports_are_named_with_the_reason(tmp_path):
    (tmp_path / 'summary.json').write_text('{"solved": 1}')
    (tmp_path / 'folder.json').mkdir()
    text = mine('+').text().replace('"cameras": "none"', '"cameras": "vlmbench"')
    (tmp_path / 'altered.json').write_text(text)
    (tmp_path / 'notes.txt').write_text(text)
    (tmp_path / 'broken.json').symlink_to('absent')
    (tmp_path / 'device.json').symlink_to('/dev/zero')
    os.mkfifo(tmp_path / 'pipe.json')
    found = dict(of(tmp_path, a=mine('+-'), b=mine('--')).skipped)
    assert {*found} == {'summary.json', 'altered.json', 'broken.json', 'device.json', 'pipe.json'}
    assert 'No such file' in found['broken.json']
    assert 'not a regular file' in found['device.json'] and 'not a regular file' in found['pipe.json']
    assert found['summary.json'].startswith('is not an evaluation report: Field required')
    assert found['altered.json'].startswith('was altered: its conditions have the hash')


def test_a_folder_without_reports_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r'holds no report of an evaluation\. Name the folder of evaluate --out'):
        leaderboard(tmp_path)
    (tmp_path / 'summary.json').write_text('{}')
    with pytest.raises(ConfigError, match=r'1 of its files end in \.json, but are no reports'):
        leaderboard(tmp_path)
    for path in (tmp_path / 'summary.json', tmp_path / 'absent'):
        with pytest.raises(ConfigError, match='is not a folder'):
            leaderboard(path)


def test_a_version_without_a_number_is_a_difference_like_any_other():
    kept = made('+').conditions
    odd = kept.model_copy(update={'versions': (*kept.versions, 'ompl')})
    assert differences(kept, odd) == ['The versions of ompl differ: none and unknown.']
