"""A policy: what it is told, what it sees, and what it answers. No ROS here; `nodes/policy_node` carries the same class over ROS."""

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.command import Command
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.protocols import Planner
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import JointState, Snapshot
from vlm_bench_tasks.goals.base import Goal


@dataclass(frozen=True)
class Outcome:
    """What the last command came to: done, or why not."""

    done: bool = True
    text: str = ''


@dataclass(frozen=True)
class Observation:
    """What a policy sees when it is asked for its next command.

    Attributes:
        seconds: simulated time since the episode began.
        joints: arm and fingers, by name.
        tool: pose of the tool centre point in the world.
        opening: full width between the fingers, m.
        outcome: of the command before.
        pictures: newest picture of each camera, by name.
        truth: the whole state, for privileged policies only.
    """

    seconds: float
    joints: dict[str, JointState]
    tool: Pose
    opening: float
    outcome: Outcome = Outcome()
    pictures: dict[str, Picture] = field(default_factory=dict)
    truth: Snapshot | None = None


@dataclass(frozen=True)
class Secret:
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
class Briefing:
    """What a policy is told before an episode.

    Attributes:
        instruction: the sentence.
        profile: of the robot.
        secret: for privileged policies only.
        seed: for a chance of the policy's own; from a stream that nothing else draws from, so that it tells nothing.
    """

    instruction: str
    profile: RobotProfile
    secret: Secret | None = None
    seed: int = 0


class Policy(Protocol):
    """Decides what the robot does next. Asked again when its last command has ended."""

    privileged: ClassVar[bool]

    def reset(self, briefing: Briefing) -> None:
        """Begin an episode."""
        ...

    def act(self, observation: Observation) -> Command:
        """Return the next command; `Stop()` when done."""
        ...
