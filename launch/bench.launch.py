"""Everything: simulator, arm, task, monitor, and on request oracle and recorder.

ros2 launch vlm_bench_sim bench.launch.py task:=vlmbench/pick_place split:=seen seed:=0 policy:=oracle record:=records
"""

import os

import yaml
from launch.actions import DeclareLaunchArgument, EmitEvent, OpaqueFunction, RegisterEventHandler, SetEnvironmentVariable
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchContext, LaunchDescription
from vlm_bench_tasks.graph import PACKAGE, SETTINGS, bench, environment


def _value(name: str, context: LaunchContext) -> object:
    text = LaunchConfiguration(name).perform(context)
    default = SETTINGS[name].default
    return text if isinstance(default, str) else type(default)(yaml.safe_load(text))


def _nodes(context: LaunchContext) -> list[object]:
    specs = bench({name: _value(name, context) for name in SETTINGS})
    nodes = [Node(package=PACKAGE, executable=s.name, name=s.name, parameters=[s.parameters], output='screen') for s in specs]
    # A bench that lost one of its nodes is no bench: say so and stop, so that nothing waits for ever.
    ends = [
        RegisterEventHandler(OnProcessExit(target_action=node, on_exit=[EmitEvent(event=Shutdown(reason='a node has ended'))]))
        for node in nodes
    ]
    return [*nodes, *ends]


def generate_launch_description() -> LaunchDescription:
    """Return the bench, its arguments named as the options of `vlm-bench up`."""
    return LaunchDescription([
        *(SetEnvironmentVariable(name, value) for name, value in environment(os.environ).items()),
        *(DeclareLaunchArgument(name, default_value=str(setting.default), description=setting.help) for name, setting in SETTINGS.items()),
        OpaqueFunction(function=_nodes),
    ])  # fmt: skip
