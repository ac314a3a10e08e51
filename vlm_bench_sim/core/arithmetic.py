"""The same sines on every x86-64 processor: glibc's math functions without fused multiply-add (FMA).

glibc uses FMA where the processor has it. About one result in a thousand then differs in the last bit. PyBullet and pinocchio call these
functions themselves, so our code cannot round their results. glibc reads `GLIBC_TUNABLES` when a process starts; `.venv/bin/python`,
`scripts/env.sh` and the environment of the nodes set it.
"""

import math
import platform
from collections.abc import Mapping

VARIABLE = 'GLIBC_TUNABLES'

_FUSED = ((math.exp, 1.767, '0x1.769bee00f71b1p+2'), (math.sin, 1.622, '0x1.ff5436d5700d6p-1'))


def tunables(given: str) -> str:
    """Return `given`, a value of GLIBC_TUNABLES, with FMA switched off in addition."""
    name, wanted = 'glibc.cpu.hwcaps', ['-FMA', '-FMA4']
    parts = [part for part in given.split(':') if part]
    words = [word for part in parts if part.startswith(f'{name}=') for word in part.partition('=')[2].split(',') if word]
    others = [part for part in parts if not part.startswith(f'{name}=')]
    return ':'.join([*others, f'{name}={",".join([*words, *(word for word in wanted if word not in words)])}'])


def environment(present: Mapping[str, str]) -> dict[str, str]:
    """Return the variable, by name, that switches FMA off in a new process; `present` holds its other variables."""
    return {VARIABLE: tunables(present.get(VARIABLE, ''))}


def fused() -> bool:
    """Return whether this process uses FMA for sines; if so, its states may differ from those of other machines."""
    return any(function(at).hex() == told for function, at, told in _FUSED)


def avoidable() -> bool:
    """Return whether this process uses FMA and could run without it; FMA can be switched off on x86-64 only."""
    return fused() and platform.machine() in ('x86_64', 'AMD64')


def processor() -> str:
    """Return the properties of the processor that affect states: its architecture, and whether sines use FMA."""
    return f'{platform.machine()} with FMA' if fused() else platform.machine()
