"""Ends a node with the process that started it, even if that process is killed."""

import os
import signal
import time
from functools import cache
from threading import Thread

PARENT = 'VLM_BENCH_PARENT'
"""Environment variable: id of the process that starts nodes. It may be gone before they ask for their parent's id."""

_LOOK_S, _GRACE_S = 0.25, 3.0


@cache
def end_with_parent() -> None:
    """Watch the parent process; once it is gone, this process is asked to end, and ends three seconds later at the latest."""
    Thread(target=_watch, args=(os.getppid(), int(os.environ.get(PARENT, '0'))), name='parent', daemon=True).start()


def _watch(parent: int, starter: int) -> None:
    while os.getppid() == parent and _lives(starter):
        time.sleep(_LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_S)
    os._exit(1)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)  # another error means that the process belongs to somebody else
    return True
