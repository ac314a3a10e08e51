"""Run the module of a node, `python -m vlm_bench_sim.ros.start [--signed] MODULE …`, as a child that never outlives its parent.

What a node imports takes seconds on a busy machine, and so the parent is watched from before that. With `--signed` the parent tells the
child the key of the bench.
"""

import runpy
import sys

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.ros import keyring
from vlm_bench_sim.ros.orphan import end_with_parent

SIGNED = '--signed'


def main() -> None:
    """Run the module that the command line names, as `python -m` would."""
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
