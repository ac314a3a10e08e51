"""Actions as rows of numbers, one per control period: the action spaces of all interfaces in which policies learn and act."""

from vlm_bench_tasks.actions.decoding import Decoder
from vlm_bench_tasks.actions.spaces import SPACES, ActionSpace, action_space

__all__ = ['SPACES', 'ActionSpace', 'Decoder', 'action_space']
