"""Workshops, stores and studios."""

from vlm_bench_sim.core.objects.rooms.plan import FAR, FLOOR, LEFT, NEAR, RIGHT, Against, Free, Neighbour, Plan

WORKBENCH = Plan(
    'workshop', 0.78, (-1.8, 2.6), (-2.4, 2.4),
    (
        Against('workbench', FAR, 1.15, (1.9, 0.70, 0.88)),
        Against('pegboard', FAR, 1.15, (1.7, 0.03, 0.85), up=1.2),
        Against('drawers', FAR, -0.35, (0.7, 0.50, 1.0)),
        Against('window', FAR, -1.5, (1.0, 0.06, 0.9), up=1.2),
        Against('barrel', LEFT, 0.95, (0.56, 0.56, 0.86)),
        Against('ladder', LEFT, 1.60, (0.5, 0.7, 1.2)),
        Free('stool', (1.60, 1.15), '+x', (0.36, 0.36, 0.60)),
        Against('rack', NEAR, 0.6, (1.5, 0.45, 1.9)),
        Against('boxes', NEAR, -0.6, (0.6, 0.45, 0.7)),
        Against('door', RIGHT, -0.7, (1.0, 0.05, 2.05)),
        Against('cabinet', RIGHT, 0.6, (1.0, 0.50, 1.8)),
        Against('barrel', RIGHT, 1.5, (0.56, 0.56, 0.86)),
    ),
    (
        Neighbour('toolbox', (0.22, -0.78), '+y', (0.42, 0.20, 0.28), base='drawers'),
        Neighbour('pipes', (-0.56, 0.40), '+x', (0.36, 0.14, 2.6), base=FLOOR),
        Neighbour('boxes', (0.02, 0.78), '-y', (0.28, 0.20, 0.20)),
    ),
)  # fmt: skip

STORE = Plan(
    'store room', 0.72, (-1.9, 2.5), (-2.5, 2.5),
    (
        Against('rack', LEFT, 0.75, (1.3, 0.45, 2.0)),
        Against('rack', LEFT, 1.80, (0.7, 0.45, 2.0)),
        Against('boxes', FAR, 1.25, (0.8, 0.55, 0.9)),
        Against('boxes', FAR, 0.40, (0.6, 0.50, 0.6)),
        Free('boxes', (1.55, 1.25), '-x', (0.5, 0.45, 0.45)),
        Against('door', FAR, -0.7, (1.1, 0.05, 2.05)),
        Against('noticeboard', FAR, -1.8, (0.9, 0.03, 0.7), up=1.2),
        Against('table', NEAR, 0.5, (1.5, 0.62, 0.80)),
        Against('pegboard', NEAR, 0.5, (1.4, 0.03, 0.8), up=1.1),
        Against('barrel', NEAR, -0.65, (0.55, 0.55, 0.85)),
        Against('rack', RIGHT, 0.1, (1.2, 0.45, 1.6)),
        Against('ladder', RIGHT, 1.15, (0.5, 0.7, 1.3)),
        Against('washer', RIGHT, 1.85, (0.60, 0.60, 0.86)),
    ),
    (
        Neighbour('boxes', (0.24, -0.78), '+y', (0.38, 0.21, 0.44), base='rack'),
        Neighbour('bottles', (0.03, 0.78), '-y', (0.30, 0.16, 0.20)),
        Neighbour('barrel', (1.68, -1.0), '+y', (0.50, 0.50, 0.86), base=FLOOR),
    ),
)  # fmt: skip

STUDIO = Plan(
    'studio', 0.77, (-2.0, 2.8), (-2.3, 2.7),
    (
        Free('easel', (1.75, 1.45), '-x', (0.75, 0.42, 1.35)),
        Free('stool', (1.12, 1.62), '+x', (0.34, 0.34, 0.50)),
        Against('table', LEFT, 0.75, (1.1, 0.55, 0.78)),
        Against('abstract', LEFT, 0.75, (1.0, 0.03, 0.8), up=1.2),
        Against('screen', FAR, 1.85, (1.3, 0.12, 1.7)),
        Against('window', FAR, 0.2, (1.6, 0.06, 1.6), up=0.7),
        Against('boxes', FAR, 0.35, (0.6, 0.45, 0.5)),
        Against('two_shelves', FAR, -1.3, (1.1, 0.26, 0.8), up=1.0),
        Against('drawers', FAR, -1.3, (1.1, 0.45, 0.8)),
        Against('fireplace', NEAR, 0.75, (1.2, 0.34, 1.1)),
        Against('mirror', NEAR, 0.75, (0.8, 0.04, 0.8), up=1.4),
        Against('coat_stand', NEAR, -0.45, (0.5, 0.5, 1.65)),
        Against('piano', RIGHT, 0.6, (1.5, 0.62, 1.2)),
        Against('picture', RIGHT, 0.6, (1.0, 0.03, 0.6), up=1.45),
        Against('barrel', RIGHT, 1.75, (0.5, 0.5, 0.8)),
    ),
    (
        Neighbour('easel', (-0.62, 0.30), '+x', (0.60, 0.40, 1.50), base=FLOOR),
        Neighbour('desk_lamp', (0.24, -0.79), '+y', (0.18, 0.20, 0.52), base='drawers'),
        Neighbour('aquarium', (0.00, 0.78), '-y', (0.32, 0.21, 0.24), base='cabinet'),
    ),
)  # fmt: skip
