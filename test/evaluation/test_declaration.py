"""What a policy was trained on is declared in levels, in order, and decides how its results of a level are called."""

import pytest

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.declaration import Declaration, read_fine_tuned_on, read_trained_on

LEVELS = ('L0', 'L1', 'L2')


def test_levels_are_trained_fine_tuned_or_met_without_training():
    declared = Declaration(trained_on=('L0',), fine_tuned_on=('L2',))
    assert [declared.condition(level) for level in LEVELS] == ['trained', 'zero-shot', 'fine-tuned']
    assert [Declaration(trained_on=()).condition(level) for level in LEVELS] == ['zero-shot'] * 3
    assert Declaration().condition('L0') == declared.condition('') == ''


def test_a_declaration_is_told_in_words():
    assert str(Declaration()) == ''
    assert str(Declaration(protocol='arnold', variant='own grasp')) == 'protocol arnold (own grasp)'
    assert str(Declaration(trained_on=('L0', 'L1'), fine_tuned_on=('L2',))) == 'trained on L0+L1, fine-tuned on L2'
    assert str(Declaration(trained_on=())) == 'trained on nothing'


def test_levels_are_read():
    assert [read_trained_on(text, LEVELS) for text in ('nothing', 'L0', 'L0+L1', 'L0+L1+L2')] == [(), ('L0',), ('L0', 'L1'), LEVELS]
    assert read_fine_tuned_on('L1+L2', LEVELS, ('L0',)) == ('L1', 'L2')
    assert read_fine_tuned_on('', LEVELS, ()) == ()


@pytest.mark.parametrize('text', ['L1+L0', 'L1', 'L0+L2', 'L3', 'L0+L0', 'L0,L1', 'l0', '', '+', 'L0+', 'nothing+L0', ' L0'])
def test_levels_that_are_not_all_from_the_first_are_refused(text):
    with pytest.raises(ConfigError, match=r'--trained-on takes nothing, L0, L0\+L1, L0\+L1\+L2; found'):
        read_trained_on(text, LEVELS)


@pytest.mark.parametrize(
    ('text', 'trained', 'error'),
    [
        ('L2+L1', ('L0',), 'takes levels in order'),
        ('L1+L1', ('L0',), 'takes levels in order'),
        ('L3', ('L0',), 'takes levels in order'),
        ('nothing', ('L0',), 'takes levels in order'),
        ('L1', (), 'needs a policy that was trained before'),
        ('L0+L2', ('L0', 'L1'), 'names L0, which --trained-on holds already'),
    ],
)
def test_levels_that_cannot_be_fine_tuned_on_are_refused(text, trained, error):
    with pytest.raises(ConfigError, match=error):
        read_fine_tuned_on(text, LEVELS, trained)
