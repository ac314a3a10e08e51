"""Exports in numbers: what a gigabyte of bags costs, by format, and how much of that is reading."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.exports import lerobot, plain
from vlm_bench_tasks.dataset.exports.choice import bags, whole
from vlm_bench_tasks.dataset.exports.frames import Frames, Wish, frames
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

TASK, CAMERAS, SIZE = 'vlmbench/pick_place', 'vlmbench:front,wrist', 256
GIGA = 1e9


def report(episodes: int = 3) -> list[str]:
    """Return the lines of the report."""
    with TemporaryDirectory(prefix='vlm_bench_') as name:
        folder = Path(name)
        _record(folder / 'bags', episodes)
        paths, wish = bags(folder / 'bags', failures=True), Wish()
        size = _bytes(folder / 'bags')
        head = f'{len(paths)} bags of {TASK}, cameras {CAMERAS} {SIZE}x{SIZE}, {size / 1e6:.0f} MB; 10 frames a second'
        return [
            head,
            _line('reading alone', size, lambda: iter([frames(path, wish) for path in paths])),
            _line('lerobot', size, lambda: _whole(lerobot.export, paths, folder / 'lerobot', wish), folder / 'lerobot'),
            _line('numpy', size, lambda: _whole(partial(plain.export, root=folder), paths, folder / 'numpy', wish), folder / 'numpy'),
        ]


def _record(folder: Path, episodes: int) -> None:
    bench = Bench(cameras=CAMERAS, width=SIZE, height=SIZE)
    for seed in range(episodes):
        episode = catalogue.build(TASK, 'seen', seed)
        recorder = Recorder(bench, episode, folder=folder)
        recorder.close(bench.run(episode, policy('oracle'), recorder).report)
    bench.close()


def _whole(export: Callable[[list[Path], Path, Wish], Iterator[Frames]], paths: list[Path], out: Path, wish: Wish) -> Iterator[Frames]:
    with whole(out) as part:
        yield from export(paths, part, wish)


def _line(name: str, size: float, made: Callable[[], Iterator[Frames]], out: Path | None = None) -> str:
    wall, cpu = perf_counter(), process_time()
    count = sum(len(episode) for episode in made())
    wall, cpu = perf_counter() - wall, process_time() - cpu
    per_gb = f'{wall / size * GIGA:.0f} s a GB of bags ({cpu / size * GIGA:.0f} s of CPU)'
    left = f', {_bytes(out) / size:.0%} of their size' if out else ''
    return f'{name}: {per_gb}, {count / wall:.0f} frames a second{left}'


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob('*') if file.is_file())


if __name__ == '__main__':
    print('\n'.join(report()))
