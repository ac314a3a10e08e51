"""Brackets in what people type, in paths and in errors are printed as they are: to the console they are no markup."""

import ast
import sys
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import vlm_bench_tasks
from test.reports import made
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.console import episodes

ROOMS = [Path(vlm_bench_tasks.__file__).parent / room for room in ('cli', 'console', 'launching', 'pages')]


def call(*words):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize(
    ('words', 'told'),
    [
        (('generate', '--tasks', '[/x]', '--seeds', '0:1', '--out', 'x'), "'[/x]'"),
        (('evaluate', '--policy', '[/]:X', '--seeds', '0:1', '--out', 'x.json'), "'[/]:X'"),
        (('evaluate', '--policy', '[bold]', '--seeds', '0:1', '--out', 'x.json'), "'[bold]'"),
        (('compare', '[/a].json', 'b.json'), '[/a].json'),
        (('report', '[/a].json', '--html', 'a.html'), '[/a].json'),
        (('run', '--task', '[red]'), "'[red]'"),
        (('run', '--policy', '[/]:X'), "'[/]:X'"),
        (('judge', '[/bag]'), '[/bag]'),
        (('up', '--task', '[/x]'), "'[/x]'"),
        (('sweep', '--task', '[/x]'), "'[/x]'"),
        (('check', '[/x]'), "'[/x]'"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else '',
)
def test_what_is_asked_for_wrongly_is_told_with_its_brackets(tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    said = call(*words)
    assert said.exit_code == 2, said.exception
    assert told in said.stderr


@pytest.mark.parametrize(
    ('module', 'words', 'hint'),
    [
        (
            'vlm_bench_tasks.evaluation.wires.openpi',
            ('evaluate', '--policy', 'ws://127.0.0.1:9', '--cameras', 'vlmbench:front', '--seeds', '0:1', '--out', 'x.json'),
            "pip install 'vlm_bench_sim[server]'",
        ),
        ('vlm_bench_tasks.dataset.exports.lerobot', ('export', 'lerobot', 'bags', 'x'), 'pip install -e ".[export]"'),
    ],
    ids=['server', 'export'],
)
def test_what_is_to_be_installed_is_told_with_the_extra(tmp_path, monkeypatch, module, words, hint):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    package, _, name = module.rpartition('.')
    monkeypatch.delattr(import_module(package), name, raising=False)  # who has imported it before finds it there
    said = call(*words)
    assert said.exit_code == 2, said.exception
    assert hint in said.stderr


def test_a_result_is_shown_with_the_brackets_in_it():
    told = StringIO()
    result = dict(
        task='a/b', split='seen', seed=0, axis='color', instruction='Put [/red] there.', verdict='failure', causes=('[/cause]',),
        score=0.0, progress=0.0, reward=0.0, leaves=[{'holds': False, 'words': '[/leaf]'}], sim_seconds=1.0, assistance=['[/aid]'],
        violations=0, perturbations=['[/condition]'], drops=0, state_hash='', bag='bags/[/x]',
    )  # fmt: skip
    episodes.show(result, Console(file=told, width=200))
    for words in ('[/red]', '[/cause]', '[/leaf]', '[/aid]', '[/condition]', 'bags/[/x]'):
        assert words in told.getvalue()


def test_a_page_in_a_folder_with_brackets_is_told_where_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call('evaluate', '--policy', 'still', '--axis', 'color', '--seeds', '0:1', '--out', '[red]/a.json').exit_code == 0
    said = call('report', '[red]/a.json', '--html', '[red]/a.html')
    assert said.exit_code == 0, said.exception
    assert '[red]/a.html: ' in said.stdout


def prints(path):
    """Every line in which a file prints words with something filled in, as markup."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'print':
            filled = any(isinstance(part, ast.JoinedStr) for part in node.args)
            if filled and not any(keyword.arg == 'markup' for keyword in node.keywords):
                yield f'{path.name}:{node.lineno}'


def test_no_command_prints_what_is_filled_in_as_markup():
    fixed = {'checking.py'}  # what it fills in are numbers and names of ours
    files = [path for room in ROOMS for path in sorted(room.glob('*.py')) if path.name not in fixed]
    assert len(files) > 30
    assert [where for path in files for where in prints(path)] == []


def test_no_command_to_the_terminal_gets_through_an_error(tmp_path):
    file = tmp_path / 'report.json'
    file.write_text(made('+').text().replace('{', '{"\\u001b[31mred\\u001b]0;title\\u0007": 1,', 1))
    result = CliRunner().invoke(app, ['verify', str(file)], env={'COLUMNS': '400'})
    assert result.exit_code == 2 and '[31mred ]0;title' in result.output and not {'\x1b', '\x07'} & {*result.output}, result.output
