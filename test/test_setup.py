"""Set-up, packaging, the underlay and the doctor: what must be true before anything else can be."""

import importlib.util
import json
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from rich.console import Console

import vlm_bench_sim
from test.test_simulation_interfaces import declarations
from vlm_bench_tasks.console import doctor, room
from vlm_bench_tasks.console.findings import Check

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ('vlm_bench_sim', 'vlm_bench_tasks', 'vlm_bench_baselines')
BOUND = re.compile(r'^\s+"(?P<name>[\w-]+)(?P<bound>>=[\d.]+(,<\d+)?)?",(?P<reason>\s+# \S.+)?$', re.MULTILINE)


def load(path: str) -> ModuleType:
    """Import a script of the repository under a name of its own."""
    spec = importlib.util.spec_from_file_location(f'_checked_{Path(path).stem}', ROOT / path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def manifest(path: str) -> ElementTree.Element:
    return ElementTree.parse(ROOT / path / 'package.xml').getroot()


def bash(script: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    minimal = {'PATH': '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': '/tmp'}
    return subprocess.run(['bash', '-euc', script], cwd=cwd, env=minimal | environment, capture_output=True, text=True, check=False)


# the package


def test_every_manifest_carries_the_same_version() -> None:
    found = {name: manifest(name).findtext('version') for name in ('.', 'vlm_bench_msgs')}
    assert set(found.values()) == {vlm_bench_sim.__version__}


@pytest.mark.parametrize('folder', ['.', 'vlm_bench_msgs', 'underlay/control_msgs', 'underlay/simulation_interfaces', 'underlay/tf2_msgs'])
def test_a_manifest_is_complete(folder: str) -> None:
    root = manifest(folder)
    maintainer = root.find('maintainer')
    assert root.get('format') == '3'
    assert root.findtext('license') == 'Apache-2.0'
    assert maintainer is not None
    assert re.fullmatch(r'[\w.-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}', maintainer.get('email', ''))
    assert root.findtext('export/build_type') == ('ament_python' if folder == '.' else 'ament_cmake')


def test_every_folder_with_code_is_installed() -> None:
    """A folder without __init__.py works in the clone and is missing from an installation."""
    without = [
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in {file.parent for file in (ROOT / package).rglob('*.py')}
        if not (path / '__init__.py').exists()
    ]
    assert without == []


def test_what_ros_reads_is_in_the_share_folder() -> None:
    installed = {file for _, files in load('setup.py').data_files() for file in files}
    there = {path.relative_to(ROOT).as_posix() for top in ('launch', 'layouts') for path in (ROOT / top).glob('*.*')}
    assert len(there) >= 5
    assert installed == {*there, 'resource/vlm_bench_sim', 'package.xml'}


def test_a_data_file_keeps_its_folder() -> None:
    assert all(
        Path(file).parent.as_posix() == target.removeprefix('share/vlm_bench_sim/')
        for target, (file, *_) in load('setup.py').data_files()[2:]
    )


@pytest.mark.parametrize('script', load('setup.py').scripts())
def test_every_executable_has_its_function(script: str) -> None:
    module, function = script.split(' = ')[1].split(':')
    path = ROOT / (module.replace('.', '/') + '.py')
    assert path.exists(), f'{script}: {path} is missing'
    assert re.search(rf'^(def )?{function}\b', path.read_text(), re.MULTILINE)


def test_rosdep_is_told_every_interface_package_that_is_used() -> None:
    used = set(re.findall(r"'(\w+)/(?:msg|srv|action)/", (ROOT / 'vlm_bench_sim/ros/names.py').read_text()))
    told = {element.text for element in manifest('.').iter('exec_depend')}
    assert used
    assert used <= told


def test_the_interfaces_declare_every_package_they_use() -> None:
    files = [path for kind in ('msg', 'srv', 'action') for path in (ROOT / 'vlm_bench_msgs' / kind).iterdir()]
    used = {package for path in files for package in re.findall(r'^([a-z]\w+)/\w+', path.read_text(), re.MULTILINE)} - {'vlm_bench_msgs'}
    declared = {element.text for element in manifest('vlm_bench_msgs').iter('depend')}
    cmake = (ROOT / 'vlm_bench_msgs/CMakeLists.txt').read_text()
    assert used <= declared
    assert all(f'find_package({package} REQUIRED)' in cmake for package in used)


def test_every_dependency_has_a_lower_bound_and_a_reason() -> None:
    text = (ROOT / 'pyproject.toml').read_text()
    block = text[text.index('dependencies = [') : text.index('[tool.ruff]')]
    found = list(BOUND.finditer(block))
    assert len(found) == block.count('    "')
    assert [match['name'] for match in found if not (match['bound'] and match['reason'])] == []


def test_colcon_finds_the_nested_interfaces_and_leaves_the_underlay() -> None:
    import yaml

    defaults = yaml.safe_load((ROOT / 'colcon_defaults.yaml').read_text())
    assert {tuple(verb['base-paths']) for verb in defaults.values()} == {('.', 'vlm_bench_msgs')}
    assert {'build', 'test', 'list'} <= set(defaults)


# the underlay: what goes over the wire must be what the official packages say

MULTI = 'trajectory_msgs/MultiDOFJointTrajectory'
OFFICIAL = {
    'control_msgs/msg/GripperCommand.msg': [['float64 position', 'float64 max_effort']],
    'control_msgs/msg/JointTolerance.msg': [['string name', 'float64 position', 'float64 velocity', 'float64 acceleration']],
    'control_msgs/msg/JointComponentTolerance.msg': [
        [
            *('uint16 X_AXIS=1', 'uint16 Y_AXIS=2', 'uint16 Z_AXIS=3', 'uint16 TRANSLATION=4', 'uint16 ROTATION=5'),
            *('string joint_name', 'uint16 component', 'float64 position', 'float64 velocity', 'float64 acceleration'),
        ]
    ],
    'control_msgs/action/GripperCommand.action': [
        ['GripperCommand command'],
        ['float64 position', 'float64 effort', 'bool stalled', 'bool reached_goal'],
        ['float64 position', 'float64 effort', 'bool stalled', 'bool reached_goal'],
    ],
    'control_msgs/action/ParallelGripperCommand.action': [
        ['sensor_msgs/JointState command'],
        ['sensor_msgs/JointState state', 'bool stalled', 'bool reached_goal'],
        ['sensor_msgs/JointState state'],
    ],
    'control_msgs/action/FollowJointTrajectory.action': [
        [
            *('trajectory_msgs/JointTrajectory trajectory', f'{MULTI} multi_dof_trajectory'),
            *('JointTolerance[] path_tolerance', 'JointComponentTolerance[] component_path_tolerance'),
            *('JointTolerance[] goal_tolerance', 'JointComponentTolerance[] component_goal_tolerance'),
            'builtin_interfaces/Duration goal_time_tolerance',
        ],
        [
            *('int32 error_code', 'int32 SUCCESSFUL=0', 'int32 INVALID_GOAL=-1', 'int32 INVALID_JOINTS=-2'),
            *('int32 OLD_HEADER_TIMESTAMP=-3', 'int32 PATH_TOLERANCE_VIOLATED=-4', 'int32 GOAL_TOLERANCE_VIOLATED=-5'),
            'string error_string',
        ],
        [
            *('std_msgs/Header header', 'string[] joint_names'),
            *(f'trajectory_msgs/JointTrajectoryPoint {field}' for field in ('desired', 'actual', 'error')),
            *('int32 index', 'string[] multi_dof_joint_names'),
            *(f'{MULTI}Point multi_dof_{field}' for field in ('desired', 'actual', 'error')),
            'int32 multi_dof_index',
        ],
    ],
    'tf2_msgs/msg/TFMessage.msg': [['geometry_msgs/TransformStamped[] transforms']],
}
HASHES = {
    'control_msgs/action/FollowJointTrajectory': 'RIHS01_ff29901b2693f5deb847e96084a1c2cdb26e70b7c847be21859b70a55fb29cf0',
    'control_msgs/action/GripperCommand': 'RIHS01_e17c0e644eccf14bea84a0a93e0977182872c2eb7873ca6694900059b46dbc84',
    'control_msgs/action/ParallelGripperCommand': 'RIHS01_adfd3c1ebe8abc38ebcc0e454b6423d291d4010dd5697d14eca5b9be4726ae18',
    'tf2_msgs/msg/TFMessage': 'RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087',
}


def test_the_underlay_holds_what_is_used_and_no_more() -> None:
    there = {
        path.relative_to(ROOT / 'underlay').as_posix()
        for package in ('control_msgs', 'tf2_msgs')
        for path in (ROOT / 'underlay' / package).glob('*/*')
    }
    assert there == set(OFFICIAL)


@pytest.mark.parametrize('path', OFFICIAL)
def test_the_underlay_is_official_field_for_field(path: str) -> None:
    assert declarations((ROOT / 'underlay' / path).read_text()) == OFFICIAL[path]


@pytest.mark.ros
@pytest.mark.parametrize('name', HASHES)
def test_the_built_underlay_has_the_official_type_hash(name: str) -> None:
    package, rest = name.split('/', 1)
    built = ROOT / 'underlay/install/share' / package / f'{rest}.json'
    if not built.exists():
        pytest.skip('the underlay is not built: these packages come from the ROS 2 installation')
    hashes = {entry['type_name']: entry['hash_string'] for entry in json.loads(built.read_text())['type_hashes']}
    assert hashes[name] == HASHES[name]


# the scripts of set-up


def test_wheels_are_pointed_at_this_python(tmp_path: Path) -> None:
    script = load('scripts/patch_wheels.py')
    cmake = tmp_path / 'share/x/cmake/xExport.cmake'
    cmake.parent.mkdir(parents=True)
    builder = '/opt/python/cp310-cp310'
    cmake.write_text(f'INCLUDE "{builder}/include/python3.10;{builder}/lib/python3.10/site-packages/numpy/_core/include;/opt/keep"\n')
    assert script.patch(tmp_path, '/py', '/np') == 1
    assert cmake.read_text() == 'INCLUDE "/py;/np;/opt/keep"\n'
    assert script.patch(tmp_path, '/py', '/np') == 0


@pytest.mark.parametrize('path', ['scripts/patch_wheels.py', 'scripts/site_hook.py'])
def test_a_script_for_the_virtual_environment_refuses_another_python(
    path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, 'prefix', sys.base_prefix)
    assert load(path).main() == 1
    assert '.venv/bin/python' in capsys.readouterr().err


def hook(root: Path, *, humble: bool = False) -> str:
    for folder in ('install/vlm_bench_msgs/lib/python3.11/site-packages', 'underlay/install/lib/python3.11/site-packages'):
        (root / folder).mkdir(parents=True)
    return str(load('scripts/site_hook.py').module_text(root, root / '.venv', humble=humble))


def run_hook(text: str, monkeypatch: pytest.MonkeyPatch, **environment: str) -> tuple[dict[str, str], list[list[str]], list[str]]:
    """Run the hook and return the environment, the restarts it asked for and the Python path it leaves."""
    import os

    restarts: list[list[str]] = []
    monkeypatch.setattr(os, 'environ', dict(environment))
    monkeypatch.setattr(os, 'execve', lambda _path, argv, _env: restarts.append(argv))
    monkeypatch.setattr(sys, 'orig_argv', ['python', '-c', 'pass'])
    monkeypatch.setattr(sys, 'path', ['/before'])
    exec(compile(text, '<hook>', 'exec'), {})
    return dict(os.environ), restarts, list(sys.path)


def test_the_hook_restarts_python_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = hook(tmp_path)
    environment, restarts, path = run_hook(text, monkeypatch, LD_LIBRARY_PATH='/mine')
    assert restarts == [[sys.executable, '-c', 'pass']]
    assert environment['LD_LIBRARY_PATH'].startswith(f'{tmp_path}/install/vlm_bench_msgs/lib:{tmp_path}/underlay/install/lib:')
    assert environment['LD_LIBRARY_PATH'].endswith(':/mine')
    assert environment['AMENT_PREFIX_PATH'].startswith(f'{tmp_path}/install/vlm_bench_msgs:{tmp_path}/underlay/install')
    assert path[0] == '/before'
    assert path[1:] == [f'{tmp_path}/{part}/lib/python3.11/site-packages' for part in ('install/vlm_bench_msgs', 'underlay/install')]
    again, none, _ = run_hook(text, monkeypatch, **environment)
    assert none == []
    assert again == environment


@pytest.mark.parametrize(
    ('humble', 'given', 'expected'),
    [
        (False, {}, {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}),
        (False, {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}, {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}),
        (True, {}, {'ROS_LOCALHOST_ONLY': '1'}),
    ],
)
def test_discovery_stays_local_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, humble: bool, given: dict[str, str], expected: dict[str, str]
) -> None:
    environment, _, _ = run_hook(hook(tmp_path, humble=humble), monkeypatch, **given)
    assert expected.items() <= environment.items()


@pytest.mark.parametrize('given', [{}, {'FASTDDS_DEFAULT_PROFILES_FILE': '/mine.xml'}])
def test_every_node_has_the_transport_of_the_bench_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str]
) -> None:
    wanted = '/mine.xml' if given else '{}/config/fastdds.xml'
    environment, _, _ = run_hook(hook(tmp_path), monkeypatch, **given)
    assert environment['FASTDDS_DEFAULT_PROFILES_FILE'] == wanted.format(tmp_path)
    sourced = bash('source scripts/env.sh; echo $FASTDDS_DEFAULT_PROFILES_FILE', **given)
    assert sourced.stdout.strip() == wanted.format(ROOT)


