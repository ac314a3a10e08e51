"""Contact sheets of scenes: every task from all cameras of its suite, a LoHoRavens table, the study, and the numbered rooms."""

from dataclasses import replace

import numpy as np

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.objects.rooms import PLANS, STUDY
from vlm_bench_sim.core.objects.rooms.plan import Plan
from vlm_bench_sim.core.objects.stock import BLOCKS, COLORS, block, bowl, zone
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Light, Scene, footprint
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.profiles import camera_sets, cameras, robot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.pages.prop_sheet import TILE, sheet

_WIDE = 640, 480
_OFF_WALL = 0.3  # m
_ROOM_VIEWS = {
    'from the door': Camera('door', Pose.look_at((-1.25, -1.55, 0.75), (0.9, 0.35, 0.0)), fov=1.05, width=_WIDE[0], height=_WIDE[1]),
    'from the shelf': Camera('shelf', Pose.look_at((-1.20, 1.60, 0.70), (0.9, -0.45, 0.0)), fov=1.05, width=_WIDE[0], height=_WIDE[1]),
}


def families() -> tuple[str, ...]:
    """Return the suites that have tasks and cameras."""
    return tuple(sorted(set(catalogue.families()) & set(camera_sets())))


def tasks(family: str, *, size: int = TILE) -> Bytes:
    """Return a sheet with a row for each task of a suite: the view of each camera of the suite after seed 0 has settled."""
    named = catalogue.chosen(family)
    stage = _Stage(catalogue.family(family).robot)
    views = cameras(family, size, size, robot=stage.profile.name)
    tiles = []
    for name in named:
        pictures = stage.pictures(catalogue.build(name, catalogue.splits(name)[0], 0).scene, views)
        tiles += [(f'{name.split("/")[1]}: {camera.name}', picture) for camera, picture in zip(views, pictures, strict=True)]
    stage.close()
    return sheet(tiles, columns=len(views))


def ravens(*, seed: int = 0) -> Scene:
    """Return a scene with LoHoRavens' props: small and big blocks, bowls and zones, apart from one another."""
    chance = np.random.default_rng(seed)
    things = [zone(f'zone_{i}', COLORS[name], side=0.15) for i, name in enumerate(('purple', 'green'))]
    things += [bowl(f'bowl_{i}', COLORS[name]) for i, name in enumerate(('blue', 'yellow', 'red'))]
    things += [block(f'big_{i}', COLORS[name], side=BLOCKS['big']) for i, name in enumerate(('red', 'cyan'))]
    things += [block(f'small_{i}', COLORS[name]) for i, name in enumerate(('orange', 'blue', 'green', 'yellow', 'pink'))]
    placed: tuple[Prop, ...] = ()
    for thing in things:
        placed += (_free(thing, placed, chance),)
    return Scene(placed)


def _free(thing: Prop, placed: tuple[Prop, ...], chance: np.random.Generator) -> Prop:
    while True:
        x, y, yaw = chance.uniform((0.30, -0.36, -np.pi), (0.68, 0.36, np.pi))
        at = thing.at(Pose.from_rpy((x, y, thing.size[2] / 2), (0.0, 0.0, 0.0 if thing.noun == 'zone' else yaw)))
        if all(at.pose.distance(other.pose) > footprint(at) + footprint(other) + 0.015 for other in placed):
            return at


def lohoravens(*, size: int = TILE) -> Bytes:
    """Return the views of LoHoRavens' props from all of its cameras."""
    stage = _Stage(catalogue.family('lohoravens').robot)
    views = cameras('lohoravens', size * 8 // 3, size * 2, robot=stage.profile.name)
    pictures = stage.pictures(ravens(), views)
    stage.close()
    return sheet([(f'lohoravens: {camera.name}', picture) for camera, picture in zip(views, pictures, strict=True)], columns=2)


def rooms() -> Bytes:
    """Return a sheet of the study, seen from where a person would stand."""
    stage = _Stage('panda')
    scene = replace(ravens(seed=3), room=STUDY, light=Light((-0.80, 0.22, 0.46), Color('afternoon', (1.0, 0.96, 0.88)), 1.15))
    pictures = stage.pictures(scene, tuple(_ROOM_VIEWS.values()))
    stage.close()
    tiles = [(f'{STUDY}, {words}', picture) for words, picture in zip(_ROOM_VIEWS, pictures, strict=True)]
    return sheet(tiles, columns=len(_ROOM_VIEWS))


def arnold_rooms(*, width: int = 224, height: int = 168) -> Bytes:
    """Return a sheet of the numbered rooms, each as the base camera of a bench sees it and from a corner of the room."""
    stage, tiles = _Stage('panda'), []
    (base,) = cameras('arnold:base', width, height, robot=stage.profile.name)
    for name, plan in PLANS.items():
        views = (base, replace(corner(plan), width=width, height=height))
        pictures = stage.pictures(replace(ravens(seed=3), room=name), views)
        tiles += [(f'{name}, {plan.kind}: {view.name}', picture) for view, picture in zip(views, pictures, strict=True)]
    stage.close()
    return sheet(tiles, columns=8)


def corner(plan: Plan) -> Camera:
    """Return a camera in the corner of a room that is behind the robot and on its right."""
    eye = (plan.x[0] + _OFF_WALL, plan.y[0] + _OFF_WALL, 1.0)
    return Camera('corner', Pose.look_at(eye, (0.9, 0.35, -0.25)), fov=1.15, width=_WIDE[0], height=_WIDE[1])


class _Stage:
    """A world and its renderer."""

    def __init__(self, name: str) -> None:
        self.profile: RobotProfile = robot(name)
        self._world, self._renderer, self._kinematics = BulletWorld(self.profile), Renderer(self.profile), Kinematics(self.profile)

    def pictures(self, scene: Scene, views: tuple[Camera, ...]) -> list[Bytes]:
        """Return the cameras' views after the scene has settled."""
        now = self._world.load(scene)
        self._renderer.load(scene)
        links = self._kinematics.link_poses({name: joint.position for name, joint in now.joints.items()})
        return [self._renderer.render(camera, now, links, samples=3).color for camera in views]

    def close(self) -> None:
        self._world.close()
        self._renderer.close()
