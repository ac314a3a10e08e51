"""The oracle's episodes in numbers: the CPU time of each phase, by task, with two cameras that draw at every keyframe.

A keyframe is where the policy is asked: there each camera draws, and nowhere else. The first episode of a process also pays for what all
others find ready; it is played before and does not count. Every other episode has props of new sizes, whose grasps nobody knows.
"""

from time import process_time

from test.benchmark._timed import Timed
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.run import Bench

CAMERAS = 'vlmbench:front,wrist'
TASK = 'vlmbench/pick_place'
PHASES = ('build', 'reset', 'plan', 'physics', 'render', 'rest')


def report(seeds: int = 5) -> list[str]:
    """Return the lines of the report."""
    names = sorted(name for name in catalogue.tasks() if name.startswith('vlmbench/'))
    bench = Bench(cameras=CAMERAS)
    for name in names:
        bench.run(catalogue.build(name, 'seen', seeds), Oracle())
    spent = {name: [_played(bench, name, seed) for seed in range(seeds)] for name in names}
    bench.close()
    lines = [_row('ms of CPU an episode', (*PHASES, 'in all', 'real time', 'solved'))]
    for name, episodes in spent.items():
        skill_context = {phase: sum(one[phase] for one in episodes) / seeds for phase in episodes[0]}
        total = sum(skill_context[phase] for phase in PHASES)
        cells = [f'{1e3 * skill_context[phase]:.0f}' for phase in PHASES] + [
            f'{1e3 * total:.0f}',
            f'{skill_context["simulated"] / total:.1f}x',
        ]
        lines.append(_row(name, (*cells, f'{seeds * skill_context["solved"]:.0f}/{seeds}')))
    whole = sum(one[phase] for one in spent[TASK] for phase in PHASES) / seeds
    return [
        *lines,
        f'means of {seeds} seeds; two cameras of 256x256 at keyframes; plan: grasps and trajectories; rest: judging, skills, hashes',
        f'{TASK}: {60 / whole:.0f} episodes of the oracle a minute and core',
    ]


def _played(bench: Bench, name: str, seed: int) -> dict[str, float]:
    """Return the seconds of CPU that each phase took, the simulated seconds, and 1 where the oracle solved it."""
    begin = process_time()
    episode = catalogue.build(name, 'seen', seed)
    built = process_time()
    parts = bench.world, bench.planner, bench.renderer
    timed = world, planner, renderer = tuple(Timed(part, process_time) for part in parts)
    bench.world, bench.planner, bench.renderer = timed
    try:
        run = bench.run(episode, Oracle())
    finally:
        bench.world, bench.planner, bench.renderer = parts
    found = {
        'build': built - begin,
        'reset': world.seconds['load'] + renderer.seconds['load'],
        'plan': sum(planner.seconds[ask] for ask in ('plan', 'check', 'grasps')),
        'physics': world.seconds['step'],
        'render': sum(renderer.seconds.values()) - renderer.seconds['load'],
    }
    rest = process_time() - begin - sum(found.values())
    solved = float(run.report.verdict is Verdict.SUCCESS)
    return found | {'rest': rest, 'simulated': world.calls['step'] / CONTROL_HZ, 'solved': solved}


def _row(first: str, cells: tuple[str, ...]) -> str:
    return f'{first:<22}' + ''.join(f'{cell:>10}' for cell in cells)


if __name__ == '__main__':
    print('\n'.join(report()))
