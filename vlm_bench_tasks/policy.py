"""A policy: what it is told, what it sees, and what it answers. No ROS here; `nodes/policy_node` carries the same class over ROS."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from vlm_bench_sim.core.camera import Calibration, Picture
from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.protocols import Planner
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.goals.base import Goal

SEGMENTATION = 'segmentation'
"""The aid that fills `Picture.ids`, which are truth."""


@dataclass(frozen=True)
class Outcome:
    """What the last command came to.

    Attributes:
        done: it came to its end.
        text: why not.
        stalled: the gripper was stopped by something: fingers hold it, or cups are sealed on it.
    """

    done: bool = True
    text: str = ''
    stalled: bool = False


@dataclass(frozen=True)
class Observation:
    """What a policy sees when it is asked for its next command.

    Attributes:
        seconds: simulated time since the episode began.
        joints: arm and fingers, by name.
        tool: pose of the tool centre point in the world.
        opening: full width between the fingers, m.
        outcome: of the command before.
        pictures: newest picture of each camera, by name; all of it is background (`ids` 0) unless the aid segmentation is given.
        camera_poses: of the optical frame (x right, y down, z forward) of each camera in the world, when that picture was taken.
        truth: the whole state, for privileged policies only.
    """

    seconds: float
    joints: dict[str, JointState]
    tool: Pose
    opening: float
    outcome: Outcome = Outcome()
    pictures: dict[str, Picture] = field(default_factory=dict)
    camera_poses: dict[str, Pose] = field(default_factory=dict)
    truth: Snapshot | None = None

    def arm(self, joints: tuple[str, ...]) -> Floats:
        """Return the positions of these joints, in their order, rad."""
        return np.array([self.joints[name].position for name in joints])


@dataclass(frozen=True)
class PrivilegedInfo:
    """What only privileged policies are told.

    Attributes:
        scene: what stands where at the start.
        plan: what to do in it.
        planner: that knows where everything is.
        alternatives: what other sentences that are true of the scene would have asked for.
    """

    scene: Scene
    plan: Goal
    planner: Planner
    alternatives: tuple[Goal, ...] = ()


@dataclass(frozen=True)
class EpisodeContext:
    """What a policy is told before an episode.

    Attributes:
        instruction: the sentence.
        profile: of the robot.
        privileged_info: for privileged policies only.
        seed: for the chance of a policy that comes with the bench; from a stream that nothing else draws from, so that it tells nothing.
        cameras: what is known of each camera that the policy is shown pictures of, by name.
        period: control period, simulated s: commands begin and end on its multiples.
    """

    instruction: str
    profile: RobotProfile
    privileged_info: PrivilegedInfo | None = None
    seed: int = 0
    cameras: Mapping[str, Calibration] = field(default_factory=dict)
    period: float = PERIOD_S


class Player(ABC):
    """What plays an episode: decides what the robot does next, and is asked again when its last command has ended.

    Attributes:
        privileged: whether it is shown the truth.
    """

    privileged: ClassVar[bool] = False

    @abstractmethod
    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""

    @abstractmethod
    def act(self, observation: Observation) -> Command:
        """Return the next command; `Stop()` when done."""

    @property
    def assistance(self) -> tuple[str, ...]:
        """The names of the aids that it has."""
        return ()

    @property
    def failures(self) -> tuple[str, ...]:
        """What went wrong in this episode and was tried again, each in words."""
        return ()

    @property
    def fault(self) -> str:
        """What it did wrong, which ends the episode: `word: sentence`; '' for nothing."""
        return ''

    @property
    def waypoint(self) -> str:
        """The JSON of the waypoint that the last command leads to; '' for none."""
        return ''


class Policy(ABC):
    """A policy of yours: derive from this class. It runs unchanged in this process and as a node, and is never told the truth.

    It is made once a process, with the arguments of `--policy-arg`, all of them strings, and plays one episode after another. Whatever it
    raises is its failure: `evaluate` counts it with its cause, a node takes it as done, and `vlm-bench run` shows it.
    """

    @abstractmethod
    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Args:
            context: the instruction, the robot's profile, the cameras and the control period. The rest is not for you: None and 0.
        """

    @abstractmethod
    def act(self, observation: Observation) -> Command:
        """Return the next command; `Stop()` when done.

        Args:
            observation: what is seen now. Its `truth` is not for you: None, and in `evaluate` reading it is a failure.
        """


class Played(Player):
    """Plays with a policy, and tells it what a robot's user knows.

    Args:
        policy: that decides.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""
        self._policy.reset(replace(context, privileged_info=None, seed=0))

    def act(self, observation: Observation) -> Command:
        """Return the policy's next command.

        Raises:
            CommandError: what it answered is none.
        """
        command: object = self._policy.act(observation)
        if isinstance(command, Command):
            return command
        found = f'{type(self._policy).__name__}.act returned {command!r:.200}'
        raise CommandError(f'{found}. Let it return a command of vlm_bench_sim.core.command, such as Wait(0.05).')
