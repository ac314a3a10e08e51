"""Sines come out the same whether a processor has fused multiply-add or not, in every process of ours."""

import platform

import pytest

from vlm_bench_sim.core import arithmetic
from vlm_bench_sim.core.arithmetic import avoidable, environment, fused, processor, tunables

OURS = 'glibc.cpu.hwcaps=-FMA,-FMA4'


@pytest.mark.parametrize(
    ('given', 'wanted'),
    [
        ('', OURS),
        (OURS, OURS),
        ('glibc.malloc.check=1', f'glibc.malloc.check=1:{OURS}'),
        ('glibc.cpu.hwcaps=-AVX2', 'glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4'),
        ('glibc.cpu.hwcaps=-FMA:glibc.malloc.check=1', f'glibc.malloc.check=1:{OURS}'),
    ],
)
def test_what_glibc_is_told_already_is_kept(given, wanted):
    assert tunables(given) == wanted == tunables(wanted)
    assert environment({arithmetic.VARIABLE: given}) == {arithmetic.VARIABLE: wanted}


def test_this_process_does_without_fused_multiply_add():
    assert not avoidable(), 'start Python by .venv/bin/python, or source scripts/env.sh'


def test_a_library_that_fuses_is_told(monkeypatch):
    monkeypatch.setattr(arithmetic, '_FUSED', ((lambda _: 0.5, 1.0, (0.5).hex()),))
    assert fused()
    assert processor() == f'{platform.machine()} with FMA'
