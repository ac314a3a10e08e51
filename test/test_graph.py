"""The one description of the graph; and the launch files, which may not say anything else."""

import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from vlm_bench_sim.core.errors import ConfigError, TaskError
from vlm_bench_tasks.agents.examples import SEEN
from vlm_bench_tasks.graph import SETTINGS, bench, environment, read
from vlm_bench_tasks.launching import domain
from vlm_bench_tasks.real_graph import PERSONS, REAL_SETTINGS, real

LAUNCH = Path(__file__).parents[1] / 'launch' / 'bench.launch.py'
REAL_LAUNCH = LAUNCH.with_name('real.launch.py')
OTHER = {
    'task': 'vlmbench/pour', 'split': 'unseen', 'seed': 41, 'axis': 'shape', 'prompt': 'words', 'policy': 'oracle', 'robot': 'fr3',
    'mode': 'realtime', 'planner': 'moveit',
    'record': '/tmp/bags', 'cameras': 'none', 'width': 64, 'height': 48, 'camera_rate': 5.0, 'scored': True, 'autostart': False,
    'perturb': 'drop_rate=0.1', 'policy_timeout': 33.0, 'participant_timeout': 7.0, 'pictures': False,
    'step_planner': 'chat', 'reporter': 'silent', 'reporter_camera': 'front', 'examples': 'seen', 'steps': 7, 'answer_timeout': 3.0,
    'pick_place': True, 'engine': 'mujoco',
    'topics': '/cameras/*', 'leave_out': 'boxes,/tf', 'record_rate': 5.0, 'policy_args': 'checkpoint=a',
    'assist': 'segmentation,subgoals', 'dash': True, 'dash_port': 9000, 'missions': 'lessons.yaml',
}  # fmt: skip
OF_AGENTS = ('step_planner', 'reporter', 'reporter_camera', 'examples', 'steps', 'answer_timeout')
OF_BAGS = ('topics', 'leave_out', 'record_rate')

REAL_OTHER = {
    'task': 'vlmbench/pour', 'split': 'unseen', 'seed': 41, 'axis': 'shape', 'prompt': 'words', 'robot': 'fr3', 'record': '/tmp/bags',
    'cameras': 'vlmbench',
    'planner': 'moveit',
    'scored': True, 'autostart': False, 'driver': 'none', 'observer': 'tracker', 'stage_camera': 'vlmbench:front', 'stage_patience': 7.0,
    'judge_patience': 8.0, 'observer_timeout': 9.0, 'pictures': False, 'policy': 'my_policies:Mine', 'topics': '/cameras/*',
    'leave_out': 'boxes,/tf', 'record_rate': 5.0, 'policy_args': 'checkpoint=a', 'width': 64, 'height': 48, 'camera_rate': 5.0,
    'step_planner': 'chat', 'reporter': 'silent', 'reporter_camera': 'front', 'examples': 'seen', 'steps': 7, 'answer_timeout': 3.0,
    'pick_place': True, 'tracker_accuracy': 0.003, 'tracker_accuracy_angle': 0.02, 'tracker_delay': 0.2, 'tracker_drop_out': 0.3,
    'camera_error': 0.01, 'camera_error_angle': 0.05, 'error_seed': 4, 'truth': True,
    'dash': True, 'dash_port': 9000, 'missions': 'lessons.yaml', 'driver_timeout': 2.0,
}  # fmt: skip
OF_STAND_IN = (
    'width', 'height', 'camera_rate', 'tracker_delay', 'tracker_drop_out', 'camera_error', 'camera_error_angle', 'error_seed', 'truth',
)  # fmt: skip
YOURS = {'policy': 'my_policies:Mine'}


def needed(name):
    """What must be asked for, too, before a setting reaches a node."""
    if name in OF_AGENTS:
        return {'policy': 'agents'}
    if name in ('dash_port', 'missions'):
        return {'dash': True}
    return {'record': 'bags'} if name in OF_BAGS else YOURS if name == 'policy_args' else {}


