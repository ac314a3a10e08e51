"""Serve the window until it is interrupted."""

import asyncio
from pathlib import Path
from ssl import SSLContext
from typing import Any

from rich.console import Console

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.dashboard.access import Access
from vlm_bench_tasks.dashboard.looking import Looking
from vlm_bench_tasks.dashboard.shelf import Shelf, of_folder, of_report
from vlm_bench_tasks.dashboard.studio import Studio
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.graph import check_window, window_spec
from vlm_bench_tasks.launching.bench import beside


def serve(report: Path | None, bags: Path | None, access: Access, tls: SSLContext | None, console: Console) -> int:
    """Serve the episodes of a report or of a folder; return the exit code.

    Raises:
        ConfigError: websockets is not installed, nothing can be shown, or nobody can listen there.
        BagError: there are no bags.
    """
    check_window()
    from vlm_bench_tasks.dashboard.server import Server, until_interrupted

    shelf, source = _shelf(report, bags)
    studio = Studio()
    looking = Looking(shelf, {'source': source}, studio=studio)

    try:
        asyncio.run(until_interrupted(Server(access, looking.answer, tls=tls), lambda port: _tell(access.address(port), port, console)))
    except KeyboardInterrupt:
        pass
    finally:
        studio.close()
    return 0


def watch(console: Console, **access: Any) -> int:
    """Serve the window beside a bench that runs in this domain, until Ctrl-C; return the exit code. `access`: parameters of dash_node.

    Raises:
        ConfigError: websockets is not installed.
    """
    return beside(window_spec(**access), console)


def _tell(address: str, port: int, console: Console) -> None:
    console.print(f'Open {address}', highlight=False, markup=False, soft_wrap=True)
    console.print(
        f'Ctrl-C ends it. From elsewhere: ssh -L {port}:localhost:{port} THERE, and the same address.', highlight=False, markup=False
    )


def _shelf(report: Path | None, bags: Path | None) -> tuple[Shelf, str]:
    if report is not None:
        found = EvaluationReport.load(report)
        return of_report(found, bags), f'{found.policy}: {report}'
    if bags is None:
        raise ConfigError('Nothing was named to look at. Name a folder of bags, --bags FOLDER, or a report of vlm-bench evaluate.')
    return of_folder(bags), str(bags)
