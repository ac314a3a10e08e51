"""Grasps in numbers: what each gripper holds through shaking along three axes and five seconds of waiting, and how long a set takes."""

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from test.benchmark._holding import AMPLITUDE, CUPS, FINGERS, HOLD_S, HZ, SLIP, Hand, Outcome, Thing
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.shapes import kinds, usual_size
from vlm_bench_sim.motion.grasp_sets import GraspSets
from vlm_bench_sim.motion.planner import MotionPlanner, sampler
from vlm_bench_sim.profiles import robot, robots

WIDTH = 13


def report() -> list[str]:
    """Return the lines of the report."""
    return [*_held(), *(_sets(name) for name in robots())]


def outcomes(name: str) -> dict[Thing, Outcome]:
    """Return what came of each thing in the gripper of one robot."""
    profile = robot(name)
    hand = Hand(profile)
    found = {thing: hand.hold(thing) for thing in (CUPS if isinstance(profile.gripper, SuctionProfile) else FINGERS)}
    hand.close()
    return found


def _held() -> list[str]:
    columns = {name: outcomes(name) for name in robots()}
    things = tuple(dict.fromkeys((*FINGERS, *CUPS)))
    rows = [(str(thing), *(str(column.get(thing, '')) for column in columns.values())) for thing in things]
    counts = [f'{sum(o.held for o in column.values())}/{len(column)}' for column in columns.values()]
    trials = [o for column in columns.values() for o in column.values()]
    first = max(len(str(thing)) for thing in things)
    return [
        f'held: the farthest any corner moved in the gripper, mm ({AMPLITUDE * 1000:.0f} mm at {HZ:g} Hz along x, y, z, '
        f'then {HOLD_S:g} s; lost from {1000 * SLIP:.0f} mm on)',
        *(f'{row[0]:<{first}}' + ''.join(f'{cell:>{WIDTH}}' for cell in row[1:]) for row in (('', *columns), *rows, ('held', *counts))),
        f'held in all: {sum(o.held for o in trials)}/{len(trials)}',
    ]


def _sets(name: str) -> str:
    planner = MotionPlanner(robot(name))
    with TemporaryDirectory() as folder:
        sets = GraspSets(sampler(planner.collision), Path(folder))
        seconds, found = {}, {}
        for kind in kinds():
            begin = perf_counter()
            found[kind] = len(sets.find(kind, usual_size(kind), 0.71))
            seconds[kind] = perf_counter() - begin
    slowest = max(seconds, key=seconds.__getitem__)
    none = [kind for kind, count in found.items() if not count]
    return (
        f'{name}: a grasp set takes {median(seconds.values()):.2f} s in the median of {len(seconds)} shapes at their usual size, '
        f'at most {seconds[slowest]:.2f} s ({slowest}); no grasp of: {", ".join(none) or "none"}'
    )


if __name__ == '__main__':
    print('\n'.join(report()))
