"""Physics in numbers, in one process: a physics step, a control period, a reset, and where the time of an episode goes."""

from statistics import median
from time import perf_counter

from test.benchmark._timed import Timed
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_S, STEPS_PER_PERIOD
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

TASK = 'vlmbench/pick_place'


def report(episodes: int = 4) -> list[str]:
    """Return the lines of the report."""
    return [*_resets(), *_episodes(episodes)]


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
        self._engine = self._world._client = Timed(getattr(self._world._client, '_target', self._world._client))
        self._contacts = self._world._contacts = Timed(getattr(self._world._contacts, '_target', self._world._contacts))

    def event(self, event: object) -> None:
        """Events take no time of the world."""


if __name__ == '__main__':
    print('\n'.join(report()))
