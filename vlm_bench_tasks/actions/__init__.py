"""Actions as rows of numbers, one a control period: the spaces in which policies learn and act, by every route."""

from vlm_bench_tasks.actions.decoding import Decoder
from vlm_bench_tasks.actions.spaces import SPACES, ActionSpace, action_space

__all__ = ['SPACES', 'ActionSpace', 'Decoder', 'action_space']
