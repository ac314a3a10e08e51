"""`--set name:=value`: what it refuses, and with which words."""

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.launching import bench


def test_known_settings_are_read_with_their_types():
    assert bench.extra(['autostart:=false', 'cameras:=none']) == {'autostart': False, 'cameras': 'none'}


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('camras:=none', r"--set knows no argument 'camras'\. Did you mean cameras"),
        ('xyzzy:=1', r"--set knows no argument 'xyzzy'\. Known: "),
        ('cameras=none', r"--set takes name:=value; found 'cameras=none'\. Did you mean cameras"),
        (':=1', r"--set knows no argument ''"),
    ],
)
def test_what_is_unknown_is_told_from_what_is_malformed(text, words):
    with pytest.raises(ConfigError, match=words):
        bench.extra([text])


def test_a_real_arm_has_no_settings_of_a_simulator():
    with pytest.raises(ConfigError, match='a setting of the simulated bench'):
        bench.extra(['engine:=mujoco'], bench.REAL)
