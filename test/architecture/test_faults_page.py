"""docs/faults.md and docs/security.md name a test, or a reason, for every fault and threat; and every test that they name exists."""

import re

import pytest
from imports import ROOT

PAGES = {'docs/faults.md': 35, 'docs/security.md': 15}
"""With the fewest rows that each has."""
TEST = re.compile(r'`(test/[\w/]+\.py)::(test_\w+)`')


def _rows(page: str) -> list[list[str]]:
    """The cells of each row of the page's tables, without heads and rules."""
    cells = [[cell.strip() for cell in line.strip('|').split(' | ')] for line in page.splitlines() if line.startswith('|')]
    return [row for row in cells if row[-1] != 'test' and set(row[0]) != {'-'}]


def _missing(page: str) -> list[str]:
    """What is wrong with the last cell of each row: a test that does not exist, or neither a test nor a reason."""
    found = []
    for row in _rows(page):
        tests = TEST.findall(row[-1])
        if len(row) != 3 or not (tests or re.fullmatch(r'none: \w.+', row[-1])):
            found.append(f'{row[0]}: neither a test nor a reason')
        for file, name in tests:
            path = ROOT / file
            if not path.is_file() or not re.search(rf'^(async )?def {name}\(', path.read_text(), re.MULTILINE):
                found.append(f'{file}::{name}')
    return found


@pytest.mark.parametrize('name', PAGES)
def test_every_row_has_a_test_that_exists_or_a_reason(name):
    page = (ROOT / name).read_text()
    assert len(_rows(page)) > PAGES[name]
    assert _missing(page) == []


def test_a_test_that_does_not_exist_and_a_row_without_a_reason_are_found():
    head = '| fault | what happens | test |\n| --- | --- | --- |\n'
    assert _missing(head + '| a | b | `test/nodes/test_up.py::test_nobody` |') == ['test/nodes/test_up.py::test_nobody']
    assert _missing(head + '| a | b | `test/nodes/no_such.py::test_x` |') == ['test/nodes/no_such.py::test_x']
    assert _missing(head + '| a | b | none |') == ['a: neither a test nor a reason']
