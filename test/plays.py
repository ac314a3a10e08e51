"""Episodes that were played in this process, and hands that meddle with them."""

from functools import cache

from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import PlanError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import Feasibility, PlanCode
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policy import Player
from vlm_bench_tasks.run import Bench, Run

TASK = 'vlmbench/pick_place'


@cache
def episode(seed: int = 0, split: str = 'seen') -> Episode:
    return catalogue.build(TASK, split, seed)


@cache
def bench(robot: str = 'panda') -> Bench:
    """One bench a robot for all tests of this process; a world is laid out afresh for each episode."""
    return Bench(robot)


@cache
def solved() -> Run:
    """The first seen seed, played by the oracle."""
    return bench().run(episode(), policy('oracle'))


class Film:
    """Keeps every snapshot and event."""

    def __init__(self) -> None:
        self.snapshots: list[Snapshot] = []
        self.events: list = []

    def period(self, snapshot) -> None:
        self.snapshots.append(snapshot)

    def event(self, event) -> None:
        self.events.append(event)


class Hand:
    """Puts a prop elsewhere, once, at the first period of which `when` is true."""

    def __init__(self, world, name: str, pose: Pose, when) -> None:
        self.world, self.name, self.pose, self.when = world, name, pose, when
        self.moved_at: int | None = None

    def period(self, snapshot) -> None:
        if self.moved_at is None and self.when(snapshot):
            self.world.place(self.name, self.pose)
            self.moved_at = snapshot.seq

    def event(self, event) -> None:
        pass


class Scripted(Player):
    """Gives one command after the other, whatever it sees; then stops, or repeats the last one for ever."""

    def __init__(self, *commands: Command, forever: bool = False, privileged: bool = False) -> None:
        self.commands, self.forever = commands, forever
        self.privileged = privileged
        self.seen: list = []

    def reset(self, context) -> None:
        self.context = context
        self.seen = []

    def act(self, observation) -> Command:
        self.seen.append(observation)
        turn = len(self.seen) - 1
        if turn < len(self.commands):
            return self.commands[turn]
        return self.commands[-1] if self.forever else Stop()


class Spy:
    """A planner that is asked for what the protocol holds, and remembers it; anything else that is asked of it raises."""

    def __init__(self, planner) -> None:
        self._planner = planner
        self.requests: list = []

    def plan(self, request):
        self.requests.append(request)
        return self._planner.plan(request)

    def check(self, request, chain):
        return self._planner.check(request, chain)

    def grasps(self, prop):
        return self._planner.grasps(prop)


class Hopeless(Spy):
    """Says that everything can be reached, and plans nothing."""

    def plan(self, request):
        self.requests.append(request)
        raise PlanError('No path.', PlanCode.NO_PATH)

    def check(self, request, chain):
        return Feasibility(feasible=True, cost=1.0)
