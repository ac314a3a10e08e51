"""States, and all that the expert does, do not depend on the processor: not on what BLAS adds up first, not on the last bit of a sine.

OpenBLAS, numpy and glibc each choose code by processor, and each can be told to take another's.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from test.golden._digests import SEEDS, STAGE, golden, same_machine, sample
from vlm_bench_tasks import catalogue

ROOT = Path(__file__).parents[2]
OTHER_SINES = """
import numpy as np

def off_by_a_bit(function):
    return lambda *numbers, **named: np.nextafter(function(*numbers, **named), np.inf)

for name in ('sin', 'cos', 'tan', 'arcsin', 'arccos', 'arctan', 'arctan2', 'hypot', 'exp', 'log', 'cbrt'):
    setattr(np, name, off_by_a_bit(getattr(np, name)))
np.linalg.norm = off_by_a_bit(np.linalg.norm)
"""
PLAY = """
import json, sys
from test.golden._digests import final, stage_hash
ends = {name: final(*name.split()) if ' ' in name else stage_hash() for name in sys.argv[1:]}
print(json.dumps(ends))
"""
WIDE = [word for word in Path('/proc/cpuinfo').read_text().split() if word.startswith(('avx2', 'avx512f', 'avx512bw'))]
OLDEST = {
    'OPENBLAS_CORETYPE': 'Prescott',
    'NPY_DISABLE_CPU_FEATURES': 'X86_V3 X86_V4 AVX2 FMA3 AVX512F AVX512_SKX',
    'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-AVX2,-AVX,-FMA',
}
KERNELS = ['Prescott', 'Nehalem', *(['Haswell', 'Zen'] if 'avx2' in WIDE else []), *(['SkylakeX'] if 'avx512bw' in WIDE else [])]
PROCESSORS = {kernel: {'OPENBLAS_CORETYPE': kernel} for kernel in KERNELS} | {
    'numpy': {'NPY_DISABLE_CPU_FEATURES': OLDEST['NPY_DISABLE_CPU_FEATURES']},
    'glibc': {'GLIBC_TUNABLES': OLDEST['GLIBC_TUNABLES']},
    'oldest': OLDEST,
}


def played(names, before='', **processor):
    """What these episodes, and the stage, come to in a process with another arithmetic."""
    command = [sys.executable, '-W', 'ignore', '-c', before + PLAY, *names]
    environment = {name: value for name, value in os.environ.items() if name not in OLDEST} | processor
    found = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=1700).stdout
    return json.loads(found.splitlines()[-1])


def wanted(tasks, seeds):
    same_machine()
    ends = {f'{task} {seed}': golden()['tasks'][task]['finals'][str(seed)] for task in tasks for seed in seeds}
    return ends | {STAGE: golden()[STAGE]}


@pytest.mark.timeout(600)  # 20 s, and many times that beside other tests on a slow machine
def test_the_expert_comes_to_the_golden_states_on_the_oldest_processor_with_sines_a_bit_off():
    ends = wanted(sample()[::4], SEEDS[:1])
    assert played(ends, OTHER_SINES, **OLDEST) == ends


@pytest.mark.long
@pytest.mark.skipif('avx512bw' not in WIDE, reason='this processor has no AVX-512, which its own kernels need')
@pytest.mark.timeout(600)
def test_the_expert_comes_to_the_golden_states_on_the_newest_processor():
    ends = wanted(sample()[3::4], SEEDS[1:])
    assert played(ends, OPENBLAS_CORETYPE='SkylakeX') == ends


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize('processor', PROCESSORS)
def test_the_expert_comes_to_the_golden_states_on_every_processor(processor):
    ends = wanted(catalogue.tasks(), SEEDS)
    assert played(ends, **PROCESSORS[processor]) == ends


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_expert_comes_to_the_golden_states_with_sines_a_bit_off():
    ends = wanted(catalogue.tasks(), SEEDS)
    assert played(ends, OTHER_SINES) == ends