def test_env_sh_without_a_set_up_says_what_to_run(tmp_path: Path) -> None:
    (tmp_path / 'scripts').mkdir()
    (tmp_path / 'scripts/env.sh').write_text((ROOT / 'scripts/env.sh').read_text())
    run = bash('source scripts/env.sh', tmp_path)
    assert run.returncode == 1
    assert f'make -C {tmp_path} setup' in run.stderr


@pytest.mark.ros
def test_a_script_elsewhere_works_after_sourcing_env_sh(tmp_path: Path) -> None:
    run = bash(
        f'source "{ROOT}/scripts/env.sh"; python -c "import vlm_bench_sim, vlm_bench_msgs.msg, control_msgs.action, tf2_msgs.msg, rclpy"',
        tmp_path,
    )
    assert run.returncode == 0, run.stderr


def test_sourcing_env_sh_twice_changes_nothing() -> None:
    run = bash('source scripts/env.sh; env | sort > /dev/stderr; source scripts/env.sh; env | sort')
    assert run.returncode == 0, run.stderr
    assert run.stdout == run.stderr


def test_set_up_names_the_missing_system_package() -> None:
    run = bash('source scripts/setup.sh; need cmake false; apt_may() { false; }; system_packages "$(interpreter python3)" pip')
    assert run.returncode == 1
    assert 'sudo apt-get install cmake' in run.stderr


