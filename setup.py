"""Package for colcon (ament_python) and for pip; version from package.xml, dependencies and tool settings from pyproject.toml.

What Python code reads (CARRIED) goes into the package `vlm_bench_sim`, where `assets.share` finds it however the package was installed.
What ROS's tools read (SHARED) goes into the share folder of the prefix.
"""

from pathlib import Path
from shutil import rmtree
from typing import Any
from xml.etree import ElementTree

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

NAME = 'vlm_bench_sim'
ENDS = ('json', 'yaml', 'toml', 'glsl', 'vert', 'frag', 'jinja', 'css')
PACKAGES = (NAME, 'vlm_bench_tasks', 'vlm_bench_baselines')
ROOT = Path(__file__).resolve().parent
SHARED = ('launch', 'layouts')
CARRIED = ('config', 'vlm_bench_msgs/msg')
INSIDE = f'{NAME}/_share'  # as in assets.share
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
    by_folder: dict[Path, list[str]] = {}
    for name in files(*SHARED):
        by_folder.setdefault(Path(name).parent, []).append(name)
    return found + [(f'share/{NAME}/{folder.as_posix()}', names) for folder, names in by_folder.items()]


def files(*tops: str) -> list[str]:
    """Return the files below these folders, as paths inside the source tree."""
    found = [path for top in tops for path in sorted((ROOT / top).rglob('*')) if path.is_file() and '__pycache__' not in path.parts]
    return [path.relative_to(ROOT).as_posix() for path in found]


def scripts() -> list[str]:
    """Return the console scripts: the command line and one executable for each node."""
    nodes = [f'{name} = vlm_bench_sim.nodes.{name}:main' for name in SIM_NODES]
    nodes += [f'{name} = vlm_bench_tasks.nodes.{name}:main' for name in TASK_NODES]
    return ['vlm-bench = vlm_bench_tasks.cli.start:main', *nodes]


class Build(build_py):  # type: ignore[misc]
    """Copies the packages and what they carry into the built tree, which holds nothing else: a removed task must not be found again."""

    def run(self) -> None:
        """Build, except for `pip install -e`: there the code stays in the source tree, and finds its files there."""
        if getattr(self, 'editable_mode', False):  # older setuptools builds nothing then
            return super().run()
        if Path(self.build_lib).resolve() != ROOT:
            for package in PACKAGES:
                rmtree(Path(self.build_lib, package), ignore_errors=True)
        super().run()
        for target, source in self._carried().items():
            self.mkpath(str(Path(target).parent))
            self.copy_file(source, target, preserve_mode=False)

    def get_outputs(self, *given: Any, **named: Any) -> list[str]:
        """Return all built files."""
        return [*super().get_outputs(*given, **named), *self._carried()]

    def get_output_mapping(self) -> dict[str, str]:
        """Return the source of each built file, which `pip install -e` links in its strict mode."""
        return {**super().get_output_mapping(), **self._carried()}

    def get_source_files(self) -> list[str]:
        """Return what belongs into an archive of the sources, besides data."""
        return [*super().get_source_files(), *files(*CARRIED)]

    def _carried(self) -> dict[str, str]:
        return {str(Path(self.build_lib, INSIDE, name)): str(ROOT / name) for name in files(*CARRIED)}


if __name__ == '__main__':
    setup(
        name=NAME,
        version=ElementTree.parse(ROOT / 'package.xml').findtext('version'),
        packages=find_packages(include=[pattern for name in PACKAGES for pattern in (name, f'{name}.*')]),
        package_data={'': [*(f'*.{end}' for end in ENDS), 'py.typed', 'weights/*', 'static/*', 'templates/*']},
        data_files=data_files(),
        cmdclass={'build_py': Build},
        python_requires='>=3.10',
        entry_points={'console_scripts': scripts(), 'vlm_bench.commands': ['train = vlm_bench_baselines.cli:app']},
        tests_require=['pytest'],  # colcon test looks here to choose pytest
        zip_safe=False,
    )
