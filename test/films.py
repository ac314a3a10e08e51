"""Short films: frozen snapshots made by hand, one a control period."""

from dataclasses import dataclass, replace

from vlm_bench_sim.core.geometry import ZERO, Pose
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.snapshot import Body, Snapshot, pair
from vlm_bench_tasks.goals.base import Leaf

RED = Color('red', (1.0, 0.0, 0.0))
BLUE = Color('blue', (0.0, 0.0, 1.0))
CUBE = Prop('object_1', 'cube', (0.04, 0.04, 0.04), RED, 0.07, pose=Pose((0.5, -0.2, 0.02)))
TRAY = Prop('container_1', 'tray', (0.20, 0.125, 0.05), BLUE, 0.15, pose=Pose((0.5, 0.2, 0.025)), noun='container')
IN_TRAY = Pose((0.5, 0.2, 0.024))  # the tray's floor is 4 mm thick and the cube's centre 20 mm above it


def snapshot(seq: int = 0, *, cube: Pose = CUBE.pose, tray: Pose = TRAY.pose, linear=ZERO, angular=ZERO, held='', touching=()) -> Snapshot:
    """One frame with a cube and a tray."""
    bodies = {'object_1': Body(cube, linear, angular), 'container_1': Body(tray)}
    return Snapshot(seq, seq * 12, {}, Pose(), 0.08, held=held, bodies=bodies, touching=touching, touched=touching)


def numbered(frames) -> list[Snapshot]:
    """The frames as one film, numbered from 0."""
    return [replace(frame, seq=i, step=12 * i) for i, frame in enumerate(frames)]


@dataclass(frozen=True)
class Flag(Leaf):
    """A leaf that the film switches: on when the pair (name, table) touches."""

    name: str

    def holds(self, now, start):
        return now.touches(self.name, 'table')

    def happened(self, now, start):
        return pair(self.name, 'table') in now.touched

    def distance(self, now, start):
        return 0.0 if self.holds(now, start) else 0.2

    def words(self):
        return f'{self.name} is on'

    def props(self):
        return ()


def flags(*frames: str) -> list[Snapshot]:
    """A film of flags: each frame holds the letters that are on; a letter after / was on only between two frames."""
    film = []
    for frame in frames:
        now, _, between = frame.partition('/')
        on = tuple(pair(letter, 'table') for letter in now)
        film.append(replace(snapshot(), touching=on, touched=on + tuple(pair(letter, 'table') for letter in between)))
    return numbered(film)
