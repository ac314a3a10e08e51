"""The one description of the graph: which nodes, with which parameters. The launch files and `vlm-bench up` both read it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from vlm_bench_sim.assets import config
from vlm_bench_sim.core.errors import ConfigError, near

PACKAGE = 'vlm_bench_sim'
MODES = ('lockstep',)
POLICIES = ('oracle', 'none')


@dataclass(frozen=True)
class Setting:
    """An argument of `bench.launch.py` and an option of `vlm-bench up`, under the same name."""

    default: Any
    help: str


SETTINGS = {
    'task': Setting('vlmbench/pick_place', 'id of the task'),
    'split': Setting('seen', 'pools of the task: seen or unseen'),
    'seed': Setting(0, 'of every stream of chance'),
    'axis': Setting('', 'what varies; empty: the first axis of the task'),
    'policy': Setting('none', 'oracle: the expert solves it; none: a node of yours does'),
    'robot': Setting('panda', 'robot profile'),
    'mode': Setting('lockstep', 'lockstep: simulated time waits for every participant'),
    'record': Setting('', 'folder for bags; empty: nothing is recorded'),
    'cameras': Setting('vlmbench', 'camera set, cameras of it (vlmbench:front,wrist), or none'),
    'width': Setting(256, 'of the pictures, pixels'),
    'height': Setting(256, 'of the pictures, pixels'),
    'camera_rate': Setting(10.0, 'pictures a second of simulated time'),
    'scored': Setting(default=False, help='true: what a policy may not see lives on ROS_DOMAIN_ID + 1'),
    'autostart': Setting(default=True, help='true: begin the episode as soon as the bench is ready'),
    'policy_timeout': Setting(60.0, 'wall-clock seconds of silence after which the policy has failed'),
    'participant_timeout': Setting(10.0, 'wall-clock seconds of silence after which the bench has failed'),
}


def read(name: str, text: str) -> Any:
    """Return what somebody wrote for a setting, as a value of the setting's type.

    Raises:
        ConfigError: there is no such setting, or it takes another type.
    """
    if name not in SETTINGS:
        raise ConfigError(f'There is no setting called {name!r}. {near(name, SETTINGS)}')
    default = SETTINGS[name].default
    if isinstance(default, str):
        return text
    kind = type(default)
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = text
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise ConfigError(f'{name} takes a value such as {str(default).lower()}; found {text!r}.')
    return kind(value)


@dataclass(frozen=True)
class NodeSpec:
    """One node: executable of the package, the Python module behind it, and its parameters."""

    name: str
    module: str
    parameters: dict[str, Any] = field(default_factory=dict)


def environment(present: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that the nodes need beyond those that are `present`.

    Discovery stays on this machine. Fast DDS gets room in shared memory for the pictures of one period; its default is 512 kB.
    """
    wanted = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'FASTDDS_DEFAULT_PROFILES_FILE': str(config('fastdds.xml'))}
    return {name: value for name, value in wanted.items() if name not in present}


def bench(values: dict[str, Any]) -> tuple[NodeSpec, ...]:
    """Return the nodes of a bench.

    Args:
        values: by the names of `SETTINGS`; what is left out has its default.

    Raises:
        ConfigError: a setting does not exist, or asks for what is not offered.
    """
    unknown = [name for name in values if name not in SETTINGS]
    if unknown:
        raise ConfigError(f'There is no setting called {unknown[0]!r}. {near(unknown[0], SETTINGS)}')
    s = {name: setting.default for name, setting in SETTINGS.items()} | values
    _one_of('mode', s['mode'], MODES)
    _one_of('policy', s['policy'], POLICIES)
    if s['policy_timeout'] <= s['participant_timeout']:
        raise ConfigError(
            f'policy_timeout {s["policy_timeout"]:g} s must exceed participant_timeout {s["participant_timeout"]:g} s: '
            'the policy would be blamed where a part of the bench hangs. Raise the one, or lower the other.'
        )
    members = [
        'arm_node',
        'monitor_node',
        *(['recorder_node'] if s['record'] else []),
        *(['oracle_node'] if s['policy'] == 'oracle' else []),
    ]
    shared = {'scored': s['scored']}
    nodes = [
        _sim('sim_node', shared | _pick(s, 'robot', 'cameras', 'width', 'height', 'camera_rate', 'participant_timeout')),
        _sim('arm_node', shared | _pick(s, 'robot')),
        _task('monitor_node', shared | _pick(s, 'policy_timeout')),
        _task('task_node', shared | _pick(s, 'robot', 'task', 'split', 'seed', 'axis', 'autostart') | {'participants': members}),
    ]
    if s['record']:
        nodes.append(_sim('recorder_node', shared | _pick(s, 'robot', 'cameras') | {'folder': s['record']}))
    if s['policy'] == 'oracle':
        nodes.append(_task('oracle_node', shared | _pick(s, 'robot')))
    return tuple(nodes)


def _pick(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names}


def _sim(name: str, parameters: dict[str, Any]) -> NodeSpec:
    return NodeSpec(name, f'vlm_bench_sim.nodes.{name}', parameters)


def _task(name: str, parameters: dict[str, Any]) -> NodeSpec:
    return NodeSpec(name, f'vlm_bench_tasks.nodes.{name}', parameters)


def _one_of(what: str, asked: str, offered: tuple[str, ...]) -> None:
    if asked not in offered:
        raise ConfigError(f'{what} {asked!r} is not offered. {near(asked, offered)}')
