"""Policies that the tests name by path: one plays badly in a way of its own in each episode, the other moves and stops."""

import asyncio
import faulthandler
import json
import os
import signal
import sys
import time
from hashlib import sha256
from pathlib import Path
from threading import Timer

from vlm_bench_sim.core.command import Joints, Stop, ToolPose, Wait
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_tasks.policy import Policy


def _raise():
    raise ValueError('no idea')


def _hang():
    while True:
        time.sleep(0.05)


def _raises(error):
    def raised():
        raise error

    return raised


class Unspeakable(BaseException):
    """Cannot be told."""

    def __str__(self):
        raise RuntimeError('no words')


def _later(what, *arguments):
    """Let time pass in the world, and do something while it does."""

    def begun():
        Timer(0.05, what, arguments).start()
        return Wait(50.0)

    return begun


def _ring():
    """Let an alarm of its own ring while the world steps."""
    signal.signal(signal.SIGALRM, lambda *_: _raise())
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    return Wait(50.0)


def _deaf():
    """Stop the interpreter's watchdog, and hang."""
    faulthandler.cancel_dump_traceback_later()
    _hang()


WRONG = {
    'cancelled': _raises(asyncio.CancelledError('the loop is gone')),
    'interrupted': _raises(KeyboardInterrupt()),
    'unspeakable': _raises(Unspeakable()),
    'unwritable': _raises(RuntimeError('half a \ud800 pair')),
    'deserts': _later(os._exit, 5),
    'crashes': _later(os.kill, os.getpid(), signal.SIGSEGV),
    'killed': _later(os.kill, os.getpid(), signal.SIGKILL),
    'rings': _ring,
    'deaf': _deaf,
    'raises': _raise,
    'exits': lambda: sys.exit(3),
    'hangs': _hang,
    'dies': lambda: os._exit(7),
    'nan': lambda: Joints((float('nan'),) * 7),
    'nan_pose': lambda: ToolPose(Pose((float('nan'), 0.0, 0.0))),
    'short': lambda: Joints((0.0,) * 3),
    'words': lambda: 'open the drawer',
    'typed': lambda: Grip('open'),
    'nothing': lambda: None,
    'stops': Stop,
}


class Moody(Policy):
    """Looks up, by the instruction, what it shall do wrong with its second answer."""

    def reset(self, context):
        self.mood = json.loads(Path(os.environ['MOODS']).read_text())[context.instruction]
        self.answers = 0

    def act(self, observation):
        self.answers += 1
        if self.answers == 1:
            return Wait(0.1)
        if self.mood == 'peeks':
            try:
                return Wait(float(observation.truth.seq))
            except Exception:  # noqa: BLE001 (it does as if nothing had happened)
                return Wait(0.1)
        return WRONG[self.mood]()


class Nods(Policy):
    """Moves the tool down and up again, then stops."""

    def reset(self, context):
        self.left = [-0.05, 0.05]

    def act(self, observation):
        return ToolPose(observation.tool.shifted((0.0, 0.0, self.left.pop()))) if self.left else Stop()


class Reaches(Policy):
    """Moves the tool far to one side and far to the other, to where a plan is made by chance, then stops."""

    def reset(self, context):
        self.left = [-0.3, 0.3]

    def act(self, observation):
        return ToolPose(Pose((0.45, self.left.pop(), 0.3), (1.0, 0.0, 0.0, 0.0))) if self.left else Stop()


class Looks(Policy):
    """Moves the tool to where the digest of what it sees says, twice, then stops: a pixel that differs leads elsewhere."""

    def reset(self, context):
        self.left = 2

    def act(self, observation):
        if not self.left:
            return Stop()
        self.left -= 1
        picture = observation.pictures['front']
        said = sha256(picture.color.tobytes() + picture.depth.tobytes() + picture.ids.tobytes()).digest()
        x, y, z = (byte / 2550 for byte in said[:3])
        return ToolPose(Pose((0.4 + x, y, 0.3 + z), (1.0, 0.0, 0.0, 0.0)))


class Fails(Policy):
    """Raises with its second answer."""

    def reset(self, context):
        self.asked = False

    def act(self, observation):
        if self.asked:
            _raise()
        self.asked = True
        return Wait(0.1)


class Picky(Policy):
    """Plays with cameras alone, and says so at its first or second answer."""

    def __init__(self, answers='0'):
        self.left = int(answers)

    def reset(self, context):
        pass

    def act(self, observation):
        if not self.left:
            raise ConfigError('Give me a camera.')
        self.left -= 1
        return Wait(0.1)


class Unmade(Policy):
    """Cannot be made."""

    def __init__(self):
        raise OSError('no weights')

    def reset(self, context): ...

    def act(self, observation): ...


class Leaves(Unmade):
    """Leaves the interpreter while it is made."""

    def __init__(self):
        sys.exit('no weights')


class NeverMade(Unmade):
    """Is never done with being made, and leaves a line in a file for each try."""

    def __init__(self):
        with Path(os.environ['TRIES']).open('a') as file:
            file.write('tried\n')
        _hang()


class Hangs(Policy):
    """Says where it is, and never answers."""

    def reset(self, context):
        Path(os.environ['TRIES']).write_text(str(os.getpid()))
        _hang()

    def act(self, observation): ...
