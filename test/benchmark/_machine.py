"""What was measured on: the machine and the versions of what decides the figures."""

import os
import platform
from pathlib import Path

from vlm_bench_sim.render.context import open_context
from vlm_bench_sim.versions import versions
from vlm_bench_tasks.console import doctor


def header() -> list[str]:
    """Return the lines above all figures."""
    return [
        f'{os.cpu_count()} cores, {_model()}, {_memory():.0f} GB, {platform.system()} {platform.machine()}',
        f'Python {platform.python_version()}',
        f'ROS 2 {doctor.ros().found}, {doctor.middleware().found}',
        ' '.join(versions(_renderer())),
        load(),
    ]


def load() -> str:
    """Return how busy the machine has been in the last minute: what else it does, the figures suffer from."""
    return f'load average {os.getloadavg()[0]:.1f}'


def _model() -> str:
    info = Path('/proc/cpuinfo')
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(':', 1)[1].strip() for line in lines if line.startswith('model name')), platform.processor())


def _memory() -> float:
    return os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9


def _renderer() -> str:
    context = open_context()
    name = str(context.info['GL_RENDERER'])
    context.release()
    return name
