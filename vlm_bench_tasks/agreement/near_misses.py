"""Near misses of the expert: ten ways in which an episode that it solves ends just short of its goal, played with real physics."""

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from math import pi

from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.base import Leaf
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.judging.watch import Watch, watch
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import Observation

BEYOND = 1.5
"""How far a thing is displaced, as a share of the displacement from which on its clause is false."""

_LIFT = 0.03  # m above its place from which a displaced thing is dropped, clear of what lies there
_FARTHEST = 0.3  # m or rad within which a displacement is looked for
_STEPS = 60  # into which it is divided


class Film:
    """What was seen of an episode: every snapshot and event, and the control periods at which the expert was asked."""

    def __init__(self) -> None:
        self.snapshots: list[Snapshot] = []
        self.events: list[Event] = []
        self.asked: list[int] = []

    def period(self, snapshot: Snapshot) -> None:
        """Take a snapshot."""
        self.snapshots.append(snapshot)

    def event(self, event: Event) -> None:
        """Take an event."""
        self.events.append(event)


class Halted(Oracle):
    """The expert, which gives up at the first command of which `when` is true.

    Args:
        film: notes when it is asked.
        when: returns whether it gives up, given the number of the control period.
    """

    def __init__(self, film: Film, when: Callable[[int], bool] = lambda _: False) -> None:
        super().__init__()
        self._film, self._when = film, when

    def act(self, observation: Observation) -> Command:
        """Return the expert's command, or stop."""
        seq = observation.truth.seq if observation.truth else 0
        self._film.asked.append(seq)
        return Stop() if self._when(seq) else super().act(observation)


@dataclass(frozen=True)
class Miss:
    """What makes a near miss.

    Attributes:
        kind: one of `KINDS`.
        stops: from which control period on the expert is not asked again.
        moves: props that a hand puts elsewhere at that period, with their poses.
        halts: whether the arm stops there in the middle of a motion.
        episode: what the expert plays.
    """

    kind: str
    _: KW_ONLY
    stops: int
    episode: Episode
    moves: tuple[tuple[str, Pose], ...] = ()
    halts: bool = False


@dataclass(frozen=True)
class Solved:
    """An episode that the expert solved, with its film; `first`: the first control period at which the goal held."""

    episode: Episode
    film: Film
    first: int

    @property
    def scene(self) -> Scene:
        """The scene of the episode."""
        return self.episode.scene

    @property
    def start(self) -> Snapshot:
        """The first snapshot."""
        return self.film.snapshots[0]

    @property
    def now(self) -> Snapshot:
        """The snapshot at which the goal first held."""
        return self.film.snapshots[self.first]


def first_held(episode: Episode, film: Film) -> int:
    """Return the first control period at which the goal of an episode held; -1 if it never did."""
    seen: Watch = watch(episode.goal, film.snapshots[0])
    for now in film.snapshots:
        seen.see(now)
        if seen.holds:
            return now.seq
    return -1


def _early(one: Solved) -> Iterator[Miss]:
    """Give up at the last command before the goal held."""
    if before := [seq for seq in one.film.asked if seq < one.first]:
        yield Miss('early', stops=before[-1], episode=one.episode)


def _earlier(one: Solved) -> Iterator[Miss]:
    """Give up two commands earlier."""
    if len(before := [seq for seq in one.film.asked if seq < one.first]) > 2:
        yield Miss('earlier', stops=before[-3], episode=one.episode)


