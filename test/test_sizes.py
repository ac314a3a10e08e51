"""Sizes of pictures as text."""

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.sizes import SIZE, read_size


def test_a_size_is_two_numbers_of_pixels():
    assert read_size('640x480') == (640, 480)
    assert read_size(SIZE) == (SETTINGS['width'].default, SETTINGS['height'].default)
    for wrong in ('640', '640x', 'x480', '640x480x3', '0x480', '-640x480', '640.5x480', '99999x480', '٣x٤', ''):
        with pytest.raises(ConfigError, match='such as 640x480'):
            read_size(wrong)
