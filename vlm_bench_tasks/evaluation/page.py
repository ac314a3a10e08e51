"""Render reports of evaluations as self-contained HTML pages: no network, no script, light and dark mode, printable."""

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from vlm_bench_tasks.evaluation.blocks import Block, Heading
from vlm_bench_tasks.evaluation.cells import cells, part
from vlm_bench_tasks.evaluation.page_bars import Bar, bars, causes
from vlm_bench_tasks.evaluation.page_strips import Strip
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.trial import Key

TEMPLATES = Path(__file__).parent / 'templates'
MOST_ROWS = 500
"""Largest number of episodes in the list; further ones are only counted."""


def page(report: EvaluationReport, strips: Mapping[Key, Strip] | None = None) -> str:
    """Return the HTML page.

    Args:
        report: of one policy.
        strips: pictures of failed episodes by their keys.
    """
    shown = strips or {}
    failed = [score for score in report.episodes if score.seen and not score.solved]
    unseen = [score for score in report.episodes if not score.seen]
    template = _environment().get_template('page.html.jinja')
    return template.render(
        report=report,
        bars=bars(report.groups),
        splits=_splits(bars(report.groups)),
        causes=causes(report.overall),
        cells=cells(report),
        part=part(report),
        failed=failed[:MOST_ROWS],
        left_out=max(0, len(failed) - MOST_ROWS),
        unseen=unseen[:MOST_ROWS],
        again=[row for row in zip(report.episodes, report.earlier, strict=True) if row[1]][:MOST_ROWS],
        strips=[(score, shown[score.key]) for score in (*failed, *unseen) if score.key in shown],
        purposes={'train': 'seeds for training', 'validate': 'seeds for validation', 'test': 'seeds for scores'},
    )


def plain_page(title: str, blocks: Sequence[Block]) -> str:
    """Return an HTML page of headings, paragraphs and tables; bytes of file names that are no text become question marks."""
    text = _environment().get_template('blocks.html.jinja').render(title=title, blocks=blocks)
    return text.encode(errors='replace').decode()


def _splits(shown: Sequence[Bar]) -> list[tuple[str, int]]:
    """Return the splits with their colors, in order of appearance."""
    return sorted({bar.split: bar.color for bar in shown}.items(), key=lambda found: found[1])


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.tests['heading'] = lambda block: isinstance(block, Heading)
    environment.filters |= {'percent': _percent, 'span': _span, 'number': _number, 'duration': _duration}
    return environment


def _percent(share: float) -> str:
    return f'{100 * share:.1f} %'


def _span(interval: tuple[float, float]) -> str:
    return f'{100 * interval[0]:.1f} to {100 * interval[1]:.1f}'


def _number(value: float | None, digits: int = 2) -> str:
    """Return a number as text for tables; None is a dash."""
    return '–' if value is None or value < 0 else f'{value:.{digits}f}'


def _duration(seconds: float) -> str:
    minutes, rest = divmod(ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours} h {minutes} min' if hours else f'{minutes} min {rest} s' if minutes else f'{seconds:.1f} s'
