"""A person on the other side of a topic: asks one question at a time and waits for its answer."""

import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum
from secrets import token_hex
from typing import Any

from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message


class QuestionKind(IntEnum):
    """The numbers of vlm_bench_msgs/Question."""

    LAY_TABLE = 1
    JUDGE = 2


class Said(IntEnum):
    """The numbers of vlm_bench_msgs/Answer, and 0 if the person did not answer in time."""

    NOTHING = 0
    YES = 1
    NO = 2
    UNSURE = 3


Heard = Callable[[Said, str], None]


@dataclass(frozen=True)
class Question:
    """A question to a person: its episode, subject, words and optional jpeg."""

    token: str
    kind: QuestionKind
    _: KW_ONLY
    text: str
    picture: bytes = b''


class Person:
    """Asks on /person/question and receives answers on /person/answer.

    Args:
        node: the node that asks.
        patience: wall-clock seconds to wait for an answer.
    """

    def __init__(self, node: BenchNode, *, patience: float) -> None:
        self._patience = patience
        self._publisher = node.publisher(names.QUESTION)
        node.subscribe(names.ANSWER, self._on_answer)
        self._open: Question | None = None
        self._heard: Heard = lambda *_: None
        self._id, self._deadline = '', 0.0

    def ask(self, question: Question, heard: Heard) -> None:
        """Ask, and replace the previous question; `heard` receives the answer and the reason, or NOTHING after the timeout."""
        self._open, self._heard, self._id = question, heard, token_hex(8)
        self._deadline = time.monotonic() + self._patience
        self._say(question, is_open=True)

    def show(self, picture: bytes) -> None:
        """Show the open question with another picture (jpeg)."""
        if self._open is not None:
            self._open = Question(self._open.token, self._open.kind, text=self._open.text, picture=picture)
            self._say(self._open, is_open=True)

    def withdraw(self) -> None:
        """Announce that the answer is no longer needed."""
        question, self._open = self._open, None
        if question is not None:
            self._say(question, is_open=False)

    def turn(self) -> None:
        """Apply the timeout. Call it regularly."""
        if self._open is not None and time.monotonic() > self._deadline:
            self._end(Said.NOTHING, '')

    def _on_answer(self, answer: Any) -> None:
        if self._open is not None and answer.id == self._id and answer.answer in list(Said)[1:]:
            self._end(Said(answer.answer), answer.reason)

    def _end(self, said: Said, reason: str) -> None:
        self.withdraw()
        self._heard(said, reason)

    def _say(self, question: Question, *, is_open: bool) -> None:
        content: fields.Fields = {
            'header': fields.header(time.time_ns()), 'token': question.token, 'id': self._id, 'kind': int(question.kind),
            'open': is_open, 'text': question.text,
        }  # fmt: skip
        if question.picture:
            content['picture'] = {'header': fields.header(time.time_ns()), 'format': 'jpeg', 'data': question.picture}
        self._publisher.publish(message(names.QUESTION.type, content))
