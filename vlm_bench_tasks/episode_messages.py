"""Fields of the messages that describe an episode, for the task node and for bags of episodes in one process."""

from collections.abc import Iterable
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.prompts import PromptImage
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.ros.prompts import prompt_fields
from vlm_bench_tasks.episode import Episode


def truth_fields(episode: Episode, token: str, judged_by: str = '') -> dict[str, Any]:
    """Return the fields of EpisodeTruth."""
    own = {'seed': episode.seed, 'episode': codec.dumps(episode), 'instruction': episode.instruction.text, 'judged_by': judged_by}
    return _common(episode, token) | own


def episode_fields(episode: Episode, token: str, robot: str) -> dict[str, Any]:
    """Return the fields of Episode."""
    steps = episode.step_limit or round(episode.horizon * CONTROL_HZ)
    own = {'revision': episode.revision, 'robot': robot, 'prompt': episode.prompt, 'time_limit': episode.horizon, 'step_limit': steps}
    return _common(episode, token) | own


def instruction_fields(episode: Episode, token: str, images: Iterable[PromptImage] = ()) -> dict[str, Any]:
    """Return the fields of Instruction, with its pictures as they were drawn."""
    told = episode.instruction
    return {'token': token, 'text': told.text, 'paraphrases': list(told.paraphrases)} | prompt_fields(images)


def _common(episode: Episode, token: str) -> dict[str, Any]:
    return {'token': token, 'task': episode.task, 'axis': episode.axis, 'split': episode.split}
