"""Worked examples: what an expert did in an episode, told as planner, actor and reporter would have told it, and as prompts for models."""

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
"""LoHoRavens' seen tasks, A to E. Of the others nobody writes prompts."""

COUNT = 10
"""Examples of each task."""

OF_EACH = 2
"""Examples of each seen task where a prompt is for all of them."""

MIXED = 'seen'
"""Names such a prompt."""


@dataclass(frozen=True)
class Told:
    """What was done, and what a reporter said of it.

    Attributes:
        step: the sentence; '' for the look before the first.
        observation: what stands where afterwards.
        action: whether the step has succeeded; '' for the first look.
    """

    step: str
    observation: str
    action: str


@dataclass(frozen=True)
class Example:
    """One episode.

    Attributes:
        seed: of the task's training split.
        axis: that varied.
        instruction: what it was about.
        turns: the first is the look before any step.
    """

    seed: int
    axis: str
    instruction: str
    turns: tuple[Told, ...]

    def as_plan(self) -> str:
        """Return it as a prompt for a planner: reports and steps in turn, down to `DONE`."""
        lines = [f'Instruction: {self.instruction}']
        steps = [*(turn.step for turn in self.turns[1:]), DONE]
        for number, (turn, step) in enumerate(zip(self.turns, steps, strict=True)):
            lines += [f'Report {number}: {" ".join(part for part in (turn.action, turn.observation) if part)}', f'Next step: {step}']
        return '\n'.join(lines)

    def as_looks(self) -> str:
        """Return it as a prompt for a reporter that says what it sees: the table before the first step, and after the last."""
        return '\n'.join(f'What stands where? {turn.observation}' for turn in (self.turns[0], self.turns[-1]))

    def as_judgements(self) -> str:
        """Return it as a prompt for a reporter that judges steps."""
        return '\n'.join(f'The step was: {turn.step}. {turn.action}' for turn in self.turns[1:])


class Chronicle:
    """Watches a run and keeps how things stood whenever something was about to be taken, and at the end."""

    def __init__(self) -> None:
        self._kept: list[tuple[Snapshot, str]] = []
        self._last: Snapshot | None = None

    def period(self, snapshot: Snapshot) -> None:
        """See one control period."""
        if self._last is not None and snapshot.held and not self._last.held:
            self._kept.append((self._last, snapshot.held))
        self._last = snapshot

    def event(self, event: object) -> None:
        """See an event, which says nothing of what stands where."""

    def told(self, scene: Scene) -> tuple[Told, ...]:
        """Return the run as steps and reports; nothing where a step cannot be said in one sentence, or has come to nothing."""
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
    """Return the scene with one thing ahead of the others, so that of those that look and stand alike it is the one that is meant."""
    return replace(scene, props=tuple(sorted(scene.props, key=lambda prop: prop.name != item)))


def _sentences(item: str, scene: Scene, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """Yield the sentences, the shortest first, that mean what was done."""
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
    """Yield descriptions of a thing: by its looks, by its looks and where it is, and as any such thing there."""
    plain = named(stand.prop, scene)
    place = named(stands[stand.on].prop, scene) if stand.on else stand.spot
    yield plain
    yield replace(plain, place=place)
    yield replace(plain, place=place, sole=False)


def _skill_context(said: str, scene: Scene, before: Snapshot) -> tuple[str, str]:
    """Return what a sentence brings where; nothing where it cannot be carried out."""
    try:
        move = understood(said, scene, before)
    except StepError:
        return '', ''
    return move.item.name, move.target.name if isinstance(move.target, Prop) else move.target


def write(examples: Sequence[Example]) -> str:
    """Return examples as JSON text."""
    content = [vars(each) | {'turns': [vars(turn) for turn in each.turns]} for each in examples]
    return json.dumps(content, indent=1, ensure_ascii=False) + '\n'


def read(text: str) -> tuple[Example, ...]:
    """Return the examples of a JSON text.

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
    """Return the worked examples of a seen task, or two of each; none where nothing is named.

    Raises:
        ConfigError: nobody wrote examples of it.
    """
    if not name:
        return ()
    if name == MIXED:
        return tuple(example for task in SEEN for example in examples(task)[:OF_EACH])
    return read(config(f'prompts/{name.rpartition("/")[2]}.json').read_text())
