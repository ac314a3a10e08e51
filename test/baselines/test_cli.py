"""`vlm-bench train` without PyTorch."""

import subprocess
import sys

WITHOUT = 'import sys; sys.modules["torch"] = None; from vlm_bench_tasks.cli.main import app; app()'


def test_without_pytorch_it_says_what_to_install_and_all_else_works():
    words = ['train', 'key-frame', 'data', '--validation', 'val', '--out', 'out']
    done = subprocess.run([sys.executable, '-c', WITHOUT, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and 'make baselines' in done.stderr and 'Traceback' not in done.stderr
    done = subprocess.run([sys.executable, '-c', WITHOUT, 'tasks', '--json'], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and 'vlmbench/pick_place' in done.stdout


def test_a_command_of_another_package_that_cannot_be_loaded_leaves_the_others_alone():
    script = WITHOUT.replace('"torch"', '"vlm_bench_baselines.cli"')
    done = subprocess.run([sys.executable, '-c', script, 'tasks', '--json'], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and 'vlmbench/pick_place' in done.stdout
    assert done.stderr.startswith('The command train of another package cannot be loaded')
