"""A protocol fills in the options of an evaluation, can be narrowed, and is never contradicted."""

import pytest

from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.evaluation.plan import Asked
from vlm_bench_tasks.evaluation.protocol_options import completed
from vlm_bench_tasks.evaluation.protocols import PROTOCOLS
from vlm_bench_tasks.language.pictures import FIRST_FRAME

MINE = 'examples.policy_class:FirstPolicy'


def asked(name, policy='oracle', *, seeds='', trained_on='', fine_tuned_on='', **given):
    """The options of an evaluation under a protocol, with some of them given."""
    basis = Asked(**({'policy': policy, 'tasks': 'vlmbench/pick_place', 'seeds': range(0)} | given))
    return completed(basis, set(given), protocol=name, seeds=seeds, trained_on=trained_on, fine_tuned_on=fine_tuned_on)


@pytest.mark.parametrize('wanted', PROTOCOLS.values(), ids=lambda wanted: wanted.name)
def test_a_protocol_fills_in_all_that_it_fixes(wanted):
    found, first = asked(wanted.name), wanted.variants[0]
    assert tuple(found.tasks.split(',')) == wanted.tasks(first)
    assert (found.split, found.axis, found.seeds) == (','.join(wanted.splits), wanted.axis, wanted.seeds)
    assert (found.cameras, found.size, found.prompt, found.assist) == (wanted.cameras, wanted.size, first.prompt, first.assist)
    assert (found.declared.protocol, found.declared.variant) == (wanted.name, first.name)


def test_prompt_and_aids_choose_the_table():
    assert asked('clevrskills', prompt='pictures').prompt == asked('clevrskills', prompt=FIRST_FRAME).prompt == FIRST_FRAME
    words = asked('clevrskills', prompt='words')
    assert (words.prompt, words.declared.variant, len(words.tasks.split(','))) == ('words', 'words', 27)
    assert asked('arnold', assist=('given_grasp',)).declared.variant == 'given grasp'
    assert asked('vlmbench', assist=()).declared.variant == 'unaided'
    assert asked('vlmbench', assist=('subgoals,gripper_state', 'grasp_snapping')).declared.variant == 'aided'


def test_tasks_levels_and_seeds_narrow_a_protocol():
    assert asked('vlmbench', tasks='vlmbench/d*').tasks == 'vlmbench/door,vlmbench/drawer,vlmbench/drop_pencil'
    assert {catalogue.task(task).level for task in asked('clevrskills', level='L0,L2').tasks.split(',')} == {'L0', 'L2'}
    assert asked('clevrskills', prompt='words', tasks='clevrskills/m*,clevrskills/pick').tasks == 'clevrskills/pick'
    assert asked('arnold', seeds='150000:150003').seeds == range(150_000, 150_003)


def test_the_same_value_as_the_protocols_may_be_given():
    assert asked('arnold', axis='goal', size='128x128', perturb=()).size == '128x128'


def test_training_is_declared_and_built_in_policies_have_none():
    declared = asked('clevrskills', MINE, trained_on='L0+L1', fine_tuned_on='L2').declared
    assert (declared.trained_on, declared.fine_tuned_on) == (('L0', 'L1'), ('L2',))
    assert asked('clevrskills').declared.trained_on == asked('clevrskills', MINE, trained_on='nothing').declared.trained_on == ()
    assert asked('arnold', MINE).declared.trained_on is None


@pytest.mark.parametrize(
    ('name', 'given', 'error'),
    [
        ('clevrskils', {}, 'Did you mean clevrskills'),
        ('clevrskills', {'cameras': 'none'}, "--cameras 'none' contradicts the protocol clevrskills, which has clevrskills:base,hand"),
        ('clevrskills', {'split': 'seen'}, 'which has seen,unseen'),
        ('clevrskills', {'axis': 'look'}, 'which has every axis of each task'),
        ('clevrskills', {'robot': 'panda'}, "which has each task's own robot"),
        ('clevrskills', {'size': '64x64'}, 'which has 256x256. Leave --size out'),
        ('clevrskills', {'perturb': ('lohoravens',)}, '--perturb asked for lohoravens'),
        ('clevrskills', {'assist': ('oracle_stop',)}, 'no table with --assist oracle_stop. It has: pictures'),
        ('clevrskills', {'prompt': 'wrods'}, "no table with --prompt 'wrods'"),
        ('arnold', {'prompt': 'pictures'}, "no table with --prompt 'pictures'"),
        ('arnold', {'assist': ('given_grip',)}, 'no aid called'),
        ('arnold', {'tasks': 'vlmbench/door'}, 'has no task vlmbench/door. Name tasks of arnold'),
        ('arnold', {'tasks': 'arnold,vlmbench/door'}, 'has no task vlmbench/door'),
        ('arnold', {'tasks': 'arnold/opn_drawer'}, 'Did you mean arnold/open_drawer'),
        ('arnold', {'level': 'L0'}, 'their levels: none'),
        ('clevrskills', {'level': 'L3'}, "no level called 'L3'"),
        (
            'clevrskills',
            {'prompt': 'words', 'tasks': 'clevrskills/match_pose'},
            'leaves out clevrskills/match_pose: the prompt words cannot',
        ),
        ('clevrskills', {'prompt': 'words', 'tasks': 'clevrskills/match_pose,clevrskills/pick'}, 'leaves out clevrskills/match_pose'),
        ('clevrskills', {'prompt': 'words', 'tasks': 'clevrskills/match*'}, 'leaves out clevrskills/match_pose'),
        ('clevrskills', {'seeds': '0:20'}, 'played on test seeds; 0:20 are for train'),
        ('lohoravens', {'seeds': '100200:100220'}, 'Use published seeds'),
        ('lohoravens', {'seeds': 'all'}, 'Seeds are given as first:last'),
        ('arnold', {'trained_on': 'L0'}, 'the tasks of the protocol arnold have none'),
        ('vlmbench', {'fine_tuned_on': 'L1'}, 'the tasks of the protocol vlmbench have none'),
        ('clevrskills', {'trained_on': 'L0'}, 'The built-in policy oracle does not learn'),
        ('clevrskills', {'policy': MINE}, f"what '{MINE}' was trained on. Declare it"),
        ('clevrskills', {'policy': 'ros'}, "what 'ros' was trained on. Declare it"),
        ('clevrskills', {'policy': MINE, 'trained_on': 'L1+L0'}, 'found .L1.L0'),
        ('', {'trained_on': 'L0', 'seeds': '100000:100001'}, 'Add one, such as --protocol clevrskills'),
        ('', {}, 'An evaluation needs seeds'),
    ],
)
def test_what_contradicts_a_protocol_is_refused(name, given, error):
    with pytest.raises(VlmBenchError, match=error):
        asked(name, **given)
