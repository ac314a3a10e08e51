"""Kitchens."""

from vlm_bench_sim.core.objects.rooms.plan import CEILING, FAR, FLOOR, LEFT, NEAR, RIGHT, Against, Free, Neighbour, Plan

ONE_LINE = Plan(
    'kitchen', 0.72, (-1.7, 2.4), (-2.3, 2.3),
    (
        Against('tiles', FAR, 0.38, (3.4, 0.012, 0.5), up=0.9),
        Against('sink', FAR, 1.32, (1.5, 0.60, 0.90)),
        Against('stove', FAR, 0.26, (0.60, 0.62, 0.90)),
        Against('counter', FAR, -0.70, (1.30, 0.60, 0.90)),
        Against('window', FAR, 1.32, (1.1, 0.06, 0.9), up=1.45),
        Against('hood', FAR, 0.26, (0.66, 0.46, 1.05), up=1.55),
        Against('wall_cupboards', FAR, -0.72, (1.25, 0.34, 0.65), up=1.5),
        Against('fridge', LEFT, 1.22, (0.62, 0.64, 1.80)),
        Against('coat_stand', FAR, -1.9, (0.5, 0.5, 1.7)),
        Free('stool', (1.58, 1.22), '-x', (0.36, 0.36, 0.62)),
        Against('door', NEAR, 1.2, (0.9, 0.05, 2.05)),
        Against('hutch', NEAR, 0.0, (1.2, 0.42, 1.9)),
        Against('two_shelves', RIGHT, 0.6, (1.2, 0.22, 0.7), up=1.1),
        Against('bench', RIGHT, 0.6, (1.4, 0.36, 0.45)),
        Against('clock', RIGHT, -0.5, (0.34, 0.04, 0.34), up=1.35),
    ),
    (
        Neighbour('microwave', (0.24, -0.78), '+y', (0.42, 0.21, 0.26), base='cabinet'),
        Neighbour('coffee_machine', (-0.05, 0.78), '-y', (0.20, 0.21, 0.30)),
        Neighbour('pendant', (0.05, -0.62), '+y', (0.30, 0.30, 0.76), base=CEILING),
    ),
)  # fmt: skip

CORNER = Plan(
    'kitchen', 0.75, (-2.0, 2.5), (-2.2, 2.4),
    (
        Against('counter', LEFT, 0.72, (1.6, 0.60, 0.90)),
        Against('stove', LEFT, 1.84, (0.60, 0.62, 0.90)),
        Against('hood', LEFT, 1.84, (0.64, 0.46, 1.05), up=1.55),
        Against('tiles', LEFT, 1.0, (2.4, 0.012, 0.5), up=0.9),
        Against('wall_cupboards', LEFT, 0.72, (1.5, 0.34, 0.65), up=1.5),
        Against('sink', FAR, 0.85, (1.5, 0.60, 0.90)),
        Against('window', FAR, 0.85, (1.3, 0.06, 1.0), up=1.1),
        Against('fridge', FAR, -0.35, (0.66, 0.64, 1.85)),
        Against('washer', FAR, -1.05, (0.60, 0.60, 0.86)),
        Against('two_shelves', NEAR, 0.2, (1.2, 0.22, 0.7), up=1.1),
        Against('table', NEAR, 0.2, (1.2, 0.60, 0.75)),
        Free('stool', (-1.31, 0.45), '-x', (0.34, 0.34, 0.46)),
        Free('stool', (-1.31, -0.05), '-x', (0.34, 0.34, 0.46)),
        Against('door', RIGHT, -0.4, (0.9, 0.05, 2.05)),
        Against('cabinet', RIGHT, 0.95, (1.0, 0.45, 0.95)),
        Against('picture', RIGHT, 0.95, (0.7, 0.03, 0.5), up=1.3),
    ),
    (
        Neighbour('bottles', (0.28, -0.78), '+y', (0.32, 0.16, 0.30)),
        Neighbour('cabinet', (1.62, -0.95), '+y', (0.40, 0.40, 1.10), base=FLOOR),
    ),
)  # fmt: skip

ISLAND = Plan(
    'kitchen', 0.78, (-1.9, 2.8), (-2.4, 2.6),
    (
        Against('fridge', FAR, 2.2, (0.66, 0.66, 1.85)),
        Against('counter', FAR, 1.02, (1.6, 0.60, 0.92)),
        Against('sink', FAR, -0.52, (1.4, 0.60, 0.92)),
        Against('two_shelves', FAR, 1.0, (1.5, 0.24, 0.75), up=1.25),
        Against('window', FAR, -0.52, (1.2, 0.06, 1.0), up=1.1),
        Free('island', (1.25, 1.85), '-y', (1.5, 0.75, 0.90)),
        Free('stool', (0.95, 1.25), '-y', (0.36, 0.36, 0.62)),
        Free('stool', (1.62, 1.25), '-y', (0.36, 0.36, 0.62)),
        Against('stove', NEAR, 0.75, (0.60, 0.62, 0.92)),
        Against('counter', NEAR, -0.25, (1.3, 0.60, 0.92)),
        Against('hood', NEAR, 0.75, (0.66, 0.46, 1.0), up=1.6),
        Against('wall_cupboards', NEAR, -0.25, (1.25, 0.34, 0.6), up=1.5),
        Against('door', RIGHT, 1.5, (0.9, 0.05, 2.05)),
        Against('rack', RIGHT, 0.2, (1.1, 0.42, 1.6)),
    ),
    (
        Neighbour('hood', (0.30, -0.82), '+y', (0.56, 0.30, 0.70), base=CEILING),
        Neighbour('open_shelf', (0.24, -0.78), '+y', (0.40, 0.19, 0.36), base='cabinet'),
        Neighbour('boxes', (0.02, 0.78), '-y', (0.26, 0.20, 0.20)),
    ),
)  # fmt: skip

GALLEY = Plan(
    'kitchen', 0.73, (-1.9, 2.6), (-2.0, 2.2),
    (
        Against('window', FAR, 0.9, (1.6, 0.06, 1.3), up=0.8),
        Against('radiator', FAR, 0.9, (1.3, 0.10, 0.6)),
        Against('fridge', LEFT, 0.55, (0.66, 0.64, 1.80)),
        Against('sink', LEFT, 1.62, (1.4, 0.58, 0.90)),
        Against('tiles', LEFT, 1.62, (1.4, 0.012, 0.5), up=0.9),
        Against('wall_cupboards', LEFT, 1.62, (1.35, 0.34, 0.65), up=1.5),
        Free('round_table', (1.95, 0.95), '-x', (0.70, 0.70, 0.74)),
        Free('stool', (1.55, 1.28), '-y', (0.34, 0.34, 0.46)),
        Against('washer', NEAR, 0.8, (0.60, 0.60, 0.86)),
        Against('washer', NEAR, 0.12, (0.60, 0.60, 0.86)),
        Against('blinds', NEAR, 0.45, (1.3, 0.11, 1.0), up=1.2),
        Against('stove', RIGHT, 1.1, (0.60, 0.60, 0.90)),
        Against('counter', RIGHT, -0.02, (1.6, 0.58, 0.90)),
        Against('hood', RIGHT, 1.1, (0.64, 0.46, 1.0), up=1.6),
        Against('clock', RIGHT, 0.0, (0.36, 0.04, 0.36), up=1.4),
    ),
    (
        Neighbour('bottles', (-0.58, 0.42), '+x', (0.36, 0.20, 0.34), base='drawers'),
        Neighbour('toolbox', (0.26, -0.78), '+y', (0.36, 0.20, 0.26)),
    ),
)  # fmt: skip
