"""Domains are lent empty and taken back empty."""

import os
import subprocess
import sys
from contextlib import ExitStack

import pytest

rclpy = pytest.importorskip('rclpy')

import lending  # noqa: E402
from rclpy.context import Context  # noqa: E402

from vlm_bench_sim.nodes.base import shared_memory  # noqa: E402

pytestmark = pytest.mark.ros
STAYS = 'import rclpy, sys; rclpy.init(); node = rclpy.create_node("stays"); print("there", flush=True); sys.stdin.read()'


@pytest.fixture
def domain(domains):
    """A domain that is ours; the tests lend it on by themselves."""
    return domains()


@pytest.fixture
def lender(domain, tmp_path, monkeypatch):
    """Lends that domain alone, with locks of its own."""
    monkeypatch.setattr(lending, 'LEAVE_S', 0.0)
    monkeypatch.setattr(lending, 'PATIENCE_S', 1.0)
    return lending.Lending([], [domain], tmp_path)


class Bench:
    """Somebody in a domain."""

    def __init__(self, domain):
        self.domain, self.context = domain, Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node('stays', context=self.context, enable_rosout=False)

    def stop(self):
        self.node.destroy_node()
        self.context.try_shutdown()


def test_a_bench_that_a_test_left_ends_before_its_domain_is_lent_again(domain, tmp_path):
    benches = []
    lender = lending.Lending(benches, [domain], tmp_path)
    with lender() as lend:
        benches.append(Bench(lend()))
        assert shared_memory.tenants(domain) == {os.getpid()}
    assert not benches
    assert shared_memory.tenants(domain) == set()
    with lender() as lend:
        assert lend() == domain


def test_who_stays_in_a_domain_fails_the_test_that_was_lent_it(lender, domain):
    with ExitStack() as after:
        with pytest.raises(pytest.fail.Exception, match=f'still in ROS domains: {{{domain}: {{.this one'), lender() as lend:
            after.callback(Bench(lend()).stop)
        with pytest.raises(pytest.fail.Exception, match='Somebody is in every ROS domain'), lender() as lend:
            lend()


def test_of_a_domain_that_somebody_is_in_no_port_is_removed(domain):
    command, there = [sys.executable, '-c', STAYS], dict(os.environ, ROS_DOMAIN_ID=str(domain))
    with subprocess.Popen(command, env=there, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == 'there\n'
        assert shared_memory.tenants(domain) == {process.pid}
        assert shared_memory.clean_domain(domain) == 0
        process.kill()
    assert shared_memory.tenants(domain) == set()
    assert shared_memory.clean_domain(domain) > 0
