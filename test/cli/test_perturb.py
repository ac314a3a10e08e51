"""Perturbations on the command line, and the page that explains them."""

import json
import re
from io import StringIO

import pytest
from rich.console import Console
from typer.testing import CliRunner

from vlm_bench_sim.core.errors import NeedError
from vlm_bench_sim.core.perturbation import kinds
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.pages.perturbation_page import perturbations_page


def call(*words: object):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (['pixel_nose=3'], 'Did you mean pixel_noise'),
        (['lohoraven'], 'Did you mean lohoravens?'),
        (['drop_rate=-0.1'], 'drop_rate is a number in 0…1 (1/s); found -0.1'),
        (['mass=0.1', 'drop_rate='], 'drop_rate needs a number'),
    ],
)
def test_a_wrong_perturbation_is_one_sentence_and_exit_code_two(words, told):
    result = call('run', *(part for word in words for part in ('--perturb', word)))
    assert result.exit_code == 2
    assert told in result.stderr and result.stderr.startswith('error: ')
    assert result.stdout == ''


@pytest.mark.parametrize(
    ('words', 'says'),
    [
        (('up', '--once', '--perturb', 'lohoraven'), 'Did you mean lohoravens?'),
        (('up', '--once', '--set', 'perturb:=drop_rate=2'), 'drop_rate is a number in 0…1'),
        (('real', '--once', '--set', 'perturb:=lohoravens'), 'perturb is a setting of the simulated bench; a real arm has none'),
    ],
)
def test_a_bench_that_cannot_be_perturbed_so_is_not_started(words, says):
    pytest.importorskip('rclpy')
    result = call(*words)
    assert result.exit_code == 2
    assert says in result.stderr and 'starting' not in result.stdout


def test_a_real_arm_is_never_perturbed():
    pytest.importorskip('rclpy')
    from vlm_bench_tasks.launching import bench

    values = {'task': 'vlmbench/pick_place', 'split': 'seen', 'seed': 0, 'axis': '', 'perturb': 'drop_rate=0.1'}
    with pytest.raises(NeedError, match=r'drop_rate=0.1 1/s\) need a simulator'):
        bench.up(values, Console(file=StringIO()), once=True, graph=bench.REAL)


def test_run_tells_the_conditions_and_judge_finds_them_again(tmp_path):
    result = call(
        'run', '--policy', 'still', '--json', '--record', tmp_path, '--perturb', 'lohoravens', '--perturb', 'drop_rate=0.2,mass=0.1'
    )
    told = json.loads(result.stdout)
    perturbations = ['pixel_noise=3 of 255', 'depth_noise=0.003 m', 'action_noise=0.0025 m', 'drop_rate=0.2 1/s', 'mass=0.1']
    assert (told['perturbations'], told['drops']) == (perturbations, 0)
    again = json.loads(call('judge', told['bag'], '--json').stdout)
    assert again['agrees'] and again['perturbations'] == perturbations
    assert 'perturbations pixel_noise=3 of 255, depth_noise=0.003 m' in call('judge', told['bag']).stdout


def test_an_unperturbed_run_says_nothing_of_conditions(tmp_path):
    result = call('run', '--policy', 'still')
    assert result.exit_code == 1 and 'perturbations' not in result.stdout


def test_the_page_holds_every_kind_and_preset_and_what_it_says_to_write_can_be_written():
    page = perturbations_page('head')
    for name in (*(kind.name for kind in kinds()), *settings.perturbations()):
        assert f'| `{name}` |' in page
    written = re.findall(r'(?:--perturb |perturb:=)(\S+)', page)
    assert len(written) == 5
    assert all(catalogue.perturbation([words]) for words in written)