def nodes(**values) -> dict[str, dict[str, Any]]:
    return {spec.name: spec.parameters for spec in bench(values)}


def test_the_smallest_bench_has_four_nodes():
    assert set(nodes(pictures=False)) == {'sim_node', 'arm_node', 'monitor_node', 'task_node'}


def test_pictures_of_prompts_are_served_unless_told_otherwise():
    assert set(nodes()) - set(nodes(pictures=False)) == {'picture_node'}
    assert set(real_nodes()) - set(real_nodes(pictures=False)) == {'picture_node'}
    assert 'picture_node' not in nodes()['task_node']['participants']


def test_oracle_and_recorder_come_on_request_and_the_task_waits_for_them():
    assert set(nodes(policy='oracle')) - set(nodes()) == {'oracle_node'}
    assert set(nodes(record='bags')) - set(nodes()) == {'recorder_node'}
    assert nodes()['task_node']['participants'] == ['arm_node', 'monitor_node']
    everything = nodes(policy='oracle', record='bags')
    assert set(everything['task_node']['participants']) == {'arm_node', 'monitor_node', 'recorder_node', 'oracle_node'}


def test_aids_that_renew_the_instruction_have_a_node_of_their_own():
    for assist, added in (('grasp_snapping,gripper_state,segmentation', set()), ('subgoals', {'aid_node'}), ('oracle_stop', {'aid_node'})):
        assert set(nodes(assist=assist)) - set(nodes()) == added
        assert {*nodes(assist=assist)['task_node']['participants']} == {'arm_node', 'monitor_node', *added}
    with pytest.raises(ConfigError, match='Did you mean oracle_stop'):
        nodes(assist='oracle_stops')


def test_every_setting_reaches_a_node():
    """Each of them changes what the nodes are given."""
    assert set(OTHER) == set(SETTINGS)
    for name, value in OTHER.items():
        also = needed(name)
        assert nodes(**also, **{name: value}) != nodes(**also), name


def test_missions_need_a_window_that_knows_where_the_bags_are():
    window = nodes(dash=True, missions='lessons.yaml', record='bags')['dash_node']
    assert (window['port'], window['missions'], window['folder']) == (8100, 'lessons.yaml', 'bags')
    assert (window['task'], window['robot'], window['cameras']) == ('vlmbench/pick_place', 'panda', SETTINGS['cameras'].default)
    with pytest.raises(ConfigError, match='Set dash:=true'):
        nodes(missions='lessons.yaml')


def test_bags_go_where_it_is_said_or_where_they_usually_go():
    for said in ('true', 'True', True):
        assert nodes(record=said)['recorder_node']['folder'] == real_nodes(record=said)['recorder_node']['folder'] == 'records'
    assert nodes(record='/tmp/bags', topics='/tf', leave_out='boxes', record_rate=5.0)['recorder_node'] | {'scored': False} == {
        'scored': False, 'robot': 'panda', 'cameras': 'vlmbench', 'folder': '/tmp/bags', 'topics': '/tf', 'leave_out': 'boxes', 'rate': 5.0,
    }  # fmt: skip


def test_a_policy_of_yours_is_a_node_that_hears_public_names_alone():
    mine = nodes(policy='my_policies:Mine', cameras='vlmbench:front', mode='realtime', scored=True)
    assert set(mine) - set(nodes()) == {'policy_node'}
    assert mine['policy_node'] == {
        'policy': 'my_policies:Mine', 'policy_args': '', 'robot': 'panda', 'cameras': 'vlmbench:front', 'mode': 'realtime',
        'assist': '',
    }  # fmt: skip
    assert 'policy_node' not in mine['task_node']['participants'], 'who sees no truth is not waited for'


