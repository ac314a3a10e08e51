"""Aids that published protocols give a policy, by name. The report lists the aids in use as assistance.

They act outside the guard around the policy. An error in an aid is therefore never counted as the policy's fault.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import pi, radians
from typing import ClassVar

from vlm_bench_sim.core.camera import IDS_AID
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
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player
from vlm_bench_tasks.run import Bench

SUBGOALS, SNAPPING, STOPPING, HAND = 'subgoals', 'grasp_snapping', 'oracle_stop', 'gripper_state'
SNAP_DISTANCE, SNAP_ANGLE = 0.05, radians(10.0)
"""Largest distance (m) and angle (rad) between the hand and a grasp for snapping."""

AIDS = {
    SUBGOALS: "the policy is told the plan's next part alone, and is reset with each",
    SNAPPING: 'a hand that closes within 5 cm and 10° of a grasp is first put onto it',
    HAND: "after each tool pose the hand does what the expert's does after its pose of that number, and nothing else",
    IDS_AID: 'the policy is shown what each pixel of a picture is of',
    STOPPING: 'once the goal holds the policy is stopped, so that it cannot undo it',
}
"""Each aid with its description, for the documentation."""


def read(words: Iterable[str]) -> tuple[str, ...]:
    """Return the named aids, sorted and without duplicates; each word may hold several names separated by commas.

    Raises:
        ConfigError: an aid does not exist.
    """
    found = {part.strip() for text in words for part in text.split(',') if part.strip()}
    for name in sorted(found):
        if name not in AIDS:
            raise ConfigError(f'There is no aid called {name!r}. {near(name, AIDS)}')
    return tuple(sorted(found))


class Aid:
    """Base class of the aids; it changes nothing."""

    def begin(self, start: Snapshot) -> None:
        """Receive the settled scene of a new episode."""

    def see(self, now: Snapshot) -> None:
        """Receive the snapshot of a control period."""

    def says(self, now: Snapshot) -> str:
        """Return the text that the policy now gets instead of the instruction; '' to keep the instruction."""
        return ''

    def stops(self) -> bool:
        """Return whether the policy is stopped."""
        return False

    def better(self, command: Command, now: Snapshot) -> tuple[Command, ...]:
        """Return the commands that replace the policy's command."""
        return (command,)


class OracleStop(Aid):
    """Stops the policy once the goal holds."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._watch: Watch | None = None

    def see(self, now: Snapshot) -> None:
        """Receive the snapshot of a control period; the first one is the start."""
        self._watch = self._watch or watch(self._goal, now)
        self._watch.see(now)

    def stops(self) -> bool:
        """Return whether the goal holds."""
        return self._watch is not None and self._watch.holds


class Subgoals(Aid):
    """Tells the policy the first part of the plan that does not hold yet."""

    def __init__(self, plan: Goal) -> None:
        self._leaves = leaves_of(plan)

    def begin(self, start: Snapshot) -> None:
        """Receive the settled scene."""
        self._start = start

    def says(self, now: Snapshot) -> str:
        """Return a sentence for that part, or for the last part if all hold."""
        left = [leaf for leaf in self._leaves if not leaf.holds(now, self._start)] or list(self._leaves[-1:])
        return f'See to it that {left[0].words()}.' if left else ''


class GraspSnapping(Aid):
    """Moves a hand that is about to close onto the nearest grasp, if one is close enough."""

    def __init__(self, scene: Scene, planner: Planner) -> None:
        self._scene, self._planner = scene, planner

    def better(self, command: Command, now: Snapshot) -> tuple[Command, ...]:
        """Return the command, preceded by a straight move onto the grasp if the hand is about to close."""
        grip = command.gripper if isinstance(command, Both) else command
        closes = grip.on if isinstance(grip, Seal) else isinstance(grip, Grip) and grip.opening < now.opening
        found = self._nearest(now) if closes and not now.held else None
        return (command,) if found is None or grip is None else (found, grip)  # the arm part of a `Both` command would undo the move

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
    """Opens and closes the hand as the expert did in the same episode. For policies that output one waypoint after another.

    Args:
        hands: gripper commands of the expert after each of its tool poses.
    """

    def __init__(self, hands: Iterable[tuple[Command, ...]]) -> None:
        self._hands = deque(hands)

    def better(self, command: Command, now: Snapshot) -> tuple[Command, ...]:
        """Return a tool pose followed by the expert's gripper commands; replace the policy's gripper commands by a wait of one period."""
        if isinstance(command, Grip | Seal):
            return (Wait(PERIOD_S),)
        if isinstance(command, Both):
            return (replace(command, gripper=None),)
        if isinstance(command, ToolPose) and self._hands:
            return (command, *self._hands.popleft())
        return (command,)


class _Noted(Player):
    """Plays as the expert does, and records its gripper commands after each tool pose."""

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
    """Plays a policy together with its aids. It also observes the run, for aids that need it.

    Args:
        player: the guarded policy.
        aids: the aids by name.
        look: returns the newest snapshot.
    """

    def __init__(self, player: Player, aids: Mapping[str, Aid], *, look: Callable[[], Snapshot]) -> None:
        self._player, self._aids, self._look = player, tuple(aids.values()), look
        self._assistance = tuple(aids)

    def reset(self, context: EpisodeContext) -> None:
        """Start an episode."""
        self._context, self._told = context, context.instruction
        self._commands: deque[Command] = deque()
        for aid in self._aids:
            aid.begin(self._look())
        if not self._tell():
            self._player.reset(context)

    def act(self, observation: Observation) -> Command:
        """Return the next command, from the policy or from an aid."""
        now = self._look()
        if any(aid.stops() for aid in self._aids):
            return Stop()
        if not self._commands:
            self._tell()
            self._commands.extend(self._bettered(self._player.act(observation), now))
        return self._commands.popleft()

    def period(self, snapshot: Snapshot) -> None:
        """Pass the snapshot of a control period to the aids."""
        for aid in self._aids:
            aid.see(snapshot)

    def event(self, event: Event) -> None:
        """Ignore the event."""

    @property
    def assistance(self) -> tuple[str, ...]:
        """The names of the aids."""
        return self._assistance

    @property
    def waypoint(self) -> str:
        """The policy's waypoint."""
        return self._player.waypoint

    @property
    def fault(self) -> str:
        """The policy's fault."""
        return self._player.fault

    @property
    def failures(self) -> tuple[str, ...]:
        """The failures that the policy reported."""
        return self._player.failures

    def _tell(self) -> bool:
        """Reset the policy if its instruction has changed, and return whether it has."""
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
    """The same for a privileged policy, which observes the simulator's ground truth."""

    privileged: ClassVar[bool] = True


def aided(player: Player, assist: tuple[str, ...], bench: Bench, episode: Episode) -> Aided:
    """Return a policy with its aids, for one episode in a bench."""
    made: dict[str, Callable[[], Aid]] = {
        SUBGOALS: lambda: Subgoals(episode.plan or episode.goal),
        SNAPPING: lambda: GraspSnapping(episode.scene, bench.planner),
        IDS_AID: Aid,
        STOPPING: lambda: OracleStop(episode.goal),
        HAND: lambda: GivenHand(_hands(bench, episode)),
    }
    kind = KnowingAided if player.privileged else Aided
    return kind(player, {name: made[name]() for name in assist}, look=lambda: bench.world.snapshot)


def _likewise(target: Pose, tool: Pose) -> Pose:
    """Return the target or its half turn about its own axis, whichever is nearer to the tool. A two-finger gripper grasps both alike."""
    other = target @ Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, pi))
    return target if target.angle(tool) <= other.angle(tool) else other
