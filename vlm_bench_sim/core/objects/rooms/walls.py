"""What hangs on walls or stands flat against them. Each function returns the parts of a piece of that width, depth and height, m."""

from math import pi

from vlm_bench_sim.core.geometry import Vector
from vlm_bench_sim.core.objects.rooms.parts import Part, Parts, disc, rod, row, slab, soft


def _frame(role: str, width: float, depth: float, height: float, *, thick: float) -> Parts:
    """Return the four bars of a frame."""
    half = width / 2
    return (
        *(slab(role, x, (0.0, depth), (0.0, height)) for x in ((-half, -half + thick), (half - thick, half))),
        *(slab(role, (-half + thick, half - thick), (0.0, depth), z) for z in ((0.0, thick), (height - thick, height))),
    )


def window(width: float, depth: float, height: float) -> Parts:
    """Return a window with a pane for each half metre and a sill."""
    half, panes = width / 2, row((-width / 2 + 0.05, width / 2 - 0.05), max(1, round(width / 0.65)), 0.0)
    return (
        *_frame('trim', width, depth, height, thick=0.05),
        *(slab('sky', x, (0.0, 0.3 * depth), (0.05, height - 0.05)) for x in panes),
        *(slab('trim', (x[0] - 0.02, x[0] + 0.02), (0.20 * depth, 0.9 * depth), (0.05, height - 0.05)) for x in panes[1:]),
        slab('trim', (-half + 0.05, half - 0.05), (0.28 * depth, 0.8 * depth), (0.64 * height, 0.64 * height + 0.03)),
        slab('trim', (-half - 0.05, half + 0.05), (0.0, depth + 0.10), (-0.04, -0.002)),
    )


def door(width: float, depth: float, height: float) -> Parts:
    """Return a door with two panels in its frame."""
    half, leaf = width / 2, 0.55 * depth
    inner = width / 2 - 0.07
    return (
        *(slab('trim', x, (0.0, depth), (0.0, height)) for x in ((-half, -inner), (inner, half))),
        slab('trim', (-inner, inner), (0.0, depth), (height - 0.07, height)),
        slab('paint', (-inner, inner), (0.0, leaf), (0.004, height - 0.07)),
        *(
            slab('paint', (-inner + 0.11, inner - 0.11), (leaf, leaf + 0.008), z)
            for z in ((0.16, 0.44 * height), (0.52 * height, height - 0.22))
        ),
        *soft(
            slab('metal', (inner - 0.08, inner - 0.05), (leaf, leaf + 0.012), (0.46 * height, 0.54 * height)),
            slab('metal', (inner - 0.17, inner - 0.05), (leaf + 0.03, leaf + 0.045), (0.50 * height, 0.51 * height)),
            slab('metal', (inner - 0.072, inner - 0.058), (leaf + 0.012, leaf + 0.03), (0.50 * height, 0.51 * height)),
        ),
    )


def curtains(width: float, depth: float, height: float) -> Parts:
    """Return two drawn curtains on a rod, each in folds."""
    half, wide = width / 2, 0.17 * width
    folds = [fold for side in ((-half, -half + wide), (half - wide, half)) for fold in row(side, 5, 0.0)]
    return (
        slab('metal', (-half - 0.06, half + 0.06), (0.03, 0.055), (height - 0.02, height)),
        *(slab('metal', (x - 0.01, x + 0.01), (0.0, 0.03), (height - 0.02, height)) for x in (-half - 0.04, half + 0.04)),
        *(slab('fabric', x, (0.02 + 0.025 * (i % 2), depth - 0.02 + 0.02 * (i % 2)), (0.0, height - 0.02)) for i, x in enumerate(folds)),
    )


def blinds(width: float, depth: float, height: float) -> Parts:
    """Return a blind of slats that hangs before a window."""
    half, front, count = width / 2, depth - 0.01, max(3, round(height / 0.05))
    slats = row((0.0, height - 0.05), count, 0.008)
    return (
        slab('metal', (-half, half), (0.0, depth), (height - 0.05, height)),
        *(slab('pale', (-half + 0.01, half - 0.01), (front - 0.02, front), z) for z in slats),
        *(slab('metal', (x - 0.004, x + 0.004), (front - 0.024, front - 0.02), (0.0, height - 0.05)) for x in (-0.7 * half, 0.7 * half)),
    )


