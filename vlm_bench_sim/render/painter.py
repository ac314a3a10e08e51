"""The render pass of a picture: static background, light, objects, and reading the result from OpenGL."""

from collections.abc import Sequence

import moderngl
import numpy as np

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.render.backdrop import Backdrop
from vlm_bench_sim.render.batch import Batch, Part
from vlm_bench_sim.render.glass import Glass
from vlm_bench_sim.render.lamp import Lamp, gleam, lamp
from vlm_bench_sim.render.projection import clip_bytes
from vlm_bench_sim.render.recent import Recent
from vlm_bench_sim.render.shaders import programs
from vlm_bench_sim.render.shadow import COARSE, FINE, Shadow
from vlm_bench_sim.render.stage import DrawList, Viewpoint
from vlm_bench_sim.render.target import Target

_UNSHADED = np.array([[0.0, 0.0, 0.0, 0.0]] * 3 + [[-1.0, -1.0, -1.0, 1.0]], dtype=np.float32).tobytes()
# A matrix into a shadow map, by columns, that puts everything beside the map.

AT_ONCE = 8
"""Pictures that are drawn before the first of them is read."""


class Painter:
    """Draws the placed objects of a stage.

    Static objects look the same in every picture of a static camera: the room, and the table unless a shadow may fall on it. They are drawn
    once, as the background with which each picture starts. For a moving camera they are drawn into every picture.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._programs: dict[tuple[bool, ...], moderngl.Program] = {}
        self._shadows = {fine: Shadow(context, FINE if fine else COARSE) for fine in (False, True)}
        self._wide: Shadow | None = None  # for rooms
        self._backdrop, self._glass = Backdrop(context), Glass(context)
        self._targets = Recent(self._target, free=Target.release, most=AT_ONCE)
        self._fine = Recent(self._target, free=Target.release)
        self._grounds = Recent(self._ground, free=Target.release, most=AT_ONCE)

    def pictures(self, stage: DrawList, views: Sequence[Viewpoint]) -> list[Picture]:
        """Return a picture of each view, with one sample per pixel."""
        program = self._lit(stage, fine=False)
        found: list[Picture] = []
        for first in range(0, len(views), AT_ONCE):
            some = views[first : first + AT_ONCE]
            targets = [self._targets[view.size, 1, k] for k, view in enumerate(some)]
            for target, view in zip(targets, some, strict=True):
                self._paint(target, program, stage, view)
            found += [target.picture(many=stage.many) for target in targets]
        return found

    def fine_picture(self, stage: DrawList, view: Viewpoint, samples: int) -> Picture:
        """Return a picture with `samples` samples along each side of a pixel."""
        target = self._fine[view.size, samples, 0]
        program = self._lit(stage, fine=True)
        _look(program, stage, view)
        target.begin()
        self._backdrop.draw(view.camera, view.eye)
        self._draw_far(stage, view)
        stage.batch.draw(program)
        self._glass.draw(target, stage, view)
        return target.picture(many=stage.many)

    def forget(self) -> None:
        """Discard all cached drawings, because the stage has changed."""
        self._grounds.release()
        for shadow in self._all_shadows():
            shadow.forget()

    def release(self) -> None:
        """Free everything."""
        for kept in (self._targets, self._fine, self._grounds):
            kept.release()
        for held in (*self._all_shadows(), self._backdrop, self._glass, *self._programs.values()):
            held.release()

    def _lit(self, stage: DrawList, *, fine: bool) -> moderngl.Program:
        """Return the program that draws the stage, with its light set."""
        program, light = self._program(stage, fine=fine), lamp(stage.light)
        light.shine(program)
        if stage.light.shadows:
            shadow = self._shadows[fine]
            shadow.paint(light.shade_from_world, stage.batch)
            shadow.use(program)
            if stage.room:
                self._use_wide(program, light, stage.batch)
        return program

    def _program(self, stage: DrawList, *, fine: bool, far: bool = False) -> moderngl.Program:
        batch, room = stage.far or stage.batch if far else stage.batch, stage.room or far
        wanted = (stage.light.shadows, fine, batch.patterned, stage.many, batch.rich, room, far)
        if wanted not in self._programs:
            shadows, fine, patterns, many, rich, room, far = wanted
            vertex, fragment = programs(shadows=shadows, fine=fine, patterns=patterns, many=many, rich=rich, room=room, far=far)
            self._programs[wanted] = self._context.program(vertex_shader=vertex, fragment_shader=fragment)
        return self._programs[wanted]

    def _use_wide(self, program: moderngl.Program, light: Lamp, batch: Batch) -> None:
        self._wide = self._wide or Shadow(self._context, FINE)
        self._wide.paint(light.wide_from_world, batch)
        self._wide.use(program, name='wide_shadows', place=1)

    def _draw_far(self, stage: DrawList, view: Viewpoint) -> None:
        """Draw the background into the current framebuffer; what moves throws no shadow on it, so a picture of it can be kept."""
        if stage.far is None:
            return
        program, light = self._program(stage, fine=True, far=True), lamp(stage.light)
        light.shine(program)
        if stage.light.shadows:
            drawn = self._context.detect_framebuffer()
            self._use_wide(program, light, stage.far)
            drawn.use()
            program['shade_from_world'].write(_UNSHADED)
            program['shadows'] = 1
        _look(program, stage, view)
        stage.far.draw(program)

    def _all_shadows(self) -> list[Shadow]:
        return [*self._shadows.values(), *([self._wide] if self._wide else [])]

    def _paint(self, target: Target, program: moderngl.Program, stage: DrawList, view: Viewpoint) -> None:
        """Draw a view; static objects come first, so the picture is the same with and without the cached background."""
        _look(program, stage, view)
        if view.camera.link:
            target.begin()
            self._lay(program, stage, view)
        else:
            target.resume(self._grounds[program, stage, view])
        stage.batch.draw(program, Part.ALL if stage.light.shadows else Part.MOVING)
        if view.camera.link:  # last, as the rest hides much of it
            self._draw_far(stage, view)
        self._glass.draw(target, stage, view)

    def _lay(self, program: moderngl.Program, stage: DrawList, view: Viewpoint) -> None:
        """Draw the static objects."""
        self._backdrop.draw(view.camera, view.eye)
        if not stage.light.shadows:
            stage.batch.draw(program, Part.STANDING)

    def _ground(self, asked: tuple[moderngl.Program, DrawList, Viewpoint]) -> Target:
        program, stage, view = asked
        ground = Target(self._context, view.size, samples=1)
        ground.begin()
        self._lay(program, stage, view)
        self._draw_far(stage, view)
        return ground

    def _target(self, asked: tuple[tuple[int, int], int, int]) -> Target:
        """Return the render target for a size and number of samples; the last number distinguishes targets used together."""
        size, samples, _ = asked
        return Target(self._context, size, samples=samples)


def _look(program: moderngl.Program, stage: DrawList, view: Viewpoint) -> None:
    program['clip_from_world'].write(clip_bytes(view.camera, view.eye))
    program['halfway'] = gleam(stage.light, view.eye)
