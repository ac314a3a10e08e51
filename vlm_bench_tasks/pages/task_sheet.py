"""Small pictures of tasks for docs/tasks.md: the start of seed 0, and its end after the oracle has succeeded.

Named areas of the table, invisible to cameras, are outlined: white if the goal uses them, dark if only the sentence mentions them.

`python -m vlm_bench_tasks.pages.task_sheet` renders all tasks, or those given by name.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from vlm_bench_sim.core.areas import AREAS, Area
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Floats, Pose, Vector, vector
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.core.tree import collected
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

FOLDER = Path(__file__).resolve().parents[2] / 'docs' / 'gallery'
LARGEST = 90_000  # bytes per file
_SIZE = 360, 270
_TABLE = Camera('table', Pose.look_at((1.32, -0.68, 0.92), (0.34, 0.02, 0.14)), fov=0.76, width=_SIZE[0], height=_SIZE[1])
_TOWARDS_FURNITURE: Vector = (-0.75, 1.15, 0.78)  # from the object to the eye, m: looks past the arm at the part that opens
_WIDE = 0.90  # rad, field of view that shows all outlined areas of a table
_MARGIN = 1.06
_RIM, _THIN = 0.006, 0.001  # of an outline, m
_ASKED, _TOLD = Color('white', (1.0, 1.0, 1.0)), Color('dark', (0.25, 0.22, 0.20))
_LEAST = 0.5  # smallest scale of a picture


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
    """Return the start and the end of an episode side by side. Furniture faces the robot, and is shown whole from that side.

    Raises:
        VlmBenchError: the oracle fails.
    """
    ends = _Ends()
    run = bench.run(episode, policy('oracle'), ends)
    if run.report.verdict is not Verdict.SUCCESS:
        why = '; '.join((*run.report.causes, *run.failures))
        raise VlmBenchError(f'The oracle does not solve {episode.task} with seed {episode.seed}, so it has no picture: {why}')
    view = _furniture(bench, episode.scene, ends.kept) if episode.scene.mechanisms else _props(episode.scene, ends.kept)
    rims = outlines(episode)
    view = replace(view, fov=max(_WIDE, view.fov)) if rims else view
    renderer = Renderer(bench.profile)
    sides = []
    for now, done in zip(ends.kept, ({}, {cue.marker: cue.done for cue in episode.cues}), strict=True):
        props = [prop.dressed(done[prop.name]) if prop.name in done else prop for prop in episode.scene.props]
        renderer.load(replace(episode.scene, props=(*props, *rims)))
        shown = replace(now, bodies={**now.bodies, **{rim.name: Body(rim.pose) for rim in rims}})
        sides.append(renderer.render(view, shown, bench.links(now), samples=3).color)
    renderer.close()
    return np.hstack(sides)


def _furniture(bench: Bench, scene: Scene, ends: list[Snapshot]) -> Camera:
    """Return a camera that shows furniture and robot completely, at start and end."""
    parts = [part for now in ends for mechanism in scene.mechanisms for part in mechanism.solids(now.mechanisms)]
    corners = [part.pose.apply(part.solid.vertices) for part in parts]
    corners += [np.array([pose.position for pose in bench.links(now).values()]) for now in ends]
    points = np.concatenate(corners)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    pose = Pose.look_at(vector(middle + _TOWARDS_FURNITURE), vector(middle))
    return Camera('furniture', pose, fov=_fov(pose, points), width=_SIZE[0], height=_SIZE[1])


def _props(scene: Scene, ends: list[Snapshot]) -> Camera:
    """Return the camera of the table, wide enough for all props at start and end."""
    corners = [now.pose(prop.name).apply(prop.solid.vertices) for now in ends for prop in scene.props]
    return replace(_TABLE, fov=max(_TABLE.fov, _fov(_TABLE.pose, np.concatenate(corners)))) if corners else _TABLE


def _fov(pose: Pose, points: Floats) -> float:
    """Return the field of view of a camera at a pose that shows all of the points (n, 3), rad."""
    x, y, z = pose.inverse().apply(points).T
    reach = max(np.abs(y / z).max(), np.abs(x / z).max() * _SIZE[1] / _SIZE[0])
    return 2 * float(np.arctan(_MARGIN * reach))


def outlines(episode: Episode) -> tuple[Prop, ...]:
    """Return the edges of every named area in the goal or the sentence, as films on the table."""
    asked = list(dict.fromkeys(collected(episode.goal, Area)))
    told = [area for area in AREAS.values() if area not in asked and area.words in episode.instruction.text]
    colored = [*((area, _TOLD) for area in told), *((area, _ASKED) for area in asked)]
    return tuple(edge for i, (area, color) in enumerate(colored) for edge in _edges(f'outline_{i}', area, color, i * _THIN / 2))


def _edges(name: str, area: Area, color: Color, lifted: float) -> Iterator[Prop]:
    (x, y), z = area.size, lifted + _THIN / 2
    sides = [((0.0, s * y / 2, z), (x + _RIM, _RIM, _THIN)) for s in (-1, 1)] + [
        ((s * x / 2, 0.0, z), (_RIM, y + _RIM, _THIN)) for s in (-1, 1)
    ]
    for i, (at, size) in enumerate(sides):
        yield Prop(f'{name}_{i}', 'cube', size, color, 0.0, pose=area.pose @ Pose(at), ghost=True)


def drawn(name: str) -> bytes:
    """Return the picture of a task, seed 0 of its first split, as the content of a file.

    Raises:
        VlmBenchError: the oracle fails.
    """
    return small(picture(_bench(catalogue.task(name).robot), catalogue.build(name, catalogue.splits(name)[0], 0)))


def small(drawn: Bytes) -> bytes:
    """Return a picture as a png file that is small enough for a page.

    Raises:
        VlmBenchError: the picture would have to be too small to be useful.
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
    """Render the named tasks, or all; the exit code is 1 if one failed."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in names or catalogue.tasks():
        try:
            (FOLDER / file(name)).write_bytes(drawn(name))
            sys.stdout.write(f'{FOLDER / file(name)}\n')
        except VlmBenchError as error:
            failed += 1
            sys.stderr.write(f'{error}\n')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
