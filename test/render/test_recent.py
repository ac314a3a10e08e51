"""Of what was asked for only the last few are kept."""

from vlm_bench_sim.render.recent import Recent


def test_the_last_ones_are_kept_and_the_others_freed_once():
    made, freed = [], []
    recent = Recent(lambda key: made.append(key) or key.upper(), free=freed.append, most=2)
    assert [recent[key] for key in 'abab'] == list('ABAB')
    assert (made, freed) == (['a', 'b'], [])
    assert recent['c'] == 'C' and freed == ['A'], 'b was asked for after a'
    assert recent['b'] == 'B' and recent['a'] == 'A'
    assert (made, freed) == (['a', 'b', 'c', 'a'], ['A', 'C'])
    recent.release()
    recent.release()
    assert sorted(freed) == ['A', 'A', 'B', 'C']


def test_what_cannot_be_made_costs_nothing():
    freed = []
    recent = Recent(lambda key: 1 / key, free=freed.append, most=1)
    assert recent[1] == 1.0
    try:
        recent[0]
    except ZeroDivisionError:
        assert (recent[1], freed) == (1.0, [])
    else:
        raise AssertionError('it was made')
