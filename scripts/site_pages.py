"""Hooks of mkdocs.yml: the site shows what GitHub shows. README and pages beside it are pages, and links to sources show them.

The functions without `on_` know nothing of mkdocs; tests use them on the same pages.
"""

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

ROOT = Path(__file__).resolve().parents[1]
DOCS = 'docs'
PAGES = {'README.md': 'index.md', 'CHANGELOG.md': 'changelog.md', 'CONTRIBUTING.md': 'contributing.md', 'SECURITY.md': 'reporting.md'}
"""Pages outside of docs/, and what the site calls them."""
FILES = 'files'
"""Folder of the site for sources that pages link to."""
NOTEBOOK, JPEG = '.ipynb', 'image/jpeg'
COPIED = {'vlm_bench_tasks/dashboard/static/icon.svg': 'assets/icon.svg'}

_QUIET = '---\nsearch: {boost: 0.1}\n---\n'
"""Before a page that names everything, so that others are found first."""
_LANGUAGES = {'.py': 'python', '.sh': 'sh', '.yaml': 'yaml', '.yml': 'yaml', '.toml': 'toml', '.json': 'json'}
_CODE = re.compile(r'(^ *```.*?^ *```[^\n]*$|^~~~~.*?^~~~~$|`+[^`]+`+)', re.MULTILINE | re.DOTALL)
_LINK = re.compile(r'(?<=\]\()([^()\s]+)(?=\))')
_NAMED = re.compile(r'(?<!!)\[([\w./-]+\.md)\]\(([^()\s]+)\)')
_ITEM = re.compile(r'(- |\d{1,2}\. |\|)')  # 2023. ends a sentence


def slug(text: str, separator: str = '-') -> str:
    """Return the anchor of a heading, by GitHub's rule: letters, digits, `_` and `-` in lower case, a separator for each blank."""
    return re.sub(r'[^\w\- ]', '', text.strip().lower()).replace(' ', separator)


def prose(text: str, change: Callable[[str], str]) -> str:
    """Return a page with `change` made to everything that is not code."""
    return ''.join(part if at % 2 else change(part) for at, part in enumerate(_CODE.split(text)))


def links(text: str) -> Iterator[str]:
    """Yield the targets of all links and pictures of a page, without those in code."""
    for part in _CODE.split(text)[::2]:
        yield from _LINK.findall(part)


def spaced(text: str) -> str:
    """Return a page with a blank line before each list and table that follows a paragraph: GitHub needs none, Python-Markdown does."""
    lines: list[str] = []
    fenced = False
    for line in text.split('\n'):
        fenced ^= line.lstrip().startswith(('```', '~~~'))
        before = lines[-1] if lines else ''
        if not fenced and _ITEM.match(line) and before.strip() and not (_ITEM.match(before) or before.startswith((' ', '#', '```', '~~~'))):
            lines.append('')
        lines.append(line)
    return '\n'.join(lines)


def file_of(page: str) -> str:
    """Return the file of the repository behind a page of the site."""
    book = join(DOCS, page.removesuffix('.md') + NOTEBOOK)
    return book if (ROOT / book).is_file() else next((file for file, name in PAGES.items() if name == page), join(DOCS, page))


def page_of(file: str) -> str:
    """Return the page or file of the site that shows a file of the repository."""
    if file in PAGES:
        return PAGES[file]
    if file.endswith(NOTEBOOK):
        file = file.removesuffix(NOTEBOOK) + '.md'
    return relpath(file, DOCS) if file.startswith(f'{DOCS}/') else f'{FILES}/{file}.md'


def target_of(link: str, file: str) -> str | None:
    """Return the file that a link in a file leads to, from the root of the repository; None for that file itself, and another host."""
    path = link.partition('#')[0]
    return normpath(join(dirname(file), path)) if path and '://' not in path and not path.startswith('mailto:') else None


