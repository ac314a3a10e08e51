"""Perturbation of a scene before an episode begins: light, patterns, distractors, friction, mass and the height of the table.

The change of a prop depends only on the seed, the kind of perturbation and the prop's name, so perturbations are independent.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from vlm_bench_sim.core.chance import Chance
from vlm_bench_sim.core.errors import SceneError, TaskError
from vlm_bench_sim.core.geometry import Box, Floats, Pose, Vector, vector
from vlm_bench_sim.core.looks import SIMPLE, Color, Texture
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.prompts import KEY_STEP, SCENE, PromptPicture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import SCENE_OBJECTS, Scene
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.core.tree import collected, substituted
from vlm_bench_tasks.language.references import Ref, shape_noun
from vlm_bench_tasks.variation.placement import Spacing, Workspace, place

T = TypeVar('T')

AROUND = Workspace(x=(0.25, 0.72), y=(-0.45, 0.45), reach=(0.30, 1.5))
"""Where distractors may stand. It includes places out of reach, so that there is room for them."""

_APART = Spacing(alike=0.0, gap=0.03)
_STRANGERS = ('bottle', 'sponge', 'mug1', 'bowl', 'cylinder', 'letter_t', 'moon')
_COLORS = (
    Color('brown', (0.45, 0.29, 0.16)), Color('sand', (0.80, 0.70, 0.52)), Color('moss', (0.38, 0.46, 0.27)),
    Color('slate', (0.35, 0.41, 0.48)), Color('plum', (0.44, 0.24, 0.40)), Color('rust', (0.66, 0.33, 0.18)),
)  # fmt: skip
_TRIES = 50
_ON_PROPS, _ON_TABLE = 0.015, 0.06  # m, periods of patterns
_SPOT: Vector = (0.10, 0.10, 0.10)  # m kept free at each place where a goal wants something put


def perturbed(scene: Scene, seeded_perturbation: SeededPerturbation, *, refs: Iterable[Ref] = (), goal: Any = None) -> Scene:
    """Return the perturbed scene.

    Args:
        scene: the scene of the task.
        seeded_perturbation: the perturbation, and its seed.
        refs: references of the sentence. Distractors do not change their meaning.
        goal: goals whose named places stay free of distractors.

    Raises:
        SceneError: there is no room for that many distractors.
    """
    sizes, chance = seeded_perturbation.sizes, Chance(seeded_perturbation.seed)
    if sizes.distractors:
        scene = _with_distractors(scene, int(sizes.distractors), chance, refs=tuple(refs), spots=_spots(goal))
    if sizes.texture:
        scene = _patterned(scene, sizes.texture, chance)
    if sizes.friction or sizes.mass:
        scene = _reweighed(scene, sizes.friction, sizes.mass, chance=chance)
    if sizes.light:
        scene = _lit(scene, sizes.light, chance)
    if sizes.table_height:
        scene = _raised(scene, float(chance.at('table_height').uniform(-1.0, 1.0)) * sizes.table_height)
    return scene


def following(value: T, before: Scene, after: Scene) -> T:
    """Return a goal, a plan or cues with their things replaced by the perturbed ones.

    A pose or a box of its own is in the world frame, on the table. It moves up and down with the table.
    """
    things, lift = after.objects, after.table.top - before.table.top

    def change(part: Any) -> Any:
        if isinstance(part, SCENE_OBJECTS):
            return things.get(part.name, part)
        if isinstance(part, Pose):
            return part.shifted((0.0, 0.0, lift)) if lift else part
        return replace(part, centre=_up(part.centre, lift)) if isinstance(part, Box) else part

    return substituted(value, change, closed=SCENE_OBJECTS)


def shown(pictures: Iterable[PromptPicture], before: Scene, after: Scene) -> tuple[PromptPicture, ...]:
    """Return the pictures of an instruction for the perturbed scene: the table at the start is seen as it is now.

    What is wanted goes up and down with the table, as in `following`. Things keep their looks.
    """
    lift = after.table.top - before.table.top

    def change(picture: PromptPicture) -> PromptPicture:
        if picture.role == SCENE:
            return replace(picture, scene=after)
        if picture.role != KEY_STEP or not lift:
            return picture
        return replace(picture, scene=_raised(picture.scene, lift), tool=picture.tool and picture.tool.shifted((0.0, 0.0, lift)))

    return tuple(map(change, pictures))


def _with_distractors(scene: Scene, count: int, chance: Chance, *, refs: tuple[Ref, ...], spots: tuple[Prop, ...]) -> Scene:
    meant = _meaning(refs, scene)
    for i in range(1, count + 1):
        draw = chance.at(f'distractor/{i}')
        bounds = (*scene.props, *spots, *_bounds(scene))
        for _ in range(_TRIES):
            kind, color = _STRANGERS[int(draw.integers(len(_STRANGERS)))], _COLORS[int(draw.integers(len(_COLORS)))]
            stranger = Prop(f'distractor_{i}', kind, usual_size(kind), color, 0.08, noun=shape_noun(kind.rstrip('123456')))
            placed = place(stranger, bounds, spacing=_APART, workspace=AROUND, chance=draw)
            more = replace(scene, props=(*scene.props, placed.at(placed.pose.shifted((0.0, 0.0, scene.table.top)))))
            if _meaning(refs, more) == meant:
                scene = more
                break
        else:
            raise SceneError(f'In {_TRIES} tries, each distractor changed the meaning of the sentence. Request fewer than {count}.')
    return scene


def _meaning(refs: tuple[Ref, ...], scene: Scene) -> list[tuple[str, tuple[str, ...]]] | None:
    """Return the words and meanings of the references; None if one has no meaning."""
    try:
        return [(ref.words(scene), ref.denotes(scene)) for ref in refs]
    except TaskError:
        return None


def _spots(goal: Any) -> tuple[Prop, ...]:
    """Return a placeholder prop at each place that a goal names."""
    found = collected(goal, Pose, closed=SCENE_OBJECTS)
    return tuple(Prop(f'spot_{i}', 'cube', _SPOT, _COLORS[0], 0.0, pose=pose) for i, pose in enumerate(found))


def _bounds(scene: Scene) -> tuple[Prop, ...]:
    """Return boxes around everything that is not a prop. For furniture they cover open and closed drawers and doors."""
    groups = [*(group.centres for group in scene.beads), *(patch.centres for patch in scene.dirt)]
    clouds = [np.asarray(centres) for centres in groups if centres] + [_corners(mechanism) for mechanism in scene.mechanisms]
    found = []
    for i, cloud in enumerate(clouds):
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        size = vector(np.maximum(high - low, 0.01))
        found.append(Prop(f'bounds_{i}', 'cube', size, _COLORS[0], 0.0, pose=Pose(vector((low + high) / 2))))
    return tuple(found)


def _corners(mechanism: Mechanism) -> Floats:
    points = []
    unit = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    for states in ({}, {name: JointState(joint.upper) for name, joint in mechanism.joints.items()}):
        frames = mechanism.placed(states)
        for link in mechanism.links:
            points += [frames[mechanism.full(link.name)].apply(part.pose.apply(unit * part.size)) for part in link.parts]
    return np.concatenate(points)


def _patterned(scene: Scene, share: float, chance: Chance) -> Scene:
    worn = {prop.texture.pattern for prop in scene.props if prop.texture}
    free = [pattern for pattern in SIMPLE if pattern not in worn]  # a sentence may name the patterns that props already have

    def texture(name: str, color: Color, period: float) -> Texture | None:
        draw = chance.at(f'texture/{name}')
        if not free or float(draw.random()) >= share:
            return None
        return Texture(free[int(draw.integers(len(free)))], _shade(color), period)

    props = tuple(prop if prop.texture else replace(prop, texture=texture(prop.name, prop.color, _ON_PROPS)) for prop in scene.props)
    table = scene.table
    if table.texture is None:
        table = replace(table, texture=texture('table', table.color, _ON_TABLE))
    return replace(scene, props=props, table=table)


def _shade(color: Color) -> Color:
    bright = float(np.mean(color.rgb)) > 0.3
    rgb = np.asarray(color.rgb) * 0.62 if bright else 0.7 * np.asarray(color.rgb) + 0.3
    return Color('', vector(np.round(rgb, 6)))  # no look has this name


def _reweighed(scene: Scene, friction: float, mass: float, *, chance: Chance) -> Scene:
    def factor(kind: str, name: str, size: float) -> float:
        return 1.0 + size * float(chance.at(f'{kind}/{name}').uniform(-1.0, 1.0))

    props = tuple(
        replace(p, friction=p.friction * factor('friction', p.name, friction), mass=p.mass * factor('mass', p.name, mass))
        for p in scene.props
    )
    table = replace(scene.table, friction=scene.table.friction * factor('friction', 'table', friction))
    return replace(scene, props=props, table=table)


def _lit(scene: Scene, size: float, chance: Chance) -> Scene:
    draw = chance.at('light')
    strength = scene.light.strength * (1.0 + size * float(draw.uniform(-1.0, 1.0)))
    rgb = np.asarray(scene.light.color.rgb) * (1.0 - size * draw.uniform(0.0, 1.0, 3))
    return replace(scene, light=replace(scene.light, strength=strength, color=Color('perturbed', vector(rgb))))


def _raised(scene: Scene, lift: float) -> Scene:
    up = (0.0, 0.0, lift)
    return replace(
        scene,
        props=tuple(prop.at(prop.pose.shifted(up)) for prop in scene.props),
        table=replace(scene.table, box=replace(scene.table.box, centre=_up(scene.table.box.centre, lift))),
        mechanisms=tuple(replace(mechanism, pose=mechanism.pose.shifted(up)) for mechanism in scene.mechanisms),
        beads=tuple(replace(group, centres=tuple(_up(centre, lift) for centre in group.centres)) for group in scene.beads),
        dirt=tuple(replace(patch, centres=tuple(_up(centre, lift) for centre in patch.centres)) for patch in scene.dirt),
    )


def _up(point: Vector, lift: float) -> Vector:
    return (point[0], point[1], point[2] + lift)
