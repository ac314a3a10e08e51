"""What the doctor tries: it works here, and whatever fails or hangs gives a row with a remedy, and leaves no process behind."""

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from test.chores import chore
from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import WorldError
from vlm_bench_sim.extensions import PATH
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.console import doctor, extension_rows, messages, room, samples, tryouts
from vlm_bench_tasks.console.findings import Check
from vlm_bench_tasks.launching.domain import claimed
from vlm_bench_tasks.workers import Lost

ACME = Path(__file__).parents[1] / 'acme_bench'
SCENE = catalogue.build('vlmbench/pick_place', 'seen', 0).scene
GOOD = Picture(
    np.arange(192, dtype=np.uint8).reshape(8, 8, 3),
    np.ones((8, 8), np.float32),
    np.full((8, 8), SCENE.ids[SCENE.props[0].name], np.uint16),
)


@pytest.fixture
def quiet(tmp_path, monkeypatch):
    """Locks of one's own, in domain 6."""
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    monkeypatch.setattr(os, 'environ', os.environ | {'TMPDIR': str(tmp_path), 'ROS_DOMAIN_ID': '6'})


# a picture, a plan, physics


def test_a_picture_a_plan_and_physics_are_tried_and_timed():
    said = []
    rows = list(tryouts.tried([Check('numpy', '2.0')], said.append))
    assert said == [row.name for row in rows] == ['picture', 'plan', 'physics']
    assert all(row.ok and row.tried and float(row.found.split()[0]) > 0.0 for row in rows), rows
    assert rows[0].found.endswith(' ms (reference 2.9 ms)')


def test_what_needs_a_broken_library_is_not_tried():
    said = []
    rows = list(tryouts.tried([Check('pybullet', 'not found', 'install it')], said.append))
    assert [row.found for row in rows] == ['not tried: it needs pybullet'] * 3 and not said
    assert all(row.ok and not row.tried for row in rows)


def test_only_the_picture_needs_the_renderer(monkeypatch):
    monkeypatch.setattr(tryouts, 'alone', lambda _work, _name: 1.0)
    rows = list(tryouts.tried([Check('renderer', 'no EGL', 'install it')], lambda _: None))
    assert [row.tried for row in rows] == [False, True, True]


@pytest.mark.parametrize(('name', 'factor'), [('picture', 10.0), ('plan', 10.0), ('physics', 0.1)])
def test_a_slow_time_is_no_error_and_says_what_it_means(name, factor):
    reference = tryouts.TRYOUTS[name].reference
    row = reference.check(name, factor * reference.value)
    assert row.ok and row.hint.startswith(f'10 times slower than the reference. {reference.meaning}')
    assert not reference.check(name, reference.value).hint
    assert not reference.check(name, reference.value / factor).hint


def test_a_sound_picture_passes():
    samples.check(GOOD, SCENE)


@pytest.mark.parametrize(
    ('wrong', 'told'),
    [
        ({'color': np.zeros((8, 8, 3), np.uint8)}, 'same color'),
        ({'depth': np.full((8, 8), np.inf, np.float32)}, 'depth'),
        ({'depth': np.full((8, 8), np.nan, np.float32)}, 'depth'),
        ({'depth': np.zeros((8, 8), np.float32)}, 'depth'),
        ({'ids': np.zeros((8, 8), np.uint16)}, 'none of the props'),
    ],
)
def test_a_picture_that_cannot_be_right_is_noticed(wrong, told):
    with pytest.raises(WorldError, match=told):
        samples.check(replace(GOOD, **wrong), SCENE)


# processes of their own


def test_what_hangs_is_ended_and_its_process_is_gone(tmp_path):
    lost = tryouts.alone(chore, f'mark {tmp_path / "process"}', 2.0)
    row = tryouts.failed('plan', lost, 'Run make setup.')
    assert row.found == 'It took longer than 2 s and was ended.'
    assert row.remedy == 'Try again when the machine is idle. Run make setup.'
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / 'process').read_text()), 0)


