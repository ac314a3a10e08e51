"""Shelves and cupboards. Each function returns the parts of a piece of that width, depth and height, m."""

from vlm_bench_sim.core.objects.rooms.parts import Parts, Range, fronts, legs, moved, pulls, rod, row, slab, soft

_BOARD = 0.025
_BINDINGS = ('bright', 'vivid', 'paint', 'ink', 'stone')


def bookcase(width: float, depth: float, height: float) -> Parts:
    """Return open shelves full of books."""
    half, count = width / 2, max(2, round(height / 0.36))
    step = (height - _BOARD) / count
    inner = (-half + _BOARD, half - _BOARD)
    heights = [i * step for i in range(count + 1)]
    rows = [books(inner, (0.03, depth - 0.06), heights[i] + _BOARD, tall=step - 0.06, seed=i) for i in range(count)]
    return (
        *(slab('wood', x, (0.0, depth), (0.0, height)) for x in ((-half, inner[0]), (inner[1], half))),
        slab('wood', inner, (0.0, 0.012), (_BOARD, height - _BOARD)),
        *(slab('wood', inner, (0.002, depth - 0.008), (z, z + _BOARD)) for z in heights),
        *(part for one in rows for part in one),
    )


def books(across: Range, y: Range, z: float, *, tall: float, seed: int = 0) -> Parts:
    """Return a row of books that stand at the height `z`, with a gap at one end; they are at most `tall` high."""
    found, x, i = [], across[0] + 0.01, seed
    end = across[1] - (0.08 if seed % 2 else 0.16)
    while (wide := 0.034 + 0.007 * (7 * i % 4)) <= end - x:
        high = min(tall, (0.80 + 0.05 * (5 * i % 5)) * tall)
        found.append(slab(_BINDINGS[(3 * i + seed) % 5], (x, x + wide - 0.003), (y[0], y[1] - 0.01 * (i % 3)), (z, z + high)))
        x, i = x + wide, i + 1
    return tuple(found)


def open_shelf(width: float, depth: float, height: float) -> Parts:
    """Return a few open shelves with folders and jars on them; sparse, so that each thing on it can collide."""
    half, count = width / 2, max(2, round(height / 0.32))
    step = (height - _BOARD) / count
    inner = (-half + _BOARD, half - _BOARD)
    found = [slab('wood', x, (0.0, depth), (0.0, height)) for x in ((-half, inner[0]), (inner[1], half))]
    found += [slab('wood', inner, (0.002, depth - 0.006), (i * step, i * step + _BOARD)) for i in range(count + 1)]
    for i in range(count):
        z, middle = i * step + _BOARD, depth / 2
        folders = row((inner[0], inner[0] + 0.6 * (inner[1] - inner[0])), 2, 0.01)
        roles = _BINDINGS[i % 2 :: 2][:2]
        found += [
            slab(role, x, (0.02, depth - 0.03), (z, z + (0.86 - 0.12 * j) * (step - 0.05)))
            for j, (x, role) in enumerate(zip(folders, roles, strict=True))
        ]
        found.append(rod('pale', (inner[1] - 0.055, middle), 0.08, (z, z + 0.5 * step)))
    return tuple(found)


def cabinet(width: float, depth: float, height: float) -> Parts:
    """Return a cupboard with a door for each half metre."""
    half, count = width / 2, max(1, round(width / 0.45))
    panels = fronts('paint', (-half, half), depth - 0.016, (0.06, height - 0.03), columns=count)
    return (
        slab('ink', (-half + 0.02, half - 0.02), (0.0, depth - 0.05), (0.0, 0.06)),
        slab('wood', (-half, half), (0.0, depth - 0.016), (0.06, height - 0.025)),
        slab('wood', (-half - 0.01, half + 0.01), (0.0, depth + 0.012), (height - 0.025, height)),
        *panels,
        *pulls('metal', panels, upright=True, high=0.75 if height < 1.2 else 0.5),
    )


def sideboard(width: float, depth: float, height: float) -> Parts:
    """Return a low cupboard with a vase, a bowl and a picture on it."""
    return (
        *cabinet(width, depth, height),
        *moved(vase(0.14, 0.14, 0.34), (-0.32 * width, 0.5 * depth - 0.07, height)),
        slab('stone', (0.02, 0.28), (0.10, 0.36), (height, height + 0.09), kind='bowl'),
        slab('wood', (0.34 * width - 0.13, 0.34 * width + 0.13), (0.04, 0.06), (height, height + 0.32)),
        *soft(slab('bright', (0.34 * width - 0.10, 0.34 * width + 0.10), (0.06, 0.064), (height + 0.03, height + 0.29))),
    )


def vase(width: float, depth: float, height: float) -> Parts:
    """Return a vase with two branches."""
    middle, low = depth / 2, 0.55 * height
    around = (middle - 0.045, middle + 0.045)
    branches = [rod('leaf', (x, middle), 0.012, (low, height - 0.05 * i)) for i, x in enumerate((-0.014, 0.014))]
    crowns = [
        slab('leaf', (x - 0.045, x + 0.045), around, (height - 0.09 - 0.05 * i, height - 0.05 * i), kind='ball')
        for i, x in enumerate((-0.024, 0.026))
    ]
    return (slab('vivid', (-width / 2, width / 2), (0.0, depth), (0.0, low), kind='bottle'), *soft(*branches, *crowns))


