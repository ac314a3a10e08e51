"""Aids that published protocols give a policy, by name. Each stands in the report as assistance.

They stand between the bench and the policy at arm's length, so what they do wrong is never the policy's fault.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import pi, radians
from typing import ClassVar

from vlm_bench_sim.core.command import Both, Command, Stop, ToolPose, Wait
from vlm_bench_sim.core.errors import ConfigError, near
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.protocols import Planner
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.units import leaves_of
from vlm_bench_tasks.judging.report import Event
from vlm_bench_tasks.judging.watch import Watch, watch
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import SEGMENTATION, EpisodeContext, Observation, Player
from vlm_bench_tasks.run import Bench

SUBGOALS, SNAPPING, STOPPING, HAND = 'subgoals', 'grasp_snapping', 'oracle_stop', 'gripper_state'
SNAP_DISTANCE, SNAP_ANGLE = 0.05, radians(10.0)
"""Within which the hand is put onto a grasp, m and rad."""

AIDS = {
    SUBGOALS: "the policy is told the plan's next part alone, and is reset with each",
    SNAPPING: 'a hand that closes within 5 cm and 10° of a grasp is first put onto it',
    HAND: "after each tool pose the hand does what the expert's does after its pose of that number, and nothing else",
    SEGMENTATION: 'the policy is shown what each pixel of a picture is of',
    STOPPING: 'once the goal holds the policy is stopped, so that it cannot undo it',
}
"""Each with what it does, for the documentation."""


def read(words: Iterable[str]) -> tuple[str, ...]:
    """Return the aids that words name, several with commas between, each once and sorted.

    Raises:
        ConfigError: there is no such aid.
    """
    found = {part.strip() for text in words for part in text.split(',') if part.strip()}
    for name in sorted(found):
        if name not in AIDS:
            raise ConfigError(f'There is no aid called {name!r}. {near(name, AIDS)}')
    return tuple(sorted(found))


class Aid:
    """Helps with one thing; this one helps with nothing."""

    def begin(self, start: Snapshot) -> None:
        """See the settled scene of a new episode."""

    def see(self, now: Snapshot) -> None:
        """See a control period."""

    def says(self, now: Snapshot) -> str:
        """Return what the policy is told now instead of the instruction; '' for nothing."""
        return ''

    def stops(self) -> bool:
        """Tell whether the policy is stopped."""
        return False

    def better(self, command: Command, now: Snapshot) -> tuple[Command, ...]:
        """Return what is done where the policy asks for that."""
        return (command,)


class OracleStop(Aid):
    """Stops the policy once the goal holds."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._watch: Watch | None = None

    def see(self, now: Snapshot) -> None:
        """See a control period; the first one is the start."""
        self._watch = self._watch or watch(self._goal, now)
        self._watch.see(now)

    def stops(self) -> bool:
        """Tell whether the goal holds."""
        return self._watch is not None and self._watch.holds


class Subgoals(Aid):
    """Tells the policy the first part of the plan that does not hold."""

    def __init__(self, plan: Goal) -> None:
        self._leaves = leaves_of(plan)

    def begin(self, start: Snapshot) -> None:
        """See the settled scene."""
        self._start = start

    def says(self, now: Snapshot) -> str:
        """Return a sentence of that part, or of the last one where all hold."""
        left = [leaf for leaf in self._leaves if not leaf.holds(now, self._start)] or list(self._leaves[-1:])
        return f'See to it that {left[0].words()}.' if left else ''


class GraspSnapping(Aid):
    """Puts a hand that is about to close onto the nearest grasp, if one is near enough."""

    def __init__(self, scene: Scene, planner: Planner) -> None:
        self._scene, self._planner = scene, planner

    def better(self, command: Command, now: Snapshot) -> tuple[Command, ...]:
        """Return a straight move onto the grasp before the hand closes."""
        grip = command.gripper if isinstance(command, Both) else command
        closes = grip.on if isinstance(grip, Seal) else isinstance(grip, Grip) and grip.opening < now.opening
        found = self._nearest(now) if closes and not now.held else None
        return (command,) if found is None or grip is None else (found, grip)  # the rest of a command for both would undo it

    def _nearest(self, now: Snapshot) -> ToolPose | None:
        best, nearest = None, SNAP_DISTANCE
        for prop in self._scene.now(now):
            if prop.ghost or prop.pose.distance(now.tool) > SNAP_DISTANCE + max(prop.size):
                continue
            for grasp in self._planner.grasps(prop):
                target = _likewise(prop.pose @ grasp.tool, now.tool)
                away = target.distance(now.tool)
                if away < nearest and target.angle(now.tool) < SNAP_ANGLE:
                    best, nearest = ToolPose(target, straight=True, allowed=(prop.name,)), away
        return best


