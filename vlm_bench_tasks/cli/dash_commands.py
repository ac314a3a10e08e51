"""The command that opens the window."""

from pathlib import Path
from typing import Annotated

import typer

from vlm_bench_tasks.cli.options import out, plain_errors, read_path

app = typer.Typer()


@app.command()
def dash(
    report: Annotated[Path | None, typer.Argument(parser=read_path, metavar='[REPORT]', help='report of vlm-bench evaluate')] = None,
    bags: Annotated[
        Path | None, typer.Option(parser=read_path, help='folder of bags to look at; with a report: those of its episodes')
    ] = None,
    host: Annotated[str, typer.Option(help='address to listen on; another than 127.0.0.1 needs a certificate')] = '127.0.0.1',
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help='port to listen on; 0: any that is free; not named: 8100, or any if another window is there'),
    ] = None,
    name: Annotated[str, typer.Option(help='host name in the address, if not that of this machine alone')] = '',
    certificate: Annotated[Path | None, typer.Option(parser=read_path, help='PEM file of a certificate, for https')] = None,
    key: Annotated[Path | None, typer.Option(parser=read_path, help='PEM file of its key')] = None,
    scored: Annotated[bool, typer.Option('--scored', help='around a real arm that is scored: hear what its person is asked')] = False,
) -> None:
    """Open a window in a browser: watch the bench that runs here, or look at recorded episodes and at the failures of a report."""
    from vlm_bench_tasks.console import dashing
    from vlm_bench_tasks.dashboard.access import Access, encryption, usual_port

    with plain_errors():
        files = [str(file.absolute()) if file else '' for file in (certificate, key)]
        tls = encryption(*files)
        port = usual_port(host) if port is None else port
        access = Access(host, port, name, secure=tls is not None)
        if report is None and bags is None:
            raise typer.Exit(dashing.watch(out, port=port, host=host, name=name, certificate=files[0], key=files[1], scored=scored))
        raise typer.Exit(dashing.serve(report, bags, access, tls, out))
