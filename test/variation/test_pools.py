"""Pools of numbers and of rooms: as config/splits.yaml gives them, and mixed along an axis."""

import pytest

from vlm_bench_sim.core.errors import ConfigError, SplitError
from vlm_bench_tasks import settings
from vlm_bench_tasks.variation.pools import Pools, Splits


def read(monkeypatch, goal) -> Splits:
    """The splits of a family whose second split has these numbers."""
    return given(monkeypatch, train={'goal': {'open': [0.5, 0.25]}}, any={'goal': {'open': goal}, 'factor': 'goal', 'overlaps': True})


def given(monkeypatch, **splits) -> Splits:
    """The splits of a family as they are read."""
    monkeypatch.setattr(settings, 'table', lambda *_, **__: {'odd': splits})
    settings.splits.cache_clear()
    try:
        return settings.splits('odd')
    finally:
        settings.splits.cache_clear()


@pytest.mark.parametrize(
    ('goal', 'numbers'),
    [
        ([0.75, 0.1], (0.1, 0.75)),
        ({'low': 0.1, 'high': 0.4, 'step': 0.1}, (0.1, 0.2, 0.3, 0.4)),
        ({'low': 0.0, 'high': 1.0, 'step': 0.3}, (0.0, 0.3, 0.6, 0.9)),  # never beyond its end
        ({'low': 0.0, 'high': 1.0, 'step': 0.15}, (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9)),
    ],
)
def test_numbers_are_listed_or_spanned(monkeypatch, goal, numbers):
    found = read(monkeypatch, goal)
    assert found.pools['any'].goals('open') == pytest.approx(numbers)
    assert found.pools['any'].seen['open'] == found.pools['train'].goals('open') == (0.25, 0.5)
    assert (found.factor, found.overlaps) == ({'any': 'goal'}, {'any'})


@pytest.mark.parametrize(
    'goal', [{'low': 1.0, 'high': 0.0, 'step': 0.1}, {'low': 0.0, 'high': 1.0, 'step': 0.0}, {'low': 0.0, 'high': 1e9, 'step': 1e-3}, ['x']]
)
def test_a_span_that_cannot_be_is_refused(monkeypatch, goal):
    with pytest.raises(ConfigError, match=r'splits.yaml, odd.any, is wrong'):
        read(monkeypatch, goal)


def test_along_an_axis_with_a_pool_all_else_is_of_the_base():
    base, other = (Pools((), {'mug': (kind,)}, {'open': (share,)}) for kind, share in (('mug1', 0.5), ('mug2', 0.75)))
    splits = Splits('seen', {'seen': base, 'novel': other})
    assert splits.along('shape', 'novel').goals('open') == (0.5,)
    assert splits.along('shape', 'novel').kinds('mug') == ('mug2',)
    assert splits.along('goal', 'novel') == other
    with pytest.raises(SplitError, match='no goals of'):
        base.goals('close')


def test_rooms_come_from_the_split_or_else_from_the_first_and_lend_their_palettes(monkeypatch):
    found = given(monkeypatch, train={'room': ['room0', 'room3']}, test={}, novel={'room': ['room17'], 'factor': 'room'})
    assert found.pools['test'].room == found.pools['test'].palette == ('room0', 'room3')
    assert (found.pools['novel'].room, found.pools['novel'].palette) == (('room17',), ('room17',))
    assert given(monkeypatch, train={}).pools['train'].room == ()


def test_along_the_palette_only_the_palettes_are_of_the_split():
    base, other = (
        Pools((), {'mug': (kind,)}, {'open': (share,)}, room=rooms)
        for kind, share, rooms in (('mug1', 0.5, ('room0', 'room3')), ('mug2', 0.75, ('room17',)))
    )
    splits = Splits('seen', {'seen': base, 'novel': other})
    found = splits.along('palette', 'novel')
    assert (found.room, found.palette) == (('room0', 'room3'), ('room17',))
    assert (found.kinds('mug'), found.goals('open')) == (('mug1',), (0.5,))
    assert splits.along('palette', 'seen') == base
    assert splits.along('goal', 'novel') == other


@pytest.mark.parametrize('name', ['room20', 'study', 'room3~room17', ''])
def test_a_room_that_there_is_not_is_refused(monkeypatch, name):
    with pytest.raises(ConfigError, match=rf"splits.yaml, odd.train, is wrong[^$]*called '{name}'; there are room0 to room19. Name those"):
        given(monkeypatch, train={'room': ['room1', name]})


def test_looks_are_read_in_the_colors_of_the_first_split(monkeypatch):
    colors = {'red': [1, 0, 0], 'blue': [0, 0, 1]}
    found = given(monkeypatch, seen={'color': colors, 'look': {'top': ['red', 'brick']}}, unseen={'look': {'top': ['red and blue checks']}})
    assert [look.words for look in found.pools['seen'].looks('top')] == ['red', 'brick']
    along = found.along('look', 'unseen')
    assert [look.words for look in along.looks('top')] == ['red and blue checks']
    assert found.along('shape', 'unseen').looks('top') == found.pools['seen'].looks('top')
    with pytest.raises(SplitError, match='no looks called'):
        along.looks('base')
    with pytest.raises(ConfigError, match=r"odd, is wrong: The look 'green' names the unknown color"):
        given(monkeypatch, seen={'color': colors, 'look': {'top': ['green']}})
