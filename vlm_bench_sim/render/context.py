"""The OpenGL context: off screen, through EGL, on a GPU or on Mesa's software rasteriser."""

import os

import moderngl

from vlm_bench_sim.core.errors import WorldError

REMEDY = 'apt-get install -y libegl1 libgl1-mesa-dri libgles2 libopengl0'
"""Command that installs what rendering needs."""


def open_context() -> moderngl.Context:
    """Return a new OpenGL context without a window; it is current only inside `with`.

    Raises:
        WorldError: EGL is missing; the message contains the command that installs it.
    """
    # Mesa's rasteriser reads this when it starts. For small pictures threads cost more than they save: 2.0 ms instead of 1.7.
    os.environ.setdefault('LP_NUM_THREADS', '0')
    try:
        return moderngl.create_context(require=330, standalone=True, backend='egl')
    except Exception as error:  # the binding raises bare Exception for a missing library and for a missing driver
        raise WorldError(f'Pictures need OpenGL 3.3 through EGL; found: {error}. Install it: {REMEDY}') from error
