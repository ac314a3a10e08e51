"""Work for the tests of workers, which processes of their own import."""

import os
import signal
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from threading import Thread


def tenfold(number):
    return 10 * number


def chore(words):
    """Do what the words say."""
    what, _, more = words.partition(' ')
    return CHORES[what](more)


def _raise(text):
    raise ValueError(text)


def _mark(path):
    Path(path).write_text(str(os.getpid()))
    time.sleep(600)


def _start(path):
    """Start a process as multiprocessing does, and tell what came of it."""
    with get_context('fork').Pool(1) as pool:
        return pool.apply(tenfold, (4,))


def _leave(path):
    """Die and leave a process that has this one's files open."""
    child = os.fork()
    if child == 0:
        _mark(path)
    while not Path(path).exists():
        time.sleep(0.01)
    os._exit(3)


def _outlast(path):
    """Start a process that says who it is, and wait for it."""
    get_context('fork').Process(target=_mark, args=(path,)).start()
    time.sleep(600)


def _linger(seconds):
    """Leave the worker's own thread while another one keeps its process alive."""
    Thread(target=time.sleep, args=(float(seconds),), daemon=False).start()
    sys.exit(3)


CHORES = {
    'linger': _linger,
    'signal': lambda number: os.kill(os.getpid(), int(number)),
    'start': _start,
    'leave': _leave,
    'outlast': _outlast,
    'pid': lambda _: os.getpid(),
    'raise': _raise,
    'sleep': lambda seconds: time.sleep(float(seconds)) or 'slept',
    'die': lambda _: os.kill(os.getpid(), signal.SIGKILL),
    'exit': lambda code: os._exit(int(code)),
    'quit': lambda code: exit(int(code)),
    'mark': _mark,
    'unsendable': lambda _: lambda: None,
}
