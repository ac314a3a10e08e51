"""Tables, desks and what stands on them. Each function returns the parts of a piece of that width, depth and height, m."""

from vlm_bench_sim.core.objects.rooms.parts import Parts, fronts, legs, moved, pulls, rod, row, slab, soft


def table(width: float, depth: float, height: float) -> Parts:
    """Return a table with four legs."""
    half = width / 2
    rails = ((-half + 0.06, half - 0.06), (0.06, depth - 0.06))
    return (
        *legs('wood', (width, depth, height - 0.035), thick=0.06, inset=0.03),
        slab('wood', rails[0], rails[1], (height - 0.10, height - 0.036)),
        slab('wood', (-half, half), (0.0, depth), (height - 0.035, height)),
    )


def laid_table(width: float, depth: float, height: float) -> Parts:
    """Return a table that is laid for a meal, with a bowl in its middle."""
    count = max(1, round(width / 0.65))
    middles = [(a + b) / 2 for a, b in row((-width / 2, width / 2), count)]
    plates = [rod('pale', (x, y), 0.24, (height, height + 0.012)) for x in middles for y in (0.17, depth - 0.17)]
    cups = [rod('vivid', (x + 0.18, y), 0.07, (height, height + 0.09)) for x in middles for y in (0.26, depth - 0.26)]
    return (*table(width, depth, height), *plates, *cups, *bowl((0.0, depth / 2), height))


def bowl(at: tuple[float, float], z: float) -> Parts:
    """Return a bowl of fruit that stands at a height, m."""
    (x, y), across = at, 0.26
    fruit = ((-0.05, 0.0, 'bright'), (0.05, 0.02, 'vivid'), (0.0, -0.05, 'bright'))
    return (
        slab('stone', (x - across / 2, x + across / 2), (y - across / 2, y + across / 2), (z, z + 0.09), kind='bowl'),
        *(
            slab(role, (x + a - 0.04, x + a + 0.04), (y + b - 0.04, y + b + 0.04), (z + 0.03, z + 0.11), kind='ball')
            for a, b, role in fruit
        ),
    )


def round_table(width: float, depth: float, height: float) -> Parts:
    """Return a round table on one column, with a bowl on it."""
    return (
        rod('metal', (0.0, depth / 2), 0.55 * width, (0.0, 0.03)),
        rod('metal', (0.0, depth / 2), 0.09, (0.03, height - 0.035)),
        slab('wood', (-width / 2, width / 2), (0.0, depth), (height - 0.035, height), kind='cylinder'),
        *bowl((0.0, depth / 2), height),
    )


def coffee_table(width: float, depth: float, height: float) -> Parts:
    """Return a low table with a shelf, books and a cup."""
    half, middle = width / 2, depth / 2
    return (
        *legs('metal', (width, depth, height - 0.04), thick=0.04, inset=0.01),
        slab('wood', (-half + 0.045, half - 0.045), (0.045, depth - 0.045), (0.12, 0.145)),
        slab('wood', (-half, half), (0.0, depth), (height - 0.04, height)),
        slab('vivid', (-0.30, -0.06), (middle - 0.09, middle + 0.09), (height, height + 0.03)),
        slab('bright', (-0.28, -0.08), (middle - 0.08, middle + 0.07), (height + 0.03, height + 0.055)),
        rod('pale', (0.2, middle), 0.08, (height, height + 0.10)),
    )


def desk(width: float, depth: float, height: float) -> Parts:
    """Return a desk with drawers below it."""
    half, top = width / 2, height - 0.03
    panels = fronts('paint', (half - 0.42, half - 0.04), depth - 0.06, (0.06, top - 0.004), rows=3)
    return (
        slab('wood', (-half, half), (0.0, depth), (top, height)),
        slab('wood', (half - 0.42, half - 0.04), (0.04, depth - 0.06), (0.06, top)),
        slab('ink', (half - 0.40, half - 0.06), (0.06, depth - 0.10), (0.0, 0.06)),
        *panels,
        *pulls('metal', panels),
        *(slab('wood', (-half + 0.03, -half + 0.08), y, (0.0, top)) for y in ((0.03, 0.08), (depth - 0.08, depth - 0.03))),
        slab('wood', (-half + 0.08, half - 0.42), (0.05, 0.07), (0.30, top)),
    )


