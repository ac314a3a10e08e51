"""Camera sets pass their checks, and one that does not show what it should is told by name."""

import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.extensions import PATH
from vlm_bench_tasks.conformance.cameras import CAMERA_CHECKS, CameraSubject
from vlm_bench_tasks.conformance.check import check

ROBOTS = {'lohoravens': 'ur5e', 'clevrskills': 'xarm6'}
GOOD = '{eye: [1.48, 0.0, 1.0], target: [0.27, 0.0, 0.295], fov_deg: 43.0}'


def found(name, robot='panda'):
    subject = CameraSubject(name, robot, size=(64, 64))
    return {one.name: [finding.text for finding in told] for one, told in check(subject, CAMERA_CHECKS) if told}


@pytest.mark.parametrize('name', profiles.camera_sets())
def test_every_camera_set_of_ours_is_sound(name):
    assert found(name, ROBOTS.get(name, 'panda')) == {}


@pytest.mark.parametrize(
    ('camera', 'check', 'told'),
    [
        ('{eye: [1.48, 0.0, -0.2], target: [0.27, 0.0, 0.295], fov_deg: 43.0}', 'place', 'odd stands -0.20 m high'),
        ('{eye: [1.48, 0.0, 1.0], target: [3.0, 0.0, 0.3], fov_deg: 43.0}', 'table', 'odd has 0 % of the places'),
        ('{eye: [1.48, 0.0, 1.0], target: [1.48, 0.0, 9.0], fov_deg: 43.0}', 'picture', 'odd shows one color and nothing else'),
        ('{link: tool, position: [0.05, 0.0, -0.07], rpy_deg: [180, 0.0, 0], fov_deg: 60.0}', 'tool', 'odd, on the tool, does not show'),
        ('{eye: [1.48, 0.0, 1.0], target: [0.27, 0.9, 0.295], fov_deg: 20.0}', 'props', 'no camera shows'),
    ],
)
def test_a_camera_that_shows_the_wrong_things_is_told(tmp_path, monkeypatch, camera, check, told):
    (tmp_path / 'theirs' / 'config').mkdir(parents=True)
    (tmp_path / 'theirs' / 'config' / 'cameras.yaml').write_text(f'theirs:\n  odd: {camera}\n')
    monkeypatch.setenv(PATH, str(tmp_path / 'theirs'))
    assert any(told in text for text in found('theirs').get(check, [])), found('theirs')
