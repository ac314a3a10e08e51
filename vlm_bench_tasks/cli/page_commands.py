"""The commands that write pages of evaluations."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from vlm_bench_tasks.cli.options import out, plain_errors, read_path

app = typer.Typer()


@app.command()
def report(
    file: Annotated[Path, typer.Argument(parser=read_path, metavar='REPORT', help='report of vlm-bench evaluate')],
    html: Annotated[Path, typer.Option(parser=read_path, help='file for the page')],
    bags: Annotated[Path | None, typer.Option(parser=read_path, help='folder of the bags: strips of pictures show what went wrong')] = None,
    strips: Annotated[int, typer.Option(help='maximum number of episodes with a strip')] = 12,
) -> None:
    """Write one self-contained page of a report: bars with intervals, tables, failures with their causes and pictures."""
    from vlm_bench_tasks.pages.paging import written

    with plain_errors():
        count = written(file, html, bags, strips)
    out.print(f'{html}: {html.stat().st_size / 1e6:.2f} MB, {count} strips', highlight=False, markup=False)


@app.command()
def leaderboard(
    folder: Annotated[Path, typer.Argument(parser=read_path, metavar='FOLDER', help='folder with reports of vlm-bench evaluate')],
    to: Annotated[Path, typer.Option('--out', parser=read_path, help='file for the page, Markdown (.md) or HTML (.html)')],
) -> None:
    """Rank the reports of a folder by suite, protocol and aids; what is not comparable is listed with the reason."""
    from vlm_bench_tasks.pages.leaderboard_page import counted, write

    with plain_errors():
        found = write(folder, to)
    out.print(f'written: {to}: {counted(found)}', highlight=False, markup=False)


@app.command()
def protocol(
    name: Annotated[str, typer.Argument(metavar='NAME', help='protocol: clevrskills, arnold, lohoravens or vlmbench')],
    files: Annotated[
        list[Path] | None, typer.Argument(parser=read_path, metavar='REPORT', help='reports of vlm-bench evaluate --protocol NAME')
    ] = None,
    to: Annotated[Path | None, typer.Option('--out', parser=read_path, help='file for the tables; none: they are printed')] = None,
) -> None:
    """Set reports beside the published results of their protocol, as Markdown tables."""
    from vlm_bench_tasks.evaluation.report import EvaluationReport
    from vlm_bench_tasks.pages.paging import write_markdown
    from vlm_bench_tasks.pages.protocols_page import reports_page

    with plain_errors():
        text = reports_page(name, [(str(file), EvaluationReport.load(file)) for file in files or ()])
        if to is not None:
            write_markdown(to, text)
    if to is None:
        sys.stdout.write(text)
    else:
        out.print(f'written: {to}', highlight=False, markup=False)
