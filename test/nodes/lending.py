"""Lends ROS domains to tests, and takes them back empty: who stays in one would meet the bench that is started there next."""

import fcntl
import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from vlm_bench_sim.nodes.base import shared_memory

DOMAINS = range(10, 100, 2)
PATIENCE_S = 60.0
LEAVE_S = 10.0


class Lending:
    """Hands out even ROS domains that nobody uses; the odd one above belongs to it.

    The one that has rested longest comes first: for some twenty seconds DDS takes a process that was killed for alive.

    Args:
        benches: that tests have started and not ended; those in a domain that is taken back are.
        domains: that there are.
        folder: of the files by which test processes know what others have been lent.
    """

    def __init__(self, benches, domains=DOMAINS, folder=None):
        self._benches, self._domains, self._folder = benches, domains, folder or Path(tempfile.gettempdir())

    @contextmanager
    def __call__(self):
        """Lend as many as are asked for."""
        lent = {}

        def lend():
            domain, lock = self._free()
            lent[domain] = lock
            return domain

        try:
            yield lend
        finally:
            try:
                self._vacate(lent)
            finally:
                for domain, lock in lent.items():
                    self._path(domain).touch()
                    lock.close()

    def _free(self):
        shared_memory.clean()
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            for domain in sorted(self._domains, key=lambda domain: self._path(domain).stat().st_mtime):
                lock = self._path(domain).open('a')
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    lock.close()
                    continue
                if not _who_is_in(domain):
                    for one in (domain, domain + 1):
                        shared_memory.clean_domain(one)
                    return domain, lock
                lock.close()
            time.sleep(1.0)
        pytest.fail(f'Somebody is in every ROS domain of {list(self._domains)}.')

    def _vacate(self, lent):
        """End the benches in these domains, and fail if somebody else stays there."""
        for bench in [bench for bench in self._benches if bench.domain in lent]:
            self._benches.remove(bench)
            bench.stop()
        end = time.monotonic() + LEAVE_S
        while (staying := {domain: who for domain in lent if (who := _who_is_in(domain))}) and time.monotonic() < end:
            time.sleep(0.05)
        if staying:
            pytest.fail(f'After the tests that were lent them, processes are still in ROS domains: {staying}. End or close them there.')

    def _path(self, domain):
        path = self._folder / f'vlm_bench_test_domain_{domain}'
        if not path.exists():
            path.touch()
            os.utime(path, (0, 0))
        return path


def _who_is_in(domain):
    """The processes in a domain and in the one above."""
    there = shared_memory.tenants(domain) | shared_memory.tenants(domain + 1)
    return {'this one' if pid == os.getpid() else pid for pid in there}
