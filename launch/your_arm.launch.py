"""A bench around your arm. Copy this file, and change what stands in `ARM`; `real.launch.py` names every argument.

ros2 launch vlm_bench_sim your_arm.launch.py task:=vlmbench/pick_place
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from launch import LaunchDescription

ARM = {
    'robot': 'panda',  # a profile of config/robots: copy one for your robot
    'driver': 'none',  # your own runs already; `vlm-bench check-driver --robot panda --move` says whether it fits
    'observer': 'tracker',  # or person, who judges at `vlm-bench person`
    'tracker_accuracy': '0.002',  # standard deviation of each coordinate, m: measure it on a thing that lies still
    'tracker_accuracy_angle': '0.01',  # likewise about each axis, rad
    'record': 'records',
}


def generate_launch_description() -> LaunchDescription:
    """Return the bench of `real.launch.py` with the arguments in `ARM`, for the task that is asked for."""
    asked = {'task': 'vlmbench/pick_place', 'split': '', 'seed': '0'}
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=value, description=f'{name} of real.launch.py') for name, value in asked.items()),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(Path(__file__).with_name('real.launch.py'))),
            launch_arguments={**ARM, **{name: LaunchConfiguration(name) for name in asked}}.items(),
        ),
    ])  # fmt: skip
