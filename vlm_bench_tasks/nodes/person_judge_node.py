"""The observer for real robots without tracking: after the episode a person answers whether each clause of the goal holds."""

import sys
from typing import Any

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.person import Person, Question, QuestionKind, Said
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.ros import names
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.person_judge import answer_text, questions

PARAMETERS = {'patience': 300.0}
"""`patience`: timeout for each answer, wall-clock s."""
WORDS = {Said.YES: 'yes', Said.NO: 'no', Said.UNSURE: 'unsure'}


class PersonJudgeNode:
    """Waits for a running report with a cause. The robot is then done, and a person decides the verdict."""

    def __init__(self) -> None:
        self._node = BenchNode('person_judge_node', PARAMETERS)
        self._patience = self._node.values['patience']
        self._person, self._events = Person(self._node, patience=self._patience), Events(self._node, 'person_judge_node')
        self._token, self._seq, self._asking = '', 0, False
        self._left: list[str] = []
        self._count = 0
        self._node.subscribe(names.EPISODE_TRUTH, self._on_episode)
        self._node.subscribe(names.RUNNING_REPORT, self._on_running)
        self._node.subscribe(names.REPORT, self._on_report)

    def spin_once(self) -> None:
        """Process callbacks."""
        self._node.spin_once(0.1)
        self._person.turn()

    def close(self) -> None:
        """Destroy the node."""
        self._person.withdraw()
        self._node.close()

    def _on_episode(self, truth: Any) -> None:
        try:
            asked = questions(Episode.from_json(truth.episode).goal)
        except VlmBenchError as error:
            self._node.log.error(f'The person is not asked about an episode that cannot be judged: {error}')
            return
        self._person.withdraw()
        self._token, self._asking = truth.token, False
        self._left, self._count = list(asked), len(asked)

    def _on_running(self, report: Any) -> None:
        if report.token == self._token and not self._asking and report.verdict == Verdict.RUNNING.code and report.causes:
            self._asking, self._seq = True, report.seq
            self._ask()

    def _ask(self) -> None:
        if self._left:
            text = f'Is it true: {self._left[0]}? ({self._count - len(self._left) + 1} of {self._count})'
            self._person.ask(Question(self._token, QuestionKind.JUDGE, text=text), self._heard)

    def _heard(self, said: Said, reason: str) -> None:
        clause = self._left.pop(0)
        if said is Said.NOTHING:
            cause = f'the person did not say within {self._patience:g} s whether {clause}'
            self._events.tell(EventKind.FAULT, cause, token=self._token, seq=self._seq)
            return
        self._events.tell(EventKind.ANSWER, answer_text(WORDS[said], clause, reason), token=self._token, seq=self._seq)
        self._ask()

    def _on_report(self, report: Any) -> None:
        if report.token == self._token:
            self._left = []
            self._person.withdraw()


def main() -> None:
    """Run the node."""
    sys.exit(run(PersonJudgeNode))


if __name__ == '__main__':
    main()
