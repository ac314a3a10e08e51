"""Run the module of a node, `python -m vlm_bench_sim.ros.start MODULE …`, as a child that never outlives its parent.

What a node imports takes seconds on a busy machine, and so the parent is watched from before that.
"""

import runpy
import sys

from vlm_bench_sim.ros.orphan import end_with_parent


def main() -> None:
    """Run the module that the command line names, as `python -m` would."""
    end_with_parent()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)


if __name__ == '__main__':
    main()
