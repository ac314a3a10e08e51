"""The graph of a bench around a real arm: that of `vlm_bench_tasks.graph` without the simulator, and what may stand in for the arm."""

from typing import Any

from vlm_bench_sim.core.engine import ENGINES, NO_ENGINE, check
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.graph import (
    ASKED,
    POLICIES,
    SETTINGS,
    NodeSpec,
    Setting,
    acting,
    complete,
    one_of,
    pick,
    recorder,
    sim_spec,
    task_spec,
    window,
)

PERSONS = ('person_stage_node', 'person_judge_node')
"""Nodes that ask a person."""

DRIVERS = ('kinematic', *ENGINES, 'none')
OBSERVERS = ('person', 'tracker', 'none')
_SHARED = (*ASKED, 'robot', 'planner', 'record', 'topics', 'leave_out', 'record_rate', 'pictures', 'scored')
_WINDOW = ('dash', 'dash_port', 'missions')
_ACTING = ('policy_args', 'step_planner', 'reporter', 'reporter_camera', 'examples', 'steps', 'answer_timeout', 'pick_place')
_CAMERAS = ('width', 'height', 'camera_rate')
_ERRORS = ('tracker_delay', 'tracker_drop_out', 'camera_error', 'camera_error_angle', 'error_seed', 'truth')
REAL_SETTINGS = {name: SETTINGS[name] for name in (*_SHARED, *_WINDOW, *_ACTING, *_CAMERAS, 'autostart')} | {
    'policy': Setting('none', SETTINGS['policy'].help + '; the first two need a tracker'),
    'cameras': Setting('none', 'camera set to record, some of its cameras (vlmbench:front,wrist), or none; you run their driver'),
    'driver': Setting('kinematic', "mujoco or pybullet: physics stand in for it; kinematic: no physics; none: your robot's own driver"),
    'observer': Setting('person', 'person: a person judges the goal; tracker: your own, on /tracker/poses; none: no verdict'),
    'stage_camera': Setting('vlmbench:overhead', 'camera whose view shows a person how to lay the table'),
    'stage_patience': Setting(600.0, 'timeout for a person to lay the table, wall-clock s'),
    'judge_patience': Setting(300.0, 'timeout for a person to judge a clause of the goal, wall-clock s'),
    'driver_timeout': Setting(1.0, 'timeout for a silent driver, wall-clock s; also for a prop that the tracker no longer sees'),
    'observer_timeout': Setting(5.0, 'timeout for a silent observer, wall-clock s'),
    'tracker_accuracy': Setting(0.001, "standard deviation of each coordinate of your tracker's poses, m; 0: exact"),
    'tracker_accuracy_angle': Setting(0.01, 'standard deviation of their rotation about each axis, rad'),
    'tracker_delay': Setting(0.05, 'of the tracker of a physics driver: time from what it sees to its message, s'),
    'tracker_drop_out': Setting(0.0, 'of the tracker of a physics driver: share of the poses that it misses'),
    'camera_error': Setting(0.0, 'of the cameras of a physics driver: standard deviation of their place along each axis, m'),
    'camera_error_angle': Setting(0.0, 'of the cameras of a physics driver: standard deviation of their rotation about each axis, rad'),
    'error_seed': Setting(0, 'random seed of these errors'),
    'truth': Setting(default=False, help='true: a physics driver publishes the true state, to compare verdicts with'),
}
"""Settings of `real.launch.py` and `vlm-bench real`."""


def real(values: dict[str, Any]) -> tuple[NodeSpec, ...]:
    """Return the nodes of a bench around a real arm: the same without the simulator.

    Args:
        values: settings by the names of `REAL_SETTINGS`; missing ones have their defaults.

    Raises:
        ConfigError: a setting does not exist, or has an unsupported value.
    """
    s = complete(values, REAL_SETTINGS)
    one_of('driver', s['driver'], DRIVERS)
    one_of('observer', s['observer'], OBSERVERS)
    if ':' not in s['policy']:
        one_of('policy', s['policy'], POLICIES)
        if s['policy'] != 'none' and s['observer'] != 'tracker':
            raise ConfigError(f'The policy {s["policy"]} must know where things are. Set observer:=tracker, or give your own policy.')
    members = ['arm_node', 'monitor_node', *(['recorder_node'] if s['record'] else [])]
    judging = {'participants': members, 'judged_by': s['observer'] if s['observer'] != 'none' else 'nobody', 'engine': NO_ENGINE}
    shared, tracker = {'scored': s['scored']}, pick(s, 'tracker_accuracy', 'tracker_accuracy_angle')
    nodes = [
        *_standing_in(s, shared | tracker),
        sim_spec('arm_node', shared | pick(s, 'robot', 'planner') | tracker | {'mode': 'realtime'}),
        sim_spec('observer_node', shared | pick(s, 'robot') | tracker | {'participants': members, 'patience': s['driver_timeout']}),
        task_spec('monitor_node', shared | pick(s, 'robot', 'observer_timeout') | tracker),
        task_spec('task_node', shared | pick(s, 'robot', *ASKED, 'autostart') | judging),
        *acting(s | {'mode': 'real', 'assist': ''}, shared | tracker),
    ]
    nodes += [task_spec('person_judge_node', shared | {'patience': s['judge_patience']})] if s['observer'] == 'person' else []
    nodes += [recorder(s)] if s['record'] else []
    nodes += [sim_spec('picture_node', shared | pick(s, 'robot'))] if s['pictures'] else []
    return (*nodes, *window(s, scored=s['scored']))


def _standing_in(s: dict[str, Any], shared: dict[str, Any]) -> list[NodeSpec]:
    """Return what stands in for the robot, and who lays the table: with physics both are one node, otherwise a person does."""
    if s['driver'] in ENGINES:
        own = pick(s, 'robot', 'cameras', *_CAMERAS, *_ERRORS)
        return [sim_spec('physics_driver_node', shared | own | {'engine': check(s['driver'])})]
    stage = pick(s, 'robot') | {'camera': s['stage_camera'], 'patience': s['stage_patience']}
    person = sim_spec('person_stage_node', {'scored': s['scored']} | stage)
    return [sim_spec('fake_driver_node', {'scored': s['scored']} | pick(s, 'robot')), person] if s['driver'] == 'kinematic' else [person]
