"""Write the pages of `vlm-bench report`, `vlm-bench protocol` and `vlm-bench leaderboard`."""

from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.files import check_file, write_whole
from vlm_bench_tasks.evaluation.page import page
from vlm_bench_tasks.evaluation.page_strips import strips
from vlm_bench_tasks.evaluation.report import EvaluationReport


def written(file: Path, html: Path, bags: Path | None, most: int) -> int:
    """Write the page of a report and return its number of strips.

    Raises:
        VlmBenchError: the report or the bags are missing, the page cannot be written, or its path holds something else.
    """
    report = EvaluationReport.load(file)
    check_html(html)
    shown = strips(report, bags, most) if bags else {}
    write_html(html, page(report, shown))
    return len(shown)


def write_html(path: Path, text: str, *, option: str = '--html', title: str = '') -> None:
    """Write a page in HTML. An existing file is only replaced if it is one, too, whose title begins so; `option` named the path.

    Raises:
        ConfigError: the page cannot be written, or its path holds something else.
    """
    check_html(path, option=option, title=title)
    try:
        write_whole(path, text)
    except OSError as error:
        raise ConfigError(f'The page cannot be written to {path}: {error.strerror}. Name another file with {option}.') from error


def check_html(path: Path, *, option: str = '--html', title: str = '') -> None:
    """Check that a page can be written to a path, before its content is computed; it must not exist, or be a page whose title begins so.

    Raises:
        ConfigError: it cannot.
    """
    try:
        check_file(path)
        if path.exists() and not _page(path, title):
            what = f'a page "{title.rstrip(":")}"' if title else 'a page'
            raise ConfigError(f'{path} already exists and is not {what}, so it is not overwritten. Name another file with {option}.')
    except OSError as error:
        raise ConfigError(f'The page cannot be written to {path}: {error.strerror}. Name another file with {option}.') from error


def write_markdown(path: Path, text: str, *, option: str = '--out') -> None:
    """Write a page in Markdown. An existing file is only replaced if it begins with the same heading up to its colon, or all of it.

    `option` is the one that named the path.

    Raises:
        ConfigError: the page cannot be written, or its path holds something else.
    """
    before, colon, _ = text.partition('\n')[0].partition(':')
    check_markdown(path, before + colon, option=option)
    try:
        write_whole(path, text)
    except OSError as error:
        raise ConfigError(f'The tables cannot be written to {path}: {error.strerror}. Name another file with {option}.') from error


def check_markdown(path: Path, head: str = '', *, option: str = '--out') -> None:
    """Check that a page can be written to a path, before its content is computed; it must not exist, or begin with `head`.

    Raises:
        ConfigError: it cannot.
    """
    try:
        check_file(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size and not path.read_bytes().startswith(head.encode()):
            raise ConfigError(f'{path} already exists and does not hold these tables. Name another file with {option}.')
    except OSError as error:
        raise ConfigError(f'The tables cannot be written to {path}: {error.strerror}. Name another file with {option}.') from error


def _page(path: Path, title: str) -> bool:
    """Return whether a file is an HTML page whose title begins so, or empty."""
    with path.open('rb') as file:
        begin = file.read(1000).strip().lower()
    return not begin or (begin.startswith(b'<!doctype html') and (not title or f'<title>{title}'.lower().encode() in begin))
