"""The actor node: executes each step through /arm/pick_place, enforces the rules of the loop, and stops the episode at its end."""

import sys
import time
from typing import Any

from vlm_bench_sim.core.codes import EpisodeState
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import message
from vlm_bench_sim.ros.fields import header
from vlm_bench_tasks.agents.roles import DONE, Problem, StepError
from vlm_bench_tasks.agents.steps import readings
from vlm_bench_tasks.agents.turns import STEPS, Awaited, Dialogue, Turns
from vlm_bench_tasks.nodes.agents.agent_messages import course_fields, deed_fields, read_report, read_step
from vlm_bench_tasks.nodes.agents.hands import Hands, When
from vlm_bench_tasks.nodes.agents.standstill import Standstill

PARAMETERS = {'steps': STEPS, 'answer_timeout': 30.0}
"""`steps`: largest number of steps. `answer_timeout`: wall-clock seconds; a later answer of planner or reporter counts as a bad one."""


class ActorNode:
    """Waits for reports and steps, with a timeout. It takes part in the barrier, so simulated time stands still meanwhile."""

    def __init__(self) -> None:
        self._node = BenchNode('actor_node', PARAMETERS)
        self._values = self._node.values
        self._deeds, self._courses = (self._node.publisher(row) for row in (names.AGENT_DEED, names.AGENT_COURSE))
        self._hands = Hands(self._node)
        self._stop = self._node.client(names.STOP_EPISODE)
        self._standstill = Standstill(self._node, 'actor_node', thinks=self._thinks)
        self._token, self._past = '', {''}
        self._reported = self._said = None  # type: Any
        self._turns, self._since, self._ended = Turns(Dialogue()), 0.0, (0, 0)
        self._node.subscribe(names.STATUS, self._on_status)
        self._node.subscribe(names.AGENT_REPORT, self._on_report)
        self._node.subscribe(names.AGENT_STEP, self._on_step)

    def spin_once(self) -> None:
        """Process callbacks, and count an overdue answer."""
        self._node.spin_once(0.1)
        self._standstill.turn()
        self._hands.turn()
        seconds = self._values['answer_timeout']
        if self._token and self._turns.answer_due and time.monotonic() - self._since > seconds:
            self._node.log.warning(f'No {self._turns.awaits.value} arrived within {seconds:g} s.')
            planner = self._turns.awaits is Awaited.STEP
            self._turns.late(seconds)
            self._went_on(deed=planner)

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_status(self, status: Any) -> None:
        if status.state == EpisodeState.RUNNING:
            self._begin(status.token)
        elif status.state == EpisodeState.ENDED and status.token == self._token:
            self._leave()

    def _begin(self, token: str) -> None:
        """Start an episode, at most once. Nothing else may start one, since a latched report may belong to a past episode."""
        if token not in self._past:
            self._past.add(token)
            self._token, self._ended = token, (0, 0)
            self._turns, self._since = Turns(Dialogue(), self._values['steps']), time.monotonic()
            self._hands.forget()
            self._take_report()

    def _leave(self) -> None:
        self._turns.end()
        self._tell_course(over=True)
        self._hands.forget()
        self._token = ''

    def _on_report(self, said: Any) -> None:
        self._reported = said  # the report may arrive before the status
        self._take_report()

    def _take_report(self) -> None:
        """Process the latest report if one is awaited."""
        if self._is_due(self._reported, Awaited.REPORT):
            self._turns.hear(read_report(self._reported))
            self._went_on()
            self._take_step()

    def _on_step(self, said: Any) -> None:
        self._said = said  # the step may arrive before the report that it answers
        self._take_step()

    def _take_step(self) -> None:
        """Execute the latest step if it answers the latest report."""
        if not self._is_due(self._said, Awaited.STEP):
            return
        step = self._turns.say(read_step(self._said))
        if step in ('', DONE):
            self._went_on(deed=not step)
        else:
            self._act(step)

    def _is_due(self, said: Any, awaited: Awaited) -> bool:
        here = (self._token, self._turns.number, self._turns.awaits)
        return said is not None and bool(self._token) and (said.token, said.number, awaited) == here

    def _thinks(self, token: str) -> bool:
        """Return whether an answer is awaited; this includes episodes that have not been announced yet."""
        return token not in self._past or (token == self._token and self._turns.answer_due)

    def _act(self, step: str) -> None:
        token = self._token
        try:
            readings(step)
        except StepError as error:
            self._did(token, error.problem)
            return
        self._hands.do(step, lambda problem, ended: self._did(token, problem, ended))
        self._standstill.proceed()

    def _did(self, token: str, problem: Problem | None, ended: When | None = None) -> None:
        if token == self._token:
            self._ended = ended or self._ended
            self._turns.did(problem)
            self._went_on(deed=True)

    def _went_on(self, *, deed: bool = False) -> None:
        """Publish what has happened, and stop the episode if nothing more is awaited."""
        self._since = time.monotonic()
        if deed:
            when = {'header': header(self._ended[1]), 'seq': self._ended[0]}
            self._deeds.publish(message(names.AGENT_DEED.type, when | deed_fields(self._token, self._turns)))
            return
        self._tell_course(over=self._turns.awaits is Awaited.NOTHING)
        if self._turns.awaits is Awaited.NOTHING:
            self._node.log.info(f'{len(self._turns.course.turns)} steps; {"done" if self._turns.course.done else "given up"}')
            self._node.call(self._stop, {'seq': self._ended[0]})
            self._standstill.proceed()

    def _tell_course(self, *, over: bool) -> None:
        self._courses.publish(message(names.AGENT_COURSE.type, course_fields(self._token, self._turns.course, over=over)))


def main() -> None:
    """Run the node."""
    sys.exit(run(ActorNode))


if __name__ == '__main__':
    main()
