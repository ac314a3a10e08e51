"""Check the settings of a bench and its recorder before any node is started."""

from collections.abc import Mapping
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.bags.choice import Choice, read_choice
from vlm_bench_sim.core.errors import ConfigError, quoted
from vlm_bench_sim.ros.names import recorded
from vlm_bench_tasks.graph import Setting, robot_of
from vlm_bench_tasks.policies.arguments import read_setting


def check(values: Mapping[str, Any], settings: Mapping[str, Setting]) -> None:
    """Check that robot, cameras, recorded topics and policy exist, and that the policy accepts its arguments.

    Args:
        values: settings by name; missing ones have their defaults.
        settings: settings of the graph.

    Raises:
        ConfigError: one of them does not exist.
        TaskError: the task does not exist, and no robot is set.
    """
    given = {name: setting.default for name, setting in settings.items()} | dict(values)
    robot = profiles.robot(robot_of(given))
    cameras = profiles.cameras(given['cameras'], robot=robot.name)
    choice = choice_of(given)
    arguments = read_setting(given['policy_args'])
    if arguments and ':' not in given['policy']:
        raise ConfigError(f'policy_args are only for a module:Class; the policy {quoted(given["policy"])} takes none. Leave them out.')
    if given['record']:
        choice.of(recorded(robot, tuple(camera.name for camera in cameras)))


def choice_of(values: Mapping[str, Any]) -> Choice:
    """Return the topics to record, from the settings topics, leave_out and record_rate.

    Raises:
        ConfigError: the rate does not divide the control rate.
    """
    return read_choice(values['topics'], values['leave_out'], values['record_rate'])
