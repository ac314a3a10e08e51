"""The page of a leaderboard: the same bytes each time, whole or not at all, and nothing that a report says is taken for markup."""

import os
import re
from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

from test.reports import altered, made, under
from vlm_bench_tasks.cli.main import app

EVIL = '</td><script>x</script>[click](http://evil.example)`a`*b*|\\|c\n# d $e$ _f_ __g__'


def page(folder, to, *reports, names='abcdefg'):
    """Save reports, write the page and return its text."""
    for name, report in zip(names, reports, strict=False):
        report.save(folder / 'in' / f'{name}.json')
    result = CliRunner().invoke(app, ['leaderboard', str(folder / 'in'), '--out', str(folder / to)], env={'COLUMNS': '400'})
    assert result.exit_code == 0, result.output
    return (folder / to).read_text()


def rows(text):
    return [[cell.strip() for cell in re.split(r'(?<!\\)\|', line)[1:-1]] for line in text.splitlines() if line.startswith('|')]


def test_a_row_says_all_that_a_reader_asks_for(tmp_path):
    first, second = made('+' * 20, 'mine:P', code='ab' * 32), made('-' * 20, 'ws://host:1', isolation='process')
    text = page(tmp_path, 'sub/page.md', first, second, made('+' * 20, 'oracle', assistance=('truth',)), under(second, cameras='vlmbench'))
    head = 'Reports: 2 ranked, in 1 table; 1 not ranked because they know the ground truth; 1 not ranked for other reasons.'
    assert text.startswith(f'# Leaderboard: 4 reports\n\n{head}\n')
    assert '## 1. vlmbench/pick_place · seen · no protocol · no aids' in text
    found = rows(text)
    for row in (
        '1;P;20/20 = 100.0 % (83.9 to 100.0);–;100.0;none;abababababab;0123456789ab;[a.json](../in/a.json);–',
        '2;ws://host:1;0/20 = 0.0 % (0.0 to 16.1);1.9e-06;0.0;process;–;0123456789ab;[b.json](../in/b.json);–',
    ):
        assert row.split(';') in found
    assert found[-4][0].endswith('aids: truth') and found[-4][-1] == 'all of it'
    assert found[-1][-1] == 'no other report is comparable; a.json (the second) is nearest: They differ in cameras: vlmbench and none.'
    assert 'Code of the bench: 0123456789ab. Versions: vlm_bench=1, engine=pybullet, renderer=none. Decides: ' in text


def test_what_was_not_observed_what_is_alike_and_what_stands_twice_is_said(tmp_path):
    one = made('++-?', 'mine:P', code='ab')
    other = one.model_copy(update={'bench': 'fedcba987654'})
    text = page(tmp_path, 'page.md', one, altered(other, 0, state_hash='ff'))
    assert '2/4 = 50.0 % (15.0 to 85.0); 1 not observed, without them 2/3 = 66.7 % (20.8 to 93.9)' in text
    assert '| 1 ≈ |' in text
    assert 'the same policy as a.json, but 1 episodes came out otherwise' in text
    assert 'Code of the bench: 0123456789ab, fedcba987654 (not the same for all).' in text


def test_several_boards_have_a_table_of_contents(tmp_path):
    one = made('+-', 'mine:P', code='ab')
    text = page(tmp_path, 'page.md', one, one, under(one, perturbations=('light=0.1',)), under(one, perturbations=('light=0.1',)))
    found = rows(text)
    assert found[0] == ['table', 'reports', 'first']
    assert found[2][1:] == ['2', 'P (50.0 %), P (50.0 %)']
    assert found[3][0] == '2. vlmbench/pick_place · seen · no protocol · no aids · perturbed by light=0.1'


class Tags(HTMLParser):
    """Collects tags and links."""

    def __init__(self):
        super().__init__()
        self.tags, self.links = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name == 'href']


NAMES = ('a](evil)[b', '<b>x', '`code`|*', 'javascript:alert(1)', 'plain')


def hostile():
    return (made('+-', EVIL), made('--', EVIL, code='<i>'), made('-+', EVIL), made('++', 'oracle', options={EVIL: EVIL}), made('+', EVIL))


