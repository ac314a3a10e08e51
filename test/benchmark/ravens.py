"""A pick-and-place step of LoHoRavens in numbers: the expert's steps with the published observation, by phase, and episodes an hour.

The published observation is one RGB-D picture of 640 × 480 of each of three views and one from above, before each step and after it. The
published simulator takes 3.5 s a step with it, on a machine of two cores without a GPU (76 % of that is rendering).
"""

from collections import Counter
from dataclasses import dataclass, field
from os import cpu_count
from time import perf_counter, process_time

from test.benchmark._timed import Timed
from vlm_bench_sim import profiles
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.gripper import Seal
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation
from vlm_bench_tasks.run import Bench

TASKS = ('match_bowls', 'stack_in_area', 'move_between_areas')
TASK_B = TASKS[0]
ROBOT, CAMERAS, SIZE, FIRST = 'ur5e', 'lohoravens', (640, 480), 100_000
PUBLISHED, AIM = 3.5, 0.35  # s a step
PHASES = ('plan', 'physics', 'render', 'rest')


class Photographer:
    """Takes the published pictures of a scene from the bench's own state."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._cameras = bench, profiles.cameras(CAMERAS, *SIZE, robot=ROBOT)
        self._renderer = Renderer(bench.profile)
        self.seconds, self.renderer_string = 0.0, self._renderer.renderer_string

    def load(self, scene: Scene) -> None:
        """Look at another scene from now on."""
        begin = perf_counter()
        self._renderer.load(scene)
        self.seconds += perf_counter() - begin

    def take(self, now: Snapshot) -> None:
        """Take one picture of each view."""
        begin = perf_counter()
        self._renderer.pictures(self._cameras, now, self._bench.links(now))
        self.seconds += perf_counter() - begin

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()


class Observed(Oracle):
    """The expert, photographed before each step and after it: when the cup seals, and when it lets something go. Without a camera: counted.

    Attributes:
        steps: begun so far.
    """

    def __init__(self, photographer: Photographer | None) -> None:
        super().__init__()
        self._photographer, self.steps = photographer, 0

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""
        super().reset(context)
        if self._photographer and context.privileged_info:
            self._photographer.load(context.privileged_info.scene)

    def act(self, observation: Observation) -> Command:
        """Return the next command."""
        command, now = super().act(observation), observation.truth
        if isinstance(command, Seal) and now is not None and (command.on or now.held):
            self.steps += int(command.on)
            if self._photographer:
                self._photographer.take(now)
        return command


@dataclass
class Spent:
    """What some episodes took: wall seconds a phase, seconds of CPU of all threads, steps, and how many were solved."""

    wall: Counter[str] = field(default_factory=Counter)
    cpu: float = 0.0
    simulated: float = 0.0
    steps: int = 0
    episodes: int = 0
    solved: int = 0

    @property
    def seconds(self) -> float:
        """Wall seconds of all phases."""
        return sum(self.wall[phase] for phase in PHASES)


def report(seeds: int = 4) -> list[str]:
    """Return the lines of the report."""
    bench = Bench(ROBOT)
    photographer = Photographer(bench)
    played(bench, TASK_B, FIRST + seeds, photographer, Spent())  # pays for what all others find ready
    lines = [
        f'drawn by {photographer.renderer_string}; wall ms a pick-and-place step with 8 pictures of 640x480, means of {seeds} episodes'
    ]
    lines.append(_row('task', ('steps', *PHASES, 'together', 'reset', 'of CPU', 'real time', 'solved')))
    for name in TASKS:
        spent = Spent()
        for seed in range(FIRST, FIRST + seeds):
            played(bench, name, seed, photographer, spent)
        lines.append(_line(name, spent))
        if name == TASK_B:
            lines.append(_against_published(spent))
    lines += _episodes_an_hour(bench, seeds)
    photographer.close()
    bench.close()
    return lines


def played(bench: Bench, name: str, seed: int, photographer: Photographer | None, spent: Spent) -> None:
    """Play an episode and add up what it took."""
    episode = catalogue.build(f'lohoravens/{name}', 'test', seed)
    parts, drawn = (bench.world, bench.planner), photographer.seconds if photographer else 0.0
    bench.world, bench.planner = world, planner = Timed(parts[0]), Timed(parts[1])
    policy, begin, used = Observed(photographer), perf_counter(), process_time()
    try:
        run = bench.run(episode, policy)
    finally:
        bench.world, bench.planner = parts
    found = Counter({
        'reset': world.seconds['load'],
        'plan': sum(planner.seconds[ask] for ask in ('plan', 'check', 'grasps')),
        'physics': world.seconds['step'],
        'render': photographer.seconds - drawn if photographer else 0.0,
    })  # fmt: skip
    found['rest'] = perf_counter() - begin - sum(found.values())
    spent.wall += found
    spent.cpu += process_time() - used
    spent.simulated += world.calls['step'] / CONTROL_HZ
    spent.steps, spent.episodes = spent.steps + policy.steps, spent.episodes + 1
    spent.solved += run.report.verdict is Verdict.SUCCESS


def _line(name: str, spent: Spent) -> str:
    cells = [f'{1e3 * spent.wall[phase] / spent.steps:.0f}' for phase in PHASES]
    more = (f'{1e3 * spent.wall["reset"] / spent.episodes:.0f}', f'{1e3 * spent.cpu / spent.steps:.0f}')
    factor = f'{spent.simulated / spent.seconds:.1f}x'
    whole = f'{1e3 * spent.seconds / spent.steps:.0f}'
    return _row(name, (str(spent.steps), *cells, whole, *more, factor, f'{spent.solved}/{spent.episodes}'))


def _against_published(spent: Spent) -> str:
    step = spent.seconds / spent.steps
    return f'  {step:.2f} s a step; the published simulator needs {PUBLISHED} s, {PUBLISHED / step:.0f} times as long; the aim is {AIM} s'


def _episodes_an_hour(bench: Bench, seeds: int) -> list[str]:
    """Return how many episodes of task B a core plays in an hour, by the CPU time of all threads."""
    lines = []
    for words, photographer in (('with its pictures', Photographer(bench)), ('without pictures', None)):
        spent = Spent()
        for seed in range(FIRST, FIRST + seeds):
            played(bench, TASK_B, seed, photographer, spent)
        if photographer:
            photographer.close()
        lines.append(f'{TASK_B} {words}: {3600 * spent.episodes / spent.cpu:.0f} episodes an hour and core ({cpu_count()} cores here)')
    return lines


def _row(first: str, cells: tuple[str, ...]) -> str:
    return f'{first:<20}' + ''.join(f'{cell:>10}' for cell in cells)


if __name__ == '__main__':
    print('\n'.join(report()))
