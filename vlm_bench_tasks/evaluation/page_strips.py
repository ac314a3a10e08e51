"""Film strips of failed episodes: a few pictures each, read from the bag or rendered again from the recorded ground truth."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from vlm_bench_sim.bags import reader
from vlm_bench_sim.bags.definitions import deserialise
from vlm_bench_sim.bags.metadata import FILE
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.render.jpeg import jpeg
from vlm_bench_sim.ros.fields import SECOND_NS
from vlm_bench_sim.ros.names import COLOR_JPEG
from vlm_bench_tasks.dataset.recorded_prompt import recorded_prompt
from vlm_bench_tasks.dataset.rendering import Angle, frames
from vlm_bench_tasks.evaluation.report import EvaluationReport
from vlm_bench_tasks.trial import Key

T = TypeVar('T')
PICTURES = 6
CAMERAS = ('front', 'base', 'left')
"""The first of these that a bag holds is shown; if there is none, any camera is."""
DRAWN = Angle('vlmbench:front', width=240, height=180, rate=1.0, samples=3)
"""View for episodes whose bags hold no pictures."""


@dataclass(frozen=True)
class Strip:
    """Pictures of one episode.

    Attributes:
        camera: name of the camera.
        drawn: True if the pictures were rendered from ground truth because none were recorded.
        pictures: simulated time (s) and picture as a data URI.
        prompt: role and data URI of each picture of the instruction.
    """

    camera: str
    drawn: bool
    pictures: tuple[tuple[float, str], ...]
    prompt: tuple[tuple[str, str], ...] = ()


def strips(report: EvaluationReport, folder: Path, most: int) -> dict[Key, Strip]:
    """Return strips for the first `most` failed episodes that have bags in `folder`.

    Raises:
        BagError: the folder holds no bag of these episodes, a bag is damaged, or the report names a path outside the folder.
    """
    wanted = [score for score in report.episodes if not score.solved]
    paths = bags_of(report, folder)
    found = [score for score in wanted if score.key in paths][:most]
    if wanted and not found:
        raise BagError(
            f'{folder} holds no bag of the {len(wanted)} unsolved episodes. Name the folder that was given to evaluate --record.'
        )
    return {score.key: strip(paths[score.key]) for score in found}


def strip(path: Path) -> Strip:
    """Return the strip of a bag.

    Raises:
        BagError: the bag is missing or damaged, or holds neither pictures nor ground truth.
    """
    bag = reader.open_bag(path)
    camera = _camera(bag)
    if camera:
        shown = spread(list(bag.raw(COLOR_JPEG.camera(camera).name)))
        pictures = [((raw.stamp_ns - bag.start_ns) / SECOND_NS, bytes(deserialise(raw.type, raw.data).data)) for raw in shown]
    else:
        drawn = spread(list(frames(path, DRAWN)))
        pictures = [(frame.seq / CONTROL_HZ, jpeg(picture)) for frame in drawn for picture in frame.pictures.values()]
    uris = tuple((seconds, _uri('jpeg', data)) for seconds, data in pictures)
    prompt = tuple((image.role, _uri('png', image.png)) for image in recorded_prompt(bag))
    return Strip(camera or DRAWN.cameras.partition(':')[2], drawn=not camera, pictures=uris, prompt=prompt)


def _uri(form: str, data: bytes) -> str:
    return f'data:image/{form};base64,{b64encode(data).decode()}'


def spread(found: Sequence[T], count: int = PICTURES) -> list[T]:
    """Return `count` evenly spaced items, including the first and the last; all items if there are no more."""
    if len(found) <= count:
        return list(found)
    return [found[round(i * (len(found) - 1) / (count - 1))] for i in range(count)]


def _camera(bag: reader.Bag) -> str:
    """Return the camera to show; '' if the bag holds no pictures."""
    before, after = COLOR_JPEG.name.split('{camera}')
    recorded = [name[len(before) : -len(after)] for name in bag.topics if name.startswith(before) and name.endswith(after)]
    return next((name for name in (*CAMERAS, *sorted(recorded)) if name in recorded), '')


def bags_of(report: EvaluationReport, folder: Path) -> dict[Key, Path]:
    """Return the bags in the folder by the keys of their episodes, taken from the report or else from the bags.

    Raises:
        BagError: a bag is damaged, or the report names a path outside the folder.
    """
    if report.circumstances.bags:
        named = zip(report.episodes, report.circumstances.bags, strict=True)
        return {score.key: folder / name for score, name in named if _bare(name) and (folder / name / FILE).is_file()}
    found: dict[Key, Path] = {}
    for path in sorted(folder.glob(f'*/{FILE}')):
        about = reader.open_bag(path.parent).custom
        if about.get('seed', '').isdigit():
            found[about.get('task', ''), about.get('axis', ''), about.get('split', ''), int(about['seed'])] = path.parent
    return found


def _bare(name: str) -> str:
    """Return a bag's name after checking that it stays inside the folder.

    Raises:
        BagError: the name leads out of the folder.
    """
    if name and (Path(name).name != name or name == '..'):
        raise BagError(
            f'The report names a bag {name!r}; a name without folders was expected. evaluate never writes this: leave --bags out.'
        )
    return name
