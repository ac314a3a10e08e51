"""Answering: what the bench asks a person on a real arm, and what they say on a page."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Protocol

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks.dashboard.asking import Answer, Judge, Prove
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.waiting import done, newer

AGAIN_S, TIMES = 1.0, 10
"""An answer is said again after so long, wall-clock s, and at most so often: the bench takes the first."""


class Mouth(Protocol):
    """What speaks for the person."""

    def say(self, question: str, said: str, reason: str) -> None:
        """Answer a question, by its id."""

    def prove(self, code: str) -> 'Future[str]':
        """Answer from now on as who knows this code; the future holds the text of an error, or ''."""


class Answering:
    """Answers the open question for a page.

    Args:
        live: what the bench says.
        mouth: speaks for the person.
    """

    def __init__(self, live: Live, mouth: Mouth) -> None:
        self._live, self._mouth = live, mouth
        self._answered = ''  # id of the question that somebody answers

    async def answer(self, ask: Judge) -> Mapping[str, Any] | bytes:
        """Answer a page.

        Raises:
            CommandError: nothing is asked any more, the bench does not know who answers, or it does not take the answer.
        """
        if isinstance(ask, Answer):
            await self._said(ask)
            return {}
        if isinstance(ask, Prove):
            return await done(self._mouth.prove(ask.code))
        if (question := self._live.question) is None or not question.picture:
            raise CommandError('There is no question with a picture now.')
        return question.picture

    async def _said(self, ask: Answer) -> None:
        question = self._live.question
        if question is None or question.id != ask.question:
            raise CommandError('The bench does not ask this any more.')
        if not question.proven:
            raise CommandError('The bench wants to know who answers. Enter the code that it printed at its start.')
        if self._answered == ask.question:
            raise CommandError('Somebody else has answered this.')
        self._answered = ask.question
        try:
            for _ in range(TIMES):
                self._mouth.say(ask.question, ask.said, ' '.join(ask.reason.split()))
                await newer(lambda: not self._open(ask.question), seconds=AGAIN_S)
                if not self._open(ask.question):
                    return
        finally:  # also if the page is closed meanwhile
            self._answered = ''
        raise CommandError(f'The bench has not taken the answer for {AGAIN_S * TIMES:g} s. Does it run?')

    def _open(self, question: str) -> bool:
        return self._live.question is not None and self._live.question.id == question
