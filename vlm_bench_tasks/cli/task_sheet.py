"""Small pictures of tasks for docs/tasks.md: seed 0 when it begins, and when the oracle has solved it.

`python -m vlm_bench_tasks.cli.task_sheet` draws those of every task; names draw some.
"""

import sys
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.report import Event, Verdict
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

FOLDER = Path(__file__).resolve().parents[2] / 'docs' / 'gallery'
LARGEST = 60_000  # bytes of a file
_SIZE = 360, 270
_TABLE = Camera('table', Pose.look_at((1.32, -0.68, 0.92), (0.34, 0.02, 0.14)), fov=0.76, width=_SIZE[0], height=_SIZE[1])
_FURNITURE = Camera('furniture', Pose.look_at((-0.10, -1.20, 0.85), (0.42, 0.05, 0.24)), fov=0.72, width=_SIZE[0], height=_SIZE[1])
_LEAST = 0.5  # share of the size below which no picture is made smaller


def file(name: str) -> str:
    """Return the name of a task's picture."""
    return f'task_{name.replace("/", "_")}.png'


class _Ends:
    """Keeps the first and the last snapshot of a run."""

    def __init__(self) -> None:
        self.kept: list[Snapshot] = []

    def period(self, snapshot: Snapshot) -> None:
        self.kept = [*self.kept[:1], snapshot]

    def event(self, event: Event) -> None:
        pass


def picture(bench: Bench, episode: Episode) -> Bytes:
    """Return how an episode begins and how it ends, side by side; furniture, which faces the robot, from behind that.

    Raises:
        VlmBenchError: the oracle does not solve it.
    """
    ends = _Ends()
    run = bench.run(episode, policy('oracle'), ends)
    if run.report.verdict is not Verdict.SUCCESS:
        why = '; '.join((*run.report.causes, *run.failures))
        raise VlmBenchError(f'The oracle does not solve {episode.task} with seed {episode.seed}, so it has no picture: {why}')
    view = _FURNITURE if episode.scene.mechanisms else _TABLE
    renderer = Renderer(bench.profile)
    renderer.load(episode.scene)
    sides = [renderer.render(view, now, bench.links(now), samples=3).colour for now in ends.kept]
    renderer.close()
    return np.hstack(sides)


def small(drawn: Bytes) -> bytes:
    """Return a picture as a png file that is small enough for a page.

    Raises:
        VlmBenchError: it would have to be too small to see anything.
    """
    share = 1.0
    while share >= _LEAST:
        size = round(share * drawn.shape[1]), round(share * drawn.shape[0])
        scaled = cv2.resize(drawn, size, interpolation=cv2.INTER_AREA)
        _, data = cv2.imencode('.png', cv2.cvtColor(scaled, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_PNG_COMPRESSION, 9])
        if data.nbytes <= LARGEST:
            return bytes(data)
        share -= 0.05
    raise VlmBenchError(f'A picture of {drawn.shape[1]} × {drawn.shape[0]} pixels has more than {LARGEST} bytes at half its size.')


@cache
def _bench(robot: str) -> Bench:
    return Bench(robot)


def main(names: list[str]) -> int:
    """Draw the pictures of the named tasks, or of every one; the exit code is 1 if one could not be drawn."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in names or catalogue.tasks():
        try:
            episode, bench = catalogue.build(name, catalogue.splits(name)[0], 0), _bench(catalogue.task(name).robot)
            (FOLDER / file(name)).write_bytes(small(picture(bench, episode)))
            sys.stdout.write(f'{FOLDER / file(name)}\n')
        except VlmBenchError as error:
            failed += 1
            sys.stderr.write(f'{error}\n')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
