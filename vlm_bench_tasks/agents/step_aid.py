"""The aid steps: the planner by rules, which knows the truth, names the next step of an instruction."""

from collections.abc import Callable

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.roles import DONE, Problem, StepReport, unread
from vlm_bench_tasks.agents.rule_planner import RulePlanner
from vlm_bench_tasks.agents.truth_reporter import achieved, seen
from vlm_bench_tasks.agents.wishes import single_step


def next_steps(instruction: str, scene: Scene) -> Callable[[Snapshot, Snapshot], str]:
    """Return the function from the first and the present state of a scene to the next step as a sentence; '' if nothing is left to do.

    The function raises `VlmBenchError` for an instruction that the planner does not understand.

    Raises:
        VlmBenchError: the instruction holds pictures.
    """
    if problem := unread(instruction):
        raise VlmBenchError(problem.text)
    planner = RulePlanner()

    def step(start: Snapshot, now: Snapshot) -> str:
        looked = [StepReport(seen(scene, start))]
        found = planner.next_step(instruction, looked)
        if now.seq != start.seq:
            # An instruction of one step is followed until a report says that it succeeded; of others each state has its own next step.
            told = achieved(found, scene, start, now) if single_step(instruction) and isinstance(found, str) else ''
            found = planner.next_step(instruction, [*looked, StepReport(seen(scene, now), told)])
        if isinstance(found, Problem):
            raise VlmBenchError(found.text)
        return '' if found == DONE else found

    return step
