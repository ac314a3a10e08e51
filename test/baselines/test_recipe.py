"""The recipe in short form: data, training, scores and page by the command that the tutorial names."""

import os
import re
import subprocess
from pathlib import Path

import pytest

pytest.importorskip('moderngl')

ROOT = Path(__file__).parents[2]
SHORT = {'SEEDS': '0:2', 'VALIDATION': '80000:80001', 'STEPS': '2', 'TEST': '80001:80002', 'AXIS': 'color'}


def recipe(*words, **variables):
    command = ['bash', 'scripts/baseline.sh', *words]
    return subprocess.run(command, cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, check=False, timeout=500)


@pytest.fixture(scope='module')
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp('recipe')
    done = recipe('pick_place', **SHORT, OUT=str(folder), PAGE=str(folder / 'page.md'))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_one_command_leads_from_nothing_to_a_page(made):
    page = (made / 'page.md').read_text()
    assert '## vlmbench/pick_place, seen' in page and '## vlmbench/pick_place, unseen' in page
    for row in (r'KeyFramePolicy · first', r'language_ignored · truth'):
        assert re.search(rf'\| {row} \| \d/1 \| \d/1 = ', page), page
    assert 'Seeds 80001–80001.' in page


def test_a_training_without_words_is_scored_without_them(made):
    blind = {'RUN': 'wordless', 'BLANK': 'words', 'WORKERS': '1'}
    done = recipe('pick_place', 'train', 'score', 'page', **SHORT, **blind, OUT=str(made))
    assert done.returncode == 0, done.stdout + done.stderr
    page = (made / 'wordless.md').read_text()
    assert '| KeyFramePolicy · wordless · blank=words |' in page and '](../baselines.md)' not in page


@pytest.mark.parametrize(
    ('variables', 'says'),
    [
        ({'SEEDS': '6'}, 'Seeds are first:last, such as 0:400 for 0 to 399; found 6.'),
        ({'TEST': '100000-100050'}, 'found 100000-100050'),
        ({'BLANK': 'eyes'}, 'BLANK is words or map; found eyes.'),
        ({'BLANK': 'words'}, 'Leave out BLANK or the part ablate.'),
    ],
)
def test_a_variable_that_makes_no_sense_is_told_before_anything_is_made(tmp_path, variables, says):
    done = recipe('pick_place', 'ablate', **variables, OUT=str(tmp_path))
    assert done.returncode == 2 and says in done.stderr and not list(tmp_path.iterdir())


def test_a_page_that_is_something_else_is_told_before_anything_is_made(tmp_path):
    (tmp_path / 'page.md').write_text('# My notes\n')
    done = recipe('pick_place', **SHORT, OUT=str(tmp_path / 'out'), PAGE=str(tmp_path / 'page.md'))
    assert done.returncode == 2 and 'is no page of baselines' in done.stderr and not (tmp_path / 'out').exists()


def test_without_weights_nothing_is_scored(tmp_path):
    done = recipe('pick_place', 'score', **SHORT, OUT=str(tmp_path))
    assert done.returncode == 2 and 'There are no weights in' in done.stderr and not list(tmp_path.rglob('*.json'))


def test_again_it_makes_nothing_anew(made):
    trained = made / 'pick_place' / 'first'
    before = {path: path.stat().st_mtime_ns for path in trained.rglob('*.safetensors')}
    assert len(before) == 2
    done = recipe('pick_place', 'data', 'train', **SHORT, OUT=str(made))
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path: path.stat().st_mtime_ns for path in trained.rglob('*.safetensors')} == before


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(('name', 'part', 'seeds'), [('open_drawer', 'score', '150000:150001'), ('clevrskills', 'long', '80001:80002')])
def test_the_policy_like_bc_z_has_recipes_too(tmp_path, name, part, seeds):
    short = SHORT | {'AXIS': '', 'SEEDS': '0:1', 'LONG': '1', 'TEST': seeds}
    done = recipe(name, 'data', 'train', part, 'page', **short, OUT=str(tmp_path), PAGE=str(tmp_path / 'page.md'))
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'BcZPolicy · first' in (tmp_path / 'page.md').read_text()


@pytest.mark.parametrize(
    ('words', 'says'),
    [
        (['nothing'], 'no recipe nothing'),
        (['stack', 'dance'], 'no part dance'),
        (['stack', 'long'], 'Only lohoravens and clevrskills'),
        (['train'], 'train is a part'),
        (['open_drawer', 'ablate'], 'has no ablations'),
    ],
)
def test_what_it_does_not_know_is_named(words, says):
    done = recipe(*words)
    assert done.returncode == 2 and says in done.stderr


def test_the_tutorial_names_the_recipes_and_variables_that_there_are():
    page, script = (ROOT / 'docs' / 'baselines.md').read_text(), (ROOT / 'scripts' / 'baseline.sh').read_text()
    for command in re.findall(r'scripts/baseline\.sh (\w+)', page):
        assert re.search(rf'^    ([\w |]*\b)?{command}\b.*\)', script, re.MULTILINE), command
    for name in re.findall(r'\b([A-Z]{4,})=\S+ (?:make baseline|scripts/baseline\.sh)', page):
        assert re.search(rf'\$\{{{name}:[-+]', script), name  # a value of its own, or a path that is made absolute
