"""What a person says on a page reaches the bench, once it knows who they are."""

import asyncio
import json
from concurrent.futures import Future

import pytest

from vlm_bench_sim.core.errors import CommandError
from vlm_bench_tasks.dashboard import answering, wire
from vlm_bench_tasks.dashboard.answering import Answering
from vlm_bench_tasks.dashboard.live import Live
from vlm_bench_tasks.dashboard.question import Question

CODE = 'ABCD-EFGH'


class Bench:
    """Asks question after question, and takes every `deaf`-th answer only."""

    def __init__(self, *questions, deaf=1):
        self.live, self.left, self.heard, self.deaf = Live(), list(questions), [], deaf
        self._next()

    def _next(self):
        if self.left:
            self.live.asked(self.left[0])

    def say(self, question, said, reason):
        self.heard.append((question, said, reason))
        if len(self.heard) % self.deaf == 0:
            self.live.withdrawn(question)
            self.left.pop(0)
            self._next()

    def prove(self, code):
        told = Future()
        told.set_result('' if code == CODE else 'This is not the code.')
        return told


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(answering, 'AGAIN_S', 0.05)


def ask(bench, do, **fields):
    request = wire.read(json.dumps({'id': 1, 'do': do, **fields}))
    return asyncio.run(Answering(bench.live, bench).answer(request))


def test_questions_are_answered_one_after_the_other():
    bench = Bench(
        Question(id='1', kind='lay_table', text='Is it done?', picture=b'jpeg'), Question(id='2', kind='judge', text='Is it true?')
    )
    assert ask(bench, 'show') == b'jpeg'
    assert ask(bench, 'answer', question='1', said='yes') == {}
    with pytest.raises(CommandError, match='no question with a picture'):
        ask(bench, 'show')
    assert ask(bench, 'answer', question='2', said='no', reason=' it lies\nbeside it ') == {}
    assert bench.heard == [('1', 'yes', ''), ('2', 'no', 'it lies beside it')]
    for gone in ('2', '3'):
        with pytest.raises(CommandError, match='does not ask this any more'):
            ask(bench, 'answer', question=gone, said='no')


def test_an_answer_that_is_lost_is_said_again_until_nobody_can_have_heard_it():
    bench = Bench(Question(id='1', kind='judge', text='Is it true?'), deaf=3)
    assert ask(bench, 'answer', question='1', said='unsure') == {}
    assert bench.heard == [('1', 'unsure', '')] * 3
    bench = Bench(Question(id='1', kind='judge', text='Is it true?'), deaf=1000)
    with pytest.raises(CommandError, match='has not taken the answer'):
        ask(bench, 'answer', question='1', said='unsure')


def test_who_is_not_known_enters_the_code_first():
    bench = Bench(Question(id='1', kind='judge', text='Is it true?', proven=False))
    with pytest.raises(CommandError, match='Enter the code'):
        ask(bench, 'answer', question='1', said='yes')
    with pytest.raises(CommandError, match='not the code'):
        ask(bench, 'prove', code='x')
    assert ask(bench, 'prove', code=CODE) == {} and not bench.heard


def test_one_answer_counts_and_who_was_late_is_told(monkeypatch):
    monkeypatch.setattr(answering, 'AGAIN_S', 60.0)
    bench = Bench(Question(id='1', kind='judge', text='Is it true?'), deaf=1000)
    desk = Answering(bench.live, bench)

    def said(what):
        return desk.answer(wire.read(json.dumps({'id': 1, 'do': 'answer', 'question': '1', 'said': what})))

    async def run():
        first = asyncio.create_task(said('yes'))
        await asyncio.sleep(0.01)
        with pytest.raises(CommandError, match='Somebody else'):
            await said('no')
        first.cancel()  # its page is closed
        await asyncio.wait({first})
        bench.deaf = 1
        assert await said('unsure') == {}

    asyncio.run(run())
    assert [what for _, what, _ in bench.heard] == ['yes', 'unsure']