def test_set_up_installs_what_the_renderer_needs() -> None:
    from vlm_bench_sim.render.context import REMEDY

    script = (ROOT / 'scripts/setup.sh').read_text()
    assert [package for package in REMEDY.split() if package.startswith('lib') and f'need {package} ' not in script] == []


@pytest.mark.parametrize(
    ('distro', 'rclpy', 'route'),
    [('jazzy', 'true', 'ros'), ('jazzy', 'false', 'pip'), ('', 'true', 'pip')],
)
def test_set_up_uses_a_ros_installation_only_if_it_works(distro: str, rclpy: str, route: str) -> None:
    run = bash(f'source scripts/setup.sh; interpreter() {{ echo {rclpy}; }}; find_route', ROS_DISTRO=distro)
    assert run.stdout.strip() == route


def test_a_forgotten_source_does_not_replace_the_environment(tmp_path: Path) -> None:
    (tmp_path / '.made_route').write_text('ros jazzy\n')
    run = bash(f'source scripts/setup.sh; VENV="{tmp_path}"; find_route')
    assert run.returncode == 1
    assert 'made for ros jazzy, which is not sourced here' in run.stderr


def test_the_key_of_a_step_sees_contents_and_names(tmp_path: Path) -> None:
    def key() -> str:
        return bash(f'source "{ROOT}/scripts/setup.sh"; key word "{tmp_path}"').stdout

    keys = [key()]
    (tmp_path / 'a').write_text('1')
    keys.append(key())
    (tmp_path / 'a').write_text('2')
    keys.append(key())
    (tmp_path / 'a').rename(tmp_path / 'b')
    keys.append(key())
    assert len(set(keys)) == 4
    assert key() == keys[-1]


