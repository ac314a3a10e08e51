"""Alternatives: goals of other instructions that would be valid in a scene. The language-ablation baselines follow them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.core.tree import substituted
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.logic import Then
from vlm_bench_tasks.goals.mechanisms import JointLeaf
from vlm_bench_tasks.language.references import Ref, nouns

MOST = 24
"""Greatest number of alternatives that are searched for."""


def alternatives(scene: Scene, plan: Goal, refs: Mapping[str, Ref], named: Iterable[Goal] = ()) -> tuple[Goal, ...]:
    """Return the goals of other valid instructions: `named`, or else `plan` with references exchanged for things of the same noun.

    Args:
        scene: the scene of the instruction.
        plan: the goal of the instruction.
        refs: references of the instruction, by blank.
        named: goals of all instructions, if the task lists them. Those equal to `plan` or true at the start are left out.

    Returns:
        Other plans, each once, none of them true at the start. Empty if no other instruction is valid in the scene.
    """
    start = at_start(scene)
    every = dict.fromkeys(tuple(named) or _exchanged(scene, plan, refs))
    return tuple(other for other in every if other != plan and not _true_already(other, start))


def _true_already(goal: Goal, start: Snapshot) -> bool:
    parts = goal.goals if isinstance(goal, Then) else (goal,)
    try:
        return all(part.holds(start, start) for part in parts)
    except VlmBenchError:  # it names something missing from the scene: the conformance check reports that
        return False


def at_start(scene: Scene) -> Snapshot:
    """Return a first snapshot with every prop at its initial pose and the robot away from all of them."""
    return Snapshot(
        0, 0, {}, Pose((0.3, 0.0, 0.5)), 0.08,
        bodies={prop.name: Body(prop.pose) for prop in scene.props},
        mechanisms={name: JointState(joint.start) for mechanism in scene.mechanisms for name, joint in mechanism.joints.items()},
        beads={group.name: group.centres for group in scene.beads},
        dirt={patch.name: tuple(range(len(patch.centres))) for patch in scene.dirt},
    )  # fmt: skip


def _exchanged(scene: Scene, plan: Goal, refs: Mapping[str, Ref]) -> tuple[Goal, ...]:
    meant = sorted({ref.prop for ref in refs.values()})
    found = [plan]
    for others in product(*(_candidates(name, scene) for name in meant)):
        if len(set(others)) == len(others):
            found += [other for other in _changed(plan, dict(zip(meant, others, strict=True)), scene) if other not in found]
        if len(found) > MOST:
            break
    return tuple(found[1:])


def _candidates(name: str, scene: Scene) -> tuple[str, ...]:
    every = nouns(scene)
    return tuple(other for other, noun in every.items() if noun == every.get(name)) or (name,)


def _changed(plan: Goal, names: Mapping[str, str], scene: Scene) -> Iterator[Goal]:
    """Yield the plan with things exchanged, if that plan is possible: nothing can be put into a cube."""
    props = {prop.name: prop for prop in scene.props}
    mechanisms = {mechanism.name: mechanism for mechanism in scene.mechanisms}

    def change(part: Any) -> Any:
        if isinstance(part, Prop):
            return props.get(names.get(part.name, ''), part)
        if isinstance(part, JointLeaf) and part.full in names:
            piece, _, link = names[part.full].partition('/')
            return replace(part, mechanism=mechanisms[piece], link=link)
        return part

    try:
        yield substituted(plan, change, closed=(Prop, Mechanism))
    except VlmBenchError:
        return
