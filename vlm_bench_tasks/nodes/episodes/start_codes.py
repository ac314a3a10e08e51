"""The codes with which StartEpisode answers, and which error has which."""

from vlm_bench_sim.core.codes import FEATURE_UNSUPPORTED
from vlm_bench_sim.core.errors import AxisError, NeedError, NoRoomError, PerturbationError, PromptError, SceneError, SplitError, TaskError

UNKNOWN_TASK, UNKNOWN_SPLIT, UNKNOWN_AXIS = 101, 102, 103
STAGE_FAILED, BENCH_NOT_READY, INVALID_PERTURBATION, INVALID_PROMPT = 104, 105, 106, 107
CODES = {
    TaskError: UNKNOWN_TASK, SplitError: UNKNOWN_SPLIT, AxisError: UNKNOWN_AXIS, NeedError: FEATURE_UNSUPPORTED, SceneError: STAGE_FAILED,
    NoRoomError: STAGE_FAILED, PerturbationError: INVALID_PERTURBATION, PromptError: INVALID_PROMPT,
}  # fmt: skip
"""The answers by type of error; all others mean that the operation failed."""
