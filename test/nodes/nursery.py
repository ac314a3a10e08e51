"""Processes of nodes that need not import anything: forked from a server that has imported what every node needs.

Seconds of each start are those of imports, which say nothing new. What `vlm-bench up` starts itself, its tests start as it does.
"""

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
from importlib import import_module

from vlm_bench_sim.profiles import robot
from vlm_bench_sim.ros import names

_SIM = ('sim', 'arm', 'recorder', 'picture', 'observer', 'person_stage', 'fake_driver', 'physics_driver')
_TASKS = ('task', 'monitor', 'oracle', 'person_judge', 'pick_place', 'planner', 'actor', 'reporter', 'dash')
_INTERFACES = {'.'.join(row.type.split('/')[:2]) for row in (*names.recorded(robot('panda'), ('front',)), *names.FIXED)}
_FORKS = multiprocessing.get_context('forkserver')
_FORKS.set_forkserver_preload([
    *(f'vlm_bench_sim.nodes.{name}_node' for name in _SIM),
    *(f'vlm_bench_tasks.nodes.{name}_node' for name in _TASKS),
    *sorted(_INTERFACES),
    'rosidl_generator_py',
])  # fmt: skip


class Forked:
    """A node's process, as `subprocess.Popen` shows one.

    Args:
        command: that would start it: an interpreter, -m, a module with a `main`, and what that is told.
        env: its environment.
        output: path of what it writes; it is appended to.
    """

    def __init__(self, command, *, env, output):
        self._process = _FORKS.Process(target=_live, args=(command[2:], env, str(output)), daemon=True)
        self._process.start()
        self.pid = self._process.pid

    @property
    def returncode(self):
        return self._process.exitcode

    def poll(self):
        return self._process.exitcode

    def wait(self, timeout=None):
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout)
        return self._process.exitcode

    def terminate(self):
        self._process.terminate()

    def kill(self):
        self._process.kill()

    def send_signal(self, number):
        os.kill(self.pid, number)


def _live(words, env, output):
    gc.freeze()  # what was imported before the fork stays; to look through it again and again would copy its pages
    os.setsid()
    with open(output, 'ab') as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = list(words)
    threading.Thread(target=_end_with_the_tests, daemon=True).start()
    try:
        import_module(words[0]).main()
    finally:
        gc.collect()  # as an ending interpreter does: a node that is left over does not take its leave, and is taken for alive for 20 s


def _end_with_the_tests():
    """Wait until the process that asked for the node is gone, however it ended, and leave no node behind in its domain."""
    multiprocessing.parent_process().join()
    os._exit(1)
