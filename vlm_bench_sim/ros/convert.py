"""Plain fields → ROS messages: the only module of `sim.ros` that uses message packages."""

from array import array
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from vlm_bench_sim.core.errors import ConfigError

_OURS = 'vlm_bench_msgs'


@cache
def interface(type_: str) -> Any:
    """Return the class of 'package/msg/Name', 'package/srv/Name' or 'package/action/Name'.

    Raises:
        ConfigError: the package is not built or not sourced, or has no such interface.
    """
    package, kind, name = type_.split('/')
    try:
        return getattr(import_module(f'{package}.{kind}'), name)
    except ImportError as error:
        raise ConfigError(f'{type_} was requested, but the package {package} cannot be imported ({error}). {_remedy(package)}') from error
    except AttributeError as error:
        raise ConfigError(
            f'The package {package} holds no {kind} called {name}. Build or install the version that this project needs.'
        ) from error


def message(type_: str, fields: Mapping[str, Any]) -> Any:
    """Return a new message of that type, filled with the fields."""
    return fill(interface(type_)(), fields)


def fill(target: Any, fields: Mapping[str, Any]) -> Any:
    """Fill a message (or a service's request or response) in place and return it. Missing fields keep their value.

    Bytes become `array('B')`, which rclpy accepts without checking each element.
    """
    for name, value in fields.items():
        if isinstance(value, Mapping):
            fill(getattr(target, name), value)
        else:
            setattr(target, name, _field(target, name, value))
    return target


def _field(target: Any, name: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return array('B', value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping):
        type_ = target.get_fields_and_field_types()[name]
        package, element_name = type_.removeprefix('sequence<').split('[')[0].rstrip('>').split(',')[0].split('/')
        element = interface(f'{package}/msg/{element_name}')
        return [fill(element(), item) for item in value]
    return value


def _remedy(package: str) -> str:
    if package != _OURS:
        return 'Install it, or run make setup, and source scripts/env.sh.'
    return (
        'Run make setup and source scripts/env.sh; in a workspace, where colcon does not look inside a package, build with '
        '`colcon build --base-paths src src/vlm_bench/vlm_bench_msgs` and source install/setup.bash.'
    )
