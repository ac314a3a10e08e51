"""Without the generated messages the error is the line that builds them."""

import sys

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros.convert import interface


def test_importing_without_our_messages_says_how_to_build_them(monkeypatch):
    for name in [m for m in sys.modules if m.split('.')[0] == 'vlm_bench_msgs']:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, 'vlm_bench_msgs', None)
    interface.cache_clear()
    with pytest.raises(ConfigError, match='--base-paths src src/vlm_bench/vlm_bench_msgs'):
        interface('vlm_bench_msgs/msg/Tick')
