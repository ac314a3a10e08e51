"""See-through objects: drawn after all others, over what is behind them.

Their walls tint what is behind, and reflect the room and the light. The order in which walls are drawn makes no difference, so near and far
walls of a cup show. Depths and ids are those of the nearest wall, but where beads are behind it, they are those of the beads. The shadow of
see-through objects is faint, and falls on the table only.
"""

import moderngl

from vlm_bench_sim.core.geometry import vector
from vlm_bench_sim.render.glass_shaders import GLASS_VERTEX, SHADE, SHADE_VERTEX, SHINE, TINT, mark
from vlm_bench_sim.render.lamp import lamp
from vlm_bench_sim.render.projection import clip_bytes
from vlm_bench_sim.render.recent import Recent
from vlm_bench_sim.render.stage import DrawList, Viewpoint
from vlm_bench_sim.render.target import COLORS_AT, DEPTHS_AT, Target


class Glass:
    """Draws the see-through objects of a stage."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._programs = Recent(self._program, free=moderngl.Program.release)
        self._behind = Recent(self._target, free=Target.release)

    def draw(self, target: Target, stage: DrawList, view: Viewpoint) -> None:
        """Draw them into the target, which shows everything else."""
        if not stage.batch.clear:
            return
        context = self._context
        target.paint(marks=False)
        context.enable_only(context.DEPTH_TEST | context.BLEND)
        context.blend_equation = moderngl.FUNC_ADD
        if stage.light.shadows and view.table:
            self._blend(SHADE, stage, view)
        self._blend(TINT, stage, view)
        self._blend(SHINE, stage, view)
        self._mark(target, stage, view)
        target.paint()
        context.enable_only(context.DEPTH_TEST | context.CULL_FACE)

    def _blend(self, fragment: str, stage: DrawList, view: Viewpoint) -> None:
        """Multiply the colors by what the shader gives, or add what a wall reflects."""
        self._context.blend_func = (
            (moderngl.ONE, moderngl.ONE_MINUS_SRC_COLOR) if fragment == SHINE else (moderngl.ZERO, moderngl.SRC_COLOR)
        )
        program, light, box = self._programs[fragment], lamp(stage.light), stage.table
        program['clip_from_world'].write(clip_bytes(view.camera, view.eye))
        given = {
            'eye': view.eye.position,
            'key': vector(light.towards),
            'key_light': vector(light.radiance),
            'top': box.high[2],
            'edges': (*box.low[:2], *box.high[:2]),
        }
        for name, value in given.items():
            if name in program:
                program[name] = value
        stage.batch.draw_glass(program)

    def _mark(self, target: Target, stage: DrawList, view: Viewpoint) -> None:
        """Draw depths and ids."""
        program = self._programs[mark(many=stage.many)]
        program['clip_from_world'].write(clip_bytes(view.camera, view.eye))
        program['colors'], program['beads'] = COLORS_AT, (stage.beads.start, stage.beads.stop)
        if stage.many:
            program['depths'] = DEPTHS_AT
        target.expose(self._behind[view.size, target.samples])
        target.paint(colors=False)
        self._context.enable_only(self._context.DEPTH_TEST)
        stage.batch.draw_glass(program)

    def release(self) -> None:
        """Free everything."""
        self._programs.release()
        self._behind.release()

    def _program(self, fragment: str) -> moderngl.Program:
        return self._context.program(vertex_shader=SHADE_VERTEX if fragment == SHADE else GLASS_VERTEX, fragment_shader=fragment)

    def _target(self, asked: tuple[tuple[int, int], int]) -> Target:
        size, samples = asked
        return Target(self._context, size, samples=samples)
