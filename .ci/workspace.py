"""Check a workspace built by colcon: all packages and their files are from it, its share folder is complete, its executables exist."""

import importlib
import os
import sys
from pathlib import Path

EXECUTABLES = ('vlm-bench', 'sim_node', 'arm_node', 'recorder_node', 'task_node', 'monitor_node', 'oracle_node')


def main() -> int:
    """Return 0 if the workspace under the given install folder is usable."""
    install = Path(sys.argv[1]).resolve()
    wrong = []
    for name in ('vlm_bench_msgs.msg', 'vlm_bench_sim', 'vlm_bench_tasks', 'vlm_bench_baselines'):
        module = importlib.import_module(name)
        if install not in Path(str(module.__file__)).resolve().parents:
            wrong.append(f'{name} was imported from {module.__file__}, not from the workspace')
    page = Path(str(importlib.import_module('vlm_bench_tasks.dashboard').__file__)).with_name('static') / 'index.html'
    wrong += [] if page.is_file() else [f'{page} is missing']
    prefix = install / 'vlm_bench_sim'
    share = prefix / 'share' / 'vlm_bench_sim'
    wrong += [f'{share / part} is missing' for part in ('package.xml', 'launch', 'layouts') if not (share / part).exists()]
    files = importlib.import_module('vlm_bench_sim.assets').share()
    wrong += [] if install in files.parents else [f'files are read from {files}, not from the workspace']
    executables = prefix / 'lib' / 'vlm_bench_sim'
    wrong += [f'{executables / name} is missing' for name in EXECUTABLES if not os.access(executables / name, os.X_OK)]
    print('\n'.join(wrong) or f'the workspace under {install} is complete')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
