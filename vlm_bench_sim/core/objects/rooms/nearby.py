"""What may stand near the table. Each function returns the parts of a piece of that width, depth and height, m."""

from math import pi

from vlm_bench_sim.core.objects.rooms.parts import Part, Parts, Range, disc, legs, moved, rod, row, slab, soft


def screen(width: float, depth: float, height: float) -> Parts:
    """Return a folding screen of three leaves that stand in and out."""
    leaves = row((-width / 2, width / 2), 3, 0.0)
    return (
        *(
            part
            for i, x in enumerate(leaves)
            for part in moved(_leaf(x[1] - x[0], height), ((x[0] + x[1]) / 2, (depth - 0.03) * (i % 2), 0.0))
        ),
        *(
            slab('metal', (x - 0.01, x + 0.01), (0.03, depth - 0.03), (z, z + 0.04))
            for x in (leaves[1][0], leaves[1][1])
            for z in (0.3 * height, 0.8 * height)
        ),
    )


def _leaf(width: float, height: float) -> Parts:
    half = width / 2
    return (
        *(slab('wood', x, (0.0, 0.03), (0.0, height)) for x in ((-half, -half + 0.04), (half - 0.04, half))),
        *(slab('wood', (-half + 0.04, half - 0.04), (0.0, 0.03), z) for z in ((0.06, 0.10), (height - 0.05, height - 0.01))),
        slab('paint', (-half + 0.04, half - 0.04), (0.01, 0.02), (0.10, height - 0.05)),
    )


def aquarium(width: float, depth: float, height: float) -> Parts:
    """Return an aquarium with plants and a fish behind its front."""
    half, front = width / 2, depth - 0.008
    return (
        slab('ink', (-half, half), (0.0, depth), (0.0, 0.03)),
        slab('vivid', (-half + 0.005, half - 0.005), (0.006, front), (0.03, height - 0.03)),
        slab('ink', (-half, half), (0.0, depth), (height - 0.03, height)),
        *soft(
            slab('stone', (-half + 0.01, half - 0.01), (front, front + 0.003), (0.03, 0.06)),
            *(
                slab('leaf', (x, x + 0.02), (front, front + 0.003), (0.06, 0.06 + z * height))
                for x, z in ((-0.7 * half, 0.5), (-0.55 * half, 0.35), (0.6 * half, 0.6))
            ),
            slab('bright', (-0.1 * half, -0.1 * half + 0.07), (front, front + 0.004), (0.5 * height, 0.5 * height + 0.03)),
        ),
    )


def cactus(width: float, depth: float, height: float) -> Parts:
    """Return a cactus with two arms in a pot."""
    middle, pot = depth / 2, 0.3 * height
    return (
        rod('stone', (0.0, middle), 0.9 * depth, (0.0, pot)),
        rod('leaf', (0.0, middle), 0.30 * width, (pot, height)),
        *_arm(-0.36 * width, middle, (0.55 * height, 0.80 * height), thick=0.12 * width),
        *_arm(0.36 * width, middle, (0.48 * height, 0.72 * height), thick=0.12 * width),
    )


def _arm(x: float, y: float, z: Range, *, thick: float) -> Parts:
    """Return an arm of a cactus that leaves the stem, at 0, and rises at `x`."""
    way = slab('leaf', (min(x, 0.0), max(x, 0.0)), (y - thick / 2, y + thick / 2), (z[0], z[0] + thick))
    return (way, rod('leaf', (x, y), 1.3 * thick, z))


def speaker(width: float, depth: float, height: float) -> Parts:
    """Return a loudspeaker with two cones."""
    front = depth - 0.012
    cones = [
        disc(role, (0.0, front + deep / 2, z * height), share * width, deep)
        for z, whole in ((0.30, 0.76), (0.72, 0.46))
        for role, share, deep in (('ink', whole, 0.008), ('metal', 0.45 * whole, 0.012))
    ]
    return (slab('wood', (-width / 2, width / 2), (0.0, front), (0.0, height)), *cones)


def pillar(width: float, depth: float, height: float) -> Parts:
    """Return a pillar of the wall's look with a base."""
    return (
        slab('paint', (-width / 2, width / 2), (0.0, depth), (0.0, height)),
        *soft(slab('stone', (-width / 2 - 0.01, width / 2 + 0.01), (-0.01, depth + 0.01), (0.0, 0.06))),
    )


def pipes(width: float, depth: float, height: float) -> Parts:
    """Return two upright pipes with a wheel between them."""
    middle = depth / 2
    across = min(0.42 * width, depth)
    xs = (-width / 2 + across / 2, width / 2 - across / 2)
    return (
        *(rod('metal', (x, middle), across, (0.0, height)) for x in xs),
        *(rod('ink', (x, middle), across + 0.02, (z, z + 0.05)) for x in xs for z in (0.12, 0.62)),
        slab('metal', xs, (middle - 0.02, middle + 0.02), (0.36, 0.40)),
        *soft(Part('bright', 'cylinder', (0.0, middle + 0.05, 0.38), (0.10, 0.10, 0.02), (pi / 2, 0.0, 0.0))),
    )


def books_between(width: float, depth: float, height: float) -> Parts:
    """Return folders between two bookends on a low tray."""
    half = width / 2
    folders = row((-half + 0.03, half - 0.03), max(2, round(width / 0.09)), 0.006)
    return (
        slab('metal', (-half, half), (0.0, depth), (0.0, 0.012)),
        *(slab('metal', x, (0.01, depth - 0.01), (0.012, 0.75 * height)) for x in ((-half, -half + 0.02), (half - 0.02, half))),
        *(
            slab(('bright', 'vivid', 'paint')[i % 3], x, (0.015, depth - 0.02), (0.012, (1.0 - 0.06 * (i % 3)) * height))
            for i, x in enumerate(folders)
        ),
    )


def globe(width: float, depth: float, height: float) -> Parts:
    """Return a globe on its foot."""
    middle, across = depth / 2, min(width, depth, 0.75 * height)
    return (
        rod('wood', (0.0, middle), 0.75 * width, (0.0, 0.03)),
        rod('metal', (0.0, middle), 0.03, (0.03, height - across)),
        slab('vivid', (-across / 2, across / 2), (middle - across / 2, middle + across / 2), (height - across, height), kind='ball'),
    )


def side_table(width: float, depth: float, height: float) -> Parts:
    """Return a small table with a shelf, which carries what stands on it."""
    half = width / 2
    return (
        *legs('wood', (width, depth, height - 0.03), thick=0.035, inset=0.012),
        slab('wood', (-half + 0.02, half - 0.02), (0.02, depth - 0.02), (0.14, 0.16)),
        slab('wood', (-half, half), (0.0, depth), (height - 0.03, height)),
    )
