"""A contact sheet of perturbations: one episode unperturbed, and with each visible kind, at sizes that are easy to see."""

from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.pages.prop_sheet import TILE, sheet
from vlm_bench_tasks.run import Bench

TASK, SEED = 'vlmbench/pick_place', 5
SHOWN = {
    'none': Perturbation(),
    'pixel_noise=20': Perturbation(pixel_noise=20.0),
    'light=0.6': Perturbation(light=0.6),
    'texture=1': Perturbation(texture=1.0),
    'camera off by 0.05 m, 0.08 rad': Perturbation(camera_position=0.05, camera_angle=0.08),
    'distractors=5': Perturbation(distractors=5.0),
    'table_height=0.1, base stays': Perturbation(table_height=0.1),
    'colosseum': catalogue.perturbation(['colosseum']),
}


def perturbations(*, size: int = TILE) -> Bytes:
    """Return a sheet with a tile for each of `SHOWN`: the front camera's view of the settled scene."""
    bench = Bench(cameras='vlmbench:front', width=size, height=size)
    built = catalogue.build(TASK, 'seen', SEED)
    tiles = [(words, _seen(bench, catalogue.perturbed(built, by))) for words, by in SHOWN.items()]
    bench.close()
    return sheet(tiles, columns=4)


def _seen(bench: Bench, episode: Episode) -> Bytes:
    return bench.picture(bench.cameras[0], bench.lay_out(episode.scene, episode.seeded_perturbation).snapshot).color