class GivenHand(Aid):
    """Opens and closes the hand as the expert does, who has played the episode before. For policies that say one waypoint after another.

    Args:
        hands: what the expert's hand does after each of its tool poses.
    """

    def __init__(self, hands: Iterable[tuple[Command, ...]]) -> None:
        self._hands = deque(hands)

    def better(self, command: Command, now: Snapshot) -> tuple[Command, ...]:
        """Return a tool pose and what the hand does then; of a command for the hand, nothing but a period that passes."""
        if isinstance(command, Grip | Seal):
            return (Wait(PERIOD_S),)
        if isinstance(command, Both):
            return (replace(command, gripper=None),)
        if isinstance(command, ToolPose) and self._hands:
            return (command, *self._hands.popleft())
        return (command,)


class _Noted(Player):
    """Plays as the expert does, and notes what its hand does after each tool pose."""

    privileged: ClassVar[bool] = True

    def __init__(self) -> None:
        self._oracle, self.hands = Oracle(), list[tuple[Command, ...]]()

    def reset(self, context: EpisodeContext) -> None:
        self._oracle.reset(context)

    def act(self, observation: Observation) -> Command:
        command = self._oracle.act(observation)
        if isinstance(command, ToolPose):
            self.hands.append(())
        elif isinstance(command, Grip | Seal) and self.hands:
            self.hands[-1] += (command,)
        return command


def _hands(bench: Bench, episode: Episode) -> list[tuple[Command, ...]]:
    noted = _Noted()
    bench.run(episode, noted)
    return noted.hands


class Aided(Player):
    """Plays with a policy and its aids; also an observer of the run, for aids that watch it.

    Args:
        player: the policy, at arm's length.
        aids: that it has, by name.
        look: returns the newest snapshot.
    """

    def __init__(self, player: Player, aids: Mapping[str, Aid], *, look: Callable[[], Snapshot]) -> None:
        self._player, self._aids, self._look = player, tuple(aids.values()), look
        self._assistance = tuple(aids)

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""
        self._context, self._told = context, context.instruction
        self._commands: deque[Command] = deque()
        for aid in self._aids:
            aid.begin(self._look())
        if not self._tell():
            self._player.reset(context)

    def act(self, observation: Observation) -> Command:
        """Return the next command: the policy's, or what an aid makes of it."""
        now = self._look()
        if any(aid.stops() for aid in self._aids):
            return Stop()
        if not self._commands:
            self._tell()
            self._commands.extend(self._bettered(self._player.act(observation), now))
        return self._commands.popleft()

    def period(self, snapshot: Snapshot) -> None:
        """Show the aids a control period."""
        for aid in self._aids:
            aid.see(snapshot)

    def event(self, event: Event) -> None:
        """Take no notice."""

    @property
    def assistance(self) -> tuple[str, ...]:
        """The names of the aids."""
        return self._assistance

    @property
    def waypoint(self) -> str:
        """The policy's."""
        return self._player.waypoint

    @property
    def fault(self) -> str:
        """The policy's."""
        return self._player.fault

    @property
    def failures(self) -> tuple[str, ...]:
        """The policy's."""
        return self._player.failures

    def _tell(self) -> bool:
        """Reset the policy where it is to be told something else than before; tell whether it was."""
        said = next(filter(None, (aid.says(self._look()) for aid in self._aids)), self._told)
        if said == self._told:
            return False
        self._told = said
        self._player.reset(replace(self._context, instruction=said))
        return True

    def _bettered(self, command: Command, now: Snapshot) -> tuple[Command, ...]:
        commands: tuple[Command, ...] = (command,)
        for aid in self._aids:
            commands = tuple(better for one in commands for better in aid.better(one, now))
        return commands


class KnowingAided(Aided):
    """The same for a policy that is shown the truth."""

    privileged: ClassVar[bool] = True


def aided(player: Player, assist: tuple[str, ...], bench: Bench, episode: Episode) -> Aided:
    """Return a policy with its aids, for one episode in a bench."""
    made: dict[str, Callable[[], Aid]] = {
        SUBGOALS: lambda: Subgoals(episode.plan or episode.goal),
        SNAPPING: lambda: GraspSnapping(episode.scene, bench.planner),
        SEGMENTATION: Aid,
        STOPPING: lambda: OracleStop(episode.goal),
        HAND: lambda: GivenHand(_hands(bench, episode)),
    }
    kind = KnowingAided if player.privileged else Aided
    return kind(player, {name: made[name]() for name in assist}, look=lambda: bench.world.snapshot)


def _likewise(target: Pose, tool: Pose) -> Pose:
    """Return the target, or the one half a turn about its own axis away, which is the same to two fingers, whichever is nearer."""
    other = target @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, pi))
    return target if target.angle(tool) <= other.angle(tool) else other
