"""Who imports whom, read from the source against the table; and the reader itself, tried on sources that are wrong."""

import pytest
from imports import ROOT, imports, layer, sources, violations, within
from layers import LAYERS, PACKAGES, SIM, TASKS

SOURCES = sources(*PACKAGES)
KNOWN = set(SOURCES)


def test_every_import_is_in_the_table():
    found = [v for name, path in SOURCES.items() for v in violations(name, path.read_text(), KNOWN, package=path.stem == '__init__')]
    assert found == []


def test_every_row_of_the_table_is_used():
    used = {layer(module) for module in KNOWN}
    assert {row for row in LAYERS if row not in used} == set()


def test_the_sources_are_really_read():
    read = {i.what for name, path in SOURCES.items() for i in imports(name, path.read_text(), KNOWN)}
    assert {'pybullet', 'moderngl', 'rclpy', 'rosbags.typesys', f'{SIM}.core.geometry', f'{TASKS}.authoring'} <= read
    assert len(SOURCES) > 80


@pytest.mark.parametrize('package', [f'{TASKS}.goals', f'{TASKS}.language'])
def test_a_package_of_words_imports_each_of_its_modules_that_holds_one(package):
    """An episode read from JSON may name any word, and only those that somebody has imported are known."""
    known = {i.what for i in imports(package, SOURCES[package].read_text(), KNOWN, package=True)}
    words = {name for name, path in SOURCES.items() if within(name, package) and '@serialisable' in path.read_text()}
    assert words
    assert words - known == set(), f'import them in {SOURCES[package].relative_to(ROOT)}'


@pytest.mark.parametrize(
    ('module', 'source'),
    [
        (f'{SIM}.core.scene', 'import pybullet'),
        (f'{SIM}.core.scene', 'def f():\n    from rclpy.node import Node'),
        (f'{SIM}.core.scene', f'from {SIM} import profiles'),
        (f'{SIM}.core.scene', f'from {SIM}.bullet.world import BulletWorld'),
        (f'{SIM}.core.scene', 'from sensor_msgs.msg import Image'),
        (f'{SIM}.bullet.arm', f'from {SIM}.motion import planner'),
        (f'{SIM}.bullet.arm', 'import rclpy'),
        (f'{SIM}.motion.planner', 'import pybullet as p'),
        (f'{SIM}.motion.planner', 'from importlib import import_module\np = import_module("pybullet")'),
        (f'{SIM}.motion.planner', 'import importlib\np = importlib.import_module("py" + "bullet")'),
        (f'{SIM}.motion.planner', 'p = __import__("pybullet")'),
        (f'{SIM}.motion.planner', 'from ..bullet import client'),
        (f'{SIM}.motion.planner', f'import {SIM}.profiles'),
        (f'{SIM}.bags.writer', f'from {SIM}.ros import convert'),
        (f'{SIM}.bags.writer', f'from {SIM}.ros.convert import message'),
        (f'{SIM}.bags.writer', 'from vlm_bench_msgs.msg import Tick'),
        (f'{SIM}.ros.names', 'from std_msgs.msg import String'),
        (f'{SIM}.render.batch', 'import pybullet'),
        (f'{SIM}.nodes.sim_node', f'from {TASKS}.episode import Episode'),
        (f'{SIM}.nodes.sim_node', f'import {TASKS}'),
        (f'{SIM}.nodes.sim_node', 'import pybullet'),
        (f'{SIM}.nodes.sim_node', 'import moderngl'),
        (f'{SIM}.profiles', 'import pickle'),
        (f'{SIM}.motion.planner', 'from random import choice'),
        (SIM, f'from {SIM}.core import geometry'),
        (f'{TASKS}.suite.vlmbench.swap', f'from {TASKS}.goals.placing import Inside'),
        (f'{TASKS}.suite.vlmbench.swap', f'from {TASKS}.suite.vlmbench.pick_place import TASK'),
        (f'{TASKS}.suite.vlmbench.swap', f'from {TASKS}.suite.arnold._family import water'),
        (f'{TASKS}.suite.vlmbench.swap', f'from {SIM}.core.geometry import Pose'),
        (f'{TASKS}.suite.vlmbench.swap', f'from {TASKS}.suite.lohoravens._props import Draw'),
        (f'{TASKS}.suite.vlmbench._props', f'from {TASKS}.suite.lohoravens._props import Draw'),
        (f'{TASKS}.suite.vlmbench._props', f'from {TASKS}.suite.vlmbench.pick_place import TASK'),
        (f'{TASKS}.suite.vlmbench._props', f'from {TASKS}.skills import skill_for'),
        (f'{TASKS}.goals.placing', f'from {TASKS}.judging.monitor import Monitor'),
        (f'{TASKS}.goals.placing', f'from {SIM}.bullet.world import BulletWorld'),
        (f'{TASKS}.judging.monitor', f'from {TASKS}.skills import skill_for'),
        (f'{TASKS}.judging.monitor', f'from {TASKS}.suite.vlmbench.pick_place import TASK'),
        (f'{TASKS}.skills.carry', f'from {SIM}.bullet.world import BulletWorld'),
        (f'{TASKS}.skills.carry', f'from {TASKS}.judging.monitor import Monitor'),
        (f'{TASKS}.policies.oracle', 'import rclpy'),
        (f'{TASKS}.policies.oracle', f'from {SIM}.motion.planner import MotionPlanner'),
        (f'{TASKS}.run', 'import rclpy'),
        (f'{TASKS}.run', f'from {TASKS}.nodes.task_node import TaskNode'),
        (f'{TASKS}.run', f'from {TASKS}.cli import main'),
        (f'{TASKS}.nodes.task_node', f'from {SIM}.bullet.world import BulletWorld'),
        (f'{TASKS}.nodes.oracle_node', f'from {SIM}.motion.planner import MotionPlanner'),
        (f'{TASKS}.nodes.task_node', f'from {SIM}.nodes.sim_node import SimNode'),
        (f'{TASKS}.console.episodes', 'import rclpy'),
        (f'{TASKS}.unknown', ''),
    ],
)
def test_a_wrong_import_is_found(module, source):
    assert violations(module, source, KNOWN | {f'{TASKS}.suite.arnold._family'})


@pytest.mark.parametrize(
    ('module', 'source'),
    [
        (f'{SIM}.core.scene', f'import json\nimport numpy as np\nfrom {SIM}.core.geometry import Pose'),
        (f'{SIM}.bags.writer', f'from {SIM}.ros import names'),
        (f'{TASKS}.suite.vlmbench.swap', f'from {TASKS}.authoring import At\nfrom {TASKS}.suite.vlmbench._family import cup'),
        (f'{TASKS}.suite.vlmbench._props', f'from {TASKS}.suite.vlmbench._liquids import Liquids\nfrom {TASKS}.variation.draw import ONE'),
        (f'{TASKS}.launching.listener', 'def hear():\n    import rclpy'),
    ],
)
def test_a_right_import_is_not(module, source):
    assert violations(module, source, KNOWN | {f'{TASKS}.suite.vlmbench._family'}) == []


def test_ros_can_be_imported_late_only_where_the_command_line_needs_it():
    """`vlm-bench run` works where there is no ROS: no module of the command line imports it when it is imported itself."""
    for name, path in sources(*(f'{TASKS}/{room}' for room in ('cli', 'console', 'launching', 'pages'))).items():
        top = [line for line in path.read_text().splitlines() if line.startswith(('import ', 'from '))]
        assert not [line for line in top if 'rclpy' in line or f'{SIM}.nodes' in line], name


def test_the_root_is_the_clone():
    assert (ROOT / 'package.xml').is_file()
