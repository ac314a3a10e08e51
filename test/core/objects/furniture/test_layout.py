"""Drawers and doors are named by their positions, as seen by a person in front of them."""

from dataclasses import replace

import pytest

from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture import CABINETS, CHESTS, DOOR, HANDLES, HINGES, LEVELS, Doors, Drawers, furniture
from vlm_bench_sim.core.objects.furniture.finishes import FINISHES

CHEST, CABINET = CHESTS['chest0'], CABINETS['cabinet0']


def made(layout: Drawers | Doors) -> Mechanism:
    model = CHEST if isinstance(layout, Drawers) else CABINET
    return replace(model, layout=layout).make('piece', FINISHES['oak'])


@pytest.mark.parametrize(
    ('rows', 'columns', 'names'),
    [
        (1, 1, (('drawer',),)),
        (2, 1, (('top',), ('bottom',))),
        (3, 1, tuple((level,) for level in LEVELS)),
        (1, 2, (('left', 'right'),)),
        (1, 3, (('left', 'center', 'right'),)),
        (2, 2, (('top_left', 'top_right'), ('bottom_left', 'bottom_right'))),
        (3, 3, tuple(tuple(f'{level}_{column}' for column in ('left', 'center', 'right')) for level in LEVELS)),
    ],
)
def test_drawers_are_named_by_row_and_column_and_lie_there(rows, columns, names):
    assert Drawers(rows, columns, 'knob').names == names
    joints = made(Drawers(rows, columns, 'knob')).joints
    assert list(joints) == [f'piece/{name}' for row in names for name in row]
    at = {name: joints[f'piece/{name}'].origin.position for row in names for name in row}
    for row in names:
        assert [at[name][1] for name in row] == sorted((at[name][1] for name in row), reverse=True)
    for column in zip(*names, strict=True):
        assert [at[name][2] for name in column] == sorted((at[name][2] for name in column), reverse=True)


@pytest.mark.parametrize(
    ('arrangement', 'sides'),
    [
        ('left', {DOOR: 1}),
        ('right', {DOOR: -1}),
        ('double', {'left': 1, 'right': -1}),
        ('stacked_left', {'top': 1, 'bottom': 1}),
        ('stacked_right', {'top': -1, 'bottom': -1}),
    ],
)
def test_doors_are_hinged_at_their_side_and_open_towards_a_person_in_front(arrangement, sides):
    piece = made(Doors(arrangement, 'knob'))
    assert list(piece.joints) == [f'piece/{name}' for name in sides]
    closed, opened = piece.placed({}), piece.started(**{name: piece.joints[f'piece/{name}'].upper for name in sides}).placed({})
    for name, side in sides.items():
        grip = next(part for part in piece.link(name).parts if part.name in piece.link(name).handle)
        before, after = ((frames[f'piece/{name}'] @ grip.pose).position for frames in (closed, opened))
        hinge = closed[f'piece/{name}'].position
        assert side * hinge[1] > side * before[1]
        assert after[0] < before[0] - 0.05 and side * after[1] > side * before[1]


def test_handles_of_double_doors_are_in_the_middle():
    piece = made(Doors('double', 'upright'))
    ys = {link.name: (piece.placed({})[piece.full(link.name)] @ link.parts[1].pose).position[1] for link in piece.links[1:]}
    assert ys['left'] == -ys['right'] and 0.02 < ys['left'] < 0.06


def test_handles_have_the_extents_of_their_kind():
    found = {handle: made(Drawers(3, 1, handle)).link('top').parts for handle in HANDLES}
    extents = {handle: next(part for part in parts if part.name == 'top_handle_0').size[1:] for handle, parts in found.items()}
    assert extents['bar'] == extents['upright'][::-1]
    assert extents['rail'][0] > 0.8 * CHEST.width and extents['rail'][1] == extents['bar'][1]
    assert extents['knob'][0] == extents['knob'][1]
    assert {handle: sum(part.kind == 'cylinder' for part in parts) for handle, parts in found.items()} == dict.fromkeys(HANDLES, 2) | {
        'knob': 1
    }


@pytest.mark.parametrize(
    ('make', 'says'),
    [
        (lambda: Drawers(4, 1, 'bar'), '1 to 3 rows and columns of drawers; found 4 and 1'),
        (lambda: Drawers(1, 0, 'bar'), 'found 1 and 0'),
        (lambda: Drawers(1, 1, 'knop'), "handle called 'knop'. Did you mean knob"),
        (lambda: Doors('doubel', 'knob'), "arrangement of doors called 'doubel'. Did you mean double"),
        (lambda: Doors('left', 'bar'), "handle called 'bar'"),
    ],
)
def test_unknown_layouts_are_refused(make, says):
    with pytest.raises(TaskError, match=says):
        make()


def test_every_layout_is_built():
    for arrangement in HINGES:
        assert len(made(Doors(arrangement, 'rail')).joints) == sum(len(row) for row in HINGES[arrangement])
    assert len(furniture('chest8', 'piece').joints) == 9
