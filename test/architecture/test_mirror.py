"""The folders of `test/` mirror the packages: a test of `vlm_bench_tasks/evaluation/aids.py` is in `test/evaluation/`."""

from collections.abc import Iterable
from pathlib import PurePath

import pytest
from imports import ROOT
from layers import BASELINES, PACKAGES, SIM, TASKS

EXCEPTIONS = (
    ('architecture', 'reads the source of every package'),
    ('browser', 'uses the page of the window as a person does, with all that is behind it'),
    ('notebooks', 'runs the notebooks of docs/notebooks as a person does'),
    ('golden', 'compares digests of whole episodes, which every package has a part in'),
    ('soak', 'plays whole benches for hours'),
)
"""Folders of tests that are no package, each with the reason."""
OUTSIDE = (*PACKAGES, 'vlm_bench_msgs', 'examples', 'launch', 'scripts', 'config', '.ci')
"""Folders of the repository that hold no tests."""


def _packages() -> set[str]:
    """Return the folders of the packages as paths inside them; `.` is a package itself. Those of the baselines are below `baselines`."""
    return {folder for name in (SIM, TASKS) for folder in _folders(name)} | {
        PurePath('baselines', folder).as_posix() for folder in _folders(BASELINES)
    }


def _folders(package: str) -> set[str]:
    return {path.parent.relative_to(ROOT / package).as_posix() for path in (ROOT / package).rglob('*.py')}


def _tests(folder: str) -> list[str]:
    """Return the files of tests in a folder of the repository, as paths inside it."""
    return [path.relative_to(ROOT / folder).as_posix() for path in sorted((ROOT / folder).rglob('test_*.py'))]


def _astray(tests: Iterable[str], packages: set[str]) -> list[str]:
    """Return what is wrong with the places of tests below `test/`, in words."""
    folders = {PurePath(file).parent.as_posix() for file in tests}
    allowed = packages | {folder for folder, _ in EXCEPTIONS}
    return [f'test/{folder} is no package' for folder in sorted(folders - allowed)]


def test_every_folder_of_tests_is_named_as_a_package():
    tests = _tests('test')
    assert len(tests) > 200
    assert _astray(tests, _packages()) == []


@pytest.mark.parametrize('folder', OUTSIDE)
def test_no_test_lies_outside_test(folder):
    assert _tests(folder) == []


def test_every_exception_is_needed():
    folders = {PurePath(file).parent.as_posix() for file in _tests('test')}
    assert [folder for folder, _ in EXCEPTIONS if folder not in folders or folder in _packages()] == []


def test_a_folder_that_is_no_package_is_found():
    assert _astray(['tasks/test_aids.py', 'evaluation/test_aids.py', 'test_run.py'], {'.', 'evaluation'}) == ['test/tasks is no package']
    assert _astray(['exports/test_frames.py'], {'.', 'dataset', 'dataset/exports'})
