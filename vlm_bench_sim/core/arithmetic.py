"""One mathematical library on every x86-64 processor: glibc's shall do without fused multiply-add.

Where a processor has FMA, glibc computes sines, exponentials and their like with it, and in one of some thousand the last bit differs from
that of a processor without. Physics and kinematics ask these functions themselves, so rounding cannot help. glibc reads what it shall leave
alone (`GLIBC_TUNABLES`) when a process starts: `.venv/bin/python`, `scripts/env.sh` and the nodes' environment name it.
"""

import math
import platform
from collections.abc import Mapping

VARIABLE = 'GLIBC_TUNABLES'

_FUSED = ((math.exp, 1.767, '0x1.769bee00f71b1p+2'), (math.sin, 1.622, '0x1.ff5436d5700d6p-1'))


def tunables(given: str) -> str:
    """Return the value of GLIBC_TUNABLES, `given` before, with which libm leaves fused multiply-add alone."""
    name, wanted = 'glibc.cpu.hwcaps', ['-FMA', '-FMA4']
    parts = [part for part in given.split(':') if part]
    words = [word for part in parts if part.startswith(f'{name}=') for word in part.partition('=')[2].split(',') if word]
    others = [part for part in parts if not part.startswith(f'{name}=')]
    return ':'.join([*others, f'{name}={",".join([*words, *(word for word in wanted if word not in words)])}'])


def environment(present: Mapping[str, str]) -> dict[str, str]:
    """Return the variable with which a process that is started computes as every processor does, beside those that are `present`."""
    return {VARIABLE: tunables(present.get(VARIABLE, ''))}


def fused() -> bool:
    """Tell whether this process computes sines with fused multiply-add, so that its states may differ from those of others."""
    return any(function(at).hex() == told for function, at, told in _FUSED)


def avoidable() -> bool:
    """Tell whether it does so though it need not: on other architectures than x86-64 nobody can tell it otherwise."""
    return fused() and platform.machine() in ('x86_64', 'AMD64')


def processor() -> str:
    """Return what states depend on of the processor: its architecture, and whether sines are computed with fused multiply-add."""
    return f'{platform.machine()} with FMA' if fused() else platform.machine()