def test_planner_actor_and_reporter_come_with_the_action_that_they_act_through():
    agents = nodes(policy='agents')
    assert set(agents) - set(nodes()) == {'pick_place_node', 'actor_node', 'planner_node', 'reporter_node'}
    assert set(nodes(pick_place=True)) - set(nodes()) == {'pick_place_node'}
    assert set(nodes(policy='agents', step_planner='none', reporter='none')) - set(nodes()) == {'pick_place_node', 'actor_node'}
    assert agents['task_node']['participants'] == ['arm_node', 'monitor_node', 'pick_place_node', 'reporter_node']
    blind = nodes(policy='agents', reporter='vision', cameras='lohoravens')
    assert blind['task_node']['participants'] == ['arm_node', 'monitor_node', 'pick_place_node']


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ({'cameras': 'vlmbench'}, "cameras 'vlmbench' hold no reporter_camera 'top'. Known: front, .*wrist"),
        ({'cameras': 'lohoravens:front,left'}, "reporter_camera 'top'. Known: front, left"),
        ({'cameras': 'lohoravens', 'reporter_camera': 'frnt'}, "reporter_camera 'frnt'. Did you mean front"),
        ({'cameras': 'none'}, "hold no reporter_camera 'top'. Name a set that holds it"),
        ({'cameras': 'lohoraven'}, "There is no camera set called 'lohoraven'. Did you mean lohoravens"),
        ({'cameras': 'clevrskills', 'reporter_camera': 'object'}, "hold no reporter_camera 'object'"),
    ],
)
def test_the_camera_of_a_vision_reporter_is_one_that_sends_pictures(values, words):
    with pytest.raises(ConfigError, match=words):
        nodes(policy='agents', reporter='vision', **values)
    assert nodes(policy='agents', reporter='truth', **values), 'who needs no camera'


def test_pictures_for_a_vision_reporter_come_from_a_set_or_from_cameras_of_it():
    for cameras in ('lohoravens', 'lohoravens:top', 'lohoravens:front, top'):
        assert nodes(policy='agents', reporter='vision', cameras=cameras)['reporter_node']['camera'] == 'top'


def test_examples_that_nobody_wrote_are_refused():
    with pytest.raises(ConfigError, match=r"examples 'match_bowl' is not offered. Did you mean match_bowls"):
        nodes(policy='agents', examples='match_bowl')
    for offered in ('', 'seen', *SEEN, f'lohoravens/{SEEN[0]}'):
        assert nodes(policy='agents', examples=offered)['planner_node']['examples'] == offered


def test_planner_and_actor_are_never_let_into_the_second_domain():
    agents = nodes(policy='agents', scored=True)
    assert {name for name, parameters in agents.items() if 'scored' not in parameters} == {'planner_node', 'actor_node'}
    assert agents['pick_place_node']['scored'] and agents['reporter_node']['scored']


def test_the_steps_of_agents_are_used_up_before_the_policy_counts_as_silent():
    assert nodes(policy='agents', steps=3, answer_timeout=8.0, policy_timeout=20.0)['monitor_node']['policy_timeout'] == 20.0 + 7 * 8.0
    late = SETTINGS['answer_timeout'].default * (2 * SETTINGS['steps'].default + 1)
    assert nodes(policy='agents')['monitor_node']['policy_timeout'] > late
    for policy in ('oracle', 'none'):
        assert nodes(policy=policy, policy_timeout=20.0)['monitor_node']['policy_timeout'] == 20.0


def test_planners_and_reporters_that_nobody_wrote_are_refused():
    for setting in ('step_planner', 'reporter'):
        with pytest.raises(ConfigError, match=f"{setting} 'x'"):
            nodes(**{setting: 'x'})


def real_nodes(**values) -> dict[str, dict[str, Any]]:
    return {spec.name: spec.parameters for spec in real(values)}


