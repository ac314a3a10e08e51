"""The generated pages: whole, the same every time, and never stale."""

import importlib.util
import re
import shlex
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from vlm_bench_sim.core.errors import ConfigError, VlmBenchError
from vlm_bench_sim.ros import names
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.pages import docs, interface_files, task_sheet
from vlm_bench_tasks.pages.tables import literal
from vlm_bench_tasks.variation.seeds import read_seeds

ROOT = Path(__file__).parents[2]
REST = 'all of tasks but suite, nodes and the rooms around cli'


PAGES = {page: cache(text) for page, text in docs.PAGES.items()}
"""Each is written once. That those in the repository are the same, `make check` says."""


@pytest.fixture
def two_pages(monkeypatch, tmp_path):
    """A folder with two pages instead of all, of which one takes seconds to write."""
    (tmp_path / 'docs').mkdir()
    monkeypatch.setattr(docs, 'PAGES', {'docs/interfaces.md': docs.interfaces_page, 'docs/others.md': lambda: 'others\n'})
    monkeypatch.setattr(docs, 'ROOT', tmp_path)
    monkeypatch.setattr(docs, 'interfaces', lambda _: interface_files.interfaces(ROOT / 'vlm_bench_msgs'))
    return tmp_path


def test_a_changed_page_and_a_missing_page_are_stale(two_pages):
    docs.write(two_pages)
    assert docs.stale(two_pages) == []
    page = two_pages / 'docs' / 'interfaces.md'
    page.write_text(page.read_text().replace('/task/stop', '/task/halt'))
    assert docs.stale(two_pages) == ['docs/interfaces.md']
    (two_pages / 'docs' / 'others.md').unlink()
    assert docs.stale(two_pages) == ['docs/interfaces.md', 'docs/others.md']


def test_check_exits_with_1_and_names_the_stale_page(two_pages):
    app = typer.Typer()
    app.command()(docs.main)
    assert CliRunner().invoke(app).exit_code == 0
    assert CliRunner().invoke(app, '--check').exit_code == 0
    (two_pages / 'docs' / 'others.md').write_text('old')
    found = CliRunner().invoke(app, '--check')
    assert found.exit_code == 1 and 'docs/others.md is stale' in found.output and 'interfaces' not in found.output


def test_without_a_docs_folder_the_error_says_where_to_run(tmp_path):
    with pytest.raises(ConfigError, match='from a clone'):
        docs.write(tmp_path)


def test_every_name_of_the_table_stands_on_the_page_once_with_its_type():
    page = docs.interfaces_page()
    for row in (*names.FIXED, *names.CAMERA_NAMES, names.FOLLOW, names.CHUNK, names.GRIPPER):
        package, _, name = row.type.split('/')
        (line,) = [line for line in page.splitlines() if line.startswith(f'| `{row.name}` |')]
        assert f'| {package}/{name} |' in line
        assert ('private' in line) == row.private
        assert ('latched' in line) == row.latched


def test_every_field_and_constant_of_our_interfaces_stands_on_the_page_with_its_comment():
    page = docs.interfaces_page()
    count = 0
    for path in sorted((ROOT / 'vlm_bench_msgs').glob('*/*.*')):
        if path.suffix not in ('.msg', '.srv', '.action'):
            continue
        assert f'### {path.stem} ({path.suffix[1:]})' in page
        for line in path.read_text().splitlines():
            if line.startswith('#') or line == '---' or not line:
                continue
            declared, _, comment = line.partition('#')
            name = declared.split()[1].partition('=')[0]
            assert f'| `{name}` |' in page, line
            assert literal(comment).replace('|', '\\|') in page, line
            count += 1
    assert count > 100


def test_every_task_stands_on_its_page_with_its_sentences():
    page = PAGES['docs/tasks.md']()
    for name in catalogue.tasks():
        assert f'## {name}\n' in page
        assert page.count(f'(gallery/{task_sheet.file(name)})') == 1
    assert 'Pick up `<item>` and place it into `<box>`.' in page
    assert 'color: `seen` (20), `unseen` (5)' in page
    assert '| unit tasks | Control · M1[position free, orientation free] |' in page


def test_the_name_of_a_picture_is_no_tag():
    for page in ('docs/tasks.md', 'docs/interfaces.md'):
        assert '&lt;image 1>' in PAGES[page]()
        assert '<image' not in re.sub('`[^`]*`', '', PAGES[page]())


