"""A language model as planner, and a vision-language model as reporter. Both are queried once per step, and may answer anything."""

import base64
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import VlmBenchError, quoted
from vlm_bench_tasks.agents.chat import Endpoint, Message, ask
from vlm_bench_tasks.agents.roles import DONE, FAILED, SUCCEEDED, Problem, StepError, StepFault, StepReport
from vlm_bench_tasks.agents.steps import readings
from vlm_bench_tasks.policy import Observation

SEEN = 'I see'
LLM, VLM = 'VLM_BENCH_LLM', 'VLM_BENCH_VLM'
"""Prefixes of the environment variables for the two models."""

PLAN = f"""You plan for a robot arm that moves blocks on a table, one at a time.
Answer with one line: the next step, or {DONE} when the instruction has been carried out.
A step is written: pick up THING and place it in PLACE (or: on PLACE).
A THING is an article, where needed a size (smaller, bigger), a color and a noun, and where needed where it is:
the red block; a smaller blue block in the top left area; the green block on the red block.
Say "the" only where exactly one thing fits.
A PLACE is a block, a bowl, a zone, the table, the center, or the top left, top right, bottom left or bottom right area.
After each step you are told what stands where and whether the step has succeeded.
Plan from what you are told, not from what you hoped for."""

LOOK = f"""You see a table with blocks, and perhaps bowls and zones, which are square frames drawn on it.
Say what stands where, in one line that begins with "{SEEN}", with one entry for each thing and semicolons between them.
The areas are the quarters of the table: the top is the robot's side. Write a tower from its foot up.
Example: {SEEN} a red bowl in the top left area; a blue block in the red bowl; a red block under a green block in the top right area."""

JUDGE = f"""The pictures show a table before and after a robot was asked to do one step.
Answer with one line that begins with "{SUCCEEDED}:" or "{FAILED}:" and says where the thing is now."""


class LanguagePlanner:
    """Queries a language model for each step.

    Args:
        endpoint: endpoint of the model.
        examples: worked examples, placed before the task.
    """

    def __init__(self, endpoint: Endpoint, examples: Sequence[str] = ()) -> None:
        self._endpoint, self._examples = endpoint, tuple(examples)

    def next_step(self, instruction: str, reports: Sequence[StepReport]) -> str | Problem:
        """Return the model's next step, or `DONE`."""
        told = [' '.join(part for part in (report.action, report.observation) if part) or 'Nothing was reported.' for report in reports]
        lines = [f'Instruction: {instruction}', *(f'Report {i}: {text}' for i, text in enumerate(told)), 'Next step:']
        system = '\n\n'.join((PLAN, *self._examples))
        answer = ask(self._endpoint, [{'role': 'system', 'content': system}, {'role': 'user', 'content': '\n'.join(lines)}])
        return answer if isinstance(answer, Problem) else step_in(answer)


DECORATION = ' \t*-#`"\'<>.()0123456789'
"""Characters that may surround a step in an answer."""


def step_in(answer: str) -> str | Problem:
    """Return the first line of an answer that is a step or `DONE`, without decoration."""
    for line in answer.splitlines():
        bare = line.strip(DECORATION)
        if bare.lower().startswith(('step', 'next step', 'answer')):
            bare = bare.partition(':')[2].strip(DECORATION)
        if bare.upper() == DONE:
            return DONE
        try:
            readings(bare)
        except StepError:
            continue
        return bare
    return Problem(StepFault.NONSENSE, f'The planner said {quoted(answer)}, which contains neither a step nor {DONE}.')


class VisionReporter:
    """Queries a vision-language model for what it sees, and for the result of a step.

    Args:
        endpoint: endpoint of the model.
        camera: name of the camera whose pictures it receives.
        looks: worked examples of descriptions, placed before the question what it sees.
        judgements: worked examples of results, placed before the question about the step.
    """

    def __init__(self, endpoint: Endpoint, *, camera: str = 'top', looks: Sequence[str] = (), judgements: Sequence[str] = ()) -> None:
        self._endpoint, self._camera = endpoint, camera
        self._look, self._judge = '\n\n'.join((LOOK, *looks)), '\n\n'.join((JUDGE, *judgements))

    def report(self, step: str, before: Observation, after: Observation) -> StepReport | Problem:
        """Return the model's report on the pictures."""
        pictures = [now.pictures.get(self._camera) for now in (before, after)]
        first, last = pictures
        if first is None or last is None:
            known = ', '.join(sorted(after.pictures)) or 'none'
            return Problem(
                StepFault.EMPTY, f'There is no picture of the camera {self._camera!r}; found: {known}. Name a camera set with it.'
            )
        seen = self._asked(self._look, 'What stands where?', (last,), (SEEN,))
        if isinstance(seen, Problem) or not step:
            return seen if isinstance(seen, Problem) else StepReport(seen)
        judged = self._asked(self._judge, f'The step was: {step}.', (first, last), (SUCCEEDED, FAILED))
        return judged if isinstance(judged, Problem) else StepReport(seen, judged)

    def _asked(self, task: str, question: str, pictures: tuple[Picture, ...], openings: tuple[str, ...]) -> str | Problem:
        """Return the part of the model's answer that begins with one of `openings`."""
        content = [{'type': 'text', 'text': question}, *({'type': 'image_url', 'image_url': {'url': as_url(each)}} for each in pictures)]
        messages: list[Message] = [{'role': 'system', 'content': task}, {'role': 'user', 'content': content}]
        answer = ask(self._endpoint, messages)
        if isinstance(answer, Problem):
            return answer
        line = ' '.join(answer.split())
        starts = [line.find(opening) for opening in openings if opening in line]
        wanted = ' or '.join(repr(opening) for opening in openings)
        return (
            line[min(starts) :]
            if starts
            else Problem(StepFault.NONSENSE, f'The reporter said {quoted(answer)}. The answer must contain {wanted}.')
        )


def colored(color: NDArray[np.uint8]) -> Picture:
    """Return a picture with colors only, (height, width, 3) RGB."""
    return Picture(color, np.zeros(color.shape[:2], np.float32), np.zeros(color.shape[:2], np.uint16))


def as_url(picture: Picture) -> str:
    """Return the colors of a picture as a PNG data URL.

    Raises:
        VlmBenchError: the picture cannot be encoded.
    """
    written, png = cv2.imencode('.png', cv2.cvtColor(picture.color, cv2.COLOR_RGB2BGR))
    if not written:
        raise VlmBenchError(f'A picture of shape {picture.color.shape} cannot be written as PNG.')
    return 'data:image/png;base64,' + base64.b64encode(png.tobytes()).decode()
