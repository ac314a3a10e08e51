"""The form of a minute of `make soak`: a signed, scored and recorded bench plays, nothing grows and no episode is lost.

Memory rises for six to ten episodes, by 40 MB, while caches fill, and swings by 20 MB meanwhile. A busy machine plays too few in a
minute to see what comes after.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from running_bench import ros_environment

from test.soak._growth import told
from test.soak._kept import Kept

pytestmark = [pytest.mark.ros, pytest.mark.long]
ROOT = Path(__file__).parents[2]
EPISODES = 20


def test_nothing_grows_and_none_is_lost_in_a_minute(domains, tmp_path):
    command = [sys.executable, '-m', 'test.soak', 'ros', '--seconds', '60', '--at-least', str(EPISODES)]
    command += ['--task', 'vlmbench/pick_place', '--folder', str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=ros_environment(domains()), capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = Kept(tmp_path / 'soak_ros.jsonl')
    assert told(kept.samples) and len(kept.samples) >= EPISODES, 'enough of them'
    assert {sample.verdict for sample in kept.samples} == {'success'}
    assert {'sim_node', 'monitor_node', 'recorder_node', 'oracle_node', 'this process'} < kept.samples[-1].held.keys()
    assert (tmp_path / 'soak_ros.png').stat().st_size
