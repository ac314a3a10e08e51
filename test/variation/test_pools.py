"""Pools of numbers: listed or spanned in config/splits.yaml, and mixed along an axis."""

import pytest

from vlm_bench_sim.core.errors import ConfigError, SplitError
from vlm_bench_tasks import settings
from vlm_bench_tasks.variation.pools import Pools, Splits


def read(monkeypatch, goal) -> Splits:
    """The splits of a family whose second split has these numbers."""
    given = {'odd': {'train': {'goal': {'open': [0.5, 0.25]}}, 'any': {'goal': {'open': goal}, 'factor': 'goal', 'overlaps': True}}}
    monkeypatch.setattr(settings, 'table', lambda *_, **__: given)
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