def moved(text: str, page: str) -> str:
    """Return the text of a page with its links as the site needs them."""
    file = file_of(page)

    def change(found: re.Match[str]) -> str:
        target = target_of(found[1], file)
        if target is None:
            return found[1]
        return relpath(page_of(target), dirname(page) or '.') + ''.join(found[1].partition('#')[1:])

    return prose(text, lambda part: _LINK.sub(change, part))


def titled(text: str, page: str) -> str:
    """Return the text of a page in which links that are named by a file, such as [tasks.md](tasks.md), are named by its title."""
    file = file_of(page)

    def change(found: re.Match[str]) -> str:
        target = target_of(found[2], file)
        if target is None or not target.endswith(found[1]) or not (ROOT / target).is_file():
            return found[0]
        title = (ROOT / target).read_text().partition('\n')[0].removeprefix('# ').partition(':')[0]
        return f'[{title}]({found[2]})'

    return prose(text, lambda part: _NAMED.sub(change, part))


def sources(pages: dict[str, str]) -> list[str]:
    """Return the files outside of docs/ that these pages (text by file) link to, and that are no pages of the site themselves."""
    found = {target for file, text in pages.items() for link in links(text) if (target := target_of(link, file))}
    return sorted(target for target in found if not target.startswith(f'{DOCS}/') and target not in PAGES)


def shown(file: str, text: str) -> str:
    """Return the page that shows a source."""
    language = _LANGUAGES.get(Path(file).suffix, 'text')
    return f'---\nsearch: {{exclude: true}}\n---\n# {Path(file).name}\n\n`{file}`\n\n~~~~{language}\n{text.rstrip()}\n~~~~\n'


def notebook(stem: str, text: str) -> tuple[str, dict[str, bytes]]:
    """Return the page that shows a notebook with its outputs, and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in json.loads(text)['cells']:
        source = ''.join(cell['source'])
        parts.append(source if cell['cell_type'] == 'markdown' else f'~~~~python\n{source}\n~~~~')
        for output in cell.get('outputs', ()):
            if printed := ''.join(output.get('text', '')).strip('\n'):
                parts.append(f'~~~~text\n{printed}\n~~~~')
            if JPEG in output.get('data', {}):
                name = f'{stem}_{len(pictures)}.jpg'
                pictures[name] = b64decode(output['data'][JPEG])
                parts.append(f'![What the cell draws]({name})')
    return '\n\n'.join(parts) + '\n', pictures


def on_config(config):
    """Name headings as GitHub does."""
    config.mdx_configs.setdefault('toc', {})['slugify'] = slug


def on_files(files, config):
    """Add the pages beside docs/, and the sources that pages link to."""
    from mkdocs.structure.files import File

    texts = {file: (ROOT / file).read_text() for file in PAGES}
    for file, page in PAGES.items():
        head = _QUIET if file == 'CHANGELOG.md' else ''
        files.append(File.generated(config, page, content=head + texts[file]))
    for file, name in COPIED.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / file)))
    for path in sorted((ROOT / DOCS).rglob(f'*{NOTEBOOK}')):
        page = page_of(path.relative_to(ROOT).as_posix())
        content, pictures = notebook(path.stem, path.read_text())
        files.append(File.generated(config, page, content=content))
        for name, picture in pictures.items():
            files.append(File.generated(config, join(dirname(page), name), content=picture))
    texts |= {join(DOCS, page.src_uri): page.content_string for page in files.documentation_pages() if page.src_uri not in PAGES.values()}
    for file in sources(texts):
        if (ROOT / file).is_file():  # mkdocs names the link otherwise
            files.append(File.generated(config, page_of(file), content=shown(file, (ROOT / file).read_text())))
    return files


def on_page_markdown(markdown, page, **_):
    """Let the links of a page lead to what the site has."""
    return markdown if page.file.src_uri.startswith(f'{FILES}/') else spaced(moved(titled(markdown, page.file.src_uri), page.file.src_uri))
