"""Steps a world in its own process: says `ready`, waits for a line, steps for some seconds, prints its steps a second, of clock and CPU."""

import sys
from time import perf_counter, process_time

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks import catalogue


def main() -> None:
    """Step a scene of the task that was named, from the word on."""
    task, seconds = sys.argv[1], float(sys.argv[2])
    world = BulletWorld(robot('panda'))
    world.load(catalogue.build(task, 'seen', 0).scene)
    print('ready', flush=True)
    sys.stdin.readline()
    begin, used, periods = perf_counter(), process_time(), 0
    while (now := perf_counter()) - begin < seconds:
        world.step()
        periods += 1
    steps = periods * STEPS_PER_PERIOD
    print(steps / (now - begin), steps / (process_time() - used), flush=True)
    world.close()


if __name__ == '__main__':
    main()
