"""Seats and beds. Each function returns the parts of a piece of that width, depth and height, m."""

from vlm_bench_sim.core.objects.rooms.parts import Parts, legs, moved, rod, row, slab

_SEAT = 0.45
_ARM = 0.16


def sofa(width: float, depth: float, height: float) -> Parts:
    """Return a sofa with a cushion for each person; a narrow one is an armchair."""
    half, inner = width / 2, width / 2 - _ARM
    places = row((-inner, inner), max(1, round(2 * inner / 0.66)), 0.008)
    return (
        *legs('wood', (width, depth, 0.10), thick=0.06, inset=0.05),
        slab('fabric', (-half, half), (0.01, depth - 0.02), (0.10, 0.26)),
        slab('fabric', (-inner, inner), (0.0, 0.20), (0.26, height)),
        *(slab('fabric', x, (0.005, depth), (0.26, 0.62)) for x in ((-half, -inner), (inner, half))),
        *(slab('fabric', x, (0.205, depth + 0.015), (0.262, 0.43), kind='sponge') for x in places),
        *(slab('fabric', x, (0.205, 0.34), (0.432, height - 0.05)) for x in places),
        *(
            slab('rug', (x - 0.19, x + 0.19), (0.345, 0.45), (0.435, 0.75))
            for x in (places[0][0] + 0.24, places[-1][1] - 0.24)[: len(places)]
        ),
    )


def chair(width: float, depth: float, height: float) -> Parts:
    """Return a wooden chair with rails in its back."""
    half = width / 2
    rails = [slab('wood', (-half + 0.045, half - 0.045), (0.008, 0.028), (z, z + 0.07)) for z in (height - 0.09, height - 0.24)]
    return (
        *legs('wood', (width, depth, _SEAT - 0.035), thick=0.04, inset=0.01),
        slab('wood', (-half, half), (0.0, depth), (_SEAT - 0.035, _SEAT)),
        slab('fabric', (-half + 0.03, half - 0.03), (0.05, depth - 0.03), (_SEAT, _SEAT + 0.025)),
        *(slab('wood', x, (0.004, 0.036), (_SEAT, height)) for x in ((-half + 0.005, -half + 0.045), (half - 0.045, half - 0.005))),
        *rails,
    )


def stool(width: float, depth: float, height: float) -> Parts:
    """Return a round stool with a ring of rails for the feet."""
    size, low = (0.8 * width, 0.8 * depth, height - 0.04), 0.35 * height
    half, back, front = 0.4 * width - 0.02, 0.02, 0.8 * depth - 0.02
    rails = (
        *(slab('metal', (-half, half), (y - 0.008, y + 0.008), (low, low + 0.016)) for y in (back + 0.01, front - 0.01)),
        *(slab('metal', (x - 0.008, x + 0.008), (back, front), (low - 0.03, low - 0.014)) for x in (-half + 0.01, half - 0.01)),
    )
    stand = moved((*legs('metal', size, thick=0.03, inset=0.01), *rails), (0.0, 0.1 * depth, 0.0))
    return (*stand, slab('wood', (-width / 2, width / 2), (0.0, depth), (height - 0.04, height), kind='cylinder'))


def bench(width: float, depth: float, height: float) -> Parts:
    """Return a bench without a back."""
    half = width / 2
    return (
        slab('wood', (-half, half), (0.0, depth), (height - 0.05, height)),
        *(slab('wood', x, (0.04, depth - 0.04), (0.0, height - 0.05)) for x in ((-half + 0.10, -half + 0.16), (half - 0.16, half - 0.10))),
        slab('wood', (-half + 0.16, half - 0.16), (depth / 2 - 0.02, depth / 2 + 0.02), (0.10, 0.18)),
    )


