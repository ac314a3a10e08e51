"""Loads a scene, through the simulator or a person, and retries while nodes of the bench are still missing.

The pictures of the instruction are drawn before.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future
from secrets import token_hex
from typing import Any

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import INCORRECT_STATE, OK
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.lent import NOTHING, Lent
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.nodes.episodes.prompt_client import PromptClient
from vlm_bench_tasks.nodes.episodes.start_codes import BENCH_NOT_READY, INVALID_PROMPT, STAGE_FAILED

PENDING = 102  # of vlm_bench_msgs/LoadScene
RETRY_S = 0.2

Done = Callable[[int, str], None]


class SceneLoader:
    """Loads one scene at a time.

    Args:
        node: the task node.
        participants: nodes that must have joined before an episode may start.
        patience: timeout for these nodes, and for a response from the simulator, the person or picture_node, wall-clock s.

    Attributes:
        shown: the fields `pictures` and `roles` of the newest instruction.
    """

    def __init__(self, node: BenchNode, *, participants: list[str], patience: float) -> None:
        self._node, self._participants, self._patience = node, participants, patience
        self._client, self._prompts = node.client(names.LOAD_SCENE), PromptClient(node, patience)
        self.shown: fields.Fields = {}
        self._done: Done | None = None
        self._content: fields.Fields = {}
        self._call: Future[Any] = Future()
        self._token, self._text = '', ''
        self._deadline = self._retry_at = 0.0

    def set(self, episode: Episode, done: Done, lends: Callable[[], Lent]) -> None:
        """Load an episode's scene; `done` is called with the code of StartEpisode, and with the token or an error message."""
        try:
            given = lends()
        except VlmBenchError as error:
            done(STAGE_FAILED, f'The expert cannot play the episode for the aids of the policy: {error}')
            return
        self._done, self._content = done, {
            'scene': codec.dumps(episode.scene), 'participants': self._participants,
            'perturbation': codec.dumps(episode.perturbation), 'noise_seed': episode.seeded_perturbation.seed,
            'lent': codec.dumps(given) if given != NOTHING else '',
        }  # fmt: skip
        self._prompts.draw(episode.instruction.pictures, self._drawn)

    def _drawn(self, shown: fields.Fields, problem: str) -> None:
        if problem:
            self._end(INVALID_PROMPT, problem)
            return
        self.shown, self._deadline = shown, time.monotonic() + self._patience
        self._text = f'The scene was not laid out within {self._patience:g} s. Is sim_node (on a real arm: person_stage_node) running?'
        self._token = token_hex(8)
        self._ask()

    def turn(self) -> None:
        """Retry if it is time; call it regularly."""
        self._prompts.turn()
        if self._done is None or self._prompts.waits:
            return
        if time.monotonic() > self._deadline:
            self._end(BENCH_NOT_READY, self._text)
        elif 0 < self._retry_at < time.monotonic():
            self._ask()

    def _ask(self) -> None:
        self._retry_at = 0.0
        self._call = self._node.call(self._client, self._content | {'token': self._token})
        self._call.add_done_callback(self._answered)

    def _answered(self, answer: 'Future[Any]') -> None:
        if answer.cancelled():
            return
        result = answer.result().result
        if result.result == OK:
            self._end(OK, self._token)
        elif result.result == INCORRECT_STATE:
            self._token = token_hex(8)
            self._text, self._retry_at = result.error_message, time.monotonic() + RETRY_S
        elif result.result == PENDING:  # a person is laying out the scene, which may take any time
            self._deadline, self._retry_at = time.monotonic() + self._patience, time.monotonic() + RETRY_S
        else:
            self._end(STAGE_FAILED, result.error_message)

    def _end(self, code: int, text: str) -> None:
        done, self._done = self._done, None
        self._call.cancel()  # a simulator that starts too late must not receive the request
        if done is not None:
            done(code, text)
