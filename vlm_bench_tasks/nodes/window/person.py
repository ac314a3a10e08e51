"""Hears what the bench asks its person, and speaks for them."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from rclpy.serialization import deserialize_message

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.person import QuestionKind, Said
from vlm_bench_sim.ros import keyring, names
from vlm_bench_sim.ros.convert import interface, message
from vlm_bench_sim.ros.signature import NONE, Verifier
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.question import Question
from vlm_bench_tasks.nodes.window.camera_ears import MOST_PICTURE_BYTES

MOST_TEXT = 20_000
"""Characters of a question that are shown."""


class WindowPerson:
    """Puts the open question before the pages, and answers from any thread; everything is sent in the node's.

    A window that was started with its bench holds the bench's key. Any other needs the code of the person, once.

    Args:
        node: hears and sends.
        live: keeps the question.
        signs: returns whether the bench signs what it says, as far as is known.
    """

    def __init__(self, node: BenchNode, live: Live, *, signs: Callable[[], bool]) -> None:
        self._node, self._live, self._signs = node, live, signs
        self._verifier: Verifier | None = None
        self._newest = b''
        self._answers = node.publisher(names.ANSWER)
        node.subscribe(names.QUESTION, self._take, raw=True)

    def turn(self) -> None:
        """Forget a question that nobody asks any more; call it regularly."""
        question = self._live.question
        if question is not None and not self._node.is_told(names.QUESTION):
            self._live.withdrawn(question.id)

    def say(self, question: str, said: str, reason: str) -> None:
        """Answer a question, by its id."""
        content = {'id': question, 'answer': int(Said[said.upper()]), 'reason': reason}
        self._node.on_spin(lambda: self._answers.publish(message(names.ANSWER.type, content)))

    def prove(self, code: str) -> 'Future[str]':
        """Answer from now on as who knows this code; the future holds the text of an error, or ''."""
        return self._node.on_spin(lambda: self._proven(code))

    def _proven(self, code: str) -> str:
        if self._node.signed:
            return ''
        try:
            verifier = Verifier(keyring.read_code(code), names.QUESTION.name)
        except ConfigError as error:
            return str(error)
        if verifier.end(self._newest) < 0:
            return 'This is not the code of the bench that asks. `vlm-bench real` has printed it.'
        keyring.take_code(code)
        self._verifier, self._answers = verifier, self._node.publisher(names.ANSWER)
        self._told(self._newest, proven=True)
        return ''

    def _take(self, data: bytes) -> None:
        genuine = self._node.signed or (self._verifier is not None and self._verifier.end(data) >= 0)
        if self._verifier is not None and not genuine and self._live.question is not None and self._live.question.proven:
            return  # nobody else speaks while the bench asks
        self._newest = data
        self._told(data, proven=genuine)

    def _told(self, data: bytes, *, proven: bool) -> None:
        try:
            asked: Any = deserialize_message(data, interface(names.QUESTION.type))
            kind = QuestionKind(asked.kind).name.lower()
        except (RuntimeError, ValueError) as error:  # another version, or a forger
            self._node.log.warning(f'What the bench asks cannot be shown: {error!r:.300}', throttle_duration_sec=10.0)
            return
        if self._verifier is None:
            proven = proven or (bytes(asked.signature) == NONE and not self._signs())
        if not asked.open:
            if proven or self._verifier is None:
                self._live.withdrawn(asked.id)
            return
        picture = bytes(asked.picture.data)
        shown = picture if len(picture) <= MOST_PICTURE_BYTES else b''
        self._live.asked(Question(id=asked.id, kind=kind, text=asked.text[:MOST_TEXT], picture=shown, proven=proven))