def test_the_table_of_tasks_has_a_column_for_the_level():
    rows = [line.strip('| ').split(' | ') for line in PAGES['docs/tasks.md']().splitlines() if line.startswith(('| [', '| task |'))]
    at = rows[0].index('level')
    assert [row[at] for row in rows[1:]] == [catalogue.task(name).level or '–' for name in catalogue.tasks()]


def test_every_task_has_a_small_picture():
    """Drawn by `make gallery`."""
    sizes = {name: (ROOT / 'docs' / 'gallery' / task_sheet.file(name)).stat().st_size for name in catalogue.tasks()}
    assert max(sizes.values()) <= task_sheet.LARGEST


def test_a_picture_is_made_smaller_until_it_is_small_enough():
    noise = np.random.default_rng(0).integers(0, 255, (200, 300, 3)).astype(np.uint8)
    height, width = cv2.imdecode(np.frombuffer(task_sheet.small(noise), np.uint8), cv2.IMREAD_COLOR).shape[:2]
    assert 100 <= height < 200 and width == pytest.approx(1.5 * height, abs=2)
    with pytest.raises(VlmBenchError, match='more than 90000 bytes'):
        task_sheet.small(np.tile(noise, (2, 2, 1)))


def test_no_line_ends_in_a_blank_and_every_table_row_has_the_width_of_its_head():
    for text in PAGES.values():
        width = 0
        for line in text().splitlines():
            assert line == line.rstrip()
            cells = len(re.findall(r'(?<!\\)\|', line)) if line.startswith('|') else 0
            assert not (width and cells) or cells == width, line
            width = cells


def test_a_field_has_type_default_and_comment(tmp_path):
    path = tmp_path / 'Example.srv'
    path.write_text('# What it is\n# for.\nuint8 A=3   # first\nstring[<=2] words  # said\n---\nfloat64 x -1.5 # m\nbool on\n')
    found = interface_files.read(path)
    assert found.about == 'What it is for.'
    assert found.constants == (interface_files.Constant('A', '3', 'first'),)
    assert found.parts == {
        'Request': (interface_files.Field('words', 'string[<=2]', '', 'said'),),
        'Response': (interface_files.Field('x', 'float64', '-1.5', 'm'), interface_files.Field('on', 'bool', '', '')),
    }


def test_a_line_that_is_no_field_is_named(tmp_path):
    path = tmp_path / 'Example.msg'
    path.write_text('# About\nnonsense\n')
    with pytest.raises(ConfigError, match=r"Example\.msg: .*'nonsense'"):
        interface_files.read(path)


def import_table():
    """The rows of test/architecture/layers.py, as docs/architecture.md shows them."""
    spec = importlib.util.spec_from_file_location('layers_for_docs', ROOT / 'test' / 'architecture' / 'layers.py')
    layers = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = layers  # dataclasses look their module up
    spec.loader.exec_module(layers)
    every = layers._EVERY_TASK_LAYER
    for name, row in layers.LAYERS.items():
        whole = set(every) <= set(row.ours)
        ours = [short(o) for o in row.ours if not (whole and o in every)] + ([REST] if whole else [])
        yield f'| `{short(name)}` | {", ".join(ours) or "nothing"} | {", ".join(row.third) or "nothing"} |'


def short(name):
    return name.replace('vlm_bench_', '')


def test_the_import_table_of_the_architecture_page_is_the_one_that_is_checked():
    page = (ROOT / 'docs' / 'architecture.md').read_text().splitlines()
    shown = [line for line in page if re.match(r'\| `(sim\.|tasks\.|baselines`)', line)]
    assert shown == list(import_table())


def commands(text):
    """Yield the commands of a page that name tasks and seeds: generate or evaluate, and their options."""
    for block in re.findall(r'^```\w*\n(.*?)^```', text, re.MULTILINE | re.DOTALL):
        for line in block.replace('\\\n', ' ').splitlines():
            if found := re.search(r'vlm-bench (generate|evaluate) ([^#|]*)', line):
                words = shlex.split(found[2])
                options = dict(pairwise(words))
                if {'--tasks', '--seeds'} <= options.keys():
                    yield found[1], options


def test_the_seeds_of_every_command_on_a_page_are_of_its_split():
    pages = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]
    found = [(page, *one) for page in pages for one in commands(page.read_text())]
    assert len(found) > 20
    for _, command, options in found:
        check = catalogue.seeds_to_learn_from if command == 'generate' else catalogue.seeds_to_score
        for task in catalogue.chosen(options['--tasks']):
            check(task, options.get('--split') or catalogue.splits(task)[0], read_seeds(options['--seeds']))
