"""Physics in numbers: a physics step, a control period, a reset, memory, where the time of an episode goes, and two worlds at once."""

import subprocess
from importlib.util import find_spec
from statistics import median
from time import perf_counter, process_time

import numpy as np
import psutil

from test.benchmark import _machine
from test.benchmark._bench import module
from test.benchmark._timed import Timed
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.engine import ENGINES, PYBULLET
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_S, STEPS_PER_PERIOD
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

TASK = 'vlmbench/pick_place'


def report(episodes: int = 4) -> list[str]:
    """Return the lines of the report."""
    return [*_resets(), *_episodes(episodes), *_engines(episodes), *_together(), *_memory()]


def _resets(rounds: int = 10) -> list[str]:
    """Load a scene into a world that was just made, and then others into the same one."""
    scenes = [catalogue.build(TASK, 'seen', seed).scene for seed in range(rounds + 1)]
    begin = perf_counter()
    world = BulletWorld(robot('panda'))
    world.load(scenes[0])
    times = [1e3 * (perf_counter() - begin)]
    for scene in scenes[1:]:
        begin = perf_counter()
        world.load(scene)
        times.append(1e3 * (perf_counter() - begin))
    world.close()
    return [f'reset: {times[0]:.0f} ms the first time, {median(times[1:]):.0f} ms after that (scene laid out and settled, {TASK})']


def _episodes(count: int) -> list[str]:
    bench = Bench()
    bench.world, bench.planner = world, planner = Timed(bench.world), Timed(bench.planner)
    inside = _Inside(bench.world)
    wall = simulated = 0.0
    for seed in range(count):
        run = bench.run(catalogue.build(TASK, 'seen', seed), Oracle(), inside)
        wall, simulated = wall + run.wall_seconds, simulated + run.report.sim_seconds
    bench.close()
    physics, periods = world.seconds['step'], world.calls['step']
    plans = sum(planner.seconds[name] for name in ('plan', 'check', 'grasps'))
    rest = wall - physics - plans - world.seconds['load']
    engine, contacts = inside.engine / physics, inside.contacts / physics
    return [
        f'physics: {periods * STEPS_PER_PERIOD / physics:.0f} steps/s, {1e3 * physics / periods:.2f} ms per control period of '
        f'{1e3 * PERIOD_S:.0f} ms ({periods * PERIOD_S / physics:.1f} x real time)',
        f'of which {engine:.0%} PyBullet step, {contacts:.0%} contacts, {1 - engine - contacts:.0%} motors and snapshot',
        f'oracle episode: {wall / count:.2f} s of wall clock for {simulated / count:.2f} s simulated ({simulated / wall:.1f} x real time): '
        f'reset {world.seconds["load"] / count:.2f} s, plans {plans / count:.2f} s, physics {physics / count:.2f} s, '
        f'judging and the rest {rest / count:.2f} s (means of {count}, no cameras)',
    ]


def _engines(count: int) -> list[str]:
    """Play the same episodes in each engine; the steps a second of CPU are those of the physics alone, contacts and snapshots included."""
    rates = {engine: _steps_per_cpu_second(engine, count) for engine in ENGINES if find_spec(engine)}
    return [
        f'physics of {count} oracle episodes in {engine}: {rate:.0f} steps per second of CPU, {rate / rates[PYBULLET]:.2f} x PyBullet'
        for engine, rate in rates.items()
    ]


def _steps_per_cpu_second(engine: str, count: int) -> float:
    bench = Bench(engine=engine)
    bench.world = world = Timed(bench.world, process_time)
    for seed in range(count):
        bench.run(catalogue.build(TASK, 'seen', seed), Oracle())
    bench.close()
    return world.calls['step'] * STEPS_PER_PERIOD / world.seconds['step']


def _together(seconds: float = 4.0, rounds: int = 3) -> list[str]:
    """Step one world, then two in processes of their own, in turns; the best of each, since whatever else runs only takes away."""
    load, alone, both = _machine.load(), [], []
    for _ in range(rounds):
        alone.append(_stepped(1, seconds))
        both.append(_stepped(2, seconds))
    (one, one_cpu), (two, two_cpu) = (np.max(rates, axis=0) for rates in (alone, both))
    return [
        f'{one:.0f} steps/s with 1 world, {two:.0f} steps/s with 2 in processes of their own: {two / one:.2f} x '
        f'(best of {rounds} times {seconds:g} s each; {load} before, {_machine.load()} after)',
        f'per second of CPU, which other programs do not take away: {one_cpu:.0f} and {two_cpu:.0f} steps: {two_cpu / one_cpu:.2f} x',
    ]


def _stepped(count: int, seconds: float) -> tuple[float, float]:
    """Return the steps a second, of wall clock and of CPU, of so many worlds that run at the same time, summed over them."""
    words = module('_worlds', TASK, str(seconds))
    worlds = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    for world in worlds:
        assert world.stdout is not None and world.stdout.readline().strip() == 'ready'
    for world in worlds:
        assert world.stdin is not None
        world.stdin.write('go\n')
        world.stdin.flush()
    wall, cpu = zip(*(map(float, world.communicate()[0].split()) for world in worlds), strict=True)
    return sum(wall), sum(cpu)


def _memory(warm: int = 20, rounds: int = 200) -> list[str]:
    """Reset a world and a renderer again and again, each time to another scene, with a pick tried and pictures taken in between."""
    used = resets_in_memory(warm, rounds)
    return [
        f'memory over {rounds} resets: {used[0]:.0f} MB after {warm}, {used[1]:.0f} MB after {rounds} more ({used[1] / used[0] - 1:+.1%})'
    ]


def resets_in_memory(warm: int, rounds: int) -> tuple[float, float]:
    """Return what the process holds (MB) after so many resets, and after so many more."""
    bench, process, used = Bench(cameras='vlmbench:front'), psutil.Process(), []
    for seed in range(warm + rounds):
        scene = catalogue.build(TASK, 'seen', seed).scene
        snapshot = bench.world.load(scene)
        bench.renderer.load(scene)
        bench.planner.grasps(scene.props[0])
        bench.world.apply(Grip(0.0))
        for _ in range(4):
            snapshot = bench.world.step()
        bench.pictures(snapshot)
        if seed + 1 in (warm, warm + rounds):
            used.append(process.memory_info().rss / 1e6)
    bench.close()
    return used[0], used[1]


class _Inside:
    """Watches, from period to period, what of the world's time its engine and its contacts take."""

    def __init__(self, world: Timed) -> None:
        self._world = world._target
        self.engine = self.contacts = 0.0

    def period(self, snapshot: Snapshot) -> None:
        """Add what the last period took; the time to settle a scene does not count."""
        if snapshot.seq:
            self.engine += self._engine.seconds['stepSimulation']
            self.contacts += self._contacts.seconds['observe']
        stage = self._world._stage
        self._engine = stage.client = Timed(getattr(stage.client, '_target', stage.client))
        self._contacts = stage.contacts = Timed(getattr(stage.contacts, '_target', stage.contacts))

    def event(self, event: object) -> None:
        """Events take no time of the world."""


if __name__ == '__main__':
    print('\n'.join(report()))
