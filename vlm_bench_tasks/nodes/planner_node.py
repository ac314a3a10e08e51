"""A planner node. It subscribes only to the instruction and the reports, and publishes one step after each report."""

import sys
from typing import Any

from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks.agents.chat import Endpoint
from vlm_bench_tasks.agents.examples import examples
from vlm_bench_tasks.agents.models import LLM, LanguagePlanner
from vlm_bench_tasks.agents.roles import Planner, Problem, StepReport, unread
from vlm_bench_tasks.agents.rule_planner import RulePlanner
from vlm_bench_tasks.nodes.acting.thinking import think
from vlm_bench_tasks.nodes.agents.agent_messages import read_report, step_fields

PLANNERS = ('rules', 'chat')


def planner_of(name: str, shown: str = '') -> Planner:
    """Return the planner of that name. The model of `chat` is set by the environment, and gets worked examples of the task `shown`.

    Raises:
        ConfigError: the planner does not exist, or no model is set.
    """
    if name not in PLANNERS:
        raise ConfigError(f'There is no planner {name!r}. {near(name, PLANNERS)}')
    if name == 'rules':
        return RulePlanner()
    return LanguagePlanner(Endpoint.from_environment(LLM), [example.as_plan() for example in examples(shown)])


class PlannerNode:
    """Answers each report once, in a thread, since a model may be slow. A newer report does not wait for the older answer."""

    def __init__(self) -> None:
        self._node = BenchNode('planner_node', {'planner': 'rules', 'examples': ''})
        self._planner = planner_of(self._node.values['planner'], self._node.values['examples'])
        self._token, self._instruction = '', ''
        self._reports: dict[str, dict[int, StepReport]] = {}
        self._asked = ('', -1)
        self._steps = self._node.publisher(names.AGENT_STEP)
        self._node.subscribe(names.INSTRUCTION, self._on_instruction)
        self._node.subscribe(names.AGENT_REPORT, self._on_report)

    def spin_once(self) -> None:
        """Process callbacks."""
        self._node.spin_once(0.1)

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_instruction(self, instruction: Any) -> None:
        self._token, self._instruction = instruction.token, instruction.text
        self._reports = {token: reports for token, reports in self._reports.items() if token == self._token}
        self._plan()

    def _on_report(self, said: Any) -> None:
        answer = read_report(said)
        told = StepReport() if isinstance(answer, Problem) else answer
        self._reports.setdefault(said.token, {})[int(said.number)] = told  # a report may arrive before the instruction
        self._plan()

    def _plan(self) -> None:
        """Plan once after the newest report; an earlier report that never arrived counts as empty."""
        reports = self._reports.get(self._token, {})
        newest = max(reports, default=-1)
        asked, instruction = (self._token, newest), self._instruction
        if newest < 0 or self._asked == asked:
            return
        self._asked = asked
        if problem := unread(instruction):
            self._node.log.error(problem.text)
            self._say(asked, problem)
            return
        told = tuple(reports.get(number, StepReport()) for number in range(newest + 1))
        think(self._node, lambda: self._planner.next_step(instruction, told), lambda answer: self._say(asked, answer))

    def _say(self, asked: tuple[str, int], answer: str | Problem) -> None:
        if asked == self._asked:  # otherwise the answer is no longer needed
            self._steps.publish(message(names.AGENT_STEP.type, step_fields(*asked, answer)))


def main() -> None:
    """Run the node."""
    sys.exit(run(PlannerNode))


if __name__ == '__main__':
    main()