def test_around_a_real_arm_there_is_no_simulator_and_nobody_ticks():
    always = {'arm_node', 'observer_node', 'person_stage_node', 'monitor_node', 'task_node', 'picture_node'}
    assert set(real_nodes()) == always | {'fake_driver_node', 'person_judge_node'}
    assert set(real_nodes(driver='none', observer='tracker')) == always
    assert set(real_nodes(record='bags')) - set(real_nodes()) == {'recorder_node'}
    assert real_nodes()['arm_node']['mode'] == 'realtime'
    for name in ('observer_node', 'task_node'):
        assert set(real_nodes(record='bags')[name]['participants']) == {'arm_node', 'monitor_node', 'recorder_node'}


def test_what_stands_in_for_an_arm_with_physics_lays_the_table_too_and_serves_what_is_around_an_arm():
    """One node in place of a driver, a person at the table, a tracker and the drivers of cameras; all else is the same."""
    physics, bare = real_nodes(driver='mujoco', tracker_delay=0.1), real_nodes()
    assert set(bare) - set(physics) == {'fake_driver_node', 'person_stage_node'}
    assert set(physics) - set(bare) == {'physics_driver_node'}
    assert physics['physics_driver_node']['engine'] == 'mujoco' and physics['physics_driver_node']['tracker_delay'] == 0.1
    assert real_nodes(driver='pybullet')['physics_driver_node']['engine'] == 'pybullet'
    assert {name: physics[name] for name in physics if name in bare} == {name: bare[name] for name in bare if name in physics}


@pytest.mark.parametrize(
    ('values', 'asked'),
    [({}, True), ({'observer': 'tracker'}, True), ({'driver': 'mujoco'}, True), ({'driver': 'mujoco', 'observer': 'tracker'}, False)],
)
def test_a_person_is_needed_to_lay_the_table_or_to_judge_and_else_nobody_is_asked(values, asked):
    assert any(spec.name in PERSONS for spec in real(values)) is asked


def test_whoever_acts_around_a_real_arm_knows_that_no_simulator_ticks():
    acting = real_nodes(policy='agents', observer='tracker', cameras='vlmbench', tracker_accuracy=0.003)
    for name in ('pick_place_node', 'reporter_node'):
        assert (acting[name]['mode'], acting[name]['tracker_accuracy']) == ('real', 0.003)
    assert real_nodes(policy='oracle', observer='tracker')['oracle_node']['mode'] == 'real'
    assert real_nodes(policy='my:Own')['policy_node']['mode'] == 'real'


def test_around_a_real_arm_that_is_scored_the_window_hears_what_the_person_is_asked():
    assert real_nodes(dash=True, scored=True)['dash_node']['scored']
    assert 'scored' not in real_nodes(dash=True)['dash_node'] and 'scored' not in nodes(dash=True, scored=True)['dash_node']


@pytest.mark.parametrize(('observer', 'judged_by'), [('person', 'person'), ('tracker', 'tracker'), ('none', 'nobody')])
def test_the_episode_says_who_observes(observer, judged_by):
    assert real_nodes(observer=observer)['task_node']['judged_by'] == judged_by


def test_every_setting_of_a_real_arm_reaches_a_node():
    assert set(REAL_OTHER) == set(REAL_SETTINGS)
    for name, value in REAL_OTHER.items():
        also = {'record': 'x'} | (YOURS if name == 'policy_args' else {}) | ({'driver': 'mujoco'} if name in OF_STAND_IN else {})
        also |= {'policy': 'agents', 'observer': 'tracker', 'cameras': 'vlmbench'} if name in OF_AGENTS else {}
        also |= {'dash': True} if name in ('dash_port', 'missions') else {}
        assert real_nodes(**also | {name: value}) != real_nodes(**also), name


