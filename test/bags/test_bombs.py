"""A bag that inflates to gigabytes is refused by every reader, with a sentence, before it has inflated."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HOSTILE = Path(__file__).with_name('hostile.py')
MOST_MEMORY = 1e9
UNHARMED = {
    ('a record longer than its chunk', 'check'), ('a channel that nothing describes', 'check'),
    ('a channel that nothing describes', 'raw'), ('metadata that laugh', 'recover'),
    ('chunks of one time', 'check'), ('chunks of one time', 'recover'), ('a thousand chunks', 'recover'),
    ('times that lie', 'check'), ('times that lie', 'recover'), ('a crowd of empty messages', 'check'),
}  # fmt: skip
"""Whom the hostile part does not concern: `check` looks for damage, and `recover` copies whole chunks."""


@pytest.mark.timeout(1000)
@pytest.mark.parametrize('which', ['quick', pytest.param('slow', marks=pytest.mark.slow)])
def test_every_reader_refuses_it_in_a_sentence_within_a_gigabyte(tmp_path, which):
    done = subprocess.run(
        [sys.executable, HOSTILE, tmp_path, which], check=False, capture_output=True, text=True, timeout=900
    )  # 40 s, and several times that beside other tests on a slow machine
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) >= 24
    assert max(row['peak'] for row in found) < MOST_MEMORY
    assert {(row['bag'], row['reader']) for row in found if row['said'].startswith('read: ')} <= UNHARMED
