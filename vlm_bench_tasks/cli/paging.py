"""What `vlm-bench report` writes."""

from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.page import page
from vlm_bench_tasks.evaluation.page_strips import strips
from vlm_bench_tasks.evaluation.report import EvaluationReport


def written(file: Path, html: Path, bags: Path | None, most: int) -> int:
    """Write the page of a report and return how many strips it holds.

    Raises:
        VlmBenchError: there is no report, no bag where there should be some, or the page cannot be written.
    """
    report = EvaluationReport.load(file)
    shown = strips(report, bags, most) if bags else {}
    try:
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(page(report, shown), encoding='utf-8')
    except OSError as error:
        raise ConfigError(f'The page cannot be written to {html}: {error.strerror}. Name another file with --html.') from error
    return len(shown)