def test_both_graphs_share_the_nodes_that_are_the_same():
    """What differs is only what a simulator stands for."""
    for name in ('recorder_node', 'task_node', 'monitor_node', 'arm_node'):
        ours, theirs = nodes(record='x', cameras='none')[name], real_nodes(record='x')[name]
        assert {k: v for k, v in theirs.items() if k in ours} | {'mode': '', 'judged_by': '', 'engine': '', 'participants': ''} == (
            {k: v for k, v in ours.items() if k in theirs} | {'mode': '', 'judged_by': '', 'engine': '', 'participants': ''}
        ), name


def test_every_node_knows_whether_the_bench_is_scored():
    for scored in (True, False):
        assert {parameters['scored'] for parameters in nodes(policy='oracle', record='x', scored=scored).values()} == {scored}


def test_each_node_is_a_module_of_its_package_and_an_installed_executable():
    entries = (LAUNCH.parents[1] / 'setup.py').read_text()
    for spec in (
        *bench({'policy': 'oracle', 'record': 'x'}),
        *bench({'policy': 'agents'}),
        *real({'record': 'x'}),
        *real({'driver': 'mujoco'}),
    ):
        assert (LAUNCH.parents[1] / f'{spec.module.replace(".", "/")}.py').is_file()
        assert spec.module.endswith(f'.nodes.{spec.name}')
        assert spec.name in entries


def test_the_robot_is_the_one_that_the_task_names_unless_another_is_set():
    assert nodes()['arm_node']['robot'] == 'panda'
    assert nodes(task='clevrskills/throw')['arm_node']['robot'] == real_nodes(task='clevrskills/throw')['arm_node']['robot'] == 'xarm6'
    assert nodes(task='clevrskills/throw', robot='ur5e')['arm_node']['robot'] == 'ur5e'
    with pytest.raises(TaskError, match='Did you mean clevrskills/throw'):
        nodes(task='clevrskills/thrw')


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ({'sed': 1}, r"no setting called 'sed'.*Did you mean seed"),
        ({'policy': 'orakle'}, "policy 'orakle' is not offered. Did you mean oracle"),
        ({'mode': 'realtim'}, "mode 'realtim' is not offered. Did you mean realtime"),
        ({'camera_rate': 15.0}, 'rate of 15 a second.*Ask for 1, 2, 4, 5, 10, 20'),
        ({'policy_timeout': 5.0}, 'must exceed'),
    ],
)
def test_a_bench_that_is_not_offered_is_refused(values, words):
    with pytest.raises(ConfigError, match=words):
        bench(values)


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ({'policy': 'orakle'}, r"policy 'orakle' is not offered. Did you mean oracle"),
        ({'policy': 'oracle'}, 'The policy oracle must know where things are. Set observer:=tracker'),
        ({'observer': 'trackr'}, "observer 'trackr' is not offered. Did you mean tracker"),
        ({'driver': 'panda'}, "driver 'panda' is not offered. Known: kinematic, mujoco, none, pybullet"),
    ],
)
def test_a_real_bench_that_is_not_offered_is_refused(values, words):
    with pytest.raises(ConfigError, match=words):
        real(values)


@pytest.mark.parametrize(
    ('name', 'text', 'value'),
    [
        ('seed', '7', 7),
        ('camera_rate', '5', 5.0),
        ('scored', 'true', True),
        ('scored', 'False', False),
        ('task', '007', '007'),
        ('record', '', ''),
    ],
)
def test_what_is_written_is_read_as_the_settings_type(name, text, value):
    assert (read(name, text), type(read(name, text))) == (value, type(value))


@pytest.mark.parametrize(
    ('name', 'text'), [('seed', '1.5'), ('seed', 'one'), ('scored', '1'), ('width', ''), ('seed', '[1'), ('speed', '1')]
)
def test_what_is_written_wrong_is_refused(name, text):
    with pytest.raises(ConfigError, match=name):
        read(name, text)


