"""What ClevrSkills shows in pictures: states that are wanted and poses of the tool, and the layouts for them."""

from dataclasses import replace
from itertools import permutations
from math import cos, hypot, pi, radians, sin

import numpy as np

from vlm_bench_sim.core.errors import NoRoomError
from vlm_bench_sim.core.geometry import Pose, Vector, vector
from vlm_bench_sim.core.objects.stock import area_marker, in_the_air
from vlm_bench_sim.core.prompts import KEY_STEP
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import RobotStart, Scene, footprint
from vlm_bench_tasks.authoring import At, Goal, PromptPicture, Reached, all_of
from vlm_bench_tasks.suite.clevrskills._objects import OPEN, THIN, pair, rolls, thing
from vlm_bench_tasks.suite.clevrskills._props import APART, TALL, from_edge
from vlm_bench_tasks.suite.clevrskills._props import Draw as BaseDraw
from vlm_bench_tasks.variation.placement import LIFT, Spacing, place

VIEW = 'clevrskills:scene'
"""The camera of pictures of the table: ClevrSkills' base camera loses what stands at the sides."""

NEAR, TURN = 0.025, 0.05
"""Greatest errors of a pose of the tool that is to be matched, m and rad."""

THERE = 0.05
"""Greatest distance from a place that a picture shows, m."""

PLATE = 0.18
"""Side of a plate on which a thing stands, m."""

_REACH, _HEIGHT, _APART, _TRIES = (0.34, 0.54), (0.22, 0.38), 0.12, 400
_TILT = (15.0, 90.0)  # degrees from straight down, to either side: a still robot matches no pose
_HANG = {'x': (0.32, 0.62), 'y': (-0.36, 0.36), 'z': (0.12, 0.26)}  # below every robot's hand at the start
_HAND, _BODY = 0.25, 0.12  # length of a hand above its tool centre point, and room around it, m
_FAR = 0.10  # least distance between where a thing stands and where it is to stand, m
_AROUND = 0.16  # distance between a thing and its neighbours, m
_EITHER = 0.5  # probability of each of two sides
_SMALLER = 0.5  # size of an obstacle in the air, as a share of the published one

NEIGHBOURS = 0.11
"""Greatest diameter of a circle around a thing that has neighbours, m."""


def wanted(scene: Scene, *moved: Prop) -> PromptPicture:
    """Return a picture of the table with things where they are wanted, without the robot."""
    there = {prop.name: prop for prop in moved}
    props = tuple(there.get(prop.name, prop) for prop in scene.props)
    return PromptPicture(KEY_STEP, replace(scene, props=props, robot=RobotStart()), VIEW, table=True)


def matched(scene: Scene, pose: Pose) -> PromptPicture:
    """Return a picture of the robot with its tool at a pose."""
    return PromptPicture(KEY_STEP, scene, VIEW, robot=True, tool=pose, table=True)


def at_pose(pose: Pose) -> Reached:
    """Return the goal that the tool is at a pose that a picture shows; its roll cannot be seen of suction cups."""
    return Reached(pose, near=NEAR, turn=TURN, roll=False)


def at_places(pairs: tuple[tuple[Prop, Prop], ...]) -> Goal:
    """Return the goal that each thing is where another, or itself after a move, stands; its yaw is free."""
    return all_of(*(At(prop, _beneath(prop, there), near=THERE) for prop, there in pairs))


def other_places(props: tuple[Prop, ...], there: tuple[Prop, ...]) -> tuple[Goal, ...]:
    """Return the goals of all assignments of things to places."""
    return tuple(at_places(tuple(zip(props, order, strict=True))) for order in permutations(there))


def _beneath(prop: Prop, there: Prop) -> Pose:
    x, y, _ = there.pose.position
    return Pose((x, y, prop.pose.position[2]), there.pose.orientation)


