"""Package for colcon (ament_python) and for pip; version from package.xml, dependencies and tool settings from pyproject.toml."""

from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

NAME = 'vlm_bench_sim'
ENDS = ('json', 'yaml', 'toml', 'glsl', 'vert', 'frag', 'jinja', 'css')
PACKAGES = (NAME, 'vlm_bench_tasks', 'vlm_bench_baselines')
ROOT = Path(__file__).resolve().parent
DATA_FOLDERS = ('launch', 'config', 'layouts', 'assets')
SIM_NODES = (
    'sim_node', 'arm_node', 'recorder_node', 'fake_driver_node', 'physics_driver_node', 'observer_node', 'person_stage_node',
    'picture_node',
)  # fmt: skip
TASK_NODES = (
    'task_node', 'monitor_node', 'oracle_node', 'person_judge_node', 'pick_place_node', 'planner_node', 'actor_node', 'reporter_node',
    'policy_node', 'dash_node',
)  # fmt: skip


def data_files() -> list[tuple[str, list[str]]]:
    """Return (folder below the prefix, files) for all that belongs into the share folder."""
    found = [
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
    ]
    for top in DATA_FOLDERS:
        by_folder: dict[Path, list[str]] = {}
        for path in sorted((ROOT / top).rglob('*')):
            if path.is_file() and '__pycache__' not in path.parts:
                relative = path.relative_to(ROOT)
                by_folder.setdefault(relative.parent, []).append(relative.as_posix())
        found += [(f'share/{NAME}/{folder.as_posix()}', files) for folder, files in by_folder.items()]
    return found


def scripts() -> list[str]:
    """Return the console scripts: the command line and one executable for each node."""
    nodes = [f'{name} = vlm_bench_sim.nodes.{name}:main' for name in SIM_NODES]
    nodes += [f'{name} = vlm_bench_tasks.nodes.{name}:main' for name in TASK_NODES]
    return ['vlm-bench = vlm_bench_tasks.cli.start:main', *nodes]


if __name__ == '__main__':
    setup(
        name=NAME,
        version=ElementTree.parse(ROOT / 'package.xml').findtext('version'),
        packages=find_packages(include=[pattern for name in PACKAGES for pattern in (name, f'{name}.*')]),
        package_data={'': [*(f'*.{end}' for end in ENDS), 'py.typed', 'weights/*.safetensors', 'static/*', 'templates/*']},
        data_files=data_files(),
        python_requires='>=3.10',
        entry_points={'console_scripts': scripts(), 'vlm_bench.commands': ['train = vlm_bench_baselines.cli:app']},
        tests_require=['pytest'],  # colcon test looks here to choose pytest
        zip_safe=False,
    )
