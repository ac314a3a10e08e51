"""Recording in numbers: five RGB-D cameras into a bag an episode, and what is in the bags afterwards; exit 1 if a message is missing."""

from collections import Counter, deque
from pathlib import Path
from tempfile import TemporaryDirectory

from test.benchmark._bench import Played, Processes, Watcher, real_time, running, shares
from vlm_bench_sim.bags.prefix import stamp_ns
from vlm_bench_sim.bags.reader import Bag, open_bag, snapshots
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.ros import names

CAMERAS, RATE = 'vlmbench', 10.0
PERIODIC = (names.CLOCK, names.JOINT_STATES, names.TF, names.TCP_POSE, names.WORLD_STATE, names.TICK)


def report(episodes: int = 2) -> list[str]:
    """Return the lines of the report.

    Raises:
        SystemExit: a message that was due is in no bag; with the same lines.
    """
    with TemporaryDirectory(prefix='vlm_bench_') as folder:
        with running(policy='oracle', cameras=CAMERAS, camera_rate=RATE, record=folder) as (watcher, processes):
            played = [_recorded(watcher, Path(folder), number) for number in range(episodes)]
            peak = _recorder_only(processes)
        bags = {bag.custom['token']: bag for bag in map(open_bag, Path(folder).iterdir())}
        due, missing = _drops([(one, bags[one.report.token]) for one in played])
        lines = [
            f'{len(cameras(CAMERAS))} RGB-D cameras 256x256 at {RATE:g} Hz recorded: {real_time(played)}',
            f'messages: {due} due in {len(played)} bags, {missing.total()} missing; no gap in the sequence of world states',
            f'{_rate(played, list(bags.values()))}; peak memory: {peak}',
        ]
        if missing:
            told = ', '.join(f'{count} of {name}' for name, count in missing.most_common())
            raise SystemExit('\n'.join([*lines, f'MISSING: {told}']))
        return lines


def _recorded(watcher: Watcher, folder: Path, number: int) -> Played:
    played = watcher.episode(number)
    watcher.wait(lambda: len(list(folder.glob('[!.]*'))) > number, 'the bag')
    return played


def _recorder_only(processes: Processes) -> str:
    return shares({name: peak for name, peak in processes.peaks().items() if name == 'recorder_node'})


def _drops(episodes: list[tuple[Played, Bag]]) -> tuple[int, Counter[str]]:
    """Return how many messages were due by the ticks, and how many of them are missing; `snapshots` raises where a sequence number is."""
    due, missing = 0, Counter[str]()
    for played, bag in episodes:
        ticks = {tick.ns for tick in played.ticks}
        pictures = {tick.ns for tick in played.ticks if tick.seq % round(CONTROL_HZ / RATE) == 0}
        shown = [row for camera in cameras(CAMERAS) for row in names.picture_names(camera.name) if row.recorded]
        for row, expected in [*((row, ticks) for row in PERIODIC), *((row, pictures) for row in shown)]:
            found = {stamp_ns(raw.type, raw.data) for raw in bag.raw(row.name)}
            due += len(expected)
            missing[row.name] += len(expected - found)
        deque(snapshots(bag), maxlen=0)
    return due, +missing


def _rate(played: list[Played], bags: list[Bag]) -> str:
    size = sum(file.stat().st_size for bag in bags for file in bag.files) / 1e6
    seconds, wall = sum(one.seconds for one in played), sum(one.wall for one in played)
    return f'written: {size / wall:.1f} MB/s of wall clock, {size / seconds:.1f} MB per simulated second ({size:.0f} MB in all)'


if __name__ == '__main__':
    print('\n'.join(report()))