class Draw(BaseDraw):
    """The chance of an episode of ClevrSkills that is shown in pictures."""

    def poses(self, count: int) -> tuple[Pose, ...]:
        """Return poses of the tool that every robot reaches, apart from one another and tilted about the x axis.

        Raises:
            NoRoomError: there is no room for so many.
        """
        found: list[Pose] = []
        for _ in range(_TRIES):
            x, y, z = self.layout.uniform(0.25, 0.6), self.layout.uniform(-0.3, 0.3), self.layout.uniform(*_HEIGHT)
            tilt = self.layout.uniform(*_TILT) * (1 if self.layout.random() < _EITHER else -1)
            pose = Pose.from_rpy((float(x), float(y), float(z)), (pi + radians(float(tilt)), 0.0, 0.0))
            if _REACH[0] <= hypot(x, y) <= _REACH[1] and all(pose.distance(other) >= _APART for other in found):
                found.append(pose)
            if len(found) == count:
                return tuple(found)
        raise NoRoomError(f'{count} poses of the tool were requested; {len(found)} were found in {_TRIES} tries. Request fewer.')

    def hung(self, count: int, poses: tuple[Pose, ...]) -> tuple[Prop, ...]:
        """Return obstacles of half size, fixed in the air clear of one another and of a hand at these poses.

        Raises:
            NoRoomError: there is no room for so many.
        """
        pool, kinds = self.pools.looks('top'), self._shapes('primitive', count)
        looks = [pool[int(self.looks.integers(len(pool)))] for _ in range(count)]
        made = [pair(thing(*each), _SMALLER)[0] for each in zip(self.named('object', count), kinds, looks, strict=True)]
        hung: tuple[Prop, ...] = ()
        for prop in made:
            for _ in range(_TRIES):
                at: Vector = vector([self.layout.uniform(*_HANG[axis]) for axis in 'xyz'])
                yaw = float(self.layout.uniform(-pi, pi))
                there = in_the_air(prop, Pose.from_rpy(at, (0.0, 0.0, yaw)))
                if all(_clear_of_hand(there, pose) for pose in poses) and all(
                    there.pose.distance(other.pose) >= footprint(there) + footprint(other) + 0.03 for other in hung
                ):
                    hung += (there,)
                    break
            else:
                raise NoRoomError(f'{count} obstacles were requested; {len(hung)} found room in {_TRIES} tries. Request fewer.')
        self.placed += hung
        return hung

    def plates(self, count: int) -> tuple[Prop, ...]:
        """Return fixed plates on the table in looks that differ."""
        fresh: tuple[Prop, ...] = ()
        for name, look in zip(self.named('area', count), self.some_looks('base', count), strict=True):
            plate = area_marker(name, look.color, size=(PLATE, PLATE), texture=look.texture)
            there = place(plate, fresh, spacing=Spacing(alike=0.0, gap=0.01), workspace=self.workspace, chance=self.layout, yaw=(0.0, 0.0))
            fresh += (there,)
        self.placed += fresh
        return fresh

    def standing_on(self, plate: Prop) -> Prop:
        """Return an object that stands on a plate, in any yaw."""
        (name,), (look,) = self.named('object', 1), self.some_looks('top', 1)
        (kind,) = self._shapes('top', 1, lambda kind: footprint(thing('', kind, look)) <= PLATE / 2)
        made = on_top(thing(name, kind, look), plate, yaw=float(self.layout.uniform(-pi, pi)))
        self.placed += (made,)
        return made

    def to_rearrange(self) -> tuple[Prop, ...]:
        """Return two or three objects that do not roll away, near enough that every robot puts them down again."""
        return self.things(self.whole(2, 3), fit=lambda kind: not rolls(kind), reach=TALL)

    def elsewhere(self, props: tuple[Prop, ...]) -> tuple[Prop, ...]:
        """Return the props at other places on the table, clear of each other there and of where each stands now.

        Raises:
            NoRoomError: there is no room.
        """
        fresh: tuple[Prop, ...] = ()
        for prop in props:
            others = (*(other for other in self.placed if other != prop), *fresh)
            for _ in range(_TRIES):
                there = place(prop, others, spacing=APART, workspace=self.workspace, chance=self.layout)
                if there.pose.distance(prop.pose) >= _FAR:
                    fresh += (there,)
                    break
            else:
                raise NoRoomError(f'No other place was found for {prop.name!r} in {_TRIES} tries. Draw fewer objects.')
        return fresh

    def copies(self, factor: float) -> tuple[Prop, Prop]:
        """Return two objects of one shape and look, the first `factor` times as large as the second."""
        (look,) = self.some_looks('top', 1)
        (kind,) = self._shapes('top', 1, lambda kind: kind not in OPEN + THIN and not rolls(kind))
        made = [replace(prop, name=name) for name, prop in zip(self.named('object', 2), pair(thing('', kind, look), factor), strict=True)]
        first, second = self._laid(made, APART)
        return first, second

    def crossed(self, count: int, fit: float) -> tuple[Prop, ...]:
        """Return an object, and two or more neighbours of it: two on opposite sides, then others across; none is wider than `fit` m.

        Raises:
            NoRoomError: the cross does not fit beside what is there.
        """
        made = self._made(count + 1, 'top', looks='top', fit=lambda kind: 2 * footprint(thing('', kind, self.pools.looks('top')[0])) <= fit)
        across = int(self.layout.integers(4)) + np.array([0, 2, *(1 + 2 * self.layout.permutation(2))])
        sides = across[:count].tolist()
        for _ in range(_TRIES):
            x, y = float(self.layout.uniform(0.42, 0.52)), float(self.layout.uniform(-0.1, 0.1))
            spots = [(x, y), *((x + _AROUND * cos(side * pi / 2), y + _AROUND * sin(side * pi / 2)) for side in sides)]
            yaws = self.layout.uniform(-pi, pi, len(made))
            laid = tuple(
                prop.at(Pose.from_rpy((u, v, prop.size[2] / 2 + LIFT), (0.0, 0.0, float(yaw))))
                for prop, (u, v), yaw in zip(made, spots, yaws, strict=True)
            )
            if all(self.workspace.reachable(u, v) for u, v in spots) and all(
                from_edge(area, prop) >= footprint(prop) + APART.gap for prop in laid for area in self.placed
            ):
                self.placed += laid
                return laid
        raise NoRoomError(f'A cross of {count + 1} objects found no room in {_TRIES} tries. Draw fewer areas.')


def on_top(prop: Prop, plate: Prop, *, yaw: float = 0.0) -> Prop:
    """Return the prop standing in the middle of a plate."""
    x, y, z = plate.pose.position
    return prop.at(Pose.from_rpy((x, y, z + (plate.size[2] + prop.size[2]) / 2 + LIFT), (0.0, 0.0, yaw)))


def stacked(things: tuple[Prop, ...]) -> tuple[Prop, ...]:
    """Return the things on top of one another, the first where it stands."""
    tower = things[:1]
    for prop in things[1:]:
        tower += (on_top(prop, tower[-1], yaw=tower[0].pose.yaw),)
    return tower


def _clear_of_hand(prop: Prop, pose: Pose) -> bool:
    """Return whether a prop is clear of a hand with its tool at a pose."""
    above = np.array([(pose @ Pose((0.0, 0.0, -back))).position for back in np.linspace(0.0, _HAND, 6)])
    gaps = np.sqrt(((above - np.array(prop.pose.position)) ** 2).sum(axis=1))
    return bool(gaps.min() >= _BODY + footprint(prop))