def office_chair(width: float, depth: float, height: float) -> Parts:
    """Return a chair that turns on a column with four castors."""
    half, middle = width / 2, depth / 2
    ends = ((-half + 0.05, middle), (half - 0.05, middle), (0.0, 0.05), (0.0, depth - 0.05))
    return (
        *(rod('ink', at, 0.05, (0.0, 0.05)) for at in ends),
        slab('metal', (-half + 0.03, half - 0.03), (middle - 0.02, middle + 0.02), (0.05, 0.085)),
        slab('metal', (-0.02, 0.02), (0.03, depth - 0.03), (0.052, 0.08)),
        rod('metal', (0.0, middle), 0.05, (0.085, _SEAT)),
        slab('fabric', (-half + 0.02, half - 0.02), (0.05, depth), (_SEAT, _SEAT + 0.08), kind='sponge'),
        slab('metal', (-0.03, 0.03), (0.02, 0.05), (_SEAT + 0.02, 0.70)),
        slab('fabric', (-half + 0.04, half - 0.04), (0.0, 0.07), (0.62, height)),
        *(slab('ink', x, (0.12, depth - 0.12), (0.66, 0.69)) for x in ((-half, -half + 0.05), (half - 0.05, half))),
        *(slab('metal', (x - 0.015, x + 0.015), (middle - 0.02, middle + 0.02), (0.50, 0.66)) for x in (-half + 0.022, half - 0.022)),
    )


def bed(width: float, depth: float, height: float) -> Parts:
    """Return a bed with its head at the back, pillows and a blanket; `depth` is its length."""
    half = width / 2
    heads = row((-half + 0.04, half - 0.04), max(1, round(width / 0.8)), 0.05)
    return (
        slab('wood', (-half, half), (0.0, 0.06), (0.0, height)),
        slab('wood', (-half + 0.02, half - 0.02), (0.06, depth - 0.04), (0.12, 0.30)),
        slab('wood', (-half, half), (depth - 0.04, depth), (0.0, 0.44)),
        *(slab('wood', x, (0.9, 0.96), (0.0, 0.12)) for x in ((-half + 0.04, -half + 0.10), (half - 0.10, half - 0.04))),
        slab('pale', (-half + 0.03, half - 0.03), (0.06, depth - 0.05), (0.30, 0.47)),
        slab('fabric', (-half + 0.012, half - 0.012), (0.75, depth - 0.045), (0.26, 0.51)),
        slab('pale', (-half + 0.016, half - 0.016), (0.62, 0.745), (0.30, 0.525)),
        *(slab('pale', x, (0.11, 0.52), (0.47, 0.58), kind='sponge') for x in heads),
        *(slab('rug', (x[0] + 0.1, x[1] - 0.1), (0.062, 0.16), (0.585, 0.585 + 0.22)) for x in heads),
    )


def bunk_bed(width: float, depth: float, height: float) -> Parts:
    """Return two beds, one above the other, with a ladder at the front; `width` is their length."""
    half = width / 2
    posts = legs('wood', (width, depth, height), thick=0.07, inset=0.0)
    levels = (0.26, height - 0.56)
    beds = [part for z in levels for part in _bunk(width, depth, z)]
    rail = slab('wood', (-half + 0.07, half - 0.55), (depth - 0.05, depth - 0.02), (height - 0.22, height - 0.12))
    x = half - 0.50
    ladder = (
        *(slab('metal', (a, a + 0.03), (depth + 0.002, depth + 0.03), (0.0, height - 0.1)) for a in (x, x + 0.37)),
        *(slab('metal', (x + 0.03, x + 0.37), (depth + 0.005, depth + 0.027), (z, z + 0.025)) for z in (0.3, 0.6, 0.9, 1.2)),
    )
    return (*posts, *beds, rail, *ladder)


def _bunk(width: float, depth: float, z: float) -> Parts:
    half = width / 2
    return (
        *(slab('wood', (-half + 0.07, half - 0.07), y, (z, z + 0.14)) for y in ((0.01, 0.04), (depth - 0.04, depth - 0.01))),
        *(slab('wood', x, (0.07, depth - 0.07), (z, z + 0.22)) for x in ((-half + 0.015, -half + 0.05), (half - 0.05, half - 0.015))),
        slab('pale', (-half + 0.055, half - 0.055), (0.045, depth - 0.045), (z + 0.02, z + 0.17)),
        slab('fabric', (-half + 0.6, half - 0.06), (0.042, depth - 0.042), (z + 0.03, z + 0.20)),
        slab('pale', (-half + 0.10, -half + 0.48), (0.10, depth - 0.10), (z + 0.17, z + 0.25), kind='sponge'),
    )
