"""The models of furniture: the older ones stay as they are, and those held out of training are unlike all others."""

from hashlib import sha256
from itertools import combinations
from math import dist

import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.objects.furniture import CABINETS, CHESTS, FINISHES, MODELS, OWN_FINISHES, Chest, Cupboard, Finish, furniture

OLDER = ('drawer1', 'drawer2', 'drawer3', 'door1', 'door2', 'cabinet')
GROUPS = {'chest': CHESTS, 'cabinet': CABINETS}
HELD_OUT = 2
"""The last ones of each group."""


def seen(group: str) -> dict[str, Chest | Cupboard]:
    return dict(list(GROUPS[group].items())[:-HELD_OUT])


def novel(group: str) -> dict[str, Chest | Cupboard]:
    return dict(list(GROUPS[group].items())[-HELD_OUT:])


def own(piece: Chest | Cupboard) -> Finish:
    return (FINISHES | OWN_FINISHES)[piece.finish]


def size(piece: Chest | Cupboard) -> tuple[float, float, float]:
    """Extents over the table, m."""
    return piece.width, piece.depth, piece.height + piece.plinth


def test_the_older_models_keep_every_number():
    text = '\n'.join(codec.dumps(furniture(model, 'piece', finish)) for model in OLDER for finish in ('', *FINISHES))
    assert sha256(text.encode()).hexdigest() == '5ed8c9a3dae8502654e8e9d641852d3060c68810ea62e290ca561a2ce8f813e0'


def test_older_families_draw_from_the_same_finishes():
    assert tuple(FINISHES) == ('oak', 'walnut', 'white', 'sage', 'slate')
    assert not FINISHES.keys() & OWN_FINISHES.keys()


@pytest.mark.parametrize('model', MODELS)
def test_without_a_finish_a_piece_has_its_own(model):
    assert furniture(model, 'piece') == furniture(model, 'piece', MODELS[model].finish)
    assert furniture(model, 'piece') != furniture(model, 'piece', 'white')


def test_unknown_models_and_finishes_are_refused():
    with pytest.raises(TaskError, match=r"no furniture called 'chest10'\. Did you mean chest"):
        furniture('chest10', 'piece')
    with pytest.raises(TaskError, match=r"no finish called 'lilacs'\. Did you mean lilac"):
        furniture('chest0', 'piece', 'lilacs')


def test_two_tones_have_a_grain_where_they_are_of_wood():
    body, drawer = furniture('chest7', 'piece').links
    assert body.parts[0].texture is not None and drawer.parts[0].texture is None
    body, left = furniture('cabinet5', 'piece').links[:2]
    assert body.parts[0].texture is None and left.parts[0].texture is not None


@pytest.mark.parametrize('group', GROUPS)
def test_there_are_ten_of_each_in_the_order_of_their_numbers(group):
    assert list(GROUPS[group]) == [f'{group}{i}' for i in range(10)]


@pytest.mark.parametrize('group', GROUPS)
def test_one_that_is_held_out_has_a_layout_and_a_finish_that_no_seen_one_has(group):
    others = [piece for name in GROUPS for piece in seen(name).values()]
    for piece in novel(group).values():
        assert piece.layout not in [other.layout for other in others]
        assert min(dist(own(piece).front.rgb, own(other).front.rgb) for other in others) >= 0.12
        assert piece.finish not in {other.finish for other in others} | set(FINISHES)
    assert len({piece.layout for piece in novel(group).values()}) == len({piece.finish for piece in novel(group).values()}) == HELD_OUT


@pytest.mark.parametrize('group', GROUPS)
def test_all_differ_in_layout_and_by_a_tenth_in_size(group):
    for one, other in combinations(GROUPS[group].values(), 2):
        assert one.layout != other.layout
        assert max(abs(a - b) / max(a, b) for a, b in zip(size(one), size(other), strict=True)) >= 0.10


@pytest.mark.parametrize('group', GROUPS)
def test_all_words_of_position_and_all_handles_of_held_out_ones_are_seen(group):
    def words(pieces: dict[str, Chest | Cupboard]) -> set[str]:
        return {word for piece in pieces.values() for row in piece.layout.names for name in row for word in name.split('_')}

    assert words(novel(group)) <= words(seen(group))
    assert {piece.layout.handle for piece in novel(group).values()} <= {piece.layout.handle for piece in seen(group).values()}


@pytest.mark.parametrize('model', [*CHESTS, *CABINETS])
def test_handles_are_boxes_where_an_arm_in_front_can_reach_them(model):
    piece = furniture(model, 'piece')
    frames = piece.placed({})
    for link in piece.links[1:]:
        (name,) = link.handle
        grip = next(part for part in link.parts if part.name == name)
        _, y, z = (frames[piece.full(link.name)] @ grip.pose).position
        assert grip.kind == 'cube'
        assert 0.10 <= z <= 0.50 and abs(y) <= 0.20


def test_sizes_are_those_of_furniture_on_a_table():
    for chest in CHESTS.values():
        assert all(low <= extent <= high for extent, low, high in zip(size(chest), (0.24, 0.25, 0.20), (0.50, 0.42, 0.50), strict=True))
        assert 0.18 <= chest.travel <= min(0.32, chest.depth - 0.06)
    for cabinet in CABINETS.values():
        assert all(low <= extent <= high for extent, low, high in zip(size(cabinet), (0.30, 0.25, 0.35), (0.50, 0.32, 0.50), strict=True))
