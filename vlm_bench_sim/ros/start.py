"""Run the module of a node, `python -m vlm_bench_sim.ros.start [--signed] MODULE …`, as a child that ends with its parent.

A node's imports take seconds on a busy machine, so the watch on the parent starts before them. With `--signed` the parent sends the
child the key of the bench.
"""

import runpy
import sys

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.ros import keyring
from vlm_bench_sim.ros.orphan import end_with_parent

SIGNED = '--signed'


def main() -> None:
    """Run the module named on the command line, as `python -m` would."""
    end_with_parent()
    del sys.argv[0]
    if sys.argv[0] == SIGNED:
        del sys.argv[0]
        try:
            keyring.receive()
        except VlmBenchError as error:
            sys.exit(f'error: {error}')
    runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)


if __name__ == '__main__':
    main()
