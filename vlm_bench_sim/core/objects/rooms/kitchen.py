"""Kitchens and laundries. Each function returns the parts of a piece of that width, depth and height, m."""

from vlm_bench_sim.core.objects.rooms.parts import Parts, disc, fronts, legs, moved, pulls, rod, row, slab, soft
from vlm_bench_sim.core.objects.rooms.tables import bowl

_TOP, _PLINTH = 0.04, 0.10


def _units(width: float, depth: float, height: float) -> Parts:
    """Return closed units below a worktop."""
    half = width / 2
    panels = fronts('paint', (-half, half), depth - 0.036, (_PLINTH, height - _TOP - 0.01), columns=max(1, round(width / 0.55)))
    return (
        slab('ink', (-half, half), (0.0, depth - 0.09), (0.0, _PLINTH)),
        slab('wood', (-half, half), (0.0, depth - 0.036), (_PLINTH, height - _TOP)),
        *panels,
        *pulls('metal', panels, upright=True, high=0.8),
        slab('stone', (-half - 0.005, half + 0.005), (0.0, depth), (height - _TOP, height)),
    )


def counter(width: float, depth: float, height: float) -> Parts:
    """Return kitchen units with a worktop, a board, jars and a kettle."""
    jars = [rod('bright' if i else 'vivid', (-0.36 * width + 0.13 * i, 0.16), 0.10, (height, height + 0.20 - 0.03 * i)) for i in range(3)]
    board = slab('wood', (0.05, 0.40), (0.16, depth - 0.14), (height, height + 0.02))
    kettle = (
        rod('metal', (0.40 * width, 0.22), 0.17, (height, height + 0.19)),
        rod('ink', (0.40 * width, 0.22), 0.05, (height + 0.19, height + 0.22)),
    )
    return (*_units(width, depth, height), *jars, board, *kettle)


def sink(width: float, depth: float, height: float) -> Parts:
    """Return kitchen units with a sink, a tap and plates that dry."""
    x, y = 0.12 * width, depth / 2
    basin = (
        slab('metal', (x - 0.26, x + 0.26), (y - 0.20, y + 0.20), (height, height + 0.012)),
        slab('ink', (x - 0.23, x + 0.23), (y - 0.16, y + 0.17), (height + 0.012, height + 0.016)),
        rod('metal', (x, y - 0.21), 0.035, (height, height + 0.28)),
        slab('metal', (x - 0.012, x + 0.012), (y - 0.20, y), (height + 0.25, height + 0.275)),
    )
    plates = [
        slab('pale', (-0.34 * width + 0.05 * i, -0.34 * width + 0.05 * i + 0.015), (y - 0.12, y + 0.12), (height + 0.03, height + 0.25))
        for i in range(5)
    ]
    tray = slab('metal', (-0.34 * width - 0.03, -0.34 * width + 0.26), (y - 0.15, y + 0.15), (height, height + 0.03))
    return (*_units(width, depth, height), *basin, tray, *plates)


def stove(width: float, depth: float, height: float) -> Parts:
    """Return a stove with an oven and two pots."""
    half, front = width / 2, depth - 0.02
    spots = [(x, y) for x in (-0.25 * width, 0.25 * width) for y in (0.30 * depth, 0.72 * depth)]
    pots = (
        rod('vivid', spots[0], 0.22, (height + 0.006, height + 0.15)),
        rod('ink', spots[0], 0.05, (height + 0.15, height + 0.18)),
        rod('metal', spots[3], 0.18, (height + 0.006, height + 0.11)),
    )
    return (
        slab('ink', (-half + 0.01, half - 0.01), (0.0, depth - 0.08), (0.0, 0.08)),
        slab('pale', (-half, half), (0.0, front), (0.08, height - 0.012)),
        slab('ink', (-half + 0.006, half - 0.006), (0.0, depth), (height - 0.012, height)),
        slab('metal', (-half + 0.03, half - 0.03), (front, front + 0.012), (0.14, height - 0.20)),
        slab('ink', (-half + 0.09, half - 0.09), (front + 0.012, front + 0.016), (0.24, height - 0.30)),
        *soft(slab('metal', (-half + 0.08, half - 0.08), (front + 0.012, front + 0.045), (height - 0.25, height - 0.23))),
        *(disc('metal', (x, front + 0.015, height - 0.10), 0.055, 0.03) for x in (-0.3 * width, -0.1 * width, 0.1 * width, 0.3 * width)),
        *soft(*(rod('metal', at, 0.18, (height, height + 0.006)) for at in spots)),
        *pots,
    )


def fridge(width: float, depth: float, height: float) -> Parts:
    """Return a fridge with a freezer below it, and notes on its door."""
    half, front = width / 2, depth - 0.06
    doors = (
        slab('pale', (-half, half), (front, depth), (0.05, 0.36 * height)),
        slab('pale', (-half, half), (front, depth), (0.36 * height + 0.012, height)),
    )
    notes = ((-0.12, 0.80, 'bright'), (0.02, 0.84, 'vivid'), (-0.05, 0.70, 'rug'))
    return (
        slab('ink', (-half + 0.02, half - 0.02), (0.0, front), (0.0, 0.05)),
        slab('pale', (-half, half), (0.0, front - 0.008), (0.05, height - 0.002)),
        slab('ink', (-half + 0.015, half - 0.015), (front - 0.008, front), (0.06, height - 0.02)),
        *doors,
        *(
            slab('metal', (half - 0.09, half - 0.06), (depth, depth + 0.03), z)
            for z in ((0.18 * height, 0.34 * height), (0.39 * height, 0.58 * height))
        ),
        *soft(*(slab(role, (x, x + 0.10), (depth, depth + 0.004), (z * height, z * height + 0.12)) for x, z, role in notes)),
    )


