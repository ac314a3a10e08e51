"""Robots pass their checks, and one whose profile says of it what its URDF does not is told by name."""

import os
from math import pi
from pathlib import Path

import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.assets import config
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.extensions import PATH
from vlm_bench_tasks.conformance.check import check
from vlm_bench_tasks.conformance.robots import ROBOT_CHECKS, RobotSubject

ACME = Path(__file__).parents[1] / 'acme_bench'


def found(profile, *names, plays=0):
    """The findings of some checks, or of all, by check."""
    checks = tuple(one for one in ROBOT_CHECKS if (one.name in names if names else plays or not one.plays))
    return {one.name: [finding.text for finding in told] for one, told in check(RobotSubject(profile, plays=plays), checks) if told}


@pytest.fixture
def changed(tmp_path, monkeypatch):
    """A robot like one of ours, in an extension, with texts of its profile and of its URDF replaced."""
    place = tmp_path / 'theirs' / 'config' / 'robots'
    place.mkdir(parents=True)
    monkeypatch.setenv(PATH, str(tmp_path / 'theirs'))

    def make(of, profile=(), urdf=()):
        for end, pairs in (('yaml', [(f'urdf: {of}.urdf', 'urdf: odd.urdf'), *profile]), ('urdf', urdf)):
            text = config(f'robots/{of}.{end}').read_text()
            for before, after in pairs:
                assert before in text, before
                text = text.replace(before, after)
            (place / f'odd.{end}').write_text(text)
        return profiles.robot('odd')

    return make


@pytest.mark.parametrize('name', profiles.robots())
def test_every_robot_of_ours_is_sound(name):
    assert found(profiles.robot(name)) == {}


def test_the_robot_of_an_extension_is_sound_and_picks(monkeypatch):
    monkeypatch.setenv(PATH, os.fspath(ACME))
    assert found(profiles.robot('acme_arm'), plays=1) == {}


@pytest.mark.parametrize(
    ('of', 'profile', 'urdf', 'check', 'told'),
    [
        ('panda', [('home: [0.0, -0.785', 'home: [0.0, -1.9')], [], 'limits', 'panda_joint2 is at -1.9 rad at home; its limits'),
        ('panda', [('velocity: [2.175', 'velocity: [4.0')], [], 'limits', 'lets panda_joint1 move at 4.0 rad/s; the URDF allows'),
        ('panda', [('-2.356, 0.0, 1.571', '-0.3, 0.0, 3.7')], [], 'home', 'at home'),
        ('panda', [('home: [0.0', 'home: [2.8')], [], 'home', 'the table lies in front of the robot'),
        ('panda', [('position: [0.0, 0.0, 0.1034]', 'position: [0.0, 0.0, 0.0]')], [], 'tool', 'fingertips end 112.2 mm beyond'),
        ('panda', [('position: [0.0, 0.0, 0.1034]', 'position: [0.02, 0.0, 0.1034]')], [], 'tool', '(-20.0, 0.0) mm from the tool'),
        ('panda', [('0.1034], rpy: [0.0, 0.0, 0.0]', f'0.1034], rpy: [0.0, 0.0, {pi / 2}]')], [], 'gripper', 'y was expected'),
        ('panda', [('max_opening: 0.08', 'max_opening: 0.1')], [], 'gripper', 'stand 80.0 mm open when 100.0 mm were'),
        ('ur5e', [('position: [0.0, 0.0, 0.1]', 'position: [0.0, 0.0, 0.12]')], [], 'tool', 'the tip of the first cup is'),
    ],
)  # fmt: skip
def test_a_profile_that_does_not_fit_its_urdf_is_told(changed, of, profile, urdf, check, told):
    texts = found(changed(of, profile, urdf), check).get(check, [])
    assert any(told in text for text in texts), texts


def test_a_short_arm_is_told_where_it_does_not_reach(changed):
    short = changed('panda', urdf=[('<origin xyz="0 -0.316 0"', '<origin xyz="0 -0.1 0"')])
    (text,) = found(short, 'reach')['reach']
    assert 'of 45 places the tool cannot point down at every yaw, such as' in text


def test_a_robot_that_is_none_is_told():
    with pytest.raises(ConfigError, match='Did you mean panda'):
        profiles.robot('pandaa')
