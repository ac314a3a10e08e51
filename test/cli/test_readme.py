"""Every command of the README, and every file it points to, is there; what it shows as an example is the example."""

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
BLOCKS = re.findall(r'^```(\w+)\n(.*?)^```', README, re.MULTILINE | re.DOTALL)
LINES = [line for language, text in BLOCKS if language == 'sh' for line in text.splitlines()]
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
}


def check(line):
    """Check one shell line; a KeyError says that nobody knows how."""
    words = shlex.split(line)
    length = 2 if words[0] == 'ros2' else 1
    KNOWN[' '.join(words[:length])](words[length:])


@pytest.mark.parametrize('line', LINES)
def test_a_shell_line_is_known_and_its_arguments_exist(line):
    check(line)


def test_the_readme_shows_each_way_in():
    assert {line.split()[0] for line in LINES} == {'make', '.venv/bin/vlm-bench', '.venv/bin/python', 'ros2', 'colcon', 'source'}
    assert [line for line in LINES if line.startswith('make')][:2] == ['make demo', 'make test']


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


def test_commands_within_the_text_exist():
    text = re.sub(r'^```.*?^```', '', README, flags=re.MULTILINE | re.DOTALL)
    quoted = [' '.join(words.split()) for words in re.findall(r'`([^`]+)`', text)]
    options = [words.split()[0] for words in quoted if words.startswith('--')]
    up = typer.main.get_command(app).get_command(None, 'up')
    offered = {option for parameter in up.params for option in parameter.opts}
    assert options
    assert set(options) - {'--show-args'} <= offered
    for words in quoted:
        if words.startswith('make '):
            make([words.split()[-1]])


def test_what_the_readme_links_to_is_there():
    targets = [target for target in re.findall(r'\]\(([^)#]+)\)', README) if not target.startswith('http')]
    assert 'docs/demo.png' in targets
    assert [target for target in targets if not (ROOT / target).is_file()] == []


def test_the_policies_of_the_readme_are_the_examples_and_short():
    node, policy = (text for language, text in BLOCKS if language == 'python')
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
        assert f'| `{task}` |' in README
