"""Commands over ROS say if there is none, and leave nothing behind."""

import pytest
from typer.testing import CliRunner

from vlm_bench_sim.ros import installed
from vlm_bench_tasks.cli.main import app

OVER_ROS = (
    'up',
    'real',
    'demo',
    'person',
    'check-driver',
    'record bags',
    'dash',
    'evaluate --policy ros --seeds 100000:100001 --out r.json',
)


@pytest.mark.parametrize('words', OVER_ROS)
def test_a_command_over_ros_says_that_there_is_none(words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(installed, 'find_spec', lambda name: None)
    done = CliRunner().invoke(app, words.split())
    assert done.exit_code == 2
    assert 'finds no rclpy and no vlm_bench_msgs. Run make setup' in done.stderr
    assert done.stdout == ''
    assert list(tmp_path.iterdir()) == []
