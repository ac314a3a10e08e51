"""Hooks of mkdocs.yml for how pages look: words stay whole, pictures open in full size, and pages outside of the menu lead back to it."""

import re
from fnmatch import fnmatch

_TAG = re.compile(r'(<[^>]*>)')
_LANGUAGE = re.compile(r'<div class="language-(\w+) highlight"')
_OPTION = re.compile(r'(?<![\w.-])--?[A-Za-z][\w-]*')
_JOINT = re.compile(r'(?<=[\w.][/_.=,:])(?=\w)')
_PICTURE = re.compile(r'(<a [^>]*>\s*)?(<img [^>]*src="([^"]+)"[^>]*>)')
_SHELL = ('sh', 'bash')

_NUMBERS = (
    (re.compile(r'(\d) to (\d)'), '\\1&nbsp;to&nbsp;\\2'),  # an interval
    (re.compile(r'= (\d[\d.]*) %'), '=&nbsp;\\1&nbsp;%'),
    (re.compile(r'\bscore (\d)'), 'score&nbsp;\\1'),
    (re.compile(r'(\d)e-(\d)'), '\\1e&#8209;\\2'),
)
"""What a cell of a table does not break."""

_META = {
    'index.md': {'hide': ['navigation']},  # nothing but this page is there
    'results/*.md': {'hide': ['toc']},  # wide tables
    'api/*.md': {'search': {'boost': 0.1}},  # explanations are found first
}
_BACK = {
    'decisions/0*.md': '[← All decisions](README.md)',
    'results/*_*.md': '[← Results](README.md)',
    'robots/*.md': '[← Robots](../robots.md)',
}


def whole(html: str) -> str:
    """Return a page in which options of commands stay whole, numbers of tables too, and code in tables breaks between its parts."""
    parts: list[str] = []
    language, code, cell = '', False, False
    for at, part in enumerate(_TAG.split(html)):
        if at % 2:
            if found := _LANGUAGE.match(part):
                language = found[1]
            name = part[1:].split()[0].strip('/>')
            opens = not part.startswith('</')
            code, cell = opens if name == 'code' else code, opens if name in {'td', 'th'} else cell
            if part == '</pre>':
                language = ''
        elif cell and not code:
            for pattern, kept in _NUMBERS:
                part = pattern.sub(kept, part)  # noqa: PLW2901
        elif code and (language in _SHELL or not language):
            if cell:
                part = _JOINT.sub('<wbr>', part)  # noqa: PLW2901
            part = _OPTION.sub(r'<span class="option">\g<0></span>', part)  # noqa: PLW2901
        parts.append(part)
    return ''.join(parts)


def opened(html: str) -> str:
    """Return a page whose pictures lead to their files, unless they lead elsewhere."""
    return _PICTURE.sub(lambda found: found[0] if found[1] else f'<a class="picture" href="{found[3]}">{found[2]}</a>', html)


def led_back(markdown: str, page: str) -> str:
    """Return a page with a link to the one that lists it, below its title, if no menu does."""
    back = next((link for pattern, link in _BACK.items() if fnmatch(page, pattern)), '')
    title, line, rest = markdown.partition('\n')
    return f'{title}\n\n{back}\n{line}{rest}' if back and title.startswith('# ') else markdown


def on_page_markdown(markdown, page, **_):
    """Say what is hidden and how a page is found, and lead back."""
    for pattern, meta in _META.items():
        if fnmatch(page.file.src_uri, pattern):
            page.meta |= meta
    return led_back(markdown, page.file.src_uri)


def on_page_content(html, **_):
    """Mend what breaks."""
    return opened(whole(html))
