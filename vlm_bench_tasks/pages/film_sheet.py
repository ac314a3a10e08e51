"""The moving picture of the README: what two cameras see while the oracle plays one episode, above its instruction."""

import cv2
import numpy as np

from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

TASK, SEED = 'vlmbench/pick_place', 2
CAMERAS = 'vlmbench:front,wrist'
SIZE = 320
EVERY = 3
"""Control periods from frame to frame."""

_SECONDS_SHOWN = 0.075  # of one frame: twice as fast as simulated time
_LAST = 1.5  # s, of the last frame
_QUALITY = 60
_INK, _PAPER = (40, 40, 45), (246, 246, 248)


class _Film:
    """Keeps every `EVERY`-th picture of an episode."""

    def __init__(self, bench: Bench, scene: Scene) -> None:
        self._bench, self._renderer, self._seen = bench, Renderer(bench.profile), 0
        self._renderer.load(scene)
        self.frames: list[Bytes] = []

    def period(self, snapshot: Snapshot) -> None:
        if self._seen % EVERY == 0:
            links = self._bench.links(snapshot)
            self.frames.append(
                np.hstack([self._renderer.render(camera, snapshot, links, samples=3).color for camera in self._bench.cameras])
            )
        self._seen += 1

    def close(self) -> None:
        self._renderer.close()

    def event(self, event: Event) -> None:
        pass


def frames(seed: int = SEED, size: int = SIZE) -> list[Bytes]:
    """Return the frames of an episode, (size + caption, 2 size, 3) uint8 RGB each.

    Raises:
        VlmBenchError: the oracle does not solve it.
    """
    bench = Bench(cameras=CAMERAS, width=size, height=size)
    episode = catalogue.build(TASK, catalogue.splits(TASK)[0], seed)
    film = _Film(bench, episode.scene)
    run = bench.run(episode, policy('oracle'), film)
    film.close()
    bench.close()
    if run.report.verdict is not Verdict.SUCCESS:
        raise VlmBenchError(f'The oracle does not solve {TASK} with seed {seed}, so it has no film: {"; ".join(run.report.causes)}')
    words = _caption(episode.instruction.text, 2 * size)
    return [np.vstack([frame, words]) for frame in film.frames]


def encoded(pictures: list[Bytes]) -> bytes:
    """Return an animated WebP of frames (height, width, 3) uint8 RGB, which runs for ever. It needs OpenCV 4.12 or newer."""
    film = cv2.Animation()
    film.frames = [cv2.cvtColor(picture, cv2.COLOR_RGB2BGRA) for picture in pictures]
    milliseconds = [round(1000 * _SECONDS_SHOWN)] * (len(pictures) - 1) + [round(1000 * _LAST)]
    film.durations = np.array(milliseconds, dtype=np.int32)
    return bytes(cv2.imencodeanimation('.webp', film, [cv2.IMWRITE_WEBP_QUALITY, _QUALITY])[1])


def film() -> bytes:
    """Return docs/gallery/episode.webp."""
    return encoded(frames())


def _caption(text: str, width: int) -> Bytes:
    height = width // 20
    strip = np.full((height, width, 3), _PAPER, dtype=np.uint8)
    cv2.putText(strip, text, (height // 3, int(0.66 * height)), cv2.FONT_HERSHEY_SIMPLEX, width / 1500, _INK, 1, cv2.LINE_AA)
    return strip