def computer_desk(width: float, depth: float, height: float) -> Parts:
    """Return a desk with a screen, a keyboard, a lamp and papers."""
    half = width / 2
    screen = moved(monitor(0.58, 0.20, 0.44), (-0.1, 0.08, height))
    lamp = moved(desk_lamp(0.16, 0.32, 0.46), (-half + 0.14, 0.1, height))
    paper = slab('pale', (half - 0.44, half - 0.18), (0.18, 0.50), (height, height + 0.02))
    return (*desk(width, depth, height), *screen, *lamp, *soft(paper), *keyboard(-0.1, depth - 0.22, height))


def keyboard(x: float, y: float, z: float) -> Parts:
    """Return a keyboard and a mouse with the middle of the keyboard at a place, m."""
    return soft(
        slab('ink', (x - 0.21, x + 0.21), (y - 0.07, y + 0.07), (z, z + 0.02)),
        slab('pale', (x + 0.27, x + 0.33), (y - 0.05, y + 0.05), (z, z + 0.03), kind='sponge'),
    )


def monitor(width: float, depth: float, height: float) -> Parts:
    """Return a screen on a foot."""
    half = width / 2
    return (
        slab('metal', (-0.3 * width, 0.3 * width), (0.0, depth), (0.0, 0.015)),
        slab('metal', (-0.025, 0.025), (0.03, 0.06), (0.015, 0.6 * height)),
        slab('ink', (-half, half), (0.06, 0.09), (0.22 * height, height)),
        *soft(slab('pale', (-half + 0.015, half - 0.015), (0.09, 0.094), (0.22 * height + 0.015, height - 0.015))),
    )


def desk_lamp(width: float, depth: float, height: float) -> Parts:
    """Return a lamp whose arm reaches from a post at the back to the front."""
    back = width / 2
    return (
        rod('metal', (0.0, back), width, (0.0, 0.025)),
        slab('metal', (-0.012, 0.012), (back - 0.012, back + 0.012), (0.025, height)),
        slab('metal', (-0.01, 0.01), (back + 0.012, depth - 0.05), (height - 0.03, height - 0.01)),
        rod('bright', (0.0, depth - 0.065), 0.13, (height - 0.14, height - 0.03)),
    )


def workbench(width: float, depth: float, height: float) -> Parts:
    """Return a workbench with a vice, a box of tools and a shelf below."""
    half = width / 2
    vice = (
        slab('metal', (half - 0.34, half - 0.18), (depth - 0.22, depth - 0.04), (height, height + 0.06)),
        slab('metal', (half - 0.34, half - 0.18), (depth - 0.20, depth - 0.14), (height + 0.06, height + 0.15)),
        slab('metal', (half - 0.34, half - 0.18), (depth - 0.09, depth - 0.04), (height + 0.06, height + 0.15)),
    )
    return (
        *legs('wood', (width, depth, height - 0.06), thick=0.09, inset=0.03),
        slab('wood', (-half + 0.05, half - 0.05), (0.06, depth - 0.06), (0.16, 0.20)),
        slab('wood', (-half, half), (0.0, depth), (height - 0.06, height)),
        *vice,
        *moved(toolbox(0.44, 0.20, 0.24), (-0.25 * width, 0.12, height)),
        *(slab(role, (x, x + 0.36), (0.14, depth - 0.14), (0.20, 0.20 + z)) for x, z, role in _boxes(half)),
    )


def _boxes(half: float) -> tuple[tuple[float, float, str], ...]:
    return ((-half + 0.2, 0.28, 'bright'), (-half + 0.62, 0.20, 'paint'), (half - 0.56, 0.24, 'vivid'))


def toolbox(width: float, depth: float, height: float) -> Parts:
    """Return a box for tools with a lid and a handle."""
    half, body = width / 2, 0.72 * height
    return (
        slab('bright', (-half, half), (0.0, depth), (0.0, 0.62 * body)),
        slab('vivid', (-half - 0.006, half + 0.006), (0.004, depth - 0.004), (0.62 * body, body)),
        *(
            slab('metal', (x - 0.012, x + 0.012), (depth / 2 - 0.01, depth / 2 + 0.01), (body, height - 0.02))
            for x in (-0.3 * width, 0.3 * width)
        ),
        slab('ink', (-0.3 * width - 0.015, 0.3 * width + 0.015), (depth / 2 - 0.014, depth / 2 + 0.014), (height - 0.02, height)),
        *soft(
            *(
                slab('metal', (x - 0.02, x + 0.02), (depth - 0.004, depth + 0.008), (0.5 * body, 0.74 * body))
                for x in (-0.25 * width, 0.25 * width)
            )
        ),
    )
