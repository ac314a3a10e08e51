"""The pages of the repository: every link leads somewhere, on GitHub and on the site, and the menu of the site leads to every page."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from test.test_setup import load

ROOT = Path(__file__).resolve().parents[1]
pages = load('scripts/site_pages.py')
looks = load('scripts/site_html.py')
MENU = yaml.safe_load((ROOT / 'mkdocs.yml').read_text())['nav']
FILES = [*pages.PAGES, *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / 'docs').rglob('*.md'))]


@cache
def text(file):
    return (ROOT / file).read_text()


@cache
def anchors(file):
    """The anchors of the headings of a page."""
    headings = re.findall(r'^#+ (.+)$', re.sub(r'^```.*?^```', '', text(file), flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {pages.slug(re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading)) for heading in headings}


def broken(file, said):
    """The links of a page that lead to no file or to no heading."""
    return [link for link in pages.links(said) if '://' not in link and not leads(link, file)]


def leads(link, file):
    target, anchor = pages.target_of(link, file) or file, link.partition('#')[2]
    return (ROOT / target).is_file() and (not anchor or (target.endswith('.md') and anchor in anchors(target)))


def listed(menu):
    """The pages of a menu, in order."""
    for entry in menu:
        below = entry if isinstance(entry, str) else next(iter(entry.values()))
        if isinstance(below, str):
            yield below
        else:
            yield from listed(below)


@pytest.mark.parametrize('file', FILES)
def test_links_lead_to_a_file_and_a_heading(file):
    assert broken(file, text(file)) == []


@pytest.mark.parametrize(
    'link', ['docs/nowhere.md', 'docs/tasks.md#no-such-heading', '#no-such-heading', 'docs', 'setup.py#main', '../README.md']
)
def test_a_broken_link_is_found(link):
    assert broken('README.md', f'[here]({link}), and `[not](there.md)`') == [link]


def test_the_menu_lists_each_page_once_and_leads_to_all():
    menu = [pages.file_of(page) for page in listed(MENU)]
    assert len(set(menu)) == len(menu) and all((ROOT / file).is_file() for file in menu)
    reached, todo = set(), menu
    while todo:
        file = todo.pop()
        if file not in reached:
            reached.add(file)
            todo += [target for link in pages.links(text(file)) if (target := pages.target_of(link, file)) in FILES]
    assert set(FILES) - reached == set()


def test_what_the_programming_interface_shows_exists():
    found = [name for file in FILES for name in re.findall(r'^::: ([\w.]+)$', text(file), re.MULTILINE)]
    assert len(found) > 20
    for name in found:
        module = ROOT.joinpath(*name.split('.'))
        if not (module.with_suffix('.py').is_file() or (module / '__init__.py').is_file()):
            source = module.parent.with_suffix('.py').read_text()
            assert re.search(rf'^(class|def) {module.name}\b', source, re.MULTILINE), name


@pytest.mark.parametrize(
    ('heading', 'anchor'),
    [
        ('vlmbench/pick_place', 'vlmbenchpick_place'),
        ('Goals and judging', 'goals-and-judging'),
        ('`--set` & more', '--set--more'),
        ('Größe: 3 mm', 'größe-3-mm'),
    ],
)
def test_anchors_are_those_of_github(heading, anchor):
    assert pages.slug(heading) == anchor


@pytest.mark.parametrize(
    ('page', 'link', 'moved'),
    [
        ('index.md', 'docs/tasks.md#arnoldpour_water', 'tasks.md#arnoldpour_water'),
        ('index.md', 'CONTRIBUTING.md', 'contributing.md'),
        ('reporting.md', 'docs/security.md#the-window', 'security.md#the-window'),
        ('security.md', '../SECURITY.md', 'reporting.md'),
        ('results/all.md', '../evaluation.md#policies', '../evaluation.md#policies'),
        ('api/README.md', '../../CHANGELOG.md', '../changelog.md'),
        ('datasets.md', '../config/rosetta.yaml', 'files/config/rosetta.yaml.md'),
        ('robots/fr3.md', '../gallery/robot_fr3.png', '../gallery/robot_fr3.png'),
        ('tasks.md', '#arnoldpour_water', '#arnoldpour_water'),
        ('tasks.md', 'https://semver.org/x.md', 'https://semver.org/x.md'),
    ],
)
def test_a_link_of_the_repository_becomes_one_of_the_site(page, link, moved):
    assert pages.moved(f'[`a`]({link}) and ![b]({link})', page) == f'[`a`]({moved}) and ![b]({moved})'


def test_a_link_named_by_its_file_is_named_by_its_title():
    said = 'See [tasks.md](docs/tasks.md#goals), [the tasks](docs/tasks.md), [SECURITY.md](SECURITY.md) and `[tasks.md](docs/tasks.md)`.'
    title = text('docs/tasks.md').partition('\n')[0].removeprefix('# ')
    reports = text('SECURITY.md').partition('\n')[0].removeprefix('# ')
    assert pages.titled(said, 'index.md') == said.replace('[tasks.md](docs/tasks.md#', f'[{title}](docs/tasks.md#', 1).replace(
        '[SECURITY.md]', f'[{reports}]'
    )


@pytest.mark.parametrize(
    ('html', 'shown'),
    [
        ('<p><code>run --task a-b</code></p>', '<p><code>run <span class="option">--task</span> a-b</code></p>'),
        (
            '<div class="language-sh highlight"><pre><code>x<span> </span>-k</code></pre></div>',
            '<div class="language-sh highlight"><pre><code>x<span> </span><span class="option">-k</span></code></pre></div>',
        ),
        ('<div class="language-python highlight"><pre><code>a -b</code></pre></div>',) * 2,
        ('<p>a --b, 1 to 2 = 3 %</p>',) * 2,
        ('<td><code>/tf_static</code> a_b</td>', '<td><code>/tf_<wbr>static</code> a_b</td>'),
        ('<td>8/9 = 91.5 % (86.8 to 94.6)</td>', '<td>8/9 =&nbsp;91.5&nbsp;% (86.8&nbsp;to&nbsp;94.6)</td>'),
        ('<td>1.6e-55</td>', '<td>1.6e&#8209;55</td>'),
    ],
)
def test_words_stay_whole(html, shown):
    assert looks.whole(html) == shown


def test_pictures_open_in_full_size():
    picture = '<img alt="a" src="b.png">'
    assert looks.opened(f'<p>{picture}</p>') == f'<p><a class="picture" href="b.png">{picture}</a></p>'
    assert looks.opened(f'<p><a href="c.html">{picture}</a></p>') == f'<p><a href="c.html">{picture}</a></p>'


def test_pages_outside_of_the_menu_lead_back():
    assert looks.led_back('# A\nb\n', 'decisions/0001-a.md') == '# A\n\n[← All decisions](README.md)\n\nb\n'
    assert looks.led_back('# A\nb\n', 'tasks.md') == '# A\nb\n'


@pytest.mark.parametrize('fence', ['```', '~~~~'])
def test_code_is_left_alone(fence):
    code = f'Say `[a](../README.md)`:\n{fence}md\n[a](../README.md)\n- b\n{fence}\n'
    assert pages.spaced(pages.moved(code, 'tasks.md')) == code


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        ('Then:\n- a\n- b', 'Then:\n\n- a\n- b'),
        ('Then:\n1. a', 'Then:\n\n1. a'),
        ('said in\n2023. Then', 'said in\n2023. Then'),
        ('Then:\n| a |\n|---|', 'Then:\n\n| a |\n|---|'),
        ('- a\n  more\n- b', '- a\n  more\n- b'),
        ('# A\n- b', '# A\n- b'),
    ],
)
def test_a_list_after_a_paragraph_gets_its_blank_line(before, after):
    assert pages.spaced(before) == after


def test_sources_that_pages_link_to_are_shown():
    linked = {'docs/a.md': '[x](../setup.py), [y](../README.md), [z](b.md), `[w](../w.py)`', 'README.md': '[x](setup.py#l1)'}
    assert pages.sources(linked) == ['setup.py']
    assert pages.shown('launch/x.py', 'a = 1\n').endswith('# x.py\n\n`launch/x.py`\n\n~~~~python\na = 1\n~~~~\n')


def test_a_notebook_is_shown_with_what_it_prints_and_draws():
    draws = {'output_type': 'display_data', 'data': {'image/jpeg': 'AAEC'}}
    prints = {'output_type': 'stream', 'name': 'stdout', 'text': ['7\n']}
    cells = [{'cell_type': 'markdown', 'source': ['# A\n', 'b']}, {'cell_type': 'code', 'source': 'print(7)', 'outputs': [prints, draws]}]
    page, pictures = pages.notebook('a', json.dumps({'cells': cells}))
    assert page == '# A\nb\n\n~~~~python\nprint(7)\n~~~~\n\n~~~~text\n7\n~~~~\n\n![What the cell draws](a_0.jpg)\n'
    assert pictures == {'a_0.jpg': bytes([0, 1, 2])} and pages.page_of('docs/notebooks/a.ipynb') == 'notebooks/a.md'


def test_nothing_of_the_site_comes_from_another_host():
    settings = yaml.safe_load((ROOT / 'mkdocs.yml').read_text())
    assert settings['theme']['font'] is False and 'offline' in settings['plugins']
    assert all((ROOT / 'docs' / file).is_file() for file in (*settings['extra']['polyfills'], *settings['extra_css']))
    assert [file for file in FILES if '```mermaid' in text(file)] == [], 'the theme would fetch mermaid'
