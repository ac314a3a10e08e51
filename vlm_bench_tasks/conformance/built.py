"""Checks of what a task builds; no episode is played."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from math import sqrt

import numpy as np

from vlm_bench_sim.bags.definitions import deserialise, serialise
from vlm_bench_sim.core.codec import dumps, loads
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.rooms import crossed, origins
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import SCENE_OBJECTS
from vlm_bench_sim.core.snapshot import state_hash
from vlm_bench_sim.core.tree import collected
from vlm_bench_sim.ros.fields import read_snapshot, world_state
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.alternatives import at_start
from vlm_bench_tasks.conformance.subject import Subject
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.logic import AtEnd
from vlm_bench_tasks.goals.outlines import outline, shared
from vlm_bench_tasks.goals.units import leaves_of
from vlm_bench_tasks.judging.messages import read_report, report_fields
from vlm_bench_tasks.judging.monitor import Limits, judge
from vlm_bench_tasks.language.references import ByShape
from vlm_bench_tasks.language.sentence_forms import sentence_form, unbound
from vlm_bench_tasks.policies.language_ablations import first
from vlm_bench_tasks.skills import skill_for
from vlm_bench_tasks.variation.pools import Pools, Splits

PARAPHRASES = 4
_FACTORS = {'color': ('color',), 'look': ('look',), 'shape': ('shape',), 'goal': ('goal',), 'room': ('room', 'palette')}
"""The pools by which a split of each factor differs."""
_LOOKS: dict[str, Callable[[Prop], str]] = {'color': lambda prop: prop.color.name, 'look': lambda prop: prop.look.words}
_SURE = 4.0  # standard deviations
_LOOKED_AT = 60  # control periods over which a static scene is judged: longer than goals must hold


def same_again(subject: Subject) -> Iterator[str]:
    """Check that equal task, split and seed give the same episode, and another seed gives another scene."""
    for case in subject.cases:
        if dumps(subject.build(case)) != dumps(subject.episode(case)):
            yield f'two builds give different episodes ({case})'
    for split in subject.splits:
        for axis in subject.task.axes:
            cases = [case for case in subject.cases if (case.split, case.axis) == (split, axis)]
            if len({dumps(subject.episode(case).scene) for case in cases}) < len(cases):
                yield f'two seeds give the same scene (--split {split} --axis {axis})'


def no_leak(subject: Subject) -> Iterator[str]:
    """Check that the values along an axis are not shared between splits, or the values of a split's factor with the base.

    A split that names its factor differs from the base in that pool alone: what it draws from the others must be in the base's, too.
    If a family's splits hold rooms, its episodes are in these.
    """
    splits = catalogue.pools(subject.name)
    yield from _strange_rooms(subject, splits)
    if splits.factor:
        yield from (text for split in splits.pools for text in _leaks(splits, split))
        return
    for axis in subject.task.axes:
        used = {
            split: {
                value
                for case in subject.cases
                if (case.split, case.axis) == (split, axis)
                for value in _varied(subject.episode(case), axis)
            }
            for split in subject.splits
        }
        # Evaluation splits, such as those to validate and to test, may share values; training splits may share none with them.
        for a, b in ((next(iter(used)), other) for other in list(used)[1:]):
            if used[a] & used[b]:
                yield f'{a} and {b} share {", ".join(sorted(used[a] & used[b]))} along the axis {axis}'
        if axis in ('color', 'look', 'shape') and not all(used.values()):
            yield f'the instruction refers to nothing that varies along the axis {axis}'


def _leaks(splits: Splits, split: str) -> Iterator[str]:
    """Yield how a split differs from the base in another pool than its factor, or shares values of that with the base."""
    base, own, factor = splits.pools[splits.base], splits.pools[split], splits.factor.get(split, '')
    for name, held in _FACTORS.items():
        known, drawn = ({value for pool in held for value in _values(pools, pool)} for pools in (base, own))
        if name != factor and drawn != known:
            yield f'{split} differs from {splits.base} in {name}, but its factor is {factor or "its seeds"}'
        if name == factor and drawn == known:
            yield f'{split} does not differ from {splits.base} in its factor {factor}'
        if name == factor and split not in splits.overlaps and (shared := sorted(drawn & known)):
            yield f'{split} shares {", ".join(shared)} with {splits.base}, but its factor is {factor}'


def _values(pools: Pools, name: str) -> set[str]:
    """Return everything in a pool as text, each value with its group or with the name of the pool."""
    found = getattr(pools, name)
    groups = found if isinstance(found, Mapping) else {name: found}
    return {f'{group} {getattr(value, "words", value)}' for group, values in groups.items() for value in values}


def _strange_rooms(subject: Subject, splits: Splits) -> Iterator[str]:
    """Yield episodes whose room has the furniture or the palette of a room that is not in their pools."""
    for case in subject.cases:
        pools = splits.along(case.axis, case.split)
        furnished, painted = origins(subject.episode(case).scene.room)
        if pools.room and not (furnished in pools.room and painted in pools.palette):
            drawn = f'the room {crossed(furnished, painted)}' if furnished else 'no room'
            yield f'it has {drawn}; the pools hold {", ".join(pools.room)} in the palettes of {", ".join(pools.palette)} ({case})'


def _varied(episode: Episode, axis: str) -> Iterator[str]:
    meant = {prop.name: prop for prop in episode.scene.props}
    pieces = {full: piece for piece in episode.scene.mechanisms for full in piece.joints}
    if axis in _LOOKS and not episode.instruction.refs:  # the sentence refers to colors or looks in general
        yield from (_LOOKS[axis](prop) for prop in episode.goal.props())
    if axis == 'shape' and episode.instruction.pictures and not episode.instruction.refs:
        yield from (prop.kind for prop in episode.goal.props())
    for ref in episode.instruction.refs.values():
        if ref.prop in meant and axis == 'shape':
            if isinstance(ref, ByShape):
                yield meant[ref.prop].kind
        elif ref.prop in meant:
            yield _LOOKS.get(axis, _LOOKS['color'])(meant[ref.prop])
        elif ref.prop in pieces:
            yield _model(pieces[ref.prop])


def _model(piece: Mechanism) -> str:
    """Return what distinguishes furniture models: the largest extents."""
    sizes = np.array([part.size for part in piece.links[0].parts])
    return f'{piece.name} of {" x ".join(f"{extent:.3g}" for extent in sizes.max(axis=0))} m'


def undecided(episode: Episode) -> Iterator[str]:
    """Yield if the goal is reached, or out of reach, before anything has moved."""
    start = at_start(episode.scene)
    still = [replace(start, seq=i, step=12 * i) for i in range(_LOOKED_AT)]
    goal = episode.goal.goal if isinstance(episode.goal, AtEnd) else episode.goal
    report = judge(goal, Limits(episode.horizon), still)
    if report.verdict is not Verdict.RUNNING:
        yield f'the goal is decided at the start: {report.verdict.value} {"; ".join(report.causes)}'.rstrip()


def spoken_of(episode: Episode) -> Iterator[str]:
    """Yield references that fit another object than the intended one, and sentences that are not paraphrases."""
    scene, told = episode.scene, episode.instruction
    for blank, ref in told.refs.items():
        if ref.denotes(scene) != (ref.prop,):
            yield f'{{{blank}}} means {ref.prop}; {ref.words(scene)!r} fits {", ".join(ref.denotes(scene)) or "nothing"}'
    templates = told.templates(scene)
    for template in templates:
        missing = [f'{{{blank}}}' for blank in told.refs if f'{{{blank}}}' not in template]
        if missing and not told.pictures:  # otherwise pictures stand in their place
            yield f'the sentence {template!r} does not say {", ".join(missing)}'
    for template in unbound(templates):
        yield f'the sentence {template!r} has no verb that language/sentence_forms.py knows'
    frames = {sentence_form(template) for template in templates}
    if len(frames) < 1 + PARAPHRASES:
        yield (
            f'{len(templates)} sentences have {len(frames)} different forms; '
            f'the instruction and {PARAPHRASES} paraphrases must differ in verb or structure'
        )


def plain(subject: Subject) -> Iterator[str]:
    """Check that names and order give no hint: a policy that always takes the first plan must not exceed chance level."""
    for axis in subject.task.axes:
        episodes = [subject.episode(case) for case in subject.cases if case.axis == axis]
        plans = [(episode.plan or episode.goal, episode.alternatives) for episode in episodes]
        right = sum(first((plan, *others)) == plan for plan, others in plans)
        chances = [1 / (1 + len(others)) for _, others in plans]
        if right > sum(chances) + _SURE * sqrt(sum(p * (1 - p) for p in chances)) + 1e-9:
            told = f'the right plan comes first {right} of {len(plans)} times, by chance {sum(chances):.1f}'
            yield f'names or order give a hint: {told} (--axis {axis})'


def named(episode: Episode) -> Iterator[str]:
    """Yield objects of goal, plan or alternatives that the scene lacks, or holds differently."""
    things = episode.scene.objects
    for word, goals in (('goal', (episode.goal,)), ('plan', (episode.plan,)), ('alternatives', episode.alternatives)):
        strange = sorted({thing.name for goal in goals for thing in collected(goal, *SCENE_OBJECTS) if things.get(thing.name) != thing})
        if strange:
            yield f'the scene lacks {", ".join(strange)} of the {word}, or holds it differently'


def skilled(episode: Episode) -> Iterator[str]:
    """Yield the parts of the plan for which there is no skill."""
    for leaf in leaves_of(episode.plan or episode.goal):
        if skill_for.dispatch(type(leaf)) is skill_for.dispatch(object):
            yield f'no skill makes {type(leaf).__name__} true; register one in vlm_bench_tasks/skills'


def survives(episode: Episode) -> Iterator[str]:
    """Yield what changes in a round trip: the episode in JSON, a snapshot and a report in messages."""
    if loads(dumps(episode)) != episode:
        yield 'its JSON is read back as another episode'
    start = at_start(episode.scene)
    state = serialise('vlm_bench_msgs/msg/WorldState', world_state(start, ns=0, token='', state_hash=state_hash(start)))
    if read_snapshot(deserialise('vlm_bench_msgs/msg/WorldState', state)) != start:
        yield 'the message of its first snapshot is read back as another snapshot'
    report = judge(episode.goal, Limits(episode.horizon), [start])
    if read_report(deserialise('vlm_bench_msgs/msg/Report', serialise('vlm_bench_msgs/msg/Report', report_fields(report, 0)))) != report:
        yield 'the message of its report is read back as another report'


def own_chance(subject: Subject) -> Iterator[str]:
    """Check that building uses the episode's own random streams, and leaves the global generators unchanged."""
    for case in (case for case in subject.cases if case.seed == 0):
        before = _global_chance()
        subject.build(case)
        if _global_chance() != before:
            yield f'building uses a global random generator ({case}); use `draw` instead'
            return


def _global_chance() -> str:
    """Return the states of Python's and numpy's global generators; they are only read here, and used nowhere."""
    python, numpy = sys.modules.get('random'), sys.modules['numpy.random']
    return repr((python.getstate() if python else '', numpy.get_state()))


def on_the_table(episode: Episode) -> Iterator[str]:
    """Yield what stands off the table, in it, or inside another prop."""
    table = episode.scene.table.box
    props = [prop for prop in episode.scene.props if prop.name != episode.scene.robot.held]
    for prop in props:
        corners = prop.pose.apply(prop.solid.vertices)
        beside = (corners[:, :2] < table.low[:2]).any() or (corners[:, :2] > table.high[:2]).any()
        if beside or corners[:, 2].min() < table.high[2] - 1e-9:
            yield f'{prop.name} does not stand on the table'
    solid = [prop for prop in props if not prop.ghost]
    for a, b in combinations(solid, 2):
        level = abs(a.pose.position[2] - b.pose.position[2]) < (a.size[2] + b.size[2]) / 2
        if level and shared(outline(a, a.pose), outline(b, b.pose)) > 0:
            yield f'{a.name} and {b.name} may overlap'
