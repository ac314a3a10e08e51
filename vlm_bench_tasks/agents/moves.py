"""Meaning of a step sentence in the present scene: which prop goes to which prop or area."""

from dataclasses import dataclass

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.errors import quoted
from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks.agents.roles import StepError, StepFault
from vlm_bench_tasks.agents.steps import TABLE, Step, Thing, place, placed, readings, said, thing
from vlm_bench_tasks.agents.whereabouts import FLOOR, GRIPPER, NAMED, Stand, loaded, noun_of, size_of, whereabouts

_BESIDE = 0.01  # m: greatest distance of a point outside the box of its thing


@dataclass(frozen=True)
class Move:
    """The meaning of a step.

    Attributes:
        item: the prop to move, at its present pose.
        target: the target prop at its present pose, or one of `steps.SPOTS`.
    """

    item: Prop
    target: Prop | str

    def done(self, scene: Scene, now: Snapshot) -> bool:
        """Return whether the item is at the target."""
        return _is_at(whereabouts(scene, now)[self.item.name], self.target)


def understood(text: str, scene: Scene, now: Snapshot) -> Move:
    """Return the meaning of a step sentence.

    Raises:
        StepError: it is not a step, names something absent or ambiguous, or asks for something impossible.
    """
    steps, found, wrong = readings(text), [], []
    for step in steps:
        try:
            found.append(_meant(step, scene, whereabouts(scene, now)))
        except StepError as error:
            wrong.append(error)
    if len(found) > 1:
        ways = ', or: '.join(step.words() for step in steps)
        raise StepError(StepFault.AMBIGUOUS, f'The step can be read in {len(found)} ways. Say: {ways}.')
    if not found:
        raise wrong[0]
    return found[0]


def _meant(step: Step, scene: Scene, stands: dict[str, Stand]) -> Move:
    target = step.target if isinstance(step.target, str) else _target(step.target, scene, stands)
    names = fitting(step.item, scene, stands)
    if isinstance(target, Prop) and names == [target.name]:
        raise StepError(StepFault.IMPOSSIBLE, f'{_first(step.item.words())} cannot be put on itself. Name another place.')
    names = [name for name in names if not (isinstance(target, Prop) and name == target.name)]
    if not step.item.sole:
        names = [name for name in names if not _is_at(stands[name], target)] or names
    return Move(_movable(_one(step.item, names, stands), step.item.words(), stands), target)


def _movable(item: Prop, words: str, stands: dict[str, Stand]) -> Prop:
    if item.fixed or item.ghost:
        raise StepError(StepFault.IMPOSSIBLE, f'{_first(words)} cannot be moved. Name a movable thing.')
    if item.name in loaded(stands):
        raise StepError(StepFault.IMPOSSIBLE, f'Something stands on {words}. Put that elsewhere first.')
    if stands[item.name].spot == FLOOR:
        raise StepError(StepFault.IMPOSSIBLE, f'{_first(words)} has fallen to the floor. Go on with the others.')
    return item


def item_said(text: str, scene: Scene, now: Snapshot) -> Prop:
    """Return the movable thing that a text describes, at its present pose.

    Raises:
        StepError: the text describes no thing, no thing or several things fit, or the thing cannot be moved.
    """
    described, stands = thing(said(text)), whereabouts(scene, now)
    if described is None:
        raise _nonsense(text)
    return _movable(_one(described, fitting(described, scene, stands), stands), described.words(), stands)


def target_said(text: str, scene: Scene, now: Snapshot) -> Prop | str:
    """Return the place that a text describes: a thing at its present pose, or one of `steps.SPOTS`.

    Raises:
        StepError: the text describes no place, or no thing or several things fit.
    """
    described = place(said(text))
    if described is None:
        raise _nonsense(text)
    return described if isinstance(described, str) else _target(described, scene, whereabouts(scene, now))


