"""The key reaches a child by inheritance alone, and a person by a code."""

import ctypes
import subprocess
import sys

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros import keyring
from vlm_bench_sim.ros.signature import BENCH, PERSON

GET_DUMPABLE = 3  # of prctl(2)
CHILD = """
import os, sys
from vlm_bench_sim.ros import keyring
print(keyring.held('bench').hex(), keyring.held('person').hex(), os.readlink('/proc/self/fd/0'), sys.argv[1:])
"""


def start(folder, *, stdin):
    (folder / 'child.py').write_text(CHILD)
    words = [sys.executable, '-m', 'vlm_bench_sim.ros.start', '--signed', 'child', 'word']
    return subprocess.run(words, cwd=folder, stdin=stdin, capture_output=True, text=True, check=False)


def test_a_child_inherits_the_key_and_nothing_on_its_command_line_shows_it(tmp_path):
    with keyring.fresh():
        key, person = keyring.held(BENCH), keyring.held(PERSON)
        with keyring.offer() as asked:
            done = start(tmp_path, stdin=asked.fileno())
    assert done.stdout.split()[:3] == [key.hex(), person.hex(), '/dev/null'], done.stderr
    assert done.stdout.split()[3:] == ["['word']"]
    assert keyring.held(BENCH) is None and keyring.held(PERSON) is None


def test_a_child_that_is_told_no_key_says_so_and_does_not_run(tmp_path):
    done = start(tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and done.stdout == ''
    assert (
        done.stderr
        == 'error: The node expected the key of the bench on standard input and received none. Start nodes with `vlm-bench up`.\n'
    )


def test_whoever_asks_second_is_told_nothing():
    with keyring.fresh(), keyring.offer() as asked:
        asked.sendall(b'?')
        assert asked.recv(100) == keyring.held(BENCH)
        assert asked.recv(100) == b''


def test_whoever_asks_wrongly_is_told_nothing():
    with keyring.fresh(), keyring.offer() as asked:
        asked.sendall(b'!')
        assert asked.recv(100) == b''


def test_a_holder_of_the_key_cannot_be_looked_into_and_what_it_starts_is_as_ever():
    with keyring.fresh():
        assert ctypes.CDLL(None).prctl(GET_DUMPABLE, 0, 0, 0, 0) == 0
        words = [sys.executable, '-c', f'import ctypes; print(ctypes.CDLL(None).prctl({GET_DUMPABLE}, 0, 0, 0, 0))']
        assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == '1\n'


def test_a_code_stands_for_the_key_of_a_person_and_for_no_other():
    with keyring.fresh() as code:
        person, bench = keyring.held(PERSON), keyring.held(BENCH)
        assert keyring.read_code(code) == keyring.read_code(f' {code.lower().replace("-", "")} ') == person != bench
        keyring.take_code(code)
        assert keyring.held(PERSON) == person and keyring.held(BENCH) is None
    with keyring.fresh() as another:
        assert another != code


@pytest.mark.parametrize('text', ['', 'ABCD', 'ABCD-EFGH-IJKL-MNO1', 'ABCD-EFGH-IJKL-MNOPA', 'é' * 16])
def test_what_is_no_code_is_said(text):
    with pytest.raises(ConfigError, match='A code is 16 letters and digits'):
        keyring.read_code(text)