def test_the_environment_fills_in_what_is_absent_and_keeps_what_is_there():
    added = environment({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'})
    assert 'ROS_AUTOMATIC_DISCOVERY_RANGE' not in added
    assert Path(added['FASTDDS_DEFAULT_PROFILES_FILE']).is_file()
    assert environment({})['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    assert (environment({})['MALLOC_ARENA_MAX'], 'MALLOC_ARENA_MAX' in environment({'MALLOC_ARENA_MAX': '4'})) == ('1', False)
    assert environment({'GLIBC_TUNABLES': 'glibc.malloc.check=1'})['GLIBC_TUNABLES'] == 'glibc.malloc.check=1:glibc.cpu.hwcaps=-FMA,-FMA4'


@dataclass
class Said:
    """What the launch file constructed: the name of the class and its arguments."""

    kind: str
    given: tuple = ()
    named: dict[str, Any] = field(default_factory=dict)

    def perform(self, context: dict[str, str]) -> str:
        return context[self.given[0]]


CLASSES = {
    'launch': ('LaunchContext', 'LaunchDescription'),
    'launch.actions': (
        'DeclareLaunchArgument',
        'EmitEvent',
        'IncludeLaunchDescription',
        'OpaqueFunction',
        'RegisterEventHandler',
        'SetEnvironmentVariable',
    ),
    'launch.launch_description_sources': ('PythonLaunchDescriptionSource',),
    'launch.event_handlers': ('OnProcessExit',),
    'launch.events': ('Shutdown',),
    'launch.substitutions': ('LaunchConfiguration',),
    'launch_ros': (),
    'launch_ros.actions': ('Node',),
}


@pytest.fixture
def launched(monkeypatch):
    """Launch with arguments given as text; returns the described arguments and the nodes with all that was said of them.

    `launch` and `launch_ros` come with a ROS installation and not from pip, so they are stood in for by classes that only remember how
    they were constructed. Whether the real ones start the nodes is tried where ROS is installed.
    """
    claims = []

    @contextmanager
    def claimed(*, scored: bool) -> Iterator[None]:
        claims.append(scored)
        yield

    monkeypatch.setattr(domain, 'claimed', claimed)
    for name, classes in CLASSES.items():
        module = ModuleType(name)
        for kind in classes:
            setattr(module, kind, lambda *given, kind=kind, **named: Said(kind, given, named))
        monkeypatch.setitem(sys.modules, name, module)

    def launch(arguments: dict[str, str], path: Path = LAUNCH) -> tuple[list[Said], list[Said]]:
        (entities,) = runpy.run_path(str(path))['generate_launch_description']().given
        declared = [entity for entity in entities if entity.kind == 'DeclareLaunchArgument']
        context = {said.given[0]: said.named['default_value'] for said in declared} | arguments
        (opaque,) = (entity for entity in entities if entity.kind == 'OpaqueFunction')
        described = opaque.named['function'](context)
        assert claims == [context['scored'] == 'true'], 'it has the domain to itself before a node starts'
        return entities, described

    return launch


def written(values: dict[str, Any]) -> dict[str, str]:
    """The values as somebody types them after `:=`."""
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}


CASES = {
    'default': (LAUNCH, {}),
    'demo': (LAUNCH, {'policy': 'oracle', 'record': '/tmp/bags'}),
    'scored': (LAUNCH, {'scored': True, 'autostart': False, 'seed': 99, 'camera_rate': 2.5}),
    'cameras': (LAUNCH, {'record': 'records', 'cameras': 'vlmbench:front,wrist', 'width': 64}),
    'everything': (LAUNCH, OTHER),
    'real default': (REAL_LAUNCH, {}),
    'real robot': (REAL_LAUNCH, {'driver': 'none', 'observer': 'tracker', 'robot': 'ur5e', 'record': 'records'}),
    'real everything': (REAL_LAUNCH, REAL_OTHER),
}


@pytest.mark.parametrize('case', CASES)
def test_a_launch_file_starts_the_nodes_of_the_graph_with_their_parameters(launched, case):
    """`vlm-bench up` and `real` start what `bench` and `real` return, so the two ways to start cannot drift apart."""
    path, values = CASES[case]
    _, entities = launched(written(values), path)
    started = [said.named for said in entities if said.kind == 'Node']
    expected = (bench if path is LAUNCH else real)(values)
    assert [(node['name'], node['executable'], node['package']) for node in started] == [
        (s.name, s.name, 'vlm_bench_sim') for s in expected
    ]
    for node, spec in zip(started, expected, strict=True):
        (parameters,) = node['parameters']
        assert parameters == spec.parameters
        assert {name: type(value) for name, value in parameters.items()} == {name: type(v) for name, v in spec.parameters.items()}


@pytest.mark.parametrize(('path', 'settings'), [(LAUNCH, SETTINGS), (REAL_LAUNCH, REAL_SETTINGS)], ids=['bench', 'real'])
def test_the_arguments_of_a_launch_file_are_the_settings(launched, path, settings):
    entities, _ = launched({}, path)
    declared = {said.given[0]: said.named for said in entities if said.kind == 'DeclareLaunchArgument'}
    assert set(declared) == set(settings)
    for name, setting in settings.items():
        assert declared[name]['description'] == setting.help
        assert read(name, declared[name]['default_value'], settings) == setting.default


@pytest.mark.parametrize('path', [LAUNCH, REAL_LAUNCH], ids=['bench', 'real'])
def test_the_launch_file_sets_the_environment_before_anything_starts(launched, path, monkeypatch):
    monkeypatch.delenv('FASTDDS_DEFAULT_PROFILES_FILE', raising=False)  # a shell that sets it needs nothing
    entities, _ = launched({}, path)
    kinds = [said.kind for said in entities]
    assert kinds.index('SetEnvironmentVariable') < kinds.index('OpaqueFunction')
    assert {said.given[0] for said in entities if said.kind == 'SetEnvironmentVariable'} >= {'FASTDDS_DEFAULT_PROFILES_FILE'}


@pytest.mark.parametrize('path', [LAUNCH, REAL_LAUNCH], ids=['bench', 'real'])
def test_a_node_that_ends_ends_the_bench(launched, path):
    _, entities = launched({}, path)
    started = [said for said in entities if said.kind == 'Node']
    watched = [said.given[0].named for said in entities if said.kind == 'RegisterEventHandler']
    assert [one['target_action'] for one in watched] == started
    assert {one['on_exit'][0].named['event'].kind for one in watched} == {'Shutdown'}


def test_the_launch_file_to_copy_gives_arguments_that_a_real_bench_takes(launched):
    (entities,) = runpy.run_path(str(REAL_LAUNCH.with_name('your_arm.launch.py')))['generate_launch_description']().given
    (included,) = (entity for entity in entities if entity.kind == 'IncludeLaunchDescription')
    assert Path(included.given[0].given[0]) == REAL_LAUNCH
    asked = {said.given[0]: said.named['default_value'] for said in entities if said.kind == 'DeclareLaunchArgument'}
    given = {name: value if isinstance(value, str) else asked[value.given[0]] for name, value in included.named['launch_arguments']}
    values = {name: read(name, value, REAL_SETTINGS) for name, value in given.items()}
    started = {spec.name: spec.parameters for spec in real(values)}
    assert started['task_node']['judged_by'] == 'tracker' and started['monitor_node']['tracker_accuracy'] == 0.002
    assert not {'sim_node', 'fake_driver_node', 'physics_driver_node'} & set(started)


def test_a_wrong_argument_stops_the_launch(launched):
    with pytest.raises(ConfigError, match='Did you mean oracle'):
        launched({'policy': 'orakle'})
    with pytest.raises(ConfigError, match='seed takes a value'):
        launched({'seed': 'many'})
    with pytest.raises(ConfigError, match='Did you mean person'):
        launched({'observer': 'persan'}, REAL_LAUNCH)
