"""Bedrooms."""

from vlm_bench_sim.core.objects.rooms.plan import FAR, FLOOR, LEFT, NEAR, RIGHT, Against, Free, Neighbour, Plan

DOUBLE_BED = Plan(
    'bedroom', 0.74, (-1.95, 2.9), (-2.3, 2.8),
    (
        Against('bed', LEFT, 1.45, (1.6, 1.75, 1.0)),
        Against('nightstand', LEFT, 0.35, (0.45, 0.40, 0.50)),
        Against('nightstand', LEFT, 2.55, (0.45, 0.40, 0.50)),
        Against('picture', LEFT, 1.45, (1.1, 0.03, 0.6), up=1.45),
        Against('window', FAR, 0.2, (1.3, 0.06, 1.3), up=0.8),
        Against('curtains', FAR, 0.2, (2.0, 0.12, 2.2), up=0.08),
        Against('drawers', FAR, -1.5, (1.0, 0.45, 0.95)),
        Against('mirror', FAR, -1.5, (0.7, 0.04, 0.9), up=1.15),
        Against('cabinet', NEAR, 0.6, (1.7, 0.58, 2.05)),
        Against('plant', NEAR, -0.75, (0.5, 0.5, 1.1)),
        Against('door', RIGHT, -0.7, (0.9, 0.05, 2.05)),
        Against('sofa', RIGHT, 0.75, (0.85, 0.82, 0.85)),
        Against('floor_lamp', RIGHT, 1.5, (0.36, 0.36, 1.5)),
    ),
    (
        Neighbour('table_lamp', (0.24, -0.78), '+y', (0.21, 0.21, 0.46), base='drawers'),
        Neighbour('books_between', (1.18, -0.82), '+y', (0.30, 0.14, 0.22), base='side_table'),
        Neighbour('vase', (-0.05, 0.78), '-y', (0.13, 0.13, 0.34)),
    ),
)  # fmt: skip

WARDROBE_WALL = Plan(
    'bedroom', 0.76, (-1.9, 2.5), (-2.6, 2.3),
    (
        Against('bed', FAR, 1.45, (1.4, 1.0, 0.95)),
        Against('wall_shelf', FAR, 1.45, (1.2, 0.22, 0.4), up=1.3),
        Against('nightstand', FAR, 0.42, (0.45, 0.40, 0.50)),
        Against('window', FAR, -0.9, (1.2, 0.06, 1.2), up=0.85),
        Against('window', LEFT, 0.9, (1.4, 0.06, 1.2), up=0.85),
        Against('blinds', LEFT, 0.9, (1.3, 0.11, 0.7), up=1.3),
        Against('radiator', LEFT, 0.9, (1.3, 0.10, 0.6)),
        Against('door', NEAR, 1.5, (0.9, 0.05, 2.05)),
        Against('desk', NEAR, 0.2, (1.2, 0.55, 0.75)),
        Against('mirror', NEAR, 0.2, (0.8, 0.04, 0.7), up=1.0),
        Free('stool', (-1.36, 0.38), '-x', (0.34, 0.34, 0.46)),
        Against('cabinet', RIGHT, 1.35, (1.8, 0.60, 2.2)),
        Against('basket', RIGHT, 0.0, (0.45, 0.45, 0.5)),
    ),
    (
        Neighbour('drawers', (-0.58, -0.10), '+x', (0.70, 0.34, 1.15), base=FLOOR),
        Neighbour('globe', (0.26, -0.78), '+y', (0.20, 0.20, 0.30)),
    ),
)  # fmt: skip

CHILDS_ROOM = Plan(
    'bedroom', 0.70, (-2.0, 2.6), (-2.2, 2.4),
    (
        Against('bed', LEFT, 2.1, (0.9, 1.9, 0.8)),
        Against('abstract', LEFT, 1.2, (0.7, 0.03, 0.5), up=1.2),
        Against('toys', LEFT, 1.15, (0.8, 0.40, 0.40)),
        Free('round_rug', (1.30, 1.45), '-y', (0.8, 0.8, 0.006)),
        Against('window', FAR, -0.1, (1.4, 0.06, 1.2), up=0.85),
        Against('curtains', FAR, -0.1, (2.0, 0.12, 1.5), up=0.7),
        Against('toys', FAR, -0.05, (0.9, 0.40, 0.42)),
        Against('bookcase', FAR, -1.68, (1.0, 0.30, 1.3)),
        Against('computer_desk', NEAR, 0.55, (1.3, 0.60, 0.74)),
        Against('noticeboard', NEAR, 0.55, (1.0, 0.03, 0.6), up=1.3),
        Against('door', RIGHT, -0.6, (0.9, 0.05, 2.05)),
        Against('drawers', RIGHT, 0.7, (1.1, 0.45, 0.85)),
        Against('clock', RIGHT, 0.7, (0.34, 0.04, 0.34), up=1.3),
    ),
    (
        Neighbour('boxes', (0.26, -0.78), '+y', (0.38, 0.21, 0.40)),
        Neighbour('toys', (0.00, 0.78), '-y', (0.34, 0.21, 0.20)),
    ),
)  # fmt: skip

BUNKS = Plan(
    'bedroom', 0.79, (-1.8, 2.7), (-2.4, 2.5),
    (
        Against('bunk_bed', FAR, 1.2, (2.0, 0.92, 1.75)),
        Against('rug', LEFT, 1.0, (1.2, 0.8, 0.006)),
        Against('picture', LEFT, 0.9, (0.9, 0.03, 0.7), up=1.2),
        Free('sofa', (1.05, 1.95), '-y', (0.95, 0.82, 0.7)),
        Against('window', FAR, -1.0, (1.5, 0.06, 1.2), up=0.85),
        Against('desk', FAR, -1.0, (1.3, 0.60, 0.75)),
        Free('office_chair', (1.80, -1.05), '+x', (0.52, 0.52, 0.95)),
        Against('cabinet', NEAR, 0.75, (1.0, 0.52, 1.6)),
        Against('bookcase', NEAR, -0.35, (0.9, 0.30, 1.6)),
        Against('window', RIGHT, 0.6, (1.6, 0.06, 1.1), up=0.9),
        Against('toys', RIGHT, 0.35, (0.8, 0.42, 0.42)),
        Against('plant', RIGHT, 1.25, (0.5, 0.5, 1.0)),
    ),
    (
        Neighbour('screen', (0.86, -0.83), '+y', (0.80, 0.10, 0.62), base='bench'),
        Neighbour('cactus', (0.16, -0.78), '+y', (0.20, 0.18, 0.36)),
        Neighbour('speaker', (-0.02, 0.78), '-y', (0.18, 0.18, 0.28)),
    ),
)  # fmt: skip
