"""The decision records are numbered, listed and true to the names in the source, and the tour before them stays short."""

import re
from functools import cache
from pathlib import Path

import pytest
from imports import ROOT

PAGES = ROOT / 'docs' / 'decisions'
TOUR = ROOT / 'docs' / 'architecture.md'
MOST_WORDS = 1200
"""Of the tour and its glossary, without the import table."""
SECTIONS = ['Decision', 'Why', 'Consequences', 'Where']
FOLDERS = (
    'config', 'docs', 'launch', 'scripts', 'test', 'underlay',
    'vlm_bench_baselines', 'vlm_bench_msgs', 'vlm_bench_sim', 'vlm_bench_tasks',
)  # fmt: skip
FILE = re.compile(r'[\w.-][\w./-]*(\.(py|md|yaml|json|xml|toml|sh)|/)')


def records() -> list[Path]:
    """Every decision record, in order."""
    return sorted(PAGES.glob('[0-9]*.md'))


def title(page: Path) -> str:
    """The first heading of a page."""
    return page.read_text().splitlines()[0].removeprefix('# ')


@cache
def paths() -> frozenset[str]:
    """Every file and folder of the repository, by each end of its path: `b.py` and `a/b.py` for a/b.py; `a/` for a folder."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob('*') if '__pycache__' not in path.parts]
    found += [*ROOT.glob('*.*'), *(ROOT / folder for folder in FOLDERS)]
    split = [(path.relative_to(ROOT).parts, '/' * path.is_dir()) for path in found]
    return frozenset('/'.join(parts[at:]) + end for parts, end in split for at in range(len(parts)))


@cache
def defined() -> frozenset[str]:
    """Every class, function and constant of the two packages."""
    pattern = re.compile(r'^ *(?:class|(?:async )?def) (\w+)|^(\w+)(?:: [^=]+)? = ', re.MULTILINE)
    sources = [path.read_text() for package in ('vlm_bench_sim', 'vlm_bench_tasks') for path in (ROOT / package).rglob('*.py')]
    return frozenset(''.join(found) for source in sources for found in pattern.findall(source))


def unknown(page: str) -> list[str]:
    """The files that a record names and nobody has, and the names under "Where" that are defined nowhere."""
    said, where = page.partition('## Where')[::2]
    files = [name for name in re.findall(r'`([^`\n]+)`', said + where) if FILE.fullmatch(name)]
    names = [name for name in re.findall(r'`([\w.]+)`', where) if not FILE.fullmatch(name)]
    return [name for name in files if name not in paths()] + [name for name in names if name.rpartition('.')[2] not in defined()]


def test_records_are_numbered_without_gaps():
    assert len(records()) > 40
    assert [page.name[:5] for page in records()] == [f'{number:04d}-' for number in range(1, len(records()) + 1)]
    assert [page.name for page in records() if not title(page).startswith(f'{page.name[:4]} ')] == []


def test_each_record_is_in_the_index_once_under_its_title():
    listed = re.findall(r'^- \[(.+)\]\((.+)\)$', (PAGES / 'README.md').read_text(), re.MULTILINE)
    assert sorted(listed) == [(title(page), page.name) for page in records()]


@pytest.mark.parametrize('page', records(), ids=lambda page: page.name[:4])
def test_a_record_has_its_sections_and_names_what_there_is(page):
    text = page.read_text()
    assert re.findall(r'^## (.+)$', text, re.MULTILINE) == SECTIONS
    assert unknown(text) == []


def test_a_file_or_a_class_that_does_not_exist_is_found():
    assert unknown('`barrier.py`, `/sim/tick`\n## Where\n- Code: `Lockstep`, `underlay/`.') == []
    assert unknown('`no_such.py`\n## Where\n- Code: `NoSuch`, `nowhere/`.') == ['no_such.py', 'nowhere/', 'NoSuch']


def test_the_tour_stays_short():
    lines = [line for line in TOUR.read_text().splitlines() if not re.match(r'\| `(sim\.|tasks\.|baselines`)', line)]
    assert len([word for word in ' '.join(lines).split() if re.search(r'\w', word)]) <= MOST_WORDS
