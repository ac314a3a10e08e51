"""Our interface files are the specification: every field and every constant says what it means."""

import re
from pathlib import Path

import pytest

FILES = sorted(path for path in (Path(__file__).parents[1] / 'vlm_bench_msgs').glob('*/*') if path.suffix in ('.msg', '.srv', '.action'))
DECLARATION = re.compile(r'^[A-Za-z][\w/]*(\[[^]]*\])?\s+\w+')


def uncommented(text: str) -> list[str]:
    return [line for line in text.splitlines() if DECLARATION.match(line) and '#' not in line]


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_each_declaration_has_a_comment(path: Path) -> None:
    assert uncommented(path.read_text()) == []


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_each_file_begins_with_what_it_is_for(path: Path) -> None:
    assert path.read_text().startswith('# ')


def test_a_declaration_without_a_comment_is_found() -> None:
    assert uncommented('# Why.\nuint8 OK=1\nfloat64[] x # m\nBox[<=1] held') == ['uint8 OK=1', 'Box[<=1] held']