def wall_cupboards(width: float, depth: float, height: float) -> Parts:
    """Return cupboards that hang on a wall."""
    half = width / 2
    panels = fronts('paint', (-half, half), depth - 0.016, (0.0, height), columns=max(1, round(width / 0.5)))
    return (slab('wood', (-half, half), (0.0, depth - 0.016), (0.0, height)), *panels, *pulls('metal', panels, upright=True, high=0.2))


def hood(width: float, depth: float, height: float) -> Parts:
    """Return an extractor hood with its chimney."""
    half = width / 2
    return (
        slab('metal', (-half, half), (0.0, depth), (0.0, 0.07)),
        slab('metal', (-0.72 * half, 0.72 * half), (0.0, 0.75 * depth), (0.07, 0.16)),
        slab('metal', (-0.14, 0.14), (0.0, 0.28), (0.16, height)),
        *soft(slab('ink', (-half + 0.05, half - 0.05), (0.05, depth - 0.05), (-0.004, 0.0))),
    )


def tiles(width: float, depth: float, height: float) -> Parts:
    """Return a tiled part of a wall."""
    return (slab('stone', (-width / 2, width / 2), (0.0, depth), (0.0, height)),)


def island(width: float, depth: float, height: float) -> Parts:
    """Return kitchen units that stand free, with a top that reaches beyond them at the back, and a bowl."""
    units = moved(_units(width - 0.06, depth - 0.30, height - 0.001), (0.0, 0.28, 0.0))
    top = slab('stone', (-width / 2, width / 2), (0.0, depth), (height, height + 0.035))
    return (*units, top, *bowl((0.0, depth / 2), height + 0.035))


def washer(width: float, depth: float, height: float) -> Parts:
    """Return a washing machine with a basket on it."""
    half, front = width / 2, depth - 0.03
    return (
        slab('pale', (-half, half), (0.0, front), (0.02, height)),
        slab('ink', (-half + 0.02, half - 0.02), (0.02, front - 0.02), (0.0, 0.02)),
        slab('stone', (-half, half), (front, front + 0.012), (height - 0.14, height - 0.01)),
        disc('metal', (0.0, front + 0.012, 0.44 * height), 0.62 * width, 0.03),
        disc('ink', (0.0, front + 0.030, 0.44 * height), 0.44 * width, 0.012),
        disc('metal', (0.3 * width, front + 0.024, height - 0.075), 0.07, 0.03),
        *moved(basket(0.40, 0.34, 0.26), (0.0, 0.12, height)),
    )


def basket(width: float, depth: float, height: float) -> Parts:
    """Return a basket with linen."""
    half = width / 2
    return (
        slab('wood', (-half, half), (0.0, depth), (0.0, 0.8 * height), kind='basket'),
        *soft(
            slab('rug', (-half + 0.05, 0.0), (0.06, depth - 0.06), (0.4 * height, 0.92 * height), kind='sponge'),
            slab('fabric', (-0.03, half - 0.05), (0.07, depth - 0.05), (0.45 * height, height), kind='sponge'),
        ),
    )


def microwave(width: float, depth: float, height: float) -> Parts:
    """Return a microwave oven."""
    half, front = width / 2, depth - 0.012
    return (
        slab('pale', (-half, half), (0.0, front), (0.012, height)),
        *soft(
            slab('ink', (-half + 0.02, 0.45 * half), (front, depth - 0.006), (0.04, height - 0.03)),
            slab('metal', (0.55 * half, half - 0.02), (front, depth - 0.004), (0.04, height - 0.03)),
        ),
        *legs('ink', (width, depth, 0.012), thick=0.03, inset=0.02),
    )


def coffee_machine(width: float, depth: float, height: float) -> Parts:
    """Return a coffee machine with a cup below its spout."""
    half = width / 2
    return (
        slab('metal', (-half, half), (0.0, depth), (0.0, 0.04)),
        slab('ink', (-half, half), (0.0, 0.5 * depth), (0.04, height - 0.12)),
        slab('metal', (-half, half), (0.0, depth), (height - 0.12, height)),
        rod('ink', (0.0, 0.76 * depth), 0.04, (height - 0.17, height - 0.12)),
        *soft(rod('pale', (0.0, 0.76 * depth), 0.07, (0.04, 0.12))),
    )


def bottles(width: float, depth: float, height: float) -> Parts:
    """Return a crate with a row of bottles."""
    half, low = width / 2, 0.55 * height
    across = min(0.085, depth - 0.05)
    y = ((depth - across) / 2, (depth + across) / 2)
    middles = [(a + b) / 2 for a, b in row((-half + 0.02, half - 0.02), max(2, round(width / 0.10)))]
    stand = [
        slab(('vivid', 'bright')[i % 2], (x - across / 2, x + across / 2), y, (0.02, height), kind='bottle') for i, x in enumerate(middles)
    ]
    return (
        slab('wood', (-half + 0.012, half - 0.012), (0.012, depth - 0.012), (0.0, 0.02)),
        *(slab('wood', (-half, half), side, (0.0, low)) for side in ((0.0, 0.012), (depth - 0.012, depth))),
        *(slab('wood', x, (0.012, depth - 0.012), (0.0, low)) for x in ((-half, -half + 0.012), (half - 0.012, half))),
        *stand,
    )