def item_at(point: Vector, scene: Scene, now: Snapshot) -> Prop:
    """Return the movable thing whose box contains a point, m in the world.

    Raises:
        StepError: there is no such thing, or it cannot be moved.
    """
    stands = whereabouts(scene, now)
    away = {name: _beyond(stand.prop, point) for name, stand in stands.items() if not (stand.prop.ghost or stand.prop.fixed)}
    nearest = min(away, key=lambda name: away[name], default='')
    if not nearest or away[nearest] > _BESIDE:
        x, y, z = point
        raise StepError(StepFault.ABSENT, f'There is nothing to take at ({x:.3f}, {y:.3f}, {z:.3f}) m. Name a point on the top of a thing.')
    return _movable(stands[nearest].prop, named(stands[nearest].prop, scene).words(), stands)


def _beyond(prop: Prop, point: Vector) -> float:
    """Return the distance of a point outside a prop's box, m; 0 inside."""
    inside = np.abs(prop.pose.inverse().apply(np.array([point]))[0])
    return norm(np.maximum(inside - np.asarray(prop.size) / 2, 0.0))


def _nonsense(text: str) -> StepError:
    return StepError(StepFault.NONSENSE, f'{quoted(text)} describes nothing. Say, for example: the red block in the top left area.')


def _target(thing: Thing, scene: Scene, stands: dict[str, Stand]) -> Prop:
    return _one(thing, fitting(thing, scene, stands), stands)


def fitting(thing: Thing, scene: Scene, stands: dict[str, Stand]) -> list[str]:
    """Return the names of the props that a description fits, in the scene's order.

    Raises:
        StepError: there is no such prop.
    """
    alike = [name for name, stand in stands.items() if _looks(thing, stand.prop, scene)]
    found = [name for name in alike if thing.place is None or _stands(stands[name], thing.place, scene, stands)]
    if not found and isinstance(thing.place, str) and thing.place in NAMED:
        found = [name for name in alike if stands[name].over(NAMED[thing.place])]
    if found:
        return found
    if alike:
        now = ', '.join(dict.fromkeys(spoken(stands[name], scene, stands) for name in alike))
        raise StepError(StepFault.ABSENT, f'There is no {thing.words().partition(" ")[2]}; found: {now}. Say where it is now.')
    known = ', '.join(dict.fromkeys(named(stand.prop, scene).words() for stand in stands.values()))
    raise StepError(StepFault.ABSENT, f'There is no {thing.words().partition(" ")[2]}. Name one of: {known}.')


def named(prop: Prop, scene: Scene, *, sole: bool = True) -> Thing:
    """Return the description of a prop by its looks."""
    return Thing(prop.color.name, size_of(prop, scene), noun_of(prop), sole)


def spoken(stand: Stand, scene: Scene, stands: dict[str, Stand]) -> str:
    """Return the place of a thing as text, such as `on the blue block`."""
    if stand.on:
        return placed(named(stands[stand.on].prop, scene))
    return placed(stand.spot) if stand.spot != FLOOR else 'on the floor'


def _looks(thing: Thing, prop: Prop, scene: Scene) -> bool:
    return (
        thing.noun == noun_of(prop)
        and thing.color in ('', prop.color.name, prop.color.name.replace('gray', 'grey'))
        and thing.size in ('', size_of(prop, scene))
    )


def _stands(stand: Stand, place: Thing | str, scene: Scene, stands: dict[str, Stand]) -> bool:
    if isinstance(place, str):
        return _is_at(stand, place)
    return bool(stand.on) and stand.on in fitting(place, scene, stands)


def _is_at(stand: Stand, place: Prop | str) -> bool:
    if isinstance(place, Prop):
        return stand.on == place.name
    if place == TABLE:
        return not stand.on and stand.spot not in (GRIPPER, FLOOR)
    return not stand.on and stand.spot == place


def _one(thing: Thing, names: list[str], stands: dict[str, Stand]) -> Prop:
    """Return the prop that is meant. Props with something on them count only if every fitting prop has something on it."""
    free = [name for name in names if name not in loaded(stands)] if len(names) > 1 else names
    names = free or names
    if thing.sole and len(names) > 1:
        raise StepError(StepFault.AMBIGUOUS, f'{len(names)} things fit {thing.words()}. Say where it is, or say "a" instead of "the".')
    return stands[names[0]].prop


def _first(text: str) -> str:
    return text[0].upper() + text[1:]
