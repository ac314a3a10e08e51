"""Additions to rosetta for config/rosetta.yaml: the bridge calls these functions with its own arguments."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.ros.convert import message
from vlm_bench_sim.ros.fields import header, vector
from vlm_bench_sim.ros.names import DELTA_TWIST

WORLD = 'world'


def encode_twist(values: Sequence[float] | npt.NDArray[Any], spec: Any, stamp_ns: int | None = None) -> Any:
    """Return six numbers, m/s and rad/s, as a twist along the world's axes; the bench rejects a twist with an empty frame."""
    numbers = np.asarray(values, float).reshape(-1).tolist()
    twist = {'linear': vector(numbers[:3]), 'angular': vector(numbers[3:])}
    return message(DELTA_TWIST.type, {'header': header(stamp_ns or 0, WORLD), 'twist': twist})


def decode_reward(report: Any, spec: Any) -> npt.NDArray[np.float64]:
    """Return the dense reward of vlm_bench_msgs/Report, 0…1."""
    return np.array([report.reward], np.float64)


def decode_success(report: Any, spec: Any) -> npt.NDArray[np.bool_]:
    """Return whether a vlm_bench_msgs/Report is a success."""
    return np.array([report.verdict == Verdict.SUCCESS.code], np.bool_)
