"""The same without the simulator: driver, arm, stage, observer, task, monitor, and on request a recorder.

ros2 launch vlm_bench_sim real.launch.py task:=vlmbench/pick_place robot:=panda driver:=none observer:=person record:=records
"""

import os
from contextlib import ExitStack

from launch.actions import DeclareLaunchArgument, EmitEvent, OpaqueFunction, RegisterEventHandler, SetEnvironmentVariable
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchContext, LaunchDescription
from vlm_bench_sim.ros.orphan import PARENT
from vlm_bench_tasks.graph import PACKAGE, NodeSpec, environment, read
from vlm_bench_tasks.launching.domain import claimed
from vlm_bench_tasks.real_graph import REAL_SETTINGS, real

# Ctrl-C ends all nodes within five seconds, even nodes that are still starting: trimesh ignores an interrupt during its import.
PATIENCE = {'sigterm_timeout': '3', 'sigkill_timeout': '1'}


DOMAIN = ExitStack()
"""The domain that this process has claimed, until it ends."""


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _node(spec: NodeSpec) -> Node:
    return Node(package=PACKAGE, executable=spec.name, name=spec.name, parameters=[spec.parameters], output='screen', **PATIENCE)


def _nodes(context: LaunchContext) -> list[object]:
    given = {name: read(name, LaunchConfiguration(name).perform(context), REAL_SETTINGS) for name in REAL_SETTINGS}
    nodes = [_node(spec) for spec in real(given)]
    DOMAIN.enter_context(claimed(scored=given['scored']))
    # The bench needs all its nodes. If one ends, log the reason and stop, so that nothing waits forever.
    ends = [
        RegisterEventHandler(OnProcessExit(target_action=node, on_exit=[EmitEvent(event=Shutdown(reason='a node has ended'))]))
        for node in nodes
    ]
    return [*ends, *nodes]


def generate_launch_description() -> LaunchDescription:
    """Return the bench, its arguments named as the options of `vlm-bench real`."""
    return LaunchDescription([
        *(SetEnvironmentVariable(name, value) for name, value in environment(os.environ).items()),
        SetEnvironmentVariable(PARENT, str(os.getpid())),
        *(DeclareLaunchArgument(name, default_value=_text(s.default), description=s.help) for name, s in REAL_SETTINGS.items()),
        OpaqueFunction(function=_nodes),
    ])  # fmt: skip