def test_what_kills_its_process_is_a_row_with_a_remedy():
    lost = tryouts.alone(chore, 'die')
    assert isinstance(lost, Lost)
    row = tryouts.failed('picture', lost, 'Renew the driver.')
    assert 'killed by SIG' in row.found and row.remedy == 'Renew the driver.'


# room


def test_shared_memory_that_is_too_small_is_noticed():
    row = room.shared_memory(Path('/proc'))  # its size is 0
    assert row.found.startswith('/proc: 0 of 0 MB free') and row.remedy.startswith('Make it larger: docker run --shm-size=')


def test_shared_memory_that_is_full_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(room.shutil, 'disk_usage', lambda _: (int(1e9), int(0.9e9), int(0.1e9)))
    assert room.shared_memory(tmp_path).remedy.startswith('End what fills it, or make it larger')


def test_shared_memory_that_is_missing_is_noticed(tmp_path):
    assert 'mount -t tmpfs' in room.shared_memory(tmp_path / 'nowhere').remedy


def test_a_temporary_folder_that_is_missing_or_full_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    assert room.temporary_folder().ok
    monkeypatch.setattr(room, '_TEMPORARY', 1e9)
    assert room.temporary_folder().remedy.startswith('Free ')
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path / 'nowhere'))
    assert 'TMPDIR' in room.temporary_folder().remedy


# other benches, without listening


def test_a_bench_that_has_claimed_the_domain_is_named(quiet):
    assert messages.others(6).found == 'none in ROS domain 6'
    with claimed(scored=False):
        row = messages.others(6)
    assert row.found.startswith(f'in ROS domain 6: process {os.getpid()} (')
    assert row.remedy == 'End them, or choose another even ROS_DOMAIN_ID up to 100: export ROS_DOMAIN_ID=8'


def test_without_ros_no_message_is_tried(quiet):
    wrong = [Check('ROS 2', 'rclpy cannot be imported', 'Run make setup.')]
    assert [row.found for row in messages.rows(wrong)] == ['not tried: it needs ROS 2'] * 2
    with claimed(scored=False):
        assert [row.ok for row in messages.rows(wrong)] == [True, False], 'the lock tells without ROS'


def test_in_a_wrong_domain_no_message_is_tried(quiet):
    os.environ['ROS_DOMAIN_ID'] = 'x'
    rows = messages.rows([])
    assert [row.tried for row in rows] == [False, False] and 'ROS_DOMAIN_ID is a number' in rows[0].found


# extensions


def test_each_extension_has_a_row_with_its_problem(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, 'path', [*sys.path])
    task = tmp_path / 'broken_bench' / 'suite' / 'shop' / 'buy.py'
    task.parent.mkdir(parents=True)
    task.write_text('raise ValueError("sold out")')
    (tmp_path / 'broken' / 'config').mkdir(parents=True)  # sound, and a part of the other's name
    monkeypatch.setenv(PATH, os.pathsep.join(map(str, (ACME, tmp_path / 'broken', tmp_path / 'broken_bench', tmp_path / 'nowhere'))))
    rows = extension_rows.rows()
    assert [row.name for row in rows] == ['extension acme_bench', 'extension broken', 'extension broken_bench', 'extension']
    assert [row.ok for row in rows] == [True, True, False, False]
    assert rows[0].found.endswith('tasks: 2, robots: 1, camera sets: 1, shapes: 2')
    assert 'sold out' in rows[2].found and 'is no folder' in rows[3].found
    task.write_text('import os; os._exit(3)')
    assert [(row.name, row.found) for row in extension_rows.rows()] == [('extensions', 'Its process ended with exit code 3.')]
    monkeypatch.setenv(PATH, '')
    assert extension_rows.rows() == [Check('extensions', 'none')]


# all of it


def test_a_quick_doctor_tries_nothing(monkeypatch, tmp_path):
    tried = []
    monkeypatch.setattr(doctor, 'rows', lambda _: [Check('good', '1.2')])
    monkeypatch.setattr(doctor, 'attempts', lambda checks, _say: tried.append([*checks]) or [Check('bad', 'no', 'yes')])
    assert doctor.doctor(tmp_path, quick=True) == 0 and not tried
    assert doctor.doctor(tmp_path) == 1 and tried == [[Check('good', '1.2')]]