def picture(width: float, depth: float, height: float) -> Parts:
    """Return a picture in a frame: hills below a sky with a sun."""
    half, deep = width / 2, 0.4 * depth
    low, up = 0.035, height - 0.035
    middle = low + 0.45 * (up - low)
    return (
        *_frame('wood', width, depth, height, thick=0.035),
        slab('vivid', (-half + 0.035, half - 0.035), (0.0, deep), (low, middle)),
        slab('pale', (-half + 0.035, half - 0.035), (0.0, deep), (middle, up)),
        disc('bright', (0.18 * width, deep + 0.002, middle + 0.12 * height), 0.22 * min(width, height), 0.004),
    )


def abstract(width: float, depth: float, height: float) -> Parts:
    """Return a modern picture: bars and a square."""
    half, deep = width / 2, 0.5 * depth
    return (
        *_frame('ink', width, depth, height, thick=0.02),
        slab('pale', (-half + 0.02, half - 0.02), (0.0, deep), (0.02, height - 0.02)),
        slab('bright', (-0.55 * half, 0.1 * half), (deep, deep + 0.004), (0.35 * height, 0.8 * height)),
        slab('vivid', (0.2 * half, 0.62 * half), (deep, deep + 0.004), (0.18 * height, 0.66 * height)),
        slab('ink', (-0.7 * half, 0.75 * half), (deep + 0.004, deep + 0.007), (0.26 * height, 0.30 * height)),
    )


def mirror(width: float, depth: float, height: float) -> Parts:
    """Return a mirror, which shows a pale sky."""
    return (
        *_frame('wood', width, depth, height, thick=0.05),
        slab('sky', (-width / 2 + 0.05, width / 2 - 0.05), (0.0, 0.4 * depth), (0.05, height - 0.05)),
    )


def clock(width: float, depth: float, height: float) -> Parts:
    """Return a round clock that says ten past ten."""
    middle, front = height / 2, depth
    return (
        disc('ink', (0.0, depth / 2, middle), width, depth),
        disc('pale', (0.0, front + 0.003, middle), 0.86 * width, 0.006),
        *(
            Part(
                'ink', 'cube', (x * width, front + 0.008, middle + 0.10 * width), (0.02, 0.004, size * width), (0.0, turn, 0.0), firm=False
            )
            for x, size, turn in ((-0.10, 0.26, -0.87), (0.13, 0.34, 1.05))
        ),
    )


def whiteboard(width: float, depth: float, height: float) -> Parts:
    """Return a whiteboard with some writing, a chart and a tray for pens."""
    half, deep = width / 2, 0.5 * depth
    lines = [
        slab('ink', (-0.8 * half, (-0.2 - 0.12 * (i % 3)) * half), (deep, deep + 0.003), (z, z + 0.014))
        for i, z in enumerate(0.78 * height - 0.09 * k for k in range(5))
    ]
    bars = [
        slab(('bright', 'vivid')[i % 2], (x * half, (x + 0.1) * half), (deep, deep + 0.003), (0.25 * height, (0.25 + share) * height))
        for i, (x, share) in enumerate(((0.15, 0.2), (0.32, 0.42), (0.49, 0.3), (0.66, 0.52)))
    ]
    return (
        *_frame('metal', width, depth, height, thick=0.025),
        slab('pale', (-half + 0.025, half - 0.025), (0.0, deep), (0.025, height - 0.025)),
        *soft(*lines, *bars),
        slab('metal', (-0.5 * half, 0.5 * half), (0.0, depth + 0.06), (-0.025, -0.003)),
    )


def noticeboard(width: float, depth: float, height: float) -> Parts:
    """Return a board of cork with papers."""
    half, deep = width / 2, 0.5 * depth
    upper = ((-0.75, 0.50, 'pale'), (-0.35, 0.42, 'bright'), (0.05, 0.55, 'pale'), (0.40, 0.46, 'vivid'))
    lower = ((-0.60, 0.12, 'vivid'), (-0.10, 0.10, 'pale'), (0.42, 0.10, 'bright'))
    return (
        *_frame('metal', width, depth, height, thick=0.02),
        slab('wood', (-half + 0.02, half - 0.02), (0.0, deep), (0.02, height - 0.02)),
        *soft(
            *(
                slab(role, (x * half, x * half + 0.24 * half), (deep, deep + 0.004), (z * height, z * height + 0.28 * height))
                for x, z, role in (*upper, *lower)
            )
        ),
    )


