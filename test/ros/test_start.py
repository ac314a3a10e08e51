"""A node ends with its parent also while it still imports what it needs."""

import subprocess
import sys
import time

import psutil

MODULE = 'slow_to_import'
PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, '-m', 'vlm_bench_sim.ros.start', '{MODULE}', 'word'])
print(child.pid, flush=True)
child.wait()
"""


def test_a_child_that_still_imports_ends_with_its_parent(tmp_path):
    (tmp_path / f'{MODULE}.py').write_text('import time\nopen("begun", "w").close()\ntime.sleep(300)\n')
    with subprocess.Popen([sys.executable, '-c', PARENT], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as parent:
        child = psutil.Process(int(parent.stdout.readline()))
        while not (tmp_path / 'begun').exists():
            assert child.is_running()
            time.sleep(0.01)
        parent.kill()
    gone, _ = psutil.wait_procs([child], timeout=60.0)
    assert gone


def test_the_module_sees_the_command_line_and_the_exit_code_is_its_own(tmp_path):
    (tmp_path / f'{MODULE}.py').write_text('import sys\nprint(__name__, *sys.argv[1:])\nsys.exit(7)\n')
    words = [sys.executable, '-m', 'vlm_bench_sim.ros.start', MODULE, '--ros-args', '-p', 'x:=1']
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (7, ['__main__', '--ros-args', '-p', 'x:=1']), done.stderr
