"""What may lie in the repository: sizes, and addresses that only one machine knows. Comments hold words, not dead code."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
from imports import ROOT

LARGEST = 500_000  # bytes
LARGEST_WEIGHTS = 4_000_000  # bytes of all weights that are shipped
# Put together here, so that this file does not hold what it looks for.
ADDRESSES = re.compile('|'.join((
    r'(?<![\w.~$}])/wor' + r'k/', r'(?<![\w.~$}])/hom' + r'e/\w', r'(?<![\w.~$}])/roo' + r't/', r'(?<![\w.~$}])/Use' + r'rs/\w',
    'index' + '-url', r'pypi\.' + r'(org|io)', 'pythonhosted' + r'\.org', 'npmjs' + r'\.(org|com)', r'proxy\.golan' + 'g',
    r'deb\.debia' + 'n', r'archive\.ubunt' + 'u', 'artifacto' + 'ry',
)))  # fmt: skip


def tracked() -> list[str]:
    """Every file that git tracks, or would: what is new and not ignored counts too."""
    if not (ROOT / '.git').exists():
        pytest.skip('not a git clone: there is no list of tracked files')
    command = ['git', '-c', f'safe.directory={ROOT}', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split('\0') if name and (ROOT / name).is_file()]


def addresses(text: str) -> list[str]:
    """The addresses in a text that belong to one machine or one registry."""
    return [match[0] for match in ADDRESSES.finditer(text)]


def test_no_file_is_larger_than_500_kB():
    names = tracked()
    assert len(names) > 150
    sizes = {name: os.path.getsize(ROOT / name) for name in names}
    weights = {name: size for name, size in sizes.items() if name.startswith('vlm_bench_baselines/weights/')}
    assert {name: size for name, size in sizes.items() if size > LARGEST and name not in weights} == {}
    assert all(name.endswith(('.safetensors', '.md')) for name in weights) and sum(weights.values()) <= LARGEST_WEIGHTS


def texts() -> Iterator[tuple[str, str]]:
    """Every tracked file of text."""
    for name in tracked():
        with suppress(UnicodeDecodeError):
            yield name, (ROOT / name).read_text()


def test_no_file_names_a_registry_or_the_folders_of_one_machine():
    assert {name: addresses(text) for name, text in texts() if addresses(text)} == {}


def test_no_file_holds_the_marks_of_a_merge():
    marks = re.compile('^(<<<<<<' + '< |>>>>>>' + '> )', re.MULTILINE)
    assert marks.search('a\n<<<<<<' + '< HEAD\n')
    assert [name for name, text in texts() if marks.search(text)] == []


@pytest.mark.parametrize('text', ['cd /wor' + 'k/x', 'pip --index' + '-url x', 'https://pypi' + '.org/simple', 'open("/hom' + 'e/anna/x")'])
def test_an_address_is_found(text):
    assert addresses(text)


@pytest.mark.parametrize('text', ['frame/work/x', 'build/work/', '~/work/', '$HOME/work/bags', 'pip install vlm-bench'])
def test_what_is_no_address_is_not(text):
    assert addresses(text) == []


def _dead_code(*paths: str) -> str:
    command = [sys.executable, '-m', 'ruff', 'check', '--select', 'ERA', '--no-cache', '--output-format', 'concise', *paths]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def test_no_code_is_commented_out(tmp_path):
    pytest.importorskip('ruff')
    assert 'All checks passed' in _dead_code('vlm_bench_sim', 'vlm_bench_tasks', 'vlm_bench_baselines', 'launch', 'scripts')
    (tmp_path / 'dead.py').write_text('"""A module."""\n\n# x = f(3)\n')
    assert 'ERA001' in _dead_code(str(tmp_path))
