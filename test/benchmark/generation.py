"""A demonstration in numbers: vlmbench/pick_place with two cameras of 256x256 recorded at 10 Hz, as `vlm-bench generate` makes it.

The CPU time of each phase, and the wall clock, in which the disk counts too. The first episode of a process also pays for what all others
find ready; it is played before and does not count.
"""

import resource
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from test.benchmark._timed import Timed
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.judging.report import Event, Report
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

CAMERAS = 'vlmbench:front,wrist'
TASK = 'vlmbench/pick_place'
PHASES = ('reset', 'plan', 'physics', 'render', 'encode and write', 'rest')
HOUR_S = 3600.0


class Writing:
    """Passes on to a recorder, and adds up the seconds that it takes, less those in which the renderer draws."""

    def __init__(self, recorder: Recorder, renderer: Timed) -> None:
        self._recorder, self._renderer = recorder, renderer
        self.seconds = 0.0

    def period(self, snapshot: Snapshot) -> None:
        drawn, begin = sum(self._renderer.seconds.values()), process_time()
        self._recorder.period(snapshot)
        self.seconds += process_time() - begin - (sum(self._renderer.seconds.values()) - drawn)

    def event(self, event: Event) -> None:
        self._recorder.event(event)

    def close(self, report: Report) -> Path:
        begin = process_time()
        path = self._recorder.close(report)
        self.seconds += process_time() - begin
        return path


def report(seeds: int = 5) -> list[str]:
    """Return the lines of the report."""
    bench = Bench(cameras=CAMERAS)
    with tempfile.TemporaryDirectory() as folder:
        _made(bench, seeds, Path(folder))
        made = [_made(bench, seed, Path(folder)) for seed in range(seeds)]
    bench.close()
    mean = {name: sum(one[name] for one in made) / seeds for name in made[0]}
    cpu = sum(mean[phase] for phase in PHASES)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return [
        f'{HOUR_S / cpu:.0f} episodes per hour and core by CPU time ({cpu:.2f} s each), {HOUR_S / mean["wall"]:.0f} by the wall clock',
        *(f'{phase:<18}{1e3 * mean[phase]:6.0f} ms {100 * mean[phase] / cpu:5.1f} %' for phase in PHASES),
        f'{mean["bytes"] / 1e6:.2f} MB an episode of {mean["simulated"]:.1f} simulated s',
        f'{mean["bytes"] / 1e6 / cpu:.2f} MB/s written a core by CPU time, {mean["bytes"] / 1e6 / mean["wall"]:.2f} by the wall clock',
        f'{peak:.0f} MB of memory at most',
        f'means of {seeds} seeds; two cameras of 256x256 at 10 Hz with color, depth, instances and boxes; rest: judging, skills, hashes',
    ]


def _made(bench: Bench, seed: int, folder: Path) -> dict[str, float]:
    """Return the seconds of CPU that each phase took, those of the wall clock, the simulated ones, and the bytes of the bag."""
    begin, came = process_time(), perf_counter()
    episode = catalogue.build(TASK, 'seen', seed)
    parts = bench.world, bench.planner, bench.renderer
    bench.world, bench.planner, bench.renderer = world, planner, renderer = tuple(Timed(part, process_time) for part in parts)
    try:
        writing = Writing(Recorder(bench, episode, folder=folder), renderer)
        path = writing.close(bench.run(episode, Oracle(), writing).report)
    finally:
        bench.world, bench.planner, bench.renderer = parts
    found = {
        'reset': world.seconds['load'] + renderer.seconds['load'],
        'plan': sum(planner.seconds[ask] for ask in ('plan', 'check', 'grasps')),
        'physics': world.seconds['step'],
        'render': sum(renderer.seconds.values()) - renderer.seconds['load'],
        'encode and write': writing.seconds,
    }
    rest = process_time() - begin - sum(found.values())
    size = sum(file.stat().st_size for file in path.iterdir())
    return found | {'rest': rest, 'wall': perf_counter() - came, 'simulated': world.calls['step'] / CONTROL_HZ, 'bytes': size}
