"""Render a recorded episode again from its ground truth: any cameras, any size, the same appearance and perturbations.

Pictures depend only on the recorded states. A bag without pictures can therefore be rendered, also with another camera set.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.errors import BagError, ConfigError
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.noise import noisy, strayed
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_sim.ros.names import SCENE, WORLD_STATE
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.cues import Markers
from vlm_bench_tasks.run import Bench


@dataclass(frozen=True)
class Angle:
    """How to render an episode.

    Raises:
        ConfigError: the camera set is empty, the rate does not divide the control rate, or `samples` is even.

    Attributes:
        cameras: a camera set or cameras of it, such as `vlmbench:front,wrist`.
        width, height: size of each picture, pixels.
        rate: pictures per second of simulated time; a whole divisor of the control rate.
        samples: color samples along each side of a pixel, odd: 1 as for policies, 3 for smooth edges.
    """

    cameras: str = 'vlmbench'
    _: KW_ONLY
    width: int = 256
    height: int = 256
    rate: float = 10.0
    samples: int = 1

    def __post_init__(self) -> None:
        if self.cameras in ('', 'none'):
            raise ConfigError('Nothing can be drawn without a camera. Name a camera set, such as vlmbench, or vlmbench:front.')
        if not 0 < self.rate <= CONTROL_HZ or CONTROL_HZ % self.rate or self.rate % 1:
            rates = ', '.join(str(rate) for rate in range(1, CONTROL_HZ + 1) if CONTROL_HZ % rate == 0)
            raise ConfigError(
                f'{self.rate:g} pictures a second were requested, but the rate must divide the control rate of {CONTROL_HZ} Hz. '
                f'Choose one of {rates}.'
            )
        if self.samples < 1 or self.samples % 2 == 0:
            raise ConfigError(f'A pixel needs an odd number of samples along its side; found {self.samples}. Choose 1, 3 or 5.')

    @property
    def every(self) -> int:
        """Number of control periods between two pictures."""
        return round(CONTROL_HZ / self.rate)


@dataclass(frozen=True, eq=False)
class Frame:
    """The pictures of one control period, by camera."""

    seq: int
    pictures: dict[str, Picture]


def frames(path: Path, angle: Angle) -> Iterator[Frame]:
    """Yield the pictures of the bag at `path`, starting with the first control period.

    Raises:
        BagError: the bag is missing, damaged, or holds no scene.
        ConfigError: the robot or a camera does not exist.
    """
    bag = reader.open_bag(path)
    bench = Bench(reader.robot(bag), angle.cameras, width=angle.width, height=angle.height)
    try:
        yield from drawn(bag, bench, lambda now: None if now.seq % angle.every else now, samples=angle.samples)
    finally:
        bench.close()


def drawn(bag: reader.Bag, bench: Bench, shown: Callable[[Snapshot], Snapshot | None], *, samples: int = 1) -> Iterator[Frame]:
    """Yield pictures of a bag, drawn by a bench with the bag's robot.

    Args:
        bag: the bag.
        bench: draws them; it must have cameras.
        shown: returns for the state of each control period the state to draw, such as the same with the arm elsewhere; None: no picture.
        samples: color samples along each side of a pixel.

    Raises:
        BagError: the bag is damaged, or holds no scene.
        ConfigError: the bench has no cameras.
    """
    show = _Show(bench, Episode.from_json(reader.episode_truth(bag).episode), samples=samples)
    for snapshot in _states(bag, show):
        show.dress(snapshot)
        if (wanted := shown(snapshot)) is not None:
            yield Frame(snapshot.seq, show.pictures(wanted))


def _states(bag: reader.Bag, show: '_Show') -> Iterator[Snapshot]:
    """Yield the state of each control period, and set the renderer to the scene of that period."""
    for topic, _, message in bag.messages(SCENE.name, WORLD_STATE.name):
        if topic == SCENE.name:
            show.load(codec.read(message.scene, Scene, BagError))
        else:
            yield read_snapshot(message)


class Wardrobe:
    """The looks of an episode's props over time: what a cue changes in one state is seen from the next one on.

    Args:
        episode: with its cues.
    """

    def __init__(self, episode: Episode) -> None:
        self._markers = Markers(episode.cues)
        self._next: dict[str, Look] = {}

    def see(self, snapshot: Snapshot) -> dict[str, Look]:
        """Process the next state, and return the looks that change in its picture."""
        due, self._next = self._next, self._markers.see(snapshot)
        return due


class _Show:
    """A renderer for one episode, which applies the appearance changes of its cues."""

    def __init__(self, bench: Bench, episode: Episode, *, samples: int) -> None:
        if bench.renderer is None:
            raise ConfigError('Nothing can be drawn without a camera. Name a camera set, such as vlmbench.')
        self._bench, self._renderer, self._samples = bench, bench.renderer, samples
        self._seeded_perturbation, self._wardrobe = episode.seeded_perturbation, Wardrobe(episode)
        self._looks: dict[str, Look] = {}
        self.load(episode.scene)

    def load(self, scene: Scene) -> None:
        """Load the scene, which may have changed; props with a changed appearance keep it."""
        self._renderer.load(dressed(scene, self._looks))

    def dress(self, snapshot: Snapshot) -> None:
        """Apply the looks that change in the picture of this state."""
        changed = self._wardrobe.see(snapshot)
        self._renderer.dress(changed)
        self._looks |= changed

    def pictures(self, snapshot: Snapshot) -> dict[str, Picture]:
        """Return the picture of each camera, from its true (perturbed) pose and with noise."""
        links = self._bench.links(snapshot)
        drawn = {
            camera.name: self._renderer.render(strayed(camera, self._seeded_perturbation), snapshot, links, samples=self._samples)
            for camera in self._bench.cameras
        }
        return {name: noisy(picture, self._seeded_perturbation, camera=name, step=snapshot.step) for name, picture in drawn.items()}


def dressed(scene: Scene, looks: Mapping[str, Look]) -> Scene:
    """Return a scene whose props have the given looks; looks of props that it does not hold are ignored."""
    there = {prop.name for prop in scene.props}
    return scene.dressed({name: look for name, look in looks.items() if name in there})
