"""The demo: one recorded episode over ROS 2 with the oracle, and a picture of its end."""

import time
from pathlib import Path

import cv2
from rich.console import Console

from vlm_bench_sim import profiles
from vlm_bench_sim.bags.reader import open_bag, snapshots
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros import installed
from vlm_bench_tasks.console import episodes
from vlm_bench_tasks.dataset.judge import Judgement, judge
from vlm_bench_tasks.launching import bench

WIDTH, HEIGHT = 640, 480
PATIENCE_S = 10.0


def demo(seed: int, record: str, console: Console) -> int:
    """Run the demo and return the exit code: 0 if the episode succeeded and judging its bag again gives the same result.

    Raises:
        ConfigError: there is no ROS.
    """
    installed.check()
    folder = Path(record).absolute()
    before = set(_bags(folder))
    values = {'task': 'vlmbench/pick_place', 'split': 'seen', 'seed': seed, 'axis': '', 'policy': 'oracle', 'record': str(folder)}
    console.print('One episode of vlmbench/pick_place over ROS 2, with the oracle and a recorder.')
    began = time.monotonic()
    report, seconds = bench.run(values, console, once=True)
    if report is None:
        console.print('[bold red]No report arrived. The output of the nodes above says why; vlm-bench doctor checks this machine.[/]')
        return 1
    bag = _new_bag(folder, before)
    judgement = judge(bag)
    picture = _picture(bag, judgement)
    episodes.show(episodes.judged(judgement) | {'bag': str(bag)}, console)
    console.print(
        f'wall clock    {seconds:.1f} s from start to report, {time.monotonic() - began:.1f} s in all', highlight=False, markup=False
    )
    console.print(f'judged again  {"the same" if judgement.agrees else "NOT THE SAME"}', highlight=False, markup=False)
    console.print(f'picture       {picture}', highlight=False, markup=False)
    return 0 if judgement.agrees and judgement.report.verdict.value == 'success' else 1


def _bags(folder: Path) -> list[Path]:
    return [path.parent for path in folder.glob('*/metadata.yaml')]


def _new_bag(folder: Path, before: set[Path]) -> Path:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        new = [path for path in _bags(folder) if path not in before]
        if new:
            return new[0]
        time.sleep(0.1)
    raise BagError(f'The episode ended, but no bag appeared in {folder}. The output of recorder_node above says why.')


def _picture(bag: Path, judgement: Judgement) -> Path:
    """Render the last control period of the bag from the front camera."""
    if judgement.episode is None:
        raise BagError('; '.join(judgement.report.causes))
    *_, last = snapshots(open_bag(bag))
    profile = profiles.robot('panda')
    camera = profiles.cameras('vlmbench:front', WIDTH, HEIGHT)[0]
    links = Kinematics(profile).link_poses({name: joint.position for name, joint in last.joints.items()})
    renderer = Renderer(profile)
    renderer.load(judgement.episode.scene)
    picture = renderer.render(camera, last, links, samples=3)
    renderer.close()
    path = bag.parent / f'{bag.name}.png'
    cv2.imwrite(str(path), cv2.cvtColor(picture.color, cv2.COLOR_RGB2BGR))
    return path
