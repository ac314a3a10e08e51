"""Dining rooms."""

from vlm_bench_sim.core.objects.rooms.plan import CEILING, FAR, FLOOR, LEFT, NEAR, RIGHT, Against, Free, Neighbour, Plan

LONG_TABLE = Plan(
    'dining room', 0.75, (-1.8, 2.9), (-2.4, 2.9),
    (
        Free('laid_table', (1.25, 1.95), '-y', (1.7, 0.85, 0.74)),
        Free('chair', (0.75, 1.32), '+y', (0.45, 0.46, 0.95)),
        Free('chair', (1.65, 1.32), '+y', (0.45, 0.46, 0.95)),
        Free('chair', (0.75, 2.58), '-y', (0.45, 0.46, 0.95)),
        Free('chair', (1.65, 2.58), '-y', (0.45, 0.46, 0.95)),
        Against('hutch', FAR, 0.6, (1.4, 0.45, 2.0)),
        Against('plant', FAR, 1.75, (0.5, 0.5, 1.2)),
        Against('window', FAR, -1.2, (1.3, 0.06, 1.3), up=0.8),
        Against('curtains', FAR, -1.2, (2.0, 0.12, 2.1), up=0.08),
        Against('picture', LEFT, 1.25, (1.2, 0.03, 0.7), up=1.2),
        Against('door', NEAR, 1.6, (0.9, 0.05, 2.05)),
        Against('piano', NEAR, 0.2, (1.45, 0.60, 1.15)),
        Against('abstract', NEAR, 0.2, (0.8, 0.03, 0.6), up=1.4),
        Against('sideboard', RIGHT, 0.5, (1.6, 0.42, 0.80)),
        Against('mirror', RIGHT, 0.4, (0.9, 0.04, 0.7), up=1.3),
    ),
    (
        Neighbour('bottles', (0.24, -0.78), '+y', (0.40, 0.18, 0.32), base='cabinet'),
        Neighbour('vase', (-0.06, 0.78), '-y', (0.15, 0.15, 0.36)),
        Neighbour('pendant', (0.00, -0.55), '+y', (0.32, 0.32, 0.73), base=CEILING),
    ),
)  # fmt: skip

ROUND_TABLE = Plan(
    'dining room', 0.73, (-1.7, 2.7), (-2.3, 2.4),
    (
        Free('round_rug', (1.85, 1.45), '-x', (1.6, 1.6, 0.006)),
        Free('round_table', (1.85, 1.45), '-x', (0.95, 0.95, 0.73)),
        Free('chair', (1.15, 1.45), '+x', (0.45, 0.46, 0.90)),
        Free('chair', (1.85, 2.10), '-y', (0.45, 0.46, 0.90)),
        Free('chair', (2.42, 1.45), '-x', (0.45, 0.46, 0.90)),
        Against('window', LEFT, 1.5, (1.5, 0.06, 1.3), up=0.8),
        Against('curtains', LEFT, 1.5, (2.1, 0.12, 2.1), up=0.08),
        Against('bookcase', FAR, -0.7, (1.1, 0.30, 1.9)),
        Against('clock', FAR, 0.9, (0.4, 0.04, 0.4), up=1.5),
        Against('hutch', NEAR, 0.7, (1.1, 0.44, 1.95)),
        Against('basket', NEAR, -0.2, (0.45, 0.45, 0.5)),
        Against('window', RIGHT, 0.3, (1.3, 0.06, 1.2), up=0.85),
        Against('drawers', RIGHT, 0.3, (1.2, 0.42, 0.78)),
        Against('floor_lamp', RIGHT, 1.3, (0.36, 0.36, 1.6)),
    ),
    (
        Neighbour('open_shelf', (-0.58, 0.28), '+x', (0.80, 0.30, 1.35), base=FLOOR),
        Neighbour('coffee_machine', (0.30, -0.78), '+y', (0.21, 0.21, 0.34), base='cabinet'),
    ),
)  # fmt: skip
