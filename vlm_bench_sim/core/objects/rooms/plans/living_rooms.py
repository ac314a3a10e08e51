"""Living rooms."""

from vlm_bench_sim.core.objects.rooms.plan import FAR, FLOOR, LEFT, NEAR, RIGHT, Against, Free, Neighbour, Plan

SOFA_BY_THE_WALL = Plan(
    'living room', 0.74, (-1.8, 2.6), (-2.4, 2.5),
    (
        Against('window', FAR, 0.7, (1.5, 0.06, 1.2), up=0.85),
        Against('curtains', FAR, 0.7, (2.3, 0.12, 2.1), up=0.08),
        Against('bookcase', FAR, -1.5, (1.2, 0.32, 1.9)),
        Against('sofa', LEFT, 1.1, (1.9, 0.9, 0.82)),
        Against('picture', LEFT, 1.2, (1.0, 0.03, 0.65), up=1.25),
        Free('floor_lamp', (2.34, 2.20), '-y', (0.36, 0.36, 1.55)),
        Free('rug', (1.9, 1.10), '-y', (1.3, 0.9, 0.006)),
        Free('coffee_table', (1.92, 1.10), '-y', (0.85, 0.45, 0.40)),
        Against('door', NEAR, 1.4, (0.9, 0.05, 2.05)),
        Against('sideboard', NEAR, 0.0, (1.5, 0.42, 0.78)),
        Against('abstract', NEAR, -0.1, (1.0, 0.03, 0.65), up=1.25),
        Against('sofa', RIGHT, 1.5, (0.9, 0.85, 0.85)),
        Against('plant', RIGHT, 0.45, (0.5, 0.5, 1.15)),
        Against('radiator', RIGHT, -0.4, (0.9, 0.10, 0.62)),
    ),
    (
        Neighbour('open_shelf', (0.29, -0.78), '+y', (0.30, 0.20, 0.70), base='cabinet'),
        Neighbour('books_between', (0.10, 0.78), '-y', (0.34, 0.20, 0.17)),
        Neighbour('cactus', (1.20, -0.82), '+y', (0.14, 0.14, 0.30)),
    ),
)  # fmt: skip

SCREEN_AND_SOFA = Plan(
    'living room', 0.75, (-1.7, 2.9), (-2.2, 2.3),
    (
        Against('television', FAR, 0.9, (1.35, 0.05, 0.78), up=0.95),
        Against('cabinet', FAR, 0.9, (1.8, 0.42, 0.5)),
        Against('speaker', FAR, 2.05, (0.26, 0.30, 0.95)),
        Against('plant', FAR, -0.5, (0.55, 0.55, 1.3)),
        Against('window', LEFT, 0.9, (2.0, 0.06, 1.2), up=0.8),
        Against('blinds', LEFT, 0.9, (1.9, 0.11, 0.6), up=1.35),
        Against('bench', LEFT, 0.9, (1.6, 0.38, 0.45)),
        Free('round_rug', (2.0, 1.45), '-x', (1.3, 1.3, 0.006)),
        Free('round_table', (1.95, 1.45), '-x', (0.62, 0.62, 0.45)),
        Against('two_shelves', NEAR, 0.3, (1.3, 0.24, 0.75), up=1.05),
        Against('drawers', NEAR, 0.3, (1.1, 0.45, 0.72)),
        Against('door', RIGHT, -0.9, (0.9, 0.05, 2.05)),
        Against('sofa', RIGHT, 0.9, (1.9, 0.88, 0.80)),
        Against('abstract', RIGHT, 0.9, (1.1, 0.03, 0.7), up=1.2),
    ),
    (
        Neighbour('speaker', (0.30, -0.78), '+y', (0.20, 0.20, 0.42), base='drawers'),
        Neighbour('bottles', (-0.02, 0.78), '-y', (0.30, 0.18, 0.26)),
        Neighbour('globe', (1.20, 0.82), '-y', (0.15, 0.15, 0.22)),
    ),
)  # fmt: skip

READING_CORNER = Plan(
    'living room', 0.72, (-2.0, 2.4), (-2.3, 2.6),
    (
        Against('bookcase', LEFT, 0.6, (1.0, 0.30, 2.1)),
        Against('bookcase', LEFT, 1.62, (1.0, 0.30, 2.1)),
        Free('sofa', (1.85, 1.55), '-x', (0.85, 0.82, 0.90)),
        Free('floor_lamp', (2.12, 0.88), '-x', (0.34, 0.34, 1.6)),
        Free('rug', (1.15, 1.60), '-x', (1.2, 1.5, 0.006)),
        Against('window', FAR, -0.3, (1.1, 0.06, 1.4), up=0.75),
        Against('window', FAR, -1.6, (0.8, 0.06, 1.4), up=0.75),
        Against('radiator', FAR, -0.3, (1.0, 0.10, 0.60)),
        Against('piano', NEAR, 0.55, (1.45, 0.60, 1.15)),
        Against('picture', NEAR, 0.55, (0.8, 0.03, 0.6), up=1.4),
        Against('sofa', RIGHT, 0.1, (0.85, 0.85, 0.85)),
        Against('mirror', RIGHT, 1.05, (0.6, 0.04, 1.2), up=0.9),
        Against('nightstand', RIGHT, 1.05, (0.5, 0.42, 0.55)),
        Against('palm', FAR, 0.50, (0.6, 0.62, 1.35)),
    ),
    (
        Neighbour('screen', (-0.58, 0.22), '+x', (0.95, 0.10, 1.55), base=FLOOR),
        Neighbour('table_lamp', (0.28, -0.78), '+y', (0.20, 0.20, 0.44), base='side_table'),
    ),
)  # fmt: skip

FIREPLACE = Plan(
    'living room', 0.76, (-1.9, 2.7), (-2.5, 2.4),
    (
        Against('fireplace', FAR, 1.0, (1.4, 0.36, 1.15)),
        Against('mirror', FAR, 1.0, (0.9, 0.05, 0.9), up=1.5),
        Free('sofa', (1.75, 1.72), '+x', (0.85, 0.8, 0.9)),
        Free('round_rug', (2.0, 1.0), '-x', (1.1, 1.1, 0.006)),
        Against('boxes', FAR, 2.05, (0.5, 0.34, 0.5)),
        Against('window', FAR, -0.8, (1.2, 0.06, 1.2), up=0.85),
        Against('curtains', FAR, -0.8, (1.8, 0.12, 2.1), up=0.08),
        Against('window', NEAR, 0.5, (1.5, 0.06, 1.1), up=0.85),
        Against('bench', NEAR, 0.5, (1.3, 0.40, 0.45)),
        Against('plant', NEAR, 1.65, (0.5, 0.5, 1.2)),
        Against('hutch', RIGHT, 0.2, (1.2, 0.45, 1.95)),
        Against('chair', RIGHT, 1.25, (0.45, 0.46, 0.92)),
        Against('coat_stand', LEFT, -1.2, (0.5, 0.5, 1.7)),
        Against('picture', LEFT, 0.9, (0.9, 0.03, 0.6), up=1.2),
        Against('drawers', LEFT, 0.78, (1.0, 0.40, 0.75)),
    ),
    (
        Neighbour('pillar', (-0.60, 0.45), '+x', (0.24, 0.24, 2.6), base=FLOOR),
        Neighbour('aquarium', (0.18, -0.78), '+y', (0.46, 0.21, 0.32), base='cabinet'),
        Neighbour('vase', (1.15, 0.82), '-y', (0.13, 0.13, 0.34)),
    ),
)  # fmt: skip
