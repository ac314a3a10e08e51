"""The renderer: one robot, one scene at a time, any number of cameras."""

from collections.abc import Mapping

import moderngl
import numpy as np

from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.errors import WorldError, near
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import ROOM, Light, Scene
from vlm_bench_sim.core.snapshot import ROBOT, TABLE, Snapshot
from vlm_bench_sim.render.batch import Batch, Thing
from vlm_bench_sim.render.context import open_context
from vlm_bench_sim.render.furniture import of_mechanism
from vlm_bench_sim.render.matter import of_matter, where
from vlm_bench_sim.render.mesh import of_kind
from vlm_bench_sim.render.projection import backdrop, clip_from_world, halfway, world_rays
from vlm_bench_sim.render.recent import Recent
from vlm_bench_sim.render.reduction import outline
from vlm_bench_sim.render.seeing import Seeing
from vlm_bench_sim.render.shaders import programs
from vlm_bench_sim.render.shadow import COARSE, FINE, Shadow
from vlm_bench_sim.render.target import Target
from vlm_bench_sim.render.visuals import robot_meshes

Poses = Mapping[str, Pose]
_KEY_LIGHT = 0.56
_LACQUER = 0.08  # the robot shines; props and table are matt, so that a colour looks like itself


class Renderer:
    """Paints colour, metric depth and instance ids of a scene in one pass.

    Each renderer owns its OpenGL context, so several work side by side in one process; one renderer serves one thread at a time.

    Attributes:
        renderer_string: what paints, as OpenGL calls it: a GPU, or llvmpipe with its version.

    Raises:
        WorldError: there is no EGL; the message holds the line that installs it.
        ConfigError: a mesh of the robot is missing.
    """

    def __init__(self, profile: RobotProfile) -> None:
        self._robot = robot_meshes(profile.urdf)
        self._outlines = {name: outline(mesh) for name, mesh in self._robot.items()}
        self._context = open_context()
        with self._context:
            self.renderer_string = str(self._context.info['GL_RENDERER'])
            self._shadows = {fine: Shadow(self._context, FINE if fine else COARSE) for fine in (False, True)}
            self._seeing = Seeing(self._context)
            self._context.enable_only(self._context.DEPTH_TEST | self._context.CULL_FACE)
            # The picture is painted top row first, which mirrors it and so turns every triangle round.
            self._context.front_face = 'cw'
        self._programs: dict[tuple[bool, bool, bool], moderngl.Program] = {}
        self._scene: Scene | None = None
        self._batch: Batch | None = None
        self._fittings: list[str] = []
        self._targets = Recent(self._target, free=Target.release)

    def load(self, scene: Scene) -> None:
        """Take up a scene; the one before is dropped.

        Raises:
            SceneError: the scene holds too many props, or one of an unknown shape.
        """
        ids, table = scene.ids, scene.table
        things = [Thing(mesh, ids[ROBOT], gloss=_LACQUER, outline=self._outlines[name]) for name, mesh in self._robot.items()]
        things += [Thing(of_kind(p.kind, p.size), ids[p.name], p.colour.rgb, texture=p.texture) for p in scene.props]
        fittings = [shown for mechanism in scene.mechanisms for shown in of_mechanism(mechanism, ids)]
        things += [thing for _, thing in fittings]
        things += of_matter(scene, ids)
        things += [
            Thing(of_kind('cube', table.box.size), ids[TABLE], table.colour.rgb, texture=table.texture),
            *self._furniture(scene),
            Thing(backdrop(), 0),
        ]
        with self._context:
            batch = Batch(self._context, things)
            if self._batch:
                self._batch.release()
            for shadow in self._shadows.values():
                shadow.forget()
        self._scene, self._batch = scene, batch
        self._fittings = [name for name, _ in fittings]

    def dress(self, looks: Mapping[str, Look]) -> None:
        """Show props of the scene, by name, in other looks until another scene is loaded; shapes, poses and ids stay.

        Raises:
            WorldError: no scene was loaded.
            SceneError: the scene holds no such prop.
        """
        if self._scene is None:
            raise WorldError('Another look was asked for before any scene. Call load(scene) first.')
        if looks:
            self.load(self._scene.dressed(looks))

    def render(self, camera: Camera, state: Snapshot | Poses, links: Poses, *, samples: int = 1, table: bool = True) -> Picture:
        """Return one picture.

        Args:
            camera: what looks.
            state: where the props are: a snapshot, or poses in the world by prop name; furniture is as it starts where no snapshot says.
            links: pose in the world of each link of the robot; empty: the robot is not shown.
            samples: colour samples along each side of a pixel, odd. More than 1 smooths edges and costs samples² pixels;
                depth and ids are those of the pixel's centre all the same.
            table: False leaves the table out.

        Raises:
            WorldError: no scene was loaded, the pose of a prop or a link is missing, or `samples` is even.
        """
        scene, batch, eye = self._stage(camera, state, links, table=table)
        with self._context:
            program = self._program(shadows=scene.light.shadows, fine=samples > 1, patterns=batch.patterned)
            self._shine(program, scene.light, batch, eye, fine=samples > 1)
            program['clip_from_world'].write(clip_from_world(camera, eye).T.astype(np.float32).tobytes())
            target = self._targets[(camera.width, camera.height), samples]
            target.begin()
            batch.draw(program)
            return target.picture()

    def alone(self, camera: Camera, state: Snapshot | Poses, links: Poses) -> dict[int, int]:
        """Return, by instance id, how many pixels each thing would fill if nothing else were there; the arguments are those of `render`."""
        _, batch, eye = self._stage(camera, state, links)
        with self._context:
            return self._seeing.counts(batch, clip_from_world(camera, eye), (camera.width, camera.height))

    def _stage(self, camera: Camera, state: Snapshot | Poses, links: Poses, *, table: bool = True) -> tuple[Scene, Batch, Pose]:
        """Put everything in its place; return scene, batch and where the camera's eye is."""
        if self._scene is None or self._batch is None:
            raise WorldError('A picture was asked for before any scene. Call load(scene) first.')
        placed = self._placed(self._scene, state, links, table=table)
        eye = _pose(links, camera.link, f'link that carries camera {camera.name}') @ camera.pose if camera.link else camera.pose
        with self._context:
            self._batch.place(placed, world_rays(camera, eye))
        return self._scene, self._batch, eye

    def _program(self, *, shadows: bool, fine: bool, patterns: bool) -> moderngl.Program:
        wanted = (shadows, fine, patterns)
        if wanted not in self._programs:
            vertex, fragment = programs(shadows=shadows, fine=fine, patterns=patterns)
            self._programs[wanted] = self._context.program(vertex_shader=vertex, fragment_shader=fragment)
        return self._programs[wanted]

    def _shine(self, program: moderngl.Program, light: Light, batch: Batch, eye: Pose, *, fine: bool) -> None:
        """Let the light shine on the things that are placed, from wherever `eye` looks."""
        key = np.asarray(light.direction) / np.linalg.norm(light.direction)
        program['key'] = tuple(key)
        program['key_light'] = tuple(_KEY_LIGHT * light.strength * np.asarray(light.colour.rgb))
        program['halfway'] = tuple(halfway(eye, key))
        if light.shadows:
            shadow = self._shadows[fine]
            matrix = shadow.matrix(key)
            shadow.paint(matrix, batch.placed, batch.draw_outlines)
            shadow.use(program)
            program['shade_from_world'].write(matrix.T.astype(np.float32).tobytes())

    def close(self) -> None:
        """Free everything; the renderer cannot be used again."""
        with self._context:
            if self._batch:
                self._batch.release()
            self._targets.release()
            for shadow in self._shadows.values():
                shadow.release()
            self._seeing.release()
            for program in self._programs.values():
                program.release()
        self._batch, self._scene = None, None
        self._context.release()

    @staticmethod
    def _furniture(scene: Scene) -> list[Thing]:
        return [Thing(of_kind(p.kind, p.size), scene.ids[ROOM], p.colour.rgb, texture=p.texture) for p in scene.furniture]

    def _placed(self, scene: Scene, state: Snapshot | Poses, links: Poses, *, table: bool) -> list[Pose | None]:
        props = {name: body.pose for name, body in state.bodies.items()} if isinstance(state, Snapshot) else state
        robot = [_pose(links, name, 'link') if links else None for name in self._robot]
        joints = state.mechanisms if isinstance(state, Snapshot) else {}
        fitted = {name: pose for mechanism in scene.mechanisms for name, pose in mechanism.placed(joints).items()}
        around = [Pose(scene.table.box.centre) if table else None, *(prop.pose for prop in scene.furniture)]
        things = [*(_pose(props, prop.name, 'prop') for prop in scene.props), *(fitted[name] for name in self._fittings)]
        return [*robot, *things, *where(scene, state), *around]

    def _target(self, asked: tuple[tuple[int, int], int]) -> Target:
        """Return where pictures of a size, with so many samples, are painted."""
        size, samples = asked
        return Target(self._context, size, samples=samples)


def _pose(poses: Poses, name: str, what: str) -> Pose:
    if name not in poses:
        raise WorldError(f'A picture needs the pose of {name!r}, a {what}; it was not given. {near(name, poses)}')
    return poses[name]
