"""The renderer: one robot, one scene at a time, any number of cameras."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.errors import WorldError, near
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.objects.rooms import NOWHERE, Room, throws
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import ROBOT, ROOM, TABLE, Snapshot
from vlm_bench_sim.render.batch import Batch, Thing
from vlm_bench_sim.render.context import open_context
from vlm_bench_sim.render.coverage import CoverageCounter
from vlm_bench_sim.render.furniture import of_mechanism
from vlm_bench_sim.render.matter import of_matter, where
from vlm_bench_sim.render.mesh import NOTHING, Mesh, of_kind
from vlm_bench_sim.render.painter import Painter
from vlm_bench_sim.render.projection import clip_from_world
from vlm_bench_sim.render.reduction import outline
from vlm_bench_sim.render.stage import DrawList, Viewpoint
from vlm_bench_sim.render.visuals import robot_meshes

Poses = Mapping[str, Pose]
_THIN = 0.002  # m
_LACQUER = 0.08  # the robot shines; props and table are matt, which keeps their colors true


class Renderer:
    """Renders color, metric depth and instance ids of a scene in one pass.

    Each renderer owns its OpenGL context, so several can work in one process; one renderer serves one thread at a time.

    Attributes:
        renderer_string: name of the OpenGL renderer: a GPU, or llvmpipe with its version.

    Raises:
        WorldError: EGL is missing; the message contains the command that installs it.
        ConfigError: a mesh of the robot is missing.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._robot = robot_meshes(profile.urdf)
        self._outlines = {name: outline(mesh) for name, mesh in self._robot.items()}
        self._context = open_context()
        with self._context:
            self.renderer_string = str(self._context.info['GL_RENDERER'])
            self._painter = Painter(self._context)
            self._seeing = CoverageCounter(self._context)
            self._context.enable_only(self._context.DEPTH_TEST | self._context.CULL_FACE)
            # The picture is drawn with the top row first. This mirrors it and reverses the winding of every triangle.
            self._context.front_face = 'cw'
        self._scene: Scene | None = None
        self._stage: DrawList | None = None
        self._fittings: list[str] = []

    def load(self, scene: Scene) -> None:
        """Load a scene in place of the previous one.

        Raises:
            SceneError: the scene has too many props, or one of an unknown shape.
        """
        ids, table = scene.ids, scene.table
        things = [Thing(mesh, ids[ROBOT], gloss=_LACQUER, outline=self._outlines[name]) for name, mesh in self._robot.items()]
        things += [_film(prop, ids[prop.name]) if _is_film(prop) else _thing(prop, ids[prop.name]) for prop in scene.props]
        fittings = [shown for mechanism in scene.mechanisms for shown in of_mechanism(mechanism, ids)]
        things += [thing for _, thing in fittings]
        things += of_matter(scene, ids)
        room = scene.surroundings or NOWHERE
        around = [Thing(of_kind('cube', table.box.size), ids[TABLE], table.color.rgb, texture=table.texture)]
        around += [_thing(prop, ids[ROOM], None if room.far or throws(prop) else NOTHING) for prop in room.near]
        with self._context:
            batch = Batch(self._context, things, standing=around)
            far = self._background(room, around, scene) if room.far else None
            if self._stage:
                self._stage.release()
            self._painter.forget()
        self._scene = scene
        self._stage = DrawList(batch, scene.light, room=bool(room.near) and far is None, beads=_beads(scene), table=table.box, far=far)
        self._fittings = [name for name, _ in fittings]

    def dress(self, looks: Mapping[str, Look]) -> None:
        """Change the looks of props, by name, until another scene is loaded; shapes, poses and ids stay.

        Raises:
            WorldError: no scene was loaded.
            SceneError: the scene has no such prop.
        """
        if self._scene is None:
            raise WorldError('The renderer holds no scene, so looks cannot change. Call load(scene) first.')
        if looks:
            self.load(self._scene.dressed(looks))

    def render(
        self, camera: Camera, state: Snapshot | Poses, links: Poses, *, samples: int = 1, table: bool = True, robot: bool = True
    ) -> Picture:
        """Return one picture.

        Args:
            camera: the camera.
            state: prop poses: a snapshot, or world poses by prop name; without a snapshot, furniture is in its initial state.
            links: world pose of each link of the robot; empty: the robot is not shown, and has no cameras.
            samples: color samples along each side of a pixel, odd. More than 1 smooths edges and costs samples² pixels;
                depth and ids are always those of the pixel's centre.
            table: False leaves the table out.
            robot: False leaves the robot out; its cameras stay where they are.

        Raises:
            WorldError: no scene was loaded, the pose of a prop or a link is missing, or `samples` is even.
        """
        view = Viewpoint(camera, _eye(camera, links), table)
        with self._context:
            stage = self._placed(state, links if robot else {}, table=table)
            if samples == 1:
                return self._painter.pictures(stage, (view,))[0]
            return self._painter.fine_picture(stage, view, samples)

    def pictures(self, cameras: Sequence[Camera], state: Snapshot | Poses, links: Poses) -> list[Picture]:
        """Return one picture per camera at one moment, faster than one by one; for the arguments see `render`."""
        views = [Viewpoint(camera, _eye(camera, links)) for camera in cameras]
        with self._context:
            return self._painter.pictures(self._placed(state, links), views)

    def alone(self, camera: Camera, state: Snapshot | Poses, links: Poses) -> dict[int, int]:
        """Return, by instance id, the number of pixels that each object would fill if alone; for the arguments see `render`."""
        eye = _eye(camera, links)
        with self._context:
            stage = self._placed(state, links)
            return self._seeing.counts(stage.batches, clip_from_world(camera, eye), (camera.width, camera.height))

    def _placed(self, state: Snapshot | Poses, links: Poses, *, table: bool = True) -> DrawList:
        """Return the stage with all objects placed."""
        if self._scene is None or self._stage is None:
            raise WorldError('The renderer holds no scene, so it cannot render. Call load(scene) first.')
        self._stage.batch.place(self._poses(self._scene, state, links, table=table))
        return self._stage

    def close(self) -> None:
        """Free everything; the renderer cannot be used again."""
        with self._context:
            if self._stage:
                self._stage.release()
            self._painter.release()
            self._seeing.release()
        self._stage, self._scene = None, None
        self._context.release()

    def _background(self, room: Room, around: Sequence[Thing], scene: Scene) -> Batch:
        """Return what is only seen of a room, at its place, with the shadows of all that stands."""
        things = [_thing(prop, scene.ids[ROOM]) for prop in room.far] + [_thing(prop, scene.ids[ROOM], NOTHING) for prop in room.shell]
        casters = [replace(thing, mesh=NOTHING, texture=None, outline=thing.outline or thing.mesh) for thing in around]
        batch = Batch(self._context, (), standing=[*things, *casters])
        batch.place([*(prop.pose for prop in (*room.far, *room.shell)), *_standing(scene)])
        return batch

    def _poses(self, scene: Scene, state: Snapshot | Poses, links: Poses, *, table: bool) -> list[Pose | None]:
        props = {name: body.pose for name, body in state.bodies.items()} if isinstance(state, Snapshot) else state
        robot = [_pose(links, name, 'link') if links else None for name in self._robot]
        joints = state.mechanisms if isinstance(state, Snapshot) else {}
        fitted = {name: pose for mechanism in scene.mechanisms for name, pose in mechanism.placed(joints).items()}
        things = [*(_pose(props, prop.name, 'prop') for prop in scene.props), *(fitted[name] for name in self._fittings)]
        return [*robot, *things, *where(scene, state), *_standing(scene, table=table)]


