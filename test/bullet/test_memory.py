"""A bench that is reset again and again does not grow."""

import pytest

from test.benchmark.physics import resets_in_memory


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_hundred_resets_leave_no_memory_behind():
    before, after = resets_in_memory(20, 200)
    assert after < 1.05 * before
