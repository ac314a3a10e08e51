"""The executable: it begins again where the processor's sines would differ."""

import os
import sys
from contextlib import suppress

import pytest

from vlm_bench_sim.core import arithmetic
from vlm_bench_tasks.cli import main, start

OFF = arithmetic.tunables('')


class _Replaced(Exception):
    """This process would be another program now."""


@pytest.fixture
def begun(monkeypatch):
    """Start the executable with a value of GLIBC_TUNABLES; return the environment of a second start, None if there is none."""

    def begin(given, *, fused):
        again = []

        def execve(program, words, environment):
            assert (program, words) == (sys.executable, [sys.executable, '-I', '/bin/vlm-bench', 'tasks'])
            again.append(environment)
            raise _Replaced

        monkeypatch.setattr(os, 'execve', execve)
        monkeypatch.setattr(sys, 'orig_argv', ['python3', '-I', '/bin/vlm-bench', 'tasks'])
        monkeypatch.setattr(arithmetic, 'avoidable', lambda: fused)
        monkeypatch.setattr(main, 'app', lambda: again.append(None))
        monkeypatch.setenv(arithmetic.VARIABLE, given)
        with suppress(_Replaced):
            start.main()
        (only,) = again
        return only

    return begin


def test_it_begins_again_with_fma_off(begun):
    again = begun('glibc.malloc.check=3', fused=True)
    assert again[arithmetic.VARIABLE] == f'glibc.malloc.check=3:{OFF}'
    assert again['PATH'] == os.environ['PATH']


def test_it_begins_once_where_that_has_no_effect(begun):
    assert begun(OFF, fused=True) is None


def test_it_does_not_begin_again_where_sines_are_equal(begun):
    assert begun('', fused=False) is None
