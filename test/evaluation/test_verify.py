"""Which episodes are played again, what of them is compared, and what is not played at all."""

import pytest

from test.reports import TASK, made, under
from vlm_bench_sim.core.errors import ConfigError, TaskError
from vlm_bench_tasks.evaluation.claims import false_claims
from vlm_bench_tasks.evaluation.plan import Asked, planned
from vlm_bench_tasks.evaluation.policy_digest import digest
from vlm_bench_tasks.evaluation.replan import WEIGHTS, replanned
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.evaluation.verify import Again, drawn, elsewhere, noticed
from vlm_bench_tasks.fingerprint import PACKAGES
from vlm_bench_tasks.result import Result

KEY_FRAME = 'vlm_bench_baselines.key_frame.policy:KeyFramePolicy'


def test_a_share_is_drawn_rounded_up_from_what_was_observed_and_the_same_by_the_same_seed():
    report = made('+-?-' * 10 + '-')
    assert len(drawn(report, 0.1, 1)) == 4  # of 31
    assert len(drawn(report, 1e-9, 1)) == 1
    assert drawn(report, 0.1, 1) == drawn(report, 0.1, 1) != drawn(report, 0.1, 2)
    assert drawn(report, 1.0, 3) == tuple(one for one in report.episodes if one.seen)


@pytest.mark.parametrize('share', [0.0, -1.0, 1.1, float('nan')])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ConfigError, match='above 0, up to 1'):
        drawn(made('+'), share, 1)


def test_a_seed_that_is_none_and_a_report_of_nothing_observed_are_refused():
    with pytest.raises(TaskError, match='A seed is a whole number'):
        drawn(made('+'), 0.1, -1)
    with pytest.raises(ConfigError, match='nothing to play again'):
        drawn(made('??'), 0.1, 1)


def test_the_probability_to_notice_an_altered_episode_is_hypergeometric():
    assert noticed(200, 20, 20) == pytest.approx(0.89146, abs=1e-5)  # by scipy.stats.hypergeom(200, 20, 20).sf(0)
    assert noticed(4, 1, 1) == 0.25
    assert (noticed(4, 4, 1), noticed(4, 0, 1), noticed(100_000, 10_000, 10_000)) == (1.0, 0.0, 1.0)


def test_every_field_is_compared_but_what_an_old_report_does_not_say():
    told = made('+').episodes[0]
    other = Result.model_validate(dict(told) | {'score': 40.0, 'state_hash': 'ff', 'goal_number': 0.5})
    assert Again(told, told).differences == {}
    assert Again(told, other).differences == {'score': (100.0, 40.0), 'state_hash': ('00', 'ff')}
    unhashed = told.model_copy(update={'state_hash': ''})
    assert Again(unhashed, other).differences == {'score': (100.0, 40.0)}


ASKED = Asked(
    'language_ignored', f'{TASK},clevrskills/pick', range(100_000, 100_002), split='seen', axis='', prompt='words', engine='pybullet',
    perturb=('light=0.1234567890123456', 'drop_rate=0.2', 'action_noise=0.004'), assist=('oracle_stop',), answer_seconds=7.5,
)  # fmt: skip


def test_a_report_alone_is_enough_to_plan_the_same_trials():
    plan = planned(ASKED)
    report = made('+').model_copy(update={'policy': 'language_ignored', 'conditions': plan.conditions, 'decides': plan.conditions.decides})
    again = replanned(EvaluationReport.model_validate_json(report.text()))
    assert again == plan and len(plan.trials) > 4
    assert elsewhere(report, again)[0] == ()
    assert [said for said in elsewhere(report, again)[1] if 'bench code 0123456789ab' in said] == list(elsewhere(report, again)[1])


def test_other_episodes_are_told_from_the_same_ones_with_other_versions():
    report = made('+')
    rows = tuple(row.model_copy(update={'revision': 1}) for row in report.conditions.tasks)
    report = under(report, tasks=rows, versions=('vlm_bench=0.0.9', 'extension:kitchen=1+ab', 'renderer=none'))
    other, versions = elsewhere(report, replanned(report))
    assert f'{TASK} differs in revision: 1 and ' in ' '.join(other)
    assert 'The versions of vlm_bench differ: 0.0.9 and ' in ' '.join(versions)
    assert 'The versions of extension:kitchen differ: 1+ab and none.' in versions


@pytest.mark.parametrize(
    ('report', 'said'),
    [
        (made('+', 'ros'), 'a node of its own'),
        (made('+', 'ws://localhost:1'), "the server 'ws://localhost:1'"),
        (made('+', 'os:system', code='ab'), "'os:system' is a class of its own, and what a report names is not imported"),
        (made('+', KEY_FRAME, code='ab'), 'has the SHA-256 ab, and here'),
        (made('+', KEY_FRAME, options={'clip': '/'}), "was given files as 'clip' that are not shipped"),
        (made('+', 'vlm_bench_baselines.nothing:Here', code='ab'), 'has the SHA-256 ab, and here none'),
        (made('+', 'vlm_bench_baselines.x/y:Here'), 'has the SHA-256 of nothing, and here none'),
        (made('+', 'oracel'), 'Did you mean oracle'),
        (made('+', options={'a': 'b'}), 'takes no arguments'),
        (made('+', engine := 'still', versions=('engine=unreal',)), 'unreal'),
        (made('+', engine, size='0x0'), 'A size is'),
        (made('+', engine, cameras='nowhere'), 'nowhere'),
        (made('+', engine, assistance=('telepathy',)), "no aid called 'telepathy'"),
        (made('+', engine, perturbations=('',)), 'They differ in perturbations'),
        (made('+', engine, perturbations=('gravity=3 m',)), "no perturbation called 'gravity'"),
    ],
)
def test_what_cannot_be_played_again_is_refused_in_a_sentence(report, said):
    with pytest.raises((ConfigError, TaskError), match=said):
        if other := elsewhere(report, replanned(report))[0]:
            raise ConfigError(' '.join(other))


def test_a_task_that_is_not_here_is_refused_with_the_extension_that_the_report_needs():
    report = made('+')
    rows = tuple(row.model_copy(update={'task': 'kitchen/cup'}) for row in report.conditions.tasks)
    with pytest.raises(ConfigError, match=r"no task called 'kitchen/cup'.* needs the extensions kitchen=1\+ab; name .* --task-path"):
        replanned(under(report, tasks=rows, versions=('extension:kitchen=1+ab',)))


def test_reports_of_this_project_follow_from_their_episodes_and_name_their_trials():
    files = sorted((PACKAGES / 'docs' / 'results' / 'reports').glob('*.json'))
    for report in map(EvaluationReport.load, files):
        assert false_claims(report) == ()
        if ':' not in report.policy:  # the digest of a shipped policy changes with its code
            assert [trial.key for trial in replanned(report).trials] == [one.key for one in report.episodes]
    assert len(files) > 3


def test_shipped_weights_are_found_wherever_they_lay_when_they_were_scored():
    ours = str(WEIGHTS / 'stack.safetensors')
    code = digest(KEY_FRAME, (('blank', 'words'), ('checkpoint', ours)))
    options = {'blank': 'words', 'checkpoint': '/else/vlm_bench_baselines/weights/stack.safetensors'}
    plan = replanned(made('+', KEY_FRAME, options=options, code=code))
    assert (plan.manner.code, dict(plan.manner.arguments)) == (code, {'blank': 'words', 'checkpoint': ours})
