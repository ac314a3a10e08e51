"""What nodes are told about the object tracker around a real arm."""

from collections.abc import Mapping
from typing import Any

from vlm_bench_sim.core.pose_tracker import Accuracy

TRACKER = {'tracker_accuracy': 0.001, 'tracker_accuracy_angle': 0.01}
"""Parameters: standard deviations of the tracker's errors, of each coordinate in m and about each axis in rad; 0: exact."""


def accuracy(values: Mapping[str, Any]) -> Accuracy:
    """Return the accuracy that parameters give.

    Raises:
        ConfigError: one is negative or not a number.
    """
    return Accuracy(values['tracker_accuracy'], values['tracker_accuracy_angle'])
