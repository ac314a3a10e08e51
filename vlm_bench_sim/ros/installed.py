"""Whether ROS 2 is there: what pip installs of this project needs none, and holds commands that do."""

import sys
from importlib.util import find_spec

from vlm_bench_sim.core.errors import ConfigError

_NEEDED = ('rclpy', 'vlm_bench_msgs.msg')


def check() -> None:
    """Check that Python finds ROS 2 and the project's interfaces; nothing is imported.

    Raises:
        ConfigError: one of them is missing.
    """
    missing = [name.partition('.')[0] for name in _NEEDED if not _is_found(name)]
    if missing:
        raise ConfigError(
            f'This command speaks over ROS 2, and {sys.executable} finds no {" and no ".join(missing)}. Run make setup in a clone and use '
            'its .venv/bin/vlm-bench, or source a ROS 2 workspace with this project. Without ROS there are run, evaluate and Gymnasium.'
        )


def _is_found(name: str) -> bool:
    try:
        spec = find_spec(name)
    except ImportError:
        return False
    return spec is not None and spec.origin is not None  # a mere folder of that name, as in the clone, has no origin