def test_hostile_names_stand_as_they_are_in_html(tmp_path):
    found = Tags()
    found.feed(page(tmp_path, 'page.html', *hostile(), names=NAMES))
    assert not found.tags & {'script', 'b', 'i', 'img'}
    assert 'in/javascript%3Aalert%281%29.json' in found.links and all(link.startswith('in/') for link in found.links)


def test_hostile_names_stand_as_they_are_in_markdown(tmp_path):
    text = page(tmp_path, 'page.md', *hostile(), names=NAMES)
    assert '<script' not in text and '<b>' not in text and '\n# d' not in text
    assert not re.search(r'`|(?<!\\)\*|\$|\b_|_\b', text.partition('## 1.')[2])
    assert {to.partition('/')[0] for to in re.findall(r'\]\(([^)]*)\)', text)} == {'in'}
    assert all(len(row) in (5, 10) for row in rows(text)), 'no name ends a cell'


@pytest.mark.parametrize('to', ['page.md', 'page.html'])
def test_a_file_name_that_is_no_text_is_shown_and_leads_to_the_file(tmp_path, to):
    name = os.fsdecode(b'a\xff\n')
    text = page(tmp_path, to, made('+-'), made('--'), under(made('+'), cameras='vlmbench'), names=(name, f'{name}b', f'{name}c'))
    assert text.count('in/a%FF%0A') == 3


def test_the_same_folder_gives_the_same_bytes_and_the_page_replaces_only_itself(tmp_path):
    for to in ('page.md', 'page.html'):
        first = page(tmp_path, to, *hostile()[:2])
        assert page(tmp_path, to) == first
        (tmp_path / 'other').with_suffix(f'.{to[5:]}').write_text('something else')
    assert sorted(path.name for path in tmp_path.iterdir()) == ['in', 'other.html', 'other.md', 'page.html', 'page.md']


@pytest.mark.parametrize(
    ('to', 'said'),
    [
        ('other.md', 'does not hold these tables'), ('other.html', 'is not a page'), ('page.txt', 'End its name in .md or .html'),
        ('in/a.json', 'End its name in'), ('in', 'End its name in'), ('other.md/page.md', 'cannot be written'),
        ('other.html/page.html', 'cannot be written'),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused_and_left_as_it_is(tmp_path, to, said):
    page(tmp_path, 'page.md', *hostile()[:2])
    for name in ('other.md', 'other.html'):
        (tmp_path / name).write_text('mine')
    before = sorted(tmp_path.rglob('*'))
    result = CliRunner().invoke(app, ['leaderboard', str(tmp_path / 'in'), '--out', str(tmp_path / to)], env={'COLUMNS': '400'})
    assert result.exit_code == 2 and said in result.output, result.output
    assert sorted(tmp_path.rglob('*')) == before and (tmp_path / 'other.md').read_text() == 'mine'


@pytest.mark.parametrize(
    ('to', 'mine', 'said'),
    [
        ('page.md', '# Leaderboard of my lab\n\nAll: by hand.\n', 'does not hold these tables'),
        ('page.html', '<!doctype html>\n<title>Leaderboards</title>\n', 'is not a page "Leaderboard"'),
    ],
)
def test_a_page_of_somebody_else_is_left_as_it_is(tmp_path, to, mine, said):
    made('+').save(tmp_path / 'in' / 'a.json')
    (tmp_path / to).write_text(mine)
    result = CliRunner().invoke(app, ['leaderboard', str(tmp_path / 'in'), '--out', str(tmp_path / to)], env={'COLUMNS': '400'})
    assert result.exit_code == 2 and said in result.output, result.output
    assert (tmp_path / to).read_text() == mine


def test_of_many_reports_of_one_policy_a_row_names_a_few(tmp_path):
    text = page(tmp_path, 'page.md', *[made('+-', 'mine:P', code='ab')] * 7)
    assert all(row[-1].count('the same policy as') == 4 and row[-1].endswith('; and as 2 more') for row in rows(text)[2:])


def test_an_empty_folder_writes_nothing(tmp_path):
    result = CliRunner().invoke(app, ['leaderboard', str(tmp_path), '--out', str(tmp_path / 'page.md')], env={'COLUMNS': '400'})
    assert result.exit_code == 2 and 'holds no report' in result.output
    assert not list(tmp_path.iterdir())
