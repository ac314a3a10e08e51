"""Convert the messages between planner, actor and reporter to fields, and back."""

from typing import Any

from vlm_bench_sim.ros.fields import Fields
from vlm_bench_tasks.agents.roles import Problem, StepFault, StepReport
from vlm_bench_tasks.agents.turns import Dialogue, Turns


def problem_fields(problem: Problem) -> Fields:
    """Return the fields of AgentProblem."""
    return {'fault': problem.fault.value, 'text': problem.text}


def read_problem(message: Any) -> Problem | None:
    """Return the problem in a message's `problem` field; an unknown kind is read as a failure."""
    if not message.problem:
        return None
    said = message.problem[0]
    known = {fault.value: fault for fault in StepFault}
    return Problem(known.get(said.fault, StepFault.FAILED), said.text)


def step_fields(token: str, number: int, answer: str | Problem) -> Fields:
    """Return the fields of PlannedStep."""
    said = {'problem': [problem_fields(answer)]} if isinstance(answer, Problem) else {'text': answer}
    return {'token': token, 'number': number, **said}


def read_step(message: Any) -> str | Problem:
    """Return the planner's step or problem."""
    return read_problem(message) or str(message.text)


def report_fields(token: str, number: int, answer: StepReport | Problem) -> Fields:
    """Return the fields of AgentReport."""
    if isinstance(answer, Problem):
        return {'token': token, 'number': number, 'problem': [problem_fields(answer)]}
    return {'token': token, 'number': number, 'observation': answer.observation, 'action': answer.action}


def read_report(message: Any) -> StepReport | Problem:
    """Return the reporter's report or problem."""
    return read_problem(message) or StepReport(str(message.observation), str(message.action))


def deed_fields(token: str, turns: Turns) -> Fields:
    """Return the fields of Deed, without its end time."""
    return {'token': token, 'number': turns.number, 'step': turns.step, 'problem': [problem_fields(each) for each in turns.problems]}


def course_fields(token: str, course: Dialogue, *, over: bool) -> Fields:
    """Return the fields of Course."""
    problems = [problem_fields(problem) for turn in course.turns for problem in turn.problems]
    return {'token': token, 'steps': len(course.turns), 'done': course.done, 'over': over, 'problems': problems}
