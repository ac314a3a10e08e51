"""A soak as a picture: what each process holds, over the episodes."""

from pathlib import Path

import matplotlib

from test.soak._growth import warm
from test.soak._kept import Kept

matplotlib.use('agg')

_TITLES = {
    'memory': 'memory of its own, MB', 'shared': 'memory shared with others, MB', 'threads': 'threads',
    'descriptors': 'file descriptors', 'files': 'files in the shared memory of the machine', 'of all files': 'their size, MB',
}  # fmt: skip


def draw(kept: Kept, title: str, path: Path) -> None:
    """Write a picture: one panel for each thing that is held, a line for each process; what is left for warming up is grey."""
    from matplotlib import pyplot

    lives = [life for life in kept.lives() if life]
    who = sorted({name for sample in kept.samples for name in sample.held})
    colors = dict(zip(who, pyplot.get_cmap('tab10').colors, strict=False))
    shown = [what for what in _TITLES if any(what in held for sample in kept.samples for held in sample.held.values())]
    figure, panels = pyplot.subplots(len(shown), 1, sharex=True, figsize=(9, 2.2 * len(shown)), layout='constrained')
    for what, panel in zip(shown, panels, strict=True):
        for life in lives:
            panel.axvspan(life[0].number, life[min(warm(len(life)), len(life)) - 1].number, color='0.92', linewidth=0)
            for name in who:
                points = [(sample.number, sample.held[name][what]) for sample in life if what in sample.held.get(name, {})]
                if points:
                    panel.plot(*zip(*points, strict=True), color=colors[name], linewidth=1, label=name if life is lives[0] else None)
        panel.set_title(_TITLES[what], loc='left', fontsize=9)
        panel.set_ylim(0, 1.1 * max((sample.held[name].get(what, 0) for sample in kept.samples for name in sample.held), default=0) or 1)
        panel.grid(alpha=0.3)
    panels[-1].set_xlabel('episode')
    handles = {label: line for panel in panels for line, label in zip(*panel.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc='outside right upper', fontsize=8, frameon=False)
    figure.suptitle(title, fontsize=10)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
