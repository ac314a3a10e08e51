"""The curve of a training as a picture."""

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.evaluation.files import write_whole


def draw(curve: Path, to: Path, shares: Mapping[str, str]) -> None:
    """Draw the lines of a curve to a png file: losses above, shares of right answers on the validation data below.

    Args:
        curve: file with a line of JSON for each validation.
        to: the picture.
        shares: keys of the shares, with what they are called.

    Raises:
        ConfigError: matplotlib is missing, or the curve cannot be read.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator
    except ImportError as error:
        raise ConfigError(f'A curve is drawn with matplotlib, which is not installed ({error}). Run: pip install matplotlib') from error
    try:
        lines = [json.loads(line) for line in curve.read_text().splitlines()]
        steps = [line['step'] for line in lines]
        figure = Figure(figsize=(7.0, 6.0), layout='constrained')
        FigureCanvasAgg(figure)
        above, below = figure.subplots(2, 1, sharex=True)
        for key, name in (('training_loss', 'training'), ('loss', 'validation')):
            above.plot(steps, [line[key] for line in lines], label=name, marker='.')
        for width, (key, name) in zip(range(len(shares), 0, -1), shares.items(), strict=True):  # equal lines are seen below each other
            below.plot(steps, [100 * line[key] for line in lines], label=name, marker='.', linewidth=1.5 * width)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f'{curve} holds no curve: {error!r:.200}. Name the curve.jsonl that vlm-bench train wrote.') from error
    above.set_ylabel('loss')
    below.set_ylabel('right, %')
    below.set_ylim(-2, 102)  # so that 0 and 100 % are seen
    below.set_xlabel('batches')
    below.xaxis.set_major_locator(MaxNLocator(integer=True))
    for panel in (above, below):
        panel.grid(alpha=0.3)
        panel.legend(frameon=False)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=100, format='png')
    try:
        write_whole(to, drawn.getvalue())
    except OSError as error:
        raise ConfigError(f'{to} cannot be written: {error}.') from error
