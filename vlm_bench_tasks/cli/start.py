"""The executable `vlm-bench`: the command line in a process whose sines are those of every machine."""

import os
import sys

from vlm_bench_sim.core import arithmetic


def main() -> None:
    """Run the command line; where an environment does not switch FMA off, as that of `make setup` does, begin again with it off."""
    again = os.environ | arithmetic.environment(os.environ)
    if arithmetic.avoidable() and again != os.environ:  # equal after a first try that had no effect
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], again)
    from vlm_bench_tasks.cli.main import app  # takes a second

    app()
