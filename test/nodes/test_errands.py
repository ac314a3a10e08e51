"""What another thread wants done is done by who spins, in its order, and wakes a node that sleeps."""

import time
from threading import Thread, get_ident

import pytest

pytest.importorskip('rclpy')

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

from vlm_bench_sim.nodes.base.errands import Errands


@pytest.fixture
def spun(domains):
    context = Context()
    rclpy.init(context=context, domain_id=domains())
    node = rclpy.create_node('errands', context=context, enable_rosout=False, start_parameter_services=False)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    yield Errands(node), executor
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()


def test_an_errand_wakes_who_spins_and_runs_there(spun):
    errands, executor = spun
    ran, answers = [], []

    def errand():
        ran.append(get_ident())
        return 'done'

    other = Thread(target=lambda: (time.sleep(0.3), answers.append(errands.add(errand).result(20.0))))
    began = time.monotonic()
    other.start()
    while not ran and time.monotonic() < began + 20.0:
        executor.spin_once(timeout_sec=20.0)
    other.join(20.0)
    assert (ran, answers) == ([get_ident()], ['done'])
    assert time.monotonic() < began + 15.0, 'it did not sleep to the end'


def test_what_an_errand_raises_is_told_to_both(spun):
    errands, _ = spun
    first, second = errands.add(lambda: 1 / 0), errands.add(lambda: 2)
    with pytest.raises(ZeroDivisionError):
        errands.run()
    assert isinstance(first.exception(0), ZeroDivisionError) and not second.done()
    errands.run()
    assert second.result(0) == 2


def test_an_errand_that_is_canceled_before_its_turn_is_not_run_and_stops_nobody(spun):
    errands, executor = spun
    ran = []
    errands.add(lambda: ran.append('canceled')).cancel()
    errands.add(lambda: ran.append('wanted'))
    executor.spin_once(timeout_sec=5.0)
    assert ran == ['wanted']
