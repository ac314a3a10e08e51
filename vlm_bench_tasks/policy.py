"""The policy interface: context, observation and command. It does not use ROS; `nodes/policy_node` runs the same class over ROS."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

import numpy as np

from vlm_bench_sim.core.camera import Calibration, Picture
from vlm_bench_sim.core.codes import Note
from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.errors import CommandError, VlmBenchError, near, quoted
from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.prompts import PromptImage
from vlm_bench_sim.core.protocols import Planner
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_tasks.goals.base import Goal

T = TypeVar('T')


@dataclass(frozen=True)
class Outcome:
    """The result of the last command.

    Attributes:
        done: True if the command was completed.
        text: the reason if it was not.
        stalled: True if an object stopped the gripper: the fingers hold it, or the cups are sealed on it.
    """

    done: bool = True
    text: str = ''
    stalled: bool = False


class NoCameraError(VlmBenchError, KeyError):
    """A policy asked for a camera that it does not have."""

    __str__ = Exception.__str__  # that of KeyError puts the text in quotes


class ByCamera(dict[str, T]):
    """Values by camera.

    Raises:
        NoCameraError: a name was looked up that no camera of the policy has.
    """

    def __missing__(self, name: str) -> T:
        """Say which cameras there are."""
        if self:
            raise NoCameraError(f'There is no camera called {quoted(str(name))}. {near(str(name), self)}')
        raise NoCameraError(
            f'There is no camera called {quoted(str(name))}: no cameras were asked for. Name some, as with --cameras vlmbench.'
        )


@dataclass(frozen=True)
class Observation:
    """What a policy sees when it is asked for its next command.

    Attributes:
        seconds: simulated time since the episode began.
        joints: arm and fingers, by name.
        tool: pose of the tool centre point in the world.
        opening: full width between the fingers, m.
        outcome: result of the previous command.
        pictures: newest picture of each camera, by name; `ids` is 0 (background) everywhere unless the aid segmentation is given.
        camera_poses: world pose of each camera's optical frame (x right, y down, z forward) when its picture was taken, by name.
        truth: the full simulator state, for privileged policies only.
    """

    seconds: float
    joints: dict[str, JointState]
    tool: Pose
    opening: float
    outcome: Outcome = Outcome()
    pictures: dict[str, Picture] = field(default_factory=dict)
    camera_poses: dict[str, Pose] = field(default_factory=dict)
    truth: Snapshot | None = None

    def __post_init__(self) -> None:
        """Let a camera that is not there be named in words."""
        object.__setattr__(self, 'pictures', ByCamera(self.pictures))
        object.__setattr__(self, 'camera_poses', ByCamera(self.camera_poses))

    def arm(self, joints: tuple[str, ...]) -> Floats:
        """Return the positions of the given joints, in the given order, rad."""
        return np.array([self.joints[name].position for name in joints])


@dataclass(frozen=True)
class PrivilegedInfo:
    """Information for privileged policies only.

    Attributes:
        scene: initial layout of the scene.
        plan: the goal to reach in it.
        planner: motion planner that knows the pose of every object.
        alternatives: goals of other instructions that would be valid in this scene.
    """

    scene: Scene
    plan: Goal
    planner: Planner
    alternatives: tuple[Goal, ...] = ()


@dataclass(frozen=True)
class EpisodeContext:
    """What a policy receives before an episode.

    Attributes:
        instruction: the sentence; `<image 1>` stands for the first of `pictures`.
        profile: profile of the robot.
        privileged_info: for privileged policies only.
        seed: random seed for built-in policies. It comes from a stream that nothing else uses, so it reveals nothing about the episode.
        cameras: calibration of each camera whose pictures the policy receives, by name.
        period: control period, simulated s. Commands begin and end at multiples of it.
        pictures: the pictures of the instruction: `<image 1>` in it stands for the first. Empty if it is in words.
    """

    instruction: str
    profile: RobotProfile
    privileged_info: PrivilegedInfo | None = None
    seed: int = 0
    cameras: Mapping[str, Calibration] = field(default_factory=dict)
    period: float = PERIOD_S
    pictures: tuple[PromptImage, ...] = ()

    def __post_init__(self) -> None:
        """Let a camera that is not there be named in words."""
        object.__setattr__(self, 'cameras', ByCamera(self.cameras))


class Player(ABC):
    """Base class of everything that plays an episode. It is asked for the next command whenever the last one has ended.

    Attributes:
        privileged: whether it receives the ground truth.
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
        """The names of the aids that it uses."""
        return ()

    @property
    def failures(self) -> tuple[str, ...]:
        """Descriptions of the failures in this episode after which it tried again."""
        return ()

    @property
    def fault(self) -> str:
        """The fault that ends the episode, as `word: sentence`; '' if there is none."""
        return ''

    @property
    def notes(self) -> tuple[Note, ...]:
        """The events that go with the last command: what a planning policy tells about it."""
        return ()

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Free what an episode holds, such as a connection. Another episode may begin afterwards."""


class Policy(ABC):
    """Base class of your own policy. It runs unchanged in this process and as a node. It never receives the ground truth.

    One instance per process plays all episodes. Its constructor receives the arguments of `--policy-arg`, all of them strings. Any
    exception counts as a failure of the policy: `evaluate` and a node record the cause, and `vlm-bench run` shows it.
    """

    @abstractmethod
    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode.

        Args:
            context: the instruction with its pictures, the robot's profile, the cameras and the control period. The other fields are
                withheld: None and 0.
        """

    @abstractmethod
    def act(self, observation: Observation) -> Command:
        """Return the next command; `Stop()` when done.

        Args:
            observation: the current observation. Its `truth` is withheld: reading it is a failure.
        """


class Played(Player):
    """Plays episodes with a `Policy`, and withholds what the user of a real robot does not know.

    Args:
        policy: the policy that chooses the commands.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def reset(self, context: EpisodeContext) -> None:
        """Begin an episode."""
        self._policy.reset(replace(context, privileged_info=None, seed=0))

    def act(self, observation: Observation) -> Command:
        """Return the policy's next command.

        Raises:
            CommandError: the policy did not return a command.
        """
        command: object = self._policy.act(observation)
        if isinstance(command, Command):
            return command
        found = f'{type(self._policy).__name__}.act returned {command!r:.200}'
        raise CommandError(f'{found}. Let it return a command of vlm_bench_sim.core.command, such as Wait(0.05).')
