"""Where there is no EGL, the error is one clear sentence."""

import moderngl
import pytest

from vlm_bench_sim.core.errors import WorldError
from vlm_bench_sim.profiles import robot
from vlm_bench_sim.render import Renderer
from vlm_bench_sim.render.context import open_context


@pytest.mark.parametrize('cause', [Exception('libEGL.so not loaded'), Exception('eglInitialize failed (0x3001)'), ValueError('no device')])
def test_without_egl_the_error_holds_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch, cause: Exception) -> None:
    def broken(**_: object) -> None:
        raise cause

    monkeypatch.setattr(moderngl, 'create_context', broken)
    with pytest.raises(WorldError, match='apt-get install -y libegl1 libgl1-mesa-dri libgles2 libopengl0') as caught:
        Renderer(robot('panda'))
    assert str(cause) in str(caught.value)


def test_many_contexts_can_be_opened_and_released() -> None:
    for _ in range(20):
        context = open_context()
        with context:
            assert context.version_code >= 330
        context.release()


def test_a_renderer_says_what_paints(renderer: Renderer) -> None:
    assert renderer.renderer_string
