"""Play the recorded actions of a bag again as rows of an action space. This shows how well the space can represent the episode.

A replay repeats the exact actions on the world. A playback instead sends them as a policy would that had memorized them.
"""

from collections import deque
from dataclasses import dataclass, replace
from math import dist
from pathlib import Path

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Command, Hold, Stop
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.geometry import Floats
from vlm_bench_sim.core.perturbation import NONE
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.core.unsteady import KinematicsSolver
from vlm_bench_tasks.actions import ActionSpace, Decoder, action_space
from vlm_bench_tasks.dataset.exports.frames import Wish, frames
from vlm_bench_tasks.dataset.replay import actions_of, check_versions, engine_of, episode_of
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.messages import read_report
from vlm_bench_tasks.judging.report import Event, Report
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player
from vlm_bench_tasks.run import Bench


class RowPlayer(Player):
    """Plays the rows of an action space one after another, and then stops.

    Args:
        rows: (N, numbers) rows of the action space.
        space: the action space.
        kinematics: of the robot.
    """

    def __init__(self, rows: Floats, space: ActionSpace, *, kinematics: KinematicsSolver) -> None:
        self._all, self._space, self._kinematics = rows, space, kinematics

    def reset(self, context: EpisodeContext) -> None:
        """Start an episode."""
        self._rows = deque(self._all)
        self._decoder = Decoder(self._space, context.profile, kinematics=self._kinematics)

    def act(self, observation: Observation) -> Command:
        """Return the command for the next row."""
        return self._decoder.command(self._rows.popleft(), observation) if self._rows else Stop()


@dataclass(frozen=True)
class Playback:
    """The result of a playback.

    Attributes:
        episode: the stored episode.
        robot: name of the robot.
        space: name of the action space.
        rows: number of rows played.
        report: the new judgement.
        recorded: the recorded verdict.
        apart: largest distance between the tool's positions in playback and recording at the same control period, m.
        hashes: state hash of each control period.
    """

    episode: Episode
    robot: str
    space: str
    rows: int
    report: Report
    recorded: Verdict
    apart: float
    hashes: tuple[str, ...]


class _Tools:
    """Records the tool pose at each control period."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, float, float]] = []

    def period(self, snapshot: Snapshot) -> None:
        self.seen.append(snapshot.tool.position)

    def event(self, event: Event) -> None:
        pass


def play_back(path: Path, name: str) -> Playback:
    """Play the actions of the bag at `path` as rows of an action space.

    Raises:
        BagError: the bag is missing, damaged, recorded with other physics, holds actions other than the robot's, or lacks an action,
            a state or the report.
        ConfigError: the action space does not exist.
    """
    space, bag = action_space(name), reader.open_bag(path)
    check_versions(bag)
    if others := [action for _, action in actions_of(bag) if not isinstance(action, Command | Hold)]:
        raise BagError(
            f'{path} holds an action {type(others[0]).__name__}, which has no row in an action space. Replay it without --action.'
        )
    episode = replace(episode_of(path), perturbation=NONE)  # scene and rows already contain its effects, such as noise and drops
    read = frames(path, Wish(fps=CONTROL_HZ, action=name, pictures=False))
    recorded = read_report(reader.report(bag)).verdict
    rows, tools = read.columns['applied.action'], _Tools()
    bench = Bench(read.profile.name, engine=engine_of(bag))
    try:
        run = bench.run(episode, RowPlayer(rows, space, kinematics=bench.kinematics), tools)
    finally:
        bench.close()
    apart = max((dist(a, b) for a, b in zip(tools.seen, read.columns['tool_pose'][:, :3].tolist(), strict=False)), default=0.0)
    return Playback(episode, read.profile.name, name, len(rows), run.report, recorded, apart, run.hashes)
