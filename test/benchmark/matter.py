"""What beads and furniture cost: steps of the same world with none, with a mug of 20 and of 50 beads, and with a chest of drawers."""

from collections.abc import Iterator
from dataclasses import replace
from statistics import median
from time import perf_counter, process_time

import numpy as np

from test.benchmark import _machine
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.matter import Beads, packed
from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_sim.profiles import robot

_CLAY = Color('clay', (0.80, 0.42, 0.30))


def report(rounds: int = 5, periods: int = 40) -> list[str]:
    """Return the lines of the report; each round steps every world in turn, and CPU time is what counts."""
    worlds = {name: (BulletWorld(robot('panda')), scene) for name, scene in _scenes()}
    before = BulletWorld(robot('panda'))
    before.load(worlds['a mug'][1])  # what a process reads once is no world's
    before.close()
    loads = {name: _loaded(world, scene) for name, (world, scene) in worlds.items()}
    used: dict[str, list[float]] = {name: [] for name in worlds}
    load = _machine.load()
    for _ in range(rounds):
        for name, (world, _) in worlds.items():
            begin = process_time()
            for _ in range(periods):
                world.step()
            used[name].append((process_time() - begin) / periods)
    for world, _ in worlds.values():
        world.close()
    base = median(used['a mug'])
    return [
        f'{name}: {PERIOD_S / median(times):.1f} x real time, {median(times) / base:.2f} x the time of a mug alone; '
        f'laid in {loads[name][0]:.0f} ms by a new world, {loads[name][1]:.0f} ms again'
        for name, times in used.items()
    ] + [f'per second of CPU, medians of {rounds} rounds of {periods} periods each ({load} before, {_machine.load()} after)']


def _scenes() -> Iterator[tuple[str, Scene]]:
    size = usual_size('mug2')
    mug = Prop('mug', 'mug2', size, _CLAY, 0.207, 0.71, Pose((0.45, 0.1, size[2] / 2)))
    yield 'a mug', Scene((mug,))
    for count in (20, 50):
        yield f'a mug with {count} beads', Scene((mug,), beads=(Beads('water', packed(mug, count, np.random.default_rng(0))),))
    chest = replace(furniture('drawer1', 'chest'), pose=Pose((0.8, -0.1, 0.0)))
    yield 'a mug and a chest of drawers', Scene((mug,), mechanisms=(chest,))


def _loaded(world: BulletWorld, scene: Scene) -> tuple[float, float]:
    """Return the milliseconds of the world's first load and of its second; meshes and modules were read for the world before."""
    times = []
    for _ in range(2):
        begin = perf_counter()
        world.load(scene)
        times.append(1e3 * (perf_counter() - begin))
    return times[0], times[1]
