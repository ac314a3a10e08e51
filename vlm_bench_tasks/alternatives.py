"""Alternatives: what other sentences that are true of a scene would have asked for; the control policies follow them."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import product
from typing import Any

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.language.references import Ref, movers, nouns

MOST = 24
"""How many alternatives an episode carries at most."""


def alternatives(scene: Scene, plan: Goal, refs: Mapping[str, Ref]) -> tuple[Goal, ...]:
    """Return what the same sentence asks for where its references mean other things of the same noun.

    Args:
        scene: that the sentence is about.
        plan: what the sentence asks for.
        refs: of the sentence, by blank.

    Returns:
        Other plans, each once; none where no reference could mean anything else.
    """
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
    """Yield the plan with things exchanged, if there is such a plan: nothing can be put into a cube."""
    things: dict[str, Any] = {prop.name: prop for prop in scene.props}
    swapped = {old: things.get(new, new) for old, new in names.items()}
    for mechanism in scene.mechanisms:
        for full in movers(mechanism):
            if full in names:
                swapped[full.partition('/')[2]] = names[full].partition('/')[2]
    try:
        yield _with(plan, swapped)
    except VlmBenchError:
        return


def _with(value: Any, swapped: Mapping[str, Any]) -> Any:
    """Return a value in which props and names of links are exchanged, however deep they stand."""
    if isinstance(value, str):
        new = swapped.get(value, value)
        return new if isinstance(new, str) else new.name
    if isinstance(value, tuple):
        return tuple(_with(each, swapped) for each in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    name = getattr(value, 'name', '')
    if name in swapped and not isinstance(swapped[name], str):
        return swapped[name]
    return replace(value, **{f.name: _with(getattr(value, f.name), swapped) for f in fields(value) if isinstance(value, Goal)})
