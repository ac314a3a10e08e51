"""Every command of README and of the pages that show the ways in is there; what they show as an example is the example."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.cli.main import app
from vlm_bench_tasks.graph import SETTINGS, bench, read
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.real_graph import REAL_SETTINGS, real
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.task_choice import chosen
from vlm_bench_tasks.variation.seeds import read_seeds

ROOT = Path(__file__).parents[2]
README = (ROOT / 'README.md').read_text()
WAYS_IN = ('first_hour', 'running', 'connect_a_policy', 'task_overview', 'replay', 'datasets', 'evaluation', 'your_arm', 'results/README')
"""Pages of docs/ whose shell blocks are checked line by line, as those of the README are."""
PAGES = {'README.md': README} | {f'docs/{name}.md': (ROOT / 'docs' / f'{name}.md').read_text() for name in WAYS_IN}


def blocks(text, wanted):
    """The code blocks of a page in one language."""
    return [body for language, body in re.findall(r'^```(\w+)\n(.*?)^```', text, re.MULTILINE | re.DOTALL) if language == wanted]


LINES = {line: page for page, text in PAGES.items() for block in blocks(text, 'sh') for line in block.splitlines()}
SERVERS = {found for path in (ROOT / 'examples' / 'servers').glob('*.py') for found in re.findall(r"'(--[\w-]+)'", path.read_text())}
"""The options of the example servers."""
FIRST_HOUR = [line for block in blocks(PAGES['docs/first_hour.md'], 'sh') for line in block.splitlines()]
WORKSPACE = 'colcon build --base-paths src src/vlm_bench/vlm_bench_msgs'


def make(words):
    targets = re.findall(r'^([a-z]+):', (ROOT / 'Makefile').read_text(), re.MULTILINE)
    assert len(words) == 1
    assert words[0] in targets


def vlm_bench(words):
    """Parse the arguments as the command would; an option that does not exist raises."""
    group = typer.main.get_command(app)
    command = group.get_command(None, words[0])
    assert command is not None, f'no such command: {words[0]}'
    if isinstance(command, typer.core.TyperGroup):
        command, words = command.get_command(None, words[1]), words[1:]
        assert command is not None, f'no such command: {words[0]}'
    given = command.make_context(words[0], list(words[1:])).params
    if 'tasks' in given and 'seeds' not in given:
        assert chosen(given['tasks'], given['level'])
    elif 'tasks' in given:
        seeds = read_seeds(given['seeds'])
        for task in catalogue.chosen(given['tasks']):
            split = given['split'] or catalogue.splits(task)[0]
            catalogue.build(task, split, seeds[0], given['axis'])
            if words[0] == 'generate':
                catalogue.seeds_to_learn_from(task, split, seeds)
            else:
                catalogue.seeds_to_score(task, split, seeds)
    elif 'split' in given:
        catalogue.build(given['task'], given['split'], given['seed'], given['axis'])
    elif 'task' in given:
        catalogue.task(given['task'])


def launch(words):
    package, file, *arguments = words
    assert package == 'vlm_bench_sim'
    assert (ROOT / 'launch' / file).is_file()
    nodes, settings = {'bench.launch.py': (bench, SETTINGS), 'real.launch.py': (real, REAL_SETTINGS)}[file]
    pairs = [argument.partition(':=') for argument in arguments]
    assert nodes({name: read(name, value, settings) for name, _, value in pairs})


def copy(words):
    source, target = words
    assert (ROOT / source).is_file()
    assert re.fullmatch(r'\w+\.py', target)


def example(words):
    """A test of its own runs it: test/nodes/test_readme_policy.py."""
    assert words == ['examples/first_policy.py']


def colcon(words):
    assert shlex.join(['colcon', *words]) == WORKSPACE
    assert WORKSPACE in (ROOT / '.ci' / 'run').read_text()


def source(words):
    assert words == ['install/setup.bash'] or (ROOT / words[0].removeprefix('src/vlm_bench/')).is_file()


KNOWN = {
    'make': make,
    '.venv/bin/vlm-bench': vlm_bench,
    '.venv/bin/python': example,
    'ros2 launch': launch,
    'colcon': colcon,
    'source': source,
    'cp': copy,
}


def check(line):
    """Check one shell line; a KeyError says that nobody knows how."""
    words = shlex.split(line)
    length = 2 if words[0] == 'ros2' else 1
    KNOWN[' '.join(words[:length])](words[length:])


@pytest.mark.parametrize('line', LINES)
def test_a_shell_line_is_known_and_its_arguments_exist(line):
    check(line)


def test_the_pages_show_each_way_in():
    assert {line.split()[0] for line in LINES} == {'make', '.venv/bin/vlm-bench', '.venv/bin/python', 'ros2', 'colcon', 'source', 'cp'}
    assert set(LINES.values()) == set(PAGES)


def test_the_readme_is_short_and_begins_with_two_commands():
    assert len(README.splitlines()) <= 150
    assert blocks(README, 'sh')[0].splitlines() == ['make demo', 'make test']


def test_the_first_hour_reads_only_what_it_has_written():
    """Each file below records/, and the copied policy, is written by a line before the first that reads it."""
    written = set()
    for line in FIRST_HOUR:
        words = shlex.split(line)
        outputs = {words[-1]} if words[0] == 'cp' or 'export' in words else set()
        outputs |= {words[at + 1] for at, word in enumerate(words) if word in ('--out', '--html', '--record')}
        read = {word.removesuffix('/*') for word in words if word.startswith('records/')} - outputs
        read |= {f'{word.partition(":")[0]}.py' for word in words if word.startswith('mine:')}
        assert read <= written, line
        written |= outputs
    assert len(written) > 5


@pytest.mark.parametrize(
    'line',
    [
        'make tea',
        '.venv/bin/vlm-bench dance',
        '.venv/bin/vlm-bench up --polcy none',
        '.venv/bin/vlm-bench run --task vlmbench/pick_plaice',
        '.venv/bin/vlm-bench generate --tasks vlmbench/pick_plaice --seeds 0:3 --out x',
        '.venv/bin/vlm-bench generate --seeds 100000:100003 --out x',
        '.venv/bin/vlm-bench evaluate --policy oracle --tasks vlmbench/pick_place --seeds 0:three --out x.json',
        '.venv/bin/vlm-bench export lerobt bags x',
        'ros2 launch vlm_bench_sim bench.launch.py polcy:=none',
        'ros2 launch vlm_bench_sim bench.launch.py seed:=one',
        'ros2 launch vlm_bench_sim real.launch.py mode:=lockstep',
        'colcon build',
        'source scripts/environment.sh',
        'rm -rf records',
    ],
)
def test_a_wrong_shell_line_is_found(line):
    with pytest.raises(Exception):  # noqa: B017  (each checker has its own)
        check(line)


def options(command):
    """Every option of a command and of those below it."""
    below = command.commands.values() if isinstance(command, typer.core.TyperGroup) else ()
    return {option for parameter in command.params for option in parameter.opts}.union(*map(options, below))


@pytest.mark.parametrize('page', PAGES)
def test_commands_within_the_text_exist(page):
    text = re.sub(r'^```.*?^```', '', PAGES[page], flags=re.MULTILINE | re.DOTALL)
    quoted = [' '.join(words.split()) for words in re.findall(r'`([^`]+)`', text)]
    group = typer.main.get_command(app)
    about_up = page in ('docs/running.md', 'docs/connect_a_policy.md')
    offered = options(group.get_command(None, 'up') if about_up else group) | {'--show-args', *SERVERS}
    assert {words.split()[0] for words in quoted if words.startswith('--')} <= offered
    for words in quoted:
        if words.startswith('make ') and '-C' not in words:
            make(words.split()[1:2])


def test_the_policies_of_readme_and_page_are_the_examples_and_short():
    (policy,) = blocks(README, 'python')
    (node,) = blocks(PAGES['docs/connect_a_policy.md'], 'python')
    assert node == (ROOT / 'examples' / 'first_policy.py').read_text()
    assert policy == (ROOT / 'examples' / 'policy_class.py').read_text()
    assert (len(node.splitlines()) < 40, len(policy.splitlines()) < 20) == (True, True)


def test_the_policy_class_of_the_readme_plays(monkeypatch):
    monkeypatch.chdir(ROOT)
    bench = Bench()
    run = bench.run(catalogue.build('vlmbench/pick_place', 'seen', 0), policy('examples.policy_class:FirstPolicy'))
    bench.close()
    assert (run.report.verdict, run.report.causes) == (Verdict.FAILURE, ('stopped',))


def test_every_task_stands_in_the_table():
    for task in catalogue.tasks():
        assert f'| `{task}` |' in PAGES['docs/task_overview.md']
