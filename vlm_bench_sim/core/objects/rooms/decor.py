"""Rugs, plants, lamps and other things that stand about. Each function returns the parts of a piece of that width, depth and height, m."""

from math import atan2, cos, hypot, sin

from vlm_bench_sim.core.objects.rooms.parts import Part, Parts, moved, rod, row, slab, soft
from vlm_bench_sim.core.objects.rooms.storage import drawers


def rug(width: float, depth: float, height: float) -> Parts:
    """Return a rug."""
    return (slab('rug', (-width / 2, width / 2), (0.0, depth), (0.0, height)),)


def round_rug(width: float, depth: float, height: float) -> Parts:
    """Return a round rug."""
    return (slab('rug', (-width / 2, width / 2), (0.0, depth), (0.0, height), kind='cylinder'),)


def plant(width: float, depth: float, height: float) -> Parts:
    """Return a bush in a pot."""
    middle, pot = depth / 2, 0.30 * height
    across = 0.62 * width
    crowns = ((0.0, 0.0, 0.62, 0.80), (-0.16, 0.10, 0.50, 0.62), (0.17, -0.06, 0.52, 0.66), (0.05, 0.15, 0.78, 0.52))
    return (
        slab('stone', (-across / 2, across / 2), (middle - across / 2, middle + across / 2), (0.0, pot), kind='bowl'),
        rod('wood', (0.0, middle), 0.05, (0.2 * pot, 0.6 * height)),
        *soft(*(
            Part('leaf', 'ball', (x * width, middle + y * width, z * height), (size * width, size * width, 0.42 * size * height))
            for x, y, z, size in crowns
        )),
    )  # fmt: skip


def palm(width: float, depth: float, height: float) -> Parts:
    """Return a plant of long leaves, which hang outwards all around, in a square pot."""
    middle, pot, long = depth / 2, 0.28 * height, 0.5 * min(width, depth)
    leaves = []
    for i in range(9):
        turn, up = 2.4 * i, (1.0 - 0.05 * i) * height
        x, y = 0.5 * long * cos(turn), middle + 0.5 * long * sin(turn)
        leaves.append(Part('leaf', 'sponge', (x, y, up - 0.1), (long, 0.3 * long, 0.012), (0.0, 0.35 + 0.05 * (i % 3), turn)))
    return (
        slab('stone', (-0.2, 0.2), (middle - 0.2, middle + 0.2), (0.0, pot)),
        rod('wood', (0.0, middle), 0.035, (pot, 0.97 * height)),
        *soft(*leaves),
    )


def floor_lamp(width: float, depth: float, height: float) -> Parts:
    """Return a lamp on a long foot with a wide shade."""
    middle = depth / 2
    return (
        rod('metal', (0.0, middle), 0.75 * width, (0.0, 0.025)),
        rod('metal', (0.0, middle), 0.03, (0.025, height - 0.28)),
        slab('pale', (-width / 2, width / 2), (0.0, depth), (height - 0.28, height), kind='cylinder'),
    )


def table_lamp(width: float, depth: float, height: float) -> Parts:
    """Return a small lamp with a round foot."""
    middle = depth / 2
    return (
        rod('vivid', (0.0, middle), 0.6 * width, (0.0, 0.45 * height)),
        rod('metal', (0.0, middle), 0.03, (0.45 * height, 0.55 * height)),
        slab('pale', (-width / 2, width / 2), (0.0, depth), (0.55 * height, height), kind='cylinder'),
    )


def pendant(width: float, depth: float, height: float) -> Parts:
    """Return a lamp that hangs on a cord from the ceiling."""
    middle = depth / 2
    return (
        slab('bright', (-width / 2, width / 2), (0.0, depth), (0.0, 0.16), kind='cylinder'),
        rod('bright', (0.0, middle), 0.6 * width, (0.16, 0.20)),
        rod('metal', (0.0, middle), 0.06, (0.20, 0.26)),
        rod('ink', (0.0, middle), 0.014, (0.26, height)),
    )


def nightstand(width: float, depth: float, height: float) -> Parts:
    """Return a bedside table with a lamp."""
    return (*drawers(width, depth, height), *moved(table_lamp(0.22, 0.22, 0.36), (0.0, depth / 2 - 0.11, height)))


def piano(width: float, depth: float, height: float) -> Parts:
    """Return an upright piano with music on its stand."""
    half, keys = width / 2, 0.68
    body = depth - 0.26
    return (
        slab('ink', (-half, half), (0.0, body), (0.0, height)),
        *(slab('ink', x, (body, depth), (0.0, keys + 0.10)) for x in ((-half, -half + 0.05), (half - 0.05, half))),
        slab('ink', (-half + 0.05, half - 0.05), (body, depth - 0.03), (keys - 0.08, keys)),
        slab('pale', (-half + 0.06, half - 0.06), (body + 0.06, depth - 0.04), (keys, keys + 0.02)),
        *soft(
            *(slab('ink', (x - 0.012, x + 0.012), (body + 0.06, depth - 0.10), (keys + 0.02, keys + 0.035)) for x in _black(half - 0.08))
        ),
        *soft(*(slab('pale', (x - 0.12, x + 0.11), (body, body + 0.006), (keys + 0.14, keys + 0.44)) for x in (-0.12, 0.13))),
        slab('metal', (-0.14, 0.14), (body, body + 0.10), (0.05, 0.07)),
    )


