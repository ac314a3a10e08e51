"""Whether ROS 2 is there is found without importing it."""

import sys
from types import SimpleNamespace

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros import installed


@pytest.fixture
def found(monkeypatch):
    """Let Python find modules with these origins, and no others."""

    def find(**origins):
        monkeypatch.setattr(installed, 'find_spec', lambda name: SimpleNamespace(origin=origins[name[:5]]) if name[:5] in origins else None)

    return find


def test_nothing_is_said_where_both_are_found(found):
    found(rclpy='/ros/rclpy/__init__.py', vlm_b='/ros/vlm_bench_msgs/msg/__init__.py')
    installed.check()


@pytest.mark.parametrize(
    ('there', 'said'),
    [
        ({}, 'finds no rclpy and no vlm_bench_msgs. Run make setup'),
        ({'vlm_b': '/ros/vlm_bench_msgs/msg/__init__.py'}, 'finds no rclpy. Run'),
        ({'rclpy': '/ros/rclpy/__init__.py', 'vlm_b': None}, 'finds no vlm_bench_msgs. Run'),
    ],
    ids=['nothing', 'no rclpy', 'only the folder of the sources'],
)
def test_what_is_missing_is_named_with_the_remedy(found, there, said):
    found(**there)
    with pytest.raises(ConfigError, match=said):
        installed.check()


def test_the_folder_of_the_sources_is_not_the_built_package(monkeypatch, tmp_path):
    (tmp_path / 'bench_without_init' / 'msg').mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(installed, '_NEEDED', ('bench_without_init.msg', 'nowhere_at_all.msg', 'json.decoder'))
    with pytest.raises(ConfigError, match=r'finds no bench_without_init and no nowhere_at_all\. Run'):
        installed.check()
    sys.modules.pop('bench_without_init', None)