def drawers(width: float, depth: float, height: float) -> Parts:
    """Return a chest of drawers."""
    half = width / 2
    panels = fronts('paint', (-half, half), depth - 0.016, (0.05, height - 0.03), rows=max(2, round(height / 0.24)))
    return (
        slab('ink', (-half + 0.02, half - 0.02), (0.0, depth - 0.05), (0.0, 0.05)),
        slab('wood', (-half, half), (0.0, depth - 0.016), (0.05, height - 0.025)),
        slab('wood', (-half - 0.01, half + 0.01), (0.0, depth + 0.012), (height - 0.025, height)),
        *panels,
        *pulls('metal', panels),
    )


def hutch(width: float, depth: float, height: float) -> Parts:
    """Return a cupboard with plates and cups on shelves above it."""
    low, half, back = 0.86, width / 2, 0.58 * depth
    levels = [low + 0.34 * i for i in range(1, int((height - low - 0.26) / 0.34) + 1)]
    xs = [(a + b) / 2 for a, b in row((-half + 0.04, half - 0.04), max(2, round(width / 0.24)))]
    return (
        *cabinet(width, depth, low),
        *(slab('wood', x, (0.0, back), (low, height)) for x in ((-half, -half + 0.03), (half - 0.03, half))),
        slab('wood', (-half + 0.03, half - 0.03), (0.0, 0.015), (low, height - 0.03)),
        slab('wood', (-half + 0.03, half - 0.03), (0.002, back - 0.005), (height - 0.03, height)),
        *(slab('wood', (-half + 0.03, half - 0.03), (0.015, back - 0.01), (z, z + 0.02)) for z in levels),
        *(slab('pale', (x - 0.09, x + 0.09), (0.03, 0.045), (z + 0.02, z + 0.20)) for z in levels[::2] for x in xs),
        *(rod('vivid', (x, back / 2), 0.08, (z + 0.02, z + 0.12)) for z in levels[1::2] for x in xs),
        *(rod('bright', (x, back / 2), 0.13, (low, low + 0.16)) for x in xs[::2]),
    )


def rack(width: float, depth: float, height: float) -> Parts:
    """Return a metal rack with boxes and cans on its boards."""
    half, count = width / 2, max(2, round(height / 0.48))
    step = (height - 0.1) / count
    found = [*legs('metal', (width, depth, height), thick=0.035, inset=0.0)]
    for i in range(count + 1):
        z = 0.08 + i * step
        found.append(slab('wood', (-half + 0.036, half - 0.036), (0.004, depth - 0.004), (z, z + 0.02)))
        if i < count:
            found += _load((-half + 0.05, half - 0.05), depth, z + 0.02, tall=step - 0.06, turn=i)
    return tuple(found)


def _load(across: Range, depth: float, z: float, *, tall: float, turn: int) -> Parts:
    """Return boxes and cans side by side on a board."""
    found = []
    for i, (a, b) in enumerate(row(across, max(2, round((across[1] - across[0]) / 0.34)), 0.03)):
        kind = (i + 2 * turn) % 3
        if kind == 2:
            radius = min(0.24, b - a)
            found += [
                rod('stone', ((a + b) / 2, depth / 2), radius, (z, z + 0.7 * tall)),
                rod('metal', ((a + b) / 2, depth / 2), 0.6 * radius, (z + 0.7 * tall, z + 0.74 * tall)),
            ]
        else:
            found += crate((a, b), (0.05, depth - 0.05), (z, z + (0.85 - 0.2 * kind) * tall), role=('bright', 'paint')[kind])
    return tuple(found)


def crate(x: Range, y: Range, z: Range, *, role: str = 'bright') -> Parts:
    """Return a closed box with a lid that fills these ranges."""
    low, middle, half = z[0], (x[0] + x[1]) / 2, min(0.05, 0.3 * (x[1] - x[0]))
    lid = z[1] - min(0.05, 0.25 * (z[1] - low))
    label = slab('pale', (middle - half, middle + half), (y[1] - 0.008, y[1] - 0.003), (low + 0.3 * (lid - low), low + 0.8 * (lid - low)))
    return (
        slab(role, (x[0] + 0.008, x[1] - 0.008), (y[0] + 0.008, y[1] - 0.008), (z[0], lid)),
        slab(role, x, y, (lid, z[1])),
        *soft(label),
    )


def boxes(width: float, depth: float, height: float) -> Parts:
    """Return a large box with two smaller ones on it."""
    half, low = width / 2, 0.55 * height
    return (
        *crate((-half, half), (0.0, depth), (0.0, low), role='paint'),
        *crate((-half + 0.03, 0.04), (0.02, depth - 0.03), (low, 0.95 * height), role='bright'),
        *crate((0.07, half - 0.02), (0.04, depth - 0.02), (low, 0.82 * height), role='vivid'),
    )


def wall_shelf(width: float, depth: float, height: float) -> Parts:
    """Return a board on brackets with books and a vase."""
    half = width / 2
    return (
        *(slab('metal', (x - 0.012, x + 0.012), (0.0, 0.8 * depth), (0.0, 0.03)) for x in (-0.36 * width, 0.36 * width)),
        slab('wood', (-half, half), (0.0, depth), (0.03, 0.055)),
        *books((-half + 0.02, 0.25 * width), (0.03, depth - 0.03), 0.055, tall=height - 0.055, seed=3),
        *moved(vase(0.11, 0.11, min(0.28, height)), (0.38 * width, depth / 2 - 0.055, 0.055)),
    )


def two_shelves(width: float, depth: float, height: float) -> Parts:
    """Return two wall shelves above one another."""
    return tuple(part for z in (0.0, 0.5 * height) for part in moved(wall_shelf(width, depth, 0.4 * height), (0.0, 0.0, z)))
