"""Offices and a laboratory."""

from vlm_bench_sim.core.objects.rooms.plan import CEILING, FAR, FLOOR, LEFT, NEAR, RIGHT, Against, Free, Neighbour, Plan

TWO_DESKS = Plan(
    'office', 0.74, (-2.0, 2.7), (-2.4, 2.5),
    (
        Against('computer_desk', LEFT, 1.25, (1.5, 0.72, 0.74)),
        Free('office_chair', (1.30, 1.40), '+y', (0.54, 0.52, 1.0)),
        Against('whiteboard', LEFT, 1.2, (1.5, 0.03, 0.9), up=1.2),
        Against('window', FAR, 0.6, (2.2, 0.06, 1.2), up=0.9),
        Against('blinds', FAR, 0.6, (2.1, 0.11, 0.55), up=1.5),
        Against('radiator', FAR, 0.6, (1.6, 0.10, 0.62)),
        Against('palm', FAR, -1.0, (0.75, 0.78, 1.5)),
        Against('computer_desk', NEAR, 0.5, (1.4, 0.70, 0.74)),
        Against('abstract', NEAR, 0.5, (0.9, 0.03, 0.6), up=1.4),
        Against('door', RIGHT, -0.6, (0.9, 0.05, 2.05)),
        Against('drawers', RIGHT, 0.45, (0.5, 0.55, 1.2)),
        Against('drawers', RIGHT, 0.98, (0.5, 0.55, 1.2)),
        Against('cabinet', RIGHT, 1.75, (0.9, 0.45, 1.8)),
    ),
    (
        Neighbour('monitor', (0.26, -0.79), '+y', (0.40, 0.18, 0.36), base='drawers'),
        Neighbour('books_between', (0.05, 0.78), '-y', (0.30, 0.20, 0.22)),
        Neighbour('desk_lamp', (1.18, 0.82), '-y', (0.12, 0.14, 0.34)),
    ),
)  # fmt: skip

MEETING = Plan(
    'office', 0.76, (-2.0, 2.8), (-2.5, 2.6),
    (
        Free('table', (1.95, 1.55), '-x', (1.5, 0.72, 0.74)),
        Free('chair', (1.28, 1.20), '+x', (0.46, 0.46, 0.90)),
        Free('chair', (1.28, 1.90), '+x', (0.46, 0.46, 0.90)),
        Free('chair', (2.52, 1.20), '-x', (0.46, 0.46, 0.90)),
        Free('chair', (2.52, 1.90), '-x', (0.46, 0.46, 0.90)),
        Against('whiteboard', FAR, 1.3, (1.8, 0.03, 1.1), up=1.0),
        Against('window', FAR, -0.9, (1.6, 0.06, 1.3), up=0.8),
        Against('noticeboard', LEFT, 0.9, (1.4, 0.03, 0.8), up=1.2),
        Against('cabinet', NEAR, 0.7, (1.6, 0.45, 1.1)),
        Against('clock', NEAR, 0.7, (0.36, 0.04, 0.36), up=1.5),
        Against('plant', NEAR, -0.6, (0.5, 0.5, 1.2)),
        Against('window', RIGHT, 0.5, (2.2, 0.06, 1.2), up=0.85),
        Against('blinds', RIGHT, 0.5, (2.1, 0.11, 0.5), up=1.5),
        Against('bench', RIGHT, 0.5, (1.4, 0.40, 0.45)),
    ),
    (
        Neighbour('cabinet', (-0.58, 0.0), '+x', (0.80, 0.36, 1.05), base=FLOOR),
        Neighbour('globe', (0.28, -0.79), '+y', (0.21, 0.21, 0.32), base='cabinet'),
    ),
)  # fmt: skip

LABORATORY = Plan(
    'laboratory', 0.80, (-2.0, 2.5), (-2.2, 2.2),
    (
        Against('workbench', FAR, 0.95, (1.9, 0.65, 0.90)),
        Against('two_shelves', FAR, 0.95, (1.7, 0.24, 0.75), up=1.25),
        Against('rack', FAR, -1.1, (1.2, 0.45, 1.9)),
        Against('sink', LEFT, 0.75, (1.4, 0.58, 0.90)),
        Against('tiles', LEFT, 0.75, (1.4, 0.012, 0.5), up=0.9),
        Free('stool', (1.55, 1.25), '+x', (0.36, 0.36, 0.62)),
        Free('stool', (1.63, 1.78), '-x', (0.34, 0.34, 0.50)),
        Against('fridge', NEAR, 1.0, (0.62, 0.62, 1.75)),
        Against('computer_desk', NEAR, -0.1, (1.4, 0.70, 0.74)),
        Against('whiteboard', NEAR, -0.1, (1.3, 0.03, 0.8), up=1.25),
        Against('window', RIGHT, 0.7, (1.8, 0.06, 1.2), up=0.9),
        Against('cabinet', RIGHT, 0.7, (1.8, 0.50, 0.85)),
        Against('door', RIGHT, -0.75, (0.9, 0.05, 2.05)),
    ),
    (
        Neighbour('microwave', (0.23, -0.78), '+y', (0.40, 0.21, 0.30), base='drawers'),
        Neighbour('boxes', (0.02, 0.78), '-y', (0.28, 0.20, 0.20)),
        Neighbour('pendant', (-0.05, 0.55), '-y', (0.26, 0.26, 0.68), base=CEILING),
    ),
)  # fmt: skip
