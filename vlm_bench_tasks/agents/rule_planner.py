"""A planner without a model: it reads instruction and reports by rules, and builds one tower after the other.

It has no memory. At each call it derives the results of its earlier steps from the reports. Without a report, it assumes that the step
succeeded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vlm_bench_sim.core.errors import quoted
from vlm_bench_tasks.agents.roles import DONE, SUCCEEDED, Problem, StepFault, StepReport
from vlm_bench_tasks.agents.scene_text import Block, SceneText, read
from vlm_bench_tasks.agents.steps import TABLE, Step, Thing
from vlm_bench_tasks.agents.wishes import WantedTower, Wishes, fits, single_step, wishes


@dataclass(frozen=True)
class Choice:
    """A step and its expected result.

    Attributes:
        step: the step sentence.
        after: the scene if it succeeds.
    """

    step: str
    after: SceneText


class RulePlanner:
    """Plans LoHoRavens' tasks."""

    def next_step(self, instruction: str, reports: Sequence[StepReport]) -> str | Problem:
        """Return the next step as a sentence, or `DONE`."""
        scene_text = read(reports[0].observation) if reports else None
        if scene_text is None:
            return Problem(StepFault.EMPTY, 'No report says what stands where. Let a reporter look before the first step.')
        if step := single_step(instruction):
            return _once(step, reports)
        wanted = wishes(instruction, scene_text)
        if wanted is None:
            return Problem(StepFault.NONSENSE, f'No rule matches the instruction {quoted(instruction)}. Use a language model as planner.')
        failed: list[str] = []
        choice = _choice(scene_text, wanted, failed)
        for report in reports[1:]:
            failed = _failed(choice, report, failed)
            scene_text = read(report.observation) or (choice.after if choice else scene_text)
            choice = _choice(scene_text, wanted, failed)
        return choice.step if choice else DONE


def _once(step: str, reports: Sequence[StepReport]) -> str:
    """Return the step until it has succeeded, then `DONE`. Without reports, return it once."""
    told = [report.action for report in reports[1:]]
    return DONE if any(not action or action.startswith(SUCCEEDED) for action in told) else step


def _failed(choice: Choice | None, report: StepReport, before: list[str]) -> list[str]:
    """Return the steps that have failed since the last success."""
    if choice is None or not report.action or report.action.startswith(SUCCEEDED):
        return []
    return [*before, choice.step]


def _choice(scene_text: SceneText, wanted: Wishes, failed: list[str]) -> Choice | None:
    """Return the best step that has not failed recently, or the best of all if each has failed."""
    choices = list(_choices(scene_text, wanted))
    return next((choice for choice in choices if choice.step not in failed), choices[0] if choices else None)


def _choices(scene_text: SceneText, wanted: Wishes) -> Iterator[Choice]:
    """Yield the steps that bring the towers nearer to the wanted ones, one tower after the other."""
    standing = _standing(scene_text, wanted)
    right = {index for tower in standing for index in tower}
    for wish, tower in zip(wanted, standing, strict=True):
        if len(tower) < len(wish.levels):
            yield from _grown(scene_text, wish, tower, right)
        elif len(wish.levels) > 1 and (scene_text.on(tower[-1])) is not None:
            yield from _cleared(scene_text, tower[-1])


def _standing(scene_text: SceneText, wanted: Wishes) -> list[list[int]]:
    """Return for each tower the correctly standing blocks, from the lowest. Each block counts once."""
    taken: set[int] = set()
    standing = []
    for wish in wanted:
        towers = [
            _prefix(scene_text, wish, foot)
            for foot in range(len(scene_text.blocks))
            if foot not in taken and _is_foot(scene_text, wish, foot)
        ]
        free = [tower for tower in towers if taken.isdisjoint(tower)]
        best = max(free, key=lambda tower: (len(tower), _near(scene_text.blocks[tower[0]])), default=[])
        standing.append(best)
        taken.update(best)
    return standing


def _near(block: Block) -> bool:
    """Return whether a block stands in the half nearer to the robot, where an arm reaches higher."""
    return isinstance(block.place, str) and block.place.startswith('top')


def _is_foot(scene_text: SceneText, wish: WantedTower, index: int) -> bool:
    block = scene_text.blocks[index]
    if block.below is not None or not fits(block.kind, wish.levels[0]):
        return False
    return block.place == wish.base if wish.base is not None else block.place not in ('gripper', 'floor')


def _prefix(scene_text: SceneText, wish: WantedTower, foot: int) -> list[int]:
    tower = [foot]
    for level in wish.levels[1:]:
        above = scene_text.on(tower[-1])
        if above is None or not fits(scene_text.blocks[above].kind, level):
            break
        tower.append(above)
    return tower


def _grown(scene_text: SceneText, wish: WantedTower, tower: list[int], right: set[int]) -> Iterator[Choice]:
    """Yield the steps that put the next block on a tower, or clear the way for it."""
    if tower and scene_text.on(tower[-1]) is not None:
        yield from _cleared(scene_text, tower[-1])
        return
    level = wish.levels[len(tower)]
    fitting = [i for i, block in enumerate(scene_text.blocks) if i not in right and fits(block.kind, level) and block.place != 'floor']
    fitting.sort(key=lambda i: bool(wish.source) and scene_text.blocks[i].place != wish.source)
    free = [i for i in fitting if scene_text.on(i) is None]
    if not tower and isinstance(wish.base, Thing) and wish.base.noun == 'bowl':
        inside = [i for i, block in enumerate(scene_text.blocks) if block.place == wish.base and i not in right]
        if inside:
            yield from _cleared(scene_text, inside[0], itself=True)
            return
    for i in free:
        yield _onto(scene_text, i, tower[-1]) if tower else _into(scene_text, i, wish.base or TABLE)
    for i in fitting if not free else []:
        yield from _cleared(scene_text, i)


def _cleared(scene_text: SceneText, index: int, *, itself: bool = False) -> Iterator[Choice]:
    top = scene_text.top(index)
    if top != index or itself:
        yield _into(scene_text, top, TABLE)


def _onto(scene_text: SceneText, item: int, base: int) -> Choice:
    step = Step(scene_text.described(item), scene_text.described(base))
    return Choice(step.words(), scene_text.moved(item, below=base, place=None))


def _into(scene_text: SceneText, item: int, place: Thing | str) -> Choice:
    step = Step(scene_text.described(item), place)
    return Choice(step.words(), scene_text.moved(item, below=None, place=place))