def pegboard(width: float, depth: float, height: float) -> Parts:
    """Return a board with tools: a saw, hammers, a spanner and screwdrivers."""
    half, deep = width / 2, 0.4 * depth
    front = (deep, depth)
    return (
        slab('stone', (-half, half), (0.0, deep), (0.0, height)),
        *soft(
            slab('metal', (-0.82 * half, -0.30 * half), front, (0.62 * height, 0.76 * height)),
            slab('wood', (-0.30 * half, -0.16 * half), (deep, depth + 0.01), (0.60 * height, 0.80 * height)),
            *(part for x in (0.05 * half, 0.30 * half) for part in _hammer(x, front, height)),
            *(
                slab('bright', (x * half, x * half + 0.03), (deep, depth + 0.01), (0.52 * height, 0.70 * height))
                for x in (0.54, 0.66, 0.78)
            ),
            *(slab('metal', (x * half + 0.01, x * half + 0.02), front, (0.32 * height, 0.52 * height)) for x in (0.54, 0.66, 0.78)),
            *(
                slab('metal', (x * half, x * half + 0.035), front, (0.14 * height, (0.50 - 0.06 * i) * height))
                for i, x in enumerate((-0.8, -0.66, -0.52, -0.38))
            ),
        ),
    )


def _hammer(x: float, front: tuple[float, float], height: float) -> Parts:
    return (
        slab('wood', (x - 0.015, x + 0.015), front, (0.36 * height, 0.74 * height)),
        slab('metal', (x - 0.07, x + 0.07), (front[0], front[1] + 0.01), (0.74 * height, 0.82 * height)),
    )


def television(width: float, depth: float, height: float) -> Parts:
    """Return a flat screen on a wall with a bright landscape on it."""
    half = width / 2
    middle = 0.45 * height
    return (
        slab('ink', (-half, half), (0.0, depth), (0.0, height)),
        *soft(
            slab('leaf', (-half + 0.03, half - 0.03), (depth, depth + 0.004), (0.03, middle)),
            slab('sky', (-half + 0.03, half - 0.03), (depth, depth + 0.004), (middle, height - 0.03)),
        ),
    )


def radiator(width: float, depth: float, height: float) -> Parts:
    """Return a radiator of upright ribs."""
    half = width / 2
    return (
        *(slab('trim', x, (0.03, depth), (0.10, height)) for x in row((-half, half), max(4, round(width / 0.08)), 0.012)),
        *(slab('trim', (-half + 0.02, half - 0.02), (0.045, depth - 0.02), z) for z in ((0.14, 0.18), (height - 0.10, height - 0.06))),
        *(slab('metal', (x - 0.015, x + 0.015), (0.0, 0.045), (0.14, 0.17)) for x in (-half + 0.08, half - 0.08)),
    )


def fireplace(width: float, depth: float, height: float) -> Parts:
    """Return a fireplace with logs, a fire, and a mantel with candles."""
    half, post = width / 2, 0.26
    candles = ((-0.38 * width, 0.22), (-0.30 * width, 0.15), (0.36 * width, 0.19))
    flames = ((-0.11, 0.19, 0.20, 'bright'), (0.10, 0.19, 0.17, 'bright'), (0.0, 0.21, 0.30, 'vivid'))
    return (
        *(slab('stone', x, (0.0, depth), (0.0, height - 0.06)) for x in ((-half, -half + post), (half - post, half))),
        slab('stone', (-half + post, half - post), (0.0, depth - 0.004), (0.66 * height, height - 0.06)),
        slab('ink', (-half + post, half - post), (0.0, 0.04), (0.0, 0.66 * height)),
        slab('stone', (-half + post, half - post), (0.04, depth + 0.10), (0.0, 0.05)),
        slab('wood', (-half - 0.06, half + 0.06), (0.0, depth + 0.05), (height - 0.06, height)),
        *(slab('wood', (-0.22, 0.22), (y, y + 0.09), (0.05 + z, 0.13 + z)) for y, z in ((0.10, 0.0), (0.22, 0.0), (0.16, 0.08))),
        *(_flame(role, (x, y, 0.21), tall) for x, y, tall, role in flames),
        *soft(*(rod('pale', (x, 0.145), 0.05, (height, height + tall)) for x, tall in candles)),
    )


def _flame(role: str, foot: Vector, tall: float) -> Part:
    """Return a flat flame that stands on a place."""
    x, y, z = foot
    return Part(role, 'triangular_prism', (x, y, z + tall / 2), (0.14, tall, 0.03), (pi / 2, 0.0, 0.0), firm=False)