# the doctor


def shown(checks: list[Check]) -> str:
    console = Console(width=200, record=True, file=StringIO())
    console.print(doctor.table(checks))
    return console.export_text()


def test_the_doctor_fails_with_each_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checks = [Check('good', '1.2'), Check('bad', 'nothing', 'apt-get install [this]')]
    monkeypatch.setattr(doctor, 'rows', lambda _record: checks)
    console = Console(width=120, record=True, file=StringIO())
    assert doctor.doctor(tmp_path, console, quick=True) == 1
    text = console.export_text()
    assert 'apt-get install [this]' in text
    assert 'To fix: bad.' in text


def test_the_doctor_is_content_when_all_is_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, 'rows', lambda _record: [Check('good', '1.2')])
    assert doctor.doctor(tmp_path, Console(quiet=True), quick=True) == 0


def test_no_egl_gives_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    context = pytest.importorskip('vlm_bench_sim.render.context')
    from vlm_bench_sim.core.errors import WorldError

    def broken() -> None:
        raise WorldError(f'no libEGL. Install it: {context.REMEDY}')

    monkeypatch.setattr(context, 'open_context', broken)
    check = doctor.renderer()
    assert not check.ok
    assert 'libegl1 ' in check.remedy
    assert 'libgl1-mesa-dri' in check.remedy