def _black(half: float) -> tuple[float, ...]:
    """Return the middles of the black keys within half a width: groups of two and three."""
    step = 2 * half / 28
    return tuple(-half + step * (i + 1) for i in range(27) if i % 7 not in (2, 6))


def easel(width: float, depth: float, height: float) -> Parts:
    """Return an easel with a painting."""
    half = width / 2
    return (
        *(
            slab('wood', x, (0.30, 0.34), (0.0, 0.96 * height))
            for x in ((-0.7 * half, -0.7 * half + 0.04), (0.7 * half - 0.04, 0.7 * half))
        ),
        slab('wood', (-0.02, 0.02), (0.0, 0.04), (0.0, 0.9 * height)),
        slab('wood', (-0.02, 0.02), (0.04, 0.30), (0.86 * height, 0.9 * height)),
        slab('wood', (-half, half), (0.303, 0.40), (0.42 * height, 0.45 * height)),
        slab('pale', (-0.9 * half, 0.9 * half), (0.345, 0.365), (0.45 * height, height)),
        *soft(
            slab('vivid', (-0.7 * half, 0.1 * half), (0.365, 0.37), (0.54 * height, 0.76 * height)),
            slab('bright', (-0.1 * half, 0.65 * half), (0.37, 0.374), (0.66 * height, 0.90 * height)),
        ),
    )


def toys(width: float, depth: float, height: float) -> Parts:
    """Return a low box of toys: balls and blocks."""
    half, low, big = width / 2, 0.6 * height, min(0.24, 0.7 * depth, 0.8 * height)
    return (
        slab('wood', (-half + 0.02, half - 0.02), (0.02, depth - 0.02), (0.0, 0.5 * low)),
        *(slab('paint', (-half, half), y, (0.0, low)) for y in ((0.0, 0.02), (depth - 0.02, depth))),
        *(slab('paint', x, (0.02, depth - 0.02), (0.0, low)) for x in ((-half, -half + 0.02), (half - 0.02, half))),
        *soft(
            slab('bright', (-half + 0.03, -half + 0.03 + big), (0.03, 0.03 + big), (0.4 * low, 0.4 * low + big), kind='ball'),
            slab('vivid', (-0.2 * big, 0.5 * big), (0.04, 0.04 + 0.7 * big), (0.5 * low, 0.5 * low + 0.7 * big)),
            slab(
                'leaf',
                (half - 0.03 - 0.7 * big, half - 0.03),
                (depth - 0.03 - 0.7 * big, depth - 0.03),
                (0.5 * low, 0.5 * low + 0.7 * big),
                kind='ball',
            ),
        ),
    )


def barrel(width: float, depth: float, height: float) -> Parts:
    """Return a barrel with two hoops and a lid."""
    middle = depth / 2
    return (
        rod('vivid', (0.0, middle), 0.94 * width, (0.0, height - 0.02)),
        *(rod('metal', (0.0, middle), width, (z * height, z * height + 0.03)) for z in (0.22, 0.70)),
        rod('metal', (0.0, middle), 0.90 * width, (height - 0.02, height)),
    )


def ladder(width: float, depth: float, height: float) -> Parts:
    """Return a step ladder that stands open."""
    half, steps = width / 2, row((0.12, height - 0.1), 4, 0.12)
    lean, long = atan2(0.5 * depth, height), hypot(0.5 * depth, height)
    sides = [
        Part('metal', 'cube', (x, depth * share, height / 2), (0.04, 0.03, long), (turn * lean, 0.0, 0.0), firm=False)
        for x in (-half + 0.03, half - 0.03) for share, turn in ((0.25, -1.0), (0.75, 1.0))
    ]  # fmt: skip
    treads = [
        slab(
            'bright',
            (-half + 0.05, half - 0.05),
            (depth * (0.88 - 0.42 * i / 3) - 0.06, depth * (0.88 - 0.42 * i / 3) + 0.05),
            (z[0], z[0] + 0.03),
        )
        for i, z in enumerate(steps)
    ]
    return (*sides, *treads, slab('bright', (-half, half), (0.5 * depth - 0.08, 0.5 * depth + 0.08), (height, height + 0.03)))


def coat_stand(width: float, depth: float, height: float) -> Parts:
    """Return a stand with two coats."""
    middle = depth / 2
    return (
        rod('wood', (0.0, middle), 0.8 * width, (0.0, 0.03)),
        rod('wood', (0.0, middle), 0.04, (0.03, height)),
        *(
            slab('wood', (-0.35 * width, 0.35 * width), (middle - 0.012, middle + 0.012), (height - z, height - z + 0.02))
            for z in (0.06, 0.2)
        ),
        *soft(
            slab('fabric', (-0.42 * width, -0.05 * width), (middle - 0.10, middle + 0.12), (0.42 * height, height - 0.195), kind='sponge'),
            slab('rug', (0.06 * width, 0.40 * width), (middle - 0.12, middle + 0.10), (0.50 * height, height - 0.195), kind='sponge'),
        ),
    )