def _standing(scene: Scene, *, table: bool = True) -> list[Pose | None]:
    """Return the poses of the table and of what is near it of the room."""
    return [Pose(scene.table.box.centre) if table else None, *(prop.pose for prop in (scene.surroundings or NOWHERE).near)]


def _thing(prop: Prop, instance: int, outline: Mesh | None = None) -> Thing:
    return Thing(of_kind(prop.kind, prop.size), instance, prop.color.rgb, texture=prop.texture, outline=outline)


def _beads(scene: Scene) -> range:
    """Return the instance ids of the beads, which follow each other."""
    numbers = [scene.ids[group.name] for group in scene.beads]
    return range(numbers[0], numbers[-1] + 1) if numbers else range(0)


def _is_film(prop: Prop) -> bool:
    """Return whether a prop is drawn as a flat film on the surface below it."""
    return prop.ghost and prop.size[2] <= _THIN


def _film(prop: Prop, instance: int) -> Thing:
    """Return a film with equally bright sides and top and no shadow: both are finer than a pixel and would show only as dashes."""
    thing = _thing(prop, instance, NOTHING)
    return replace(thing, mesh=replace(thing.mesh, normals=np.tile((0.0, 0.0, 1.0), (len(thing.mesh.normals), 1))))


def _eye(camera: Camera, links: Poses) -> Pose:
    """Return the world pose of a camera's optical frame."""
    return _pose(links, camera.link, f'link that carries camera {camera.name}') @ camera.pose if camera.link else camera.pose


def _pose(poses: Poses, name: str, what: str) -> Pose:
    if name not in poses:
        raise WorldError(f'A picture needs the pose of {name!r}, a {what}; it was not given. {near(name, poses)}')
    return poses[name]
