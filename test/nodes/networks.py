"""Two networks of their own, with a cable between them that may lose what it carries."""

import fcntl
import os
import random
import select
import shutil
import struct
import subprocess
import threading
import time
import uuid
from contextlib import contextmanager

CAN = os.geteuid() == 0 and shutil.which('ip') is not None and os.path.exists('/dev/net/tun')
NEEDS = 'a network of its own takes root, the command ip and /dev/net/tun'
CABLE = 'cable'
_TUNSETIFF, _TAP_WITHOUT_HEADER = 0x400454CA, 0x1002  # of linux/if_tun.h
_FRAME = 65_536


class Cable:
    """Carries Ethernet frames between two devices, and loses some: this kernel need have no netem.

    Args:
        loss: share of the frames that are lost, by chance that is the same each time.
    """

    def __init__(self, ends, loss):
        self.loss, self.carried, self.lost = loss, 0, 0
        self._ends, self._rng, self._over = ends, random.Random(0), False
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    def close(self):
        self._over = True
        self._thread.join()

    def _carry(self):
        there = dict(zip(self._ends, reversed(self._ends), strict=True))
        while not self._over:
            for end in select.select(self._ends, [], [], 0.2)[0]:
                frame = os.read(end, _FRAME)
                self.carried += 1
                if self._rng.random() < self.loss:
                    self.lost += 1
                else:
                    os.write(there[end], frame)


@contextmanager
def networks(loss=0.0):
    """Make two networks that reach nobody but one another; yields their names and the cable between them."""
    mark = uuid.uuid4().hex[:6]
    made, devices, ends = [f'bench_{mark}', f'policy_{mark}'], [f'a_{mark}', f'b_{mark}'], []
    try:
        for i, (name, device) in enumerate(zip(made, devices, strict=True), 1):
            _ip('netns', 'add', name)
            ends.append(_tap(device))
            _ip('link', 'set', device, 'netns', name)
            _ip('-n', name, 'link', 'set', device, 'name', CABLE)
            _ip('-n', name, 'addr', 'add', f'10.77.0.{i}/24', 'dev', CABLE)
            for link in ('lo', CABLE):
                _ip('-n', name, 'link', 'set', link, 'up')
        cable, deadline = Cable(ends, loss), time.monotonic() + 30.0
        try:
            while not all('LOWER_UP' in _ip('-n', name, 'link', 'show', CABLE) for name in made):  # DDS looks for links as it begins
                assert time.monotonic() < deadline, 'the cable does not come up'
                time.sleep(0.1)
            yield (*made, cable)
        finally:
            cable.close()
    finally:
        for end in ends:
            os.close(end)
        for name in made:
            subprocess.run(['ip', 'netns', 'del', name], check=False, capture_output=True)


def inside(network, words):
    """The command that runs another in a network, with shared memory of its own."""
    return ['ip', 'netns', 'exec', network, 'sh', '-c', 'mount -t tmpfs tmpfs /dev/shm && exec "$@"', 'sh', *words]


def _ip(*words):
    return subprocess.run(['ip', *words], check=True, capture_output=True, text=True).stdout


def _tap(name):
    """Make a network device whose frames are read and written here."""
    end = os.open('/dev/net/tun', os.O_RDWR | os.O_CLOEXEC)
    fcntl.ioctl(end, _TUNSETIFF, struct.pack('16sH22x', name.encode(), _TAP_WITHOUT_HEADER))
    return end
