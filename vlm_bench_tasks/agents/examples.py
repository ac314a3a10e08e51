"""Worked examples: an expert's episode in the words of planner and reporter, and the prompts for models made from them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from vlm_bench_sim.assets import config
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.moves import named, understood
from vlm_bench_tasks.agents.roles import DONE, SUCCEEDED, StepError
from vlm_bench_tasks.agents.steps import Step, Thing
from vlm_bench_tasks.agents.truth_reporter import achieved, seen
from vlm_bench_tasks.agents.whereabouts import FLOOR, GRIPPER, Stand, whereabouts

SEEN = ('pick_and_place', 'match_bowls', 'small_on_big', 'stack_in_area', 'even_color_to_zone')
"""LoHoRavens' seen tasks, A to E. There are no prompts for the others."""

COUNT = 10
"""Number of examples per task."""

OF_EACH = 2
"""Number of examples per seen task in a prompt for all of them."""

MIXED = 'seen'
"""Name of that prompt."""


@dataclass(frozen=True)
class Told:
    """One step, and the report after it.

    Attributes:
        step: the step sentence; '' for the report before the first step.
        observation: where things are after the step.
        action: whether the step succeeded; '' for the report before the first step.
    """

    step: str
    observation: str
    action: str


@dataclass(frozen=True)
class Example:
    """One episode as a worked example.

    Attributes:
        seed: seed in the task's training split.
        axis: axis of variation.
        instruction: instruction of the episode.
        turns: the steps and reports. The first is the report before any step.
    """

    seed: int
    axis: str
    instruction: str
    turns: tuple[Told, ...]

    def as_plan(self) -> str:
        """Return the prompt for a planner: alternating reports and steps, with `DONE` at the end."""
        lines = [f'Instruction: {self.instruction}']
        steps = [*(turn.step for turn in self.turns[1:]), DONE]
        for number, (turn, step) in enumerate(zip(self.turns, steps, strict=True)):
            lines += [f'Report {number}: {" ".join(part for part in (turn.action, turn.observation) if part)}', f'Next step: {step}']
        return '\n'.join(lines)

    def as_looks(self) -> str:
        """Return the prompt for a reporter that describes the table: before the first step, and after the last."""
        return '\n'.join(f'What stands where? {turn.observation}' for turn in (self.turns[0], self.turns[-1]))

    def as_judgements(self) -> str:
        """Return the prompt for a reporter that judges steps."""
        return '\n'.join(f'The step was: {turn.step}. {turn.action}' for turn in self.turns[1:])


class Chronicle:
    """Observer that keeps the snapshots before each grasp and at the end of a run."""

    def __init__(self) -> None:
        self._kept: list[tuple[Snapshot, str]] = []
        self._last: Snapshot | None = None

    def period(self, snapshot: Snapshot) -> None:
        """Receive the snapshot of one control period."""
        if self._last is not None and snapshot.held and not self._last.held:
            self._kept.append((self._last, snapshot.held))
        self._last = snapshot

    def event(self, event: object) -> None:
        """Ignore an event: it does not tell where things are."""

    def told(self, scene: Scene) -> tuple[Told, ...]:
        """Return the run as steps and reports; empty if a step cannot be said in one sentence, or did not succeed."""
        if self._last is None:
            return ()
        states = [state for state, _ in self._kept] + [self._last]
        turns = [Told('', seen(scene, states[0]), '')]
        for (before, item), after in zip(self._kept, states[1:], strict=True):
            meant = _ahead(item, scene)
            said = next(_sentences(item, meant, before, after), '')
            action = achieved(said, meant, before, after) if said else ''
            if not action.startswith(SUCCEEDED) or whereabouts(scene, before)[item].spot == FLOOR:
                return ()
            turns.append(Told(said, seen(scene, after), action))
        return tuple(turns)


def _ahead(item: str, scene: Scene) -> Scene:
    """Return the scene with one thing first, so that a description that also fits others refers to this one."""
    return replace(scene, props=tuple(sorted(scene.props, key=lambda prop: prop.name != item)))


def _sentences(item: str, scene: Scene, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield the step sentences that describe what was done, the shortest first."""
    stands, ends = whereabouts(scene, before), whereabouts(scene, after)[item]
    start = stands[item]
    if ends.spot in (GRIPPER, FLOOR) or (start.on, start.spot) == (ends.on, ends.spot):
        return
    targets = list(_described(stands[ends.on], scene, stands)) if ends.on else [ends.spot]
    for described in _described(start, scene, stands):
        for target in targets:
            said = Step(described, target).words()
            if _skill_context(said, scene, before) == (item, ends.on or ends.spot):
                yield said


def _described(stand: Stand, scene: Scene, stands: dict[str, Stand]) -> Iterator[Thing]:
    """Yield descriptions of a thing: by looks, by looks and place, and as any thing with these looks at that place."""
    plain = named(stand.prop, scene)
    place = named(stands[stand.on].prop, scene) if stand.on else stand.spot
    yield plain
    yield replace(plain, place=place)
    yield replace(plain, place=place, sole=False)


def _skill_context(said: str, scene: Scene, before: Snapshot) -> tuple[str, str]:
    """Return the names of the item and target of a sentence; '' and '' if it cannot be executed."""
    try:
        move = understood(said, scene, before)
    except StepError:
        return '', ''
    return move.item.name, move.target.name if isinstance(move.target, Prop) else move.target


def write(examples: Sequence[Example]) -> str:
    """Return the examples as JSON text."""
    content = [vars(each) | {'turns': [vars(turn) for turn in each.turns]} for each in examples]
    return json.dumps(content, indent=1, ensure_ascii=False) + '\n'


def read(text: str) -> tuple[Example, ...]:
    """Return the examples from JSON text.

    Raises:
        ConfigError: the text holds something else.
    """
    try:
        return tuple(
            Example(int(each['seed']), str(each['axis']), str(each['instruction']), tuple(Told(**turn) for turn in each['turns']))
            for each in json.loads(text)
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f'Worked examples are a list with seed, axis, instruction and turns; found something else ({error}).') from error


def examples(name: str) -> tuple[Example, ...]:
    """Return the worked examples of a seen task, or two of each for `MIXED`; none for ''.

    Raises:
        ConfigError: there are no examples for the task.
    """
    if not name:
        return ()
    if name == MIXED:
        return tuple(example for task in SEEN for example in examples(task)[:OF_EACH])
    return read(config(f'prompts/{name.rpartition("/")[2]}.json').read_text())
