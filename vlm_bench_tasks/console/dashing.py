"""Serve the window until it is interrupted."""

import asyncio
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, SSLError

from rich.console import Console

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.dashboard.access import Access
from vlm_bench_tasks.dashboard.looking import Looking
from vlm_bench_tasks.dashboard.shelf import Shelf, of_folder, of_report
from vlm_bench_tasks.evaluation.report import EvaluationReport


def serve(report: Path | None, bags: Path | None, access: Access, tls: SSLContext | None, console: Console) -> int:
    """Serve the episodes of a report or of a folder; return the exit code.

    Raises:
        ConfigError: websockets is not installed, nothing can be shown, or nobody can listen there.
        BagError: there are no bags.
    """
    try:
        from vlm_bench_tasks.dashboard.server import Server, until_interrupted
    except ImportError as error:
        raise ConfigError(f'The window needs {error.name}, which is not installed. Run: pip install "vlm_bench_sim[server]".') from error
    shelf, source = _shelf(report, bags)
    looking = Looking(shelf, {'source': source})

    def told(port: int) -> None:
        console.print(f'Open {access.address(port)}', highlight=False, markup=False, soft_wrap=True)
        console.print(
            'Ctrl-C ends it. On another machine: ssh -L PORT:localhost:PORT, and the same address.', highlight=False, markup=False
        )

    try:
        asyncio.run(until_interrupted(Server(access, looking.answer, tls=tls), told))
    except KeyboardInterrupt:
        pass
    finally:
        looking.close()
    return 0


def certificate(file: Path | None, key: Path | None) -> SSLContext | None:
    """Return the context of encrypted connections; None without a certificate.

    Raises:
        ConfigError: only one of both is named, or they cannot be used.
    """
    if file is None and key is None:
        return None
    if file is None or key is None:
        raise ConfigError('A certificate and its key belong together. Name both: --certificate FILE --key FILE.')
    context = SSLContext(PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(file, key)
    except (OSError, SSLError) as error:
        raise ConfigError(f'{file} and {key} are no certificate with its key: {error}. Name PEM files.') from error
    return context


def _shelf(report: Path | None, bags: Path | None) -> tuple[Shelf, str]:
    if report is not None:
        found = EvaluationReport.load(report)
        return of_report(found, bags), f'{found.policy}: {report}'
    if bags is None:
        raise ConfigError('Nothing was named to look at. Name a folder of bags, --bags FOLDER, or a report of vlm-bench evaluate.')
    return of_folder(bags), str(bags)
