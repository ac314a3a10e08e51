"""A state does not depend on the last bit of what BLAS adds up or of numpy's sines, which processors differ in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from test.golden._digests import stage_hash

ROOT = Path(__file__).parents[2]
OTHER_SINES = """
import numpy as np

def off_by_a_bit(function):
    return lambda *numbers, **named: np.nextafter(function(*numbers, **named), np.inf)

for name in ('sin', 'cos', 'tan', 'arcsin', 'arccos', 'arctan', 'arctan2', 'hypot', 'exp', 'log'):
    setattr(np, name, off_by_a_bit(getattr(np, name)))
np.linalg.norm = off_by_a_bit(np.linalg.norm)
"""


@pytest.mark.parametrize(('before', 'processor'), [('', {'OPENBLAS_CORETYPE': 'Prescott'}), (OTHER_SINES, {})], ids=['BLAS', 'sines'])
def test_a_stage_comes_to_the_same_state_whatever_the_last_bit(before, processor):
    words = before + 'from test.golden._digests import stage_hash\nprint(stage_hash())'
    found = subprocess.run(
        [sys.executable, '-c', words], cwd=ROOT, env=os.environ | processor, stdout=subprocess.PIPE, text=True, check=True, timeout=100
    ).stdout
    assert found.strip() == stage_hash()
