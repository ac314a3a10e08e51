"""Robots pass their checks, and one whose profile says of it what its URDF does not is told by name."""

import os
import re
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


@pytest.mark.parametrize(
    'name', [pytest.param(name, marks=() if name in ('panda', 'ur5e') else pytest.mark.long) for name in profiles.robots()]
)
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


@pytest.mark.parametrize(
    ('profile', 'urdf', 'told'),
    [
        ([], [('</robot>', '')], 'odd.urdf is wrong'),
        ([], [('lower="-2.8973"', '')], 'gives no limits for the joint'),
        ([], [('lower="-2.8973"', 'lower="low"')], 'odd.urdf is wrong'),
        ([('velocity: [2.175', 'velocity: [0.0')], [], 'velocity.0: Input should be greater than 0'),
        ([('joints: [panda_joint1, ', 'joints: [')], [], 'home holds 7 numbers for 6 joints'),
        ([('urdf: odd.urdf', 'urdf: none.urdf')], [], 'there is no none.urdf beside it'),
    ],
)
def test_a_file_of_a_robot_that_is_wrong_is_named(changed, profile, urdf, told):
    with pytest.raises(ConfigError, match=re.escape(told)) as refused:
        changed('panda', profile, urdf)
    assert '\n' not in str(refused.value) and 'odd' not in profiles.sound()
    assert any(told in problem for problem in profiles.problems())


@pytest.mark.parametrize(
    ('profile', 'urdf'),
    [
        ([('links: [panda_leftfinger, panda_rightfinger]', 'links: [left, right]')], []),
        ([('joints: [panda_finger_joint1, panda_finger_joint2]', 'joints: [one, two]')], []),
        ([('tool_link: panda_hand', 'tool_link: hand')], []),
        ([], [('package://pybullet_data/franka_panda/meshes/collision/link0.obj', 'package://pybullet_data/nothing.obj')]),
    ],
)
def test_a_robot_that_breaks_the_bench_is_a_finding(changed, profile, urdf):
    assert found(changed('panda', profile, urdf))


def test_a_short_arm_is_told_where_it_does_not_reach(changed):
    short = changed('panda', urdf=[('<origin xyz="0 -0.316 0"', '<origin xyz="0 -0.1 0"')])
    (text,) = found(short, 'reach')['reach']
    assert 'of 45 places the tool cannot point down at every yaw, such as' in text


def test_a_robot_that_is_none_is_told():
    with pytest.raises(ConfigError, match='Did you mean panda'):
        profiles.robot('pandaa')