def _halfway(one: Solved) -> Iterator[Miss]:
    """Give up at half the commands."""
    if before := [seq for seq in one.film.asked if seq < one.first]:
        yield Miss('halfway', stops=before[len(before) // 2], episode=one.episode)


def _holding(one: Solved) -> Iterator[Miss]:
    """Give up while something is held for the last time before the goal held."""
    held = [seq for seq in one.film.asked if seq < one.first and one.film.snapshots[seq].held]
    if held:
        yield Miss('holding', stops=held[-1], episode=one.episode)


def _cut(one: Solved) -> Iterator[Miss]:
    """Stop the arm in the middle of its motion, just before the goal held."""
    for before in (2, 5, 10):
        if one.first > before:
            yield Miss('cut', stops=one.first - before, halts=True, episode=one.episode)


def _displaced(one: Solved) -> Iterator[Miss]:
    """Shift a thing sideways by 1.5 times what its clause tolerates."""
    for leaf, name in _moved(one):
        for x, y in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
            here = one.now.pose(name)
            if shift := _least(one, leaf, name, partial(_slid, here, x, y)):
                there = here.shifted((BEYOND * shift * x, BEYOND * shift * y, _LIFT))
                yield Miss('displaced', stops=one.first, moves=((name, there),), episode=one.episode)


def _turned(one: Solved) -> Iterator[Miss]:
    """Turn a thing about the vertical by 1.5 times what its clause tolerates."""
    for leaf, name in _moved(one):
        here = one.now.pose(name)
        if turn := _least(one, leaf, name, partial(_spun, here)):
            yield Miss('turned', stops=one.first, moves=((name, _spun(here, BEYOND * turn)),), episode=one.episode)


def _toppled(one: Solved) -> Iterator[Miss]:
    """Lay a thing on its side."""
    for _, name in _moved(one):
        over = Pose.from_rpy((0.0, 0.0, 0.0), (pi / 2, 0.0, 0.0)) @ Pose(orientation=one.now.pose(name).orientation)
        here = one.now.pose(name).shifted((0.0, 0.0, _LIFT))
        yield Miss('toppled', stops=one.first, moves=((name, Pose(here.position, over.orientation)),), episode=one.episode)


def _returned(one: Solved) -> Iterator[Miss]:
    """Put a thing back where it was."""
    for _, name in _moved(one):
        yield Miss('returned', stops=one.first, moves=((name, one.start.pose(name)),), episode=one.episode)


def _another(one: Solved) -> Iterator[Miss]:
    """Obey another sentence that would be valid in the scene."""
    for plan in one.episode.alternatives:
        yield Miss('another', stops=10**9, episode=replace(one.episode, plan=plan))


KINDS: dict[str, Callable[[Solved], Iterator[Miss]]] = {
    'early': _early, 'displaced': _displaced, 'holding': _holding, 'turned': _turned, 'another': _another, 'cut': _cut,
    'toppled': _toppled, 'earlier': _earlier, 'returned': _returned, 'halfway': _halfway,
}  # fmt: skip
"""The ten kinds, each with what yields candidates; the judge that sees everything says which of them are misses."""


def candidates(one: Solved, first: int) -> Iterator[Miss]:
    """Yield near misses of an episode: those of kind number `first`, then those of the kinds after it."""
    kinds = list(KINDS.values())
    for offset in range(len(kinds)):
        yield from kinds[(first + offset) % len(kinds)](one)


def _moved(one: Solved) -> Iterator[tuple[Leaf, str]]:
    """Yield the clauses with a free thing that they need where it is, and that was not there at the start."""
    fixed = {prop.name for prop in one.scene.props if prop.fixed or prop.ghost}
    for leaf in one.episode.goal.leaves():
        for name in (prop.name for prop in leaf.props() if prop.name not in fixed):
            before = _at(one.now, name, one.start.pose(name))
            if leaf.holds(one.now, one.start) and not leaf.holds(before, one.start):
                yield leaf, name


def _least(one: Solved, leaf: Leaf, name: str, placed: Callable[[float], Pose]) -> float:
    """Return the least displacement, m or rad, from which on a clause is false with a thing where `placed` says; 0.0 if none is found."""
    for step in range(1, _STEPS + 1):
        by = _FARTHEST * step / _STEPS
        if not leaf.holds(_at(one.now, name, placed(by)), one.start):
            return by
    return 0.0


def _at(now: Snapshot, name: str, pose: Pose) -> Snapshot:
    return replace(now, bodies=now.bodies | {name: Body(pose)})


def _slid(pose: Pose, x: float, y: float, by: float) -> Pose:
    return pose.shifted((by * x, by * y, 0.0))


def _spun(pose: Pose, by: float) -> Pose:
    turn = Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, by)) @ Pose(orientation=pose.orientation)
    return Pose(pose.position, turn.orientation)