def without(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    real = importlib.import_module

    def fake(name: str, package: str | None = None) -> ModuleType:
        if name.split('.')[0] == missing:
            raise ModuleNotFoundError(f'No module named {missing!r}')
        return real(name, package)

    monkeypatch.setattr(importlib, 'import_module', fake)


def test_no_rclpy_sends_to_make_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, 'rclpy')
    assert 'make setup' in doctor.ros().remedy
    assert not doctor.middleware().ok


def test_missing_interfaces_give_the_line_for_a_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, 'vlm_bench_msgs')
    check = doctor.interfaces()[0]
    assert check.name == 'vlm_bench_msgs'
    assert 'colcon build --base-paths src src/vlm_bench/vlm_bench_msgs' in check.remedy


@pytest.mark.ros
def test_interfaces_without_their_libraries_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    support = pytest.importorskip('rclpy.type_support')

    def broken(_type: object) -> None:
        raise RuntimeError('libvlm_bench_msgs__rosidl_generator_c.so')

    monkeypatch.setattr(support, 'check_for_type_support', broken)
    assert all('libraries cannot be loaded' in check.found and 'scripts/env.sh' in check.remedy for check in doctor.interfaces())


@pytest.mark.ros
def test_the_doctor_names_the_distribution_and_the_middleware() -> None:
    pytest.importorskip('rclpy')
    assert re.match(r'(humble|jazzy|kilted|\w+), rclpy \d', doctor.ros().found)
    assert doctor.middleware().found.startswith('rmw_')
    assert [check for check in doctor.interfaces() if not check.ok] == []


def test_a_broken_library_is_reported_and_not_fatal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, '_MODULES', {'no_such_library': 'no-such-library', 'numpy': 'numpy'})
    missing, numpy = doctor.versions()
    assert 'No module named' in missing.found
    assert '.venv/bin/pip install no-such-library' in missing.remedy
    assert numpy.ok


def test_a_library_that_kills_its_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, '_MODULES', {'os; os.abort()': 'bad'})
    assert '(signal 6)' in doctor.versions()[0].found


def test_an_engine_that_is_an_extra_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, '_EXTRA_ENGINES', ('no_such_engine', 'numpy'))
    missing, there = doctor.engines()
    assert missing.ok and missing.found == 'not installed (an extra)'
    assert there.ok and there.found[0].isdigit()


@pytest.mark.parametrize(('domain', 'ok'), [('0', True), ('100', True), ('7', False), ('102', False), ('x', False), ('-2', False)])
def test_a_bench_takes_an_even_domain(monkeypatch: pytest.MonkeyPatch, domain: str, ok: bool) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', domain)
    assert doctor.network()[0].ok is ok


def test_an_unknown_discovery_range_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'EVERYWHERE')
    monkeypatch.delenv('ROS_LOCALHOST_ONLY', raising=False)
    assert 'LOCALHOST' in doctor.network()[1].remedy


def test_a_record_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'file').touch()
    assert '--record' in room.record_folder(tmp_path / 'file' / 'below').remedy
    assert room.record_folder(tmp_path / 'new' / 'folder').found.startswith(str(tmp_path / 'new' / 'folder'))


def test_a_full_disk_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(room, '_BAGS', 1e9)
    assert room.record_folder(tmp_path).remedy.startswith('Free ')


def test_an_old_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'version_info', (3, 9, 1))
    assert not doctor.python_version().ok


def test_markup_in_a_finding_is_shown_as_it_is() -> None:
    assert '[red]x[/]' in shown([Check('a', '[red]x[/]')])
