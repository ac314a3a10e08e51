"""Execution of commands on a world: how each begins, how long it runs, and its result. Does not use ROS."""

from dataclasses import replace

from vlm_bench_sim.core.command import Both, Chunk, Command, Joints, ToolPose, Wait
from vlm_bench_sim.core.errors import CommandError, PlanError
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.protocols import MotionState, Planner, PlanRequest, World, obstacles
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.stream import Stream
from vlm_bench_sim.core.timing import seconds_to_periods
from vlm_bench_tasks.policy import Outcome
from vlm_bench_tasks.variation.streams import Streams

_FAILED = {
    MotionState.PATH_TOLERANCE: 'The arm left its path.',
    MotionState.GOAL_TOLERANCE: 'The arm did not reach its goal.',
    MotionState.STOPPED: 'The motion was stopped.',
}


class Execution:
    """Executes one command after another on a world. A ToolPose is planned first, which takes no simulated time.

    Args:
        world: the world to act on.
        planner: plans motions to tool poses.
        streams: random streams that seed each call of the planner.
        truth: True: plans avoid every prop; False: plans avoid only the robot itself and the table.
    """

    def __init__(self, world: World, planner: Planner, *, streams: Streams, truth: bool) -> None:
        self._world, self._planner, self._streams, self._truth = world, planner, streams, truth
        self._scene, self._stream = Scene(()), Stream(world.profile)
        self._calls = 0
        self._until = 0
        self._moves_arm = self._moves_hand = self._for_a_period = False
        self.outcome = Outcome()

    def reset(self, scene: Scene) -> None:
        """Begin an episode in the given scene."""
        self._scene, self._calls, self._until, self.outcome = scene, 0, 0, Outcome()
        self._for_a_period = False
        self._stream.forget()

    @property
    def busy(self) -> bool:
        """True while a command runs."""
        moving = MotionState.RUNNING in (self._world.arm, self._world.gripper)
        return (moving and not self._for_a_period) or self._world.assisting or self._world.snapshot.seq < self._until

    def begin(self, command: Command) -> None:
        """Begin a command. Its result is in `outcome` when it has ended."""
        self.outcome, self._moves_arm = Outcome(), isinstance(command, ToolPose | Joints | Chunk)
        self._moves_hand, self._for_a_period = isinstance(command, Grip | Seal), isinstance(command, Both)
        if self._moves_arm:
            self._stream.forget()
        try:
            if isinstance(command, Wait):
                self._until = self._world.snapshot.seq + seconds_to_periods(command.seconds)
            elif isinstance(command, Both):
                self._begin_both(command)
            elif isinstance(command, ToolPose):
                self._world.apply(self._planner.plan(self._request(command)))
            else:
                self._world.apply(command)
        except (PlanError, CommandError) as error:
            self.outcome = Outcome(done=False, text=str(error))
            self._stream.forget()

    def settle(self) -> Outcome:
        """Return the result of the last command, once it has ended."""
        if self.outcome.done and self._moves_arm and self._world.arm in _FAILED:
            self.outcome = Outcome(done=False, text=_FAILED[self._world.arm])
        if self._moves_hand:
            self.outcome = replace(self.outcome, stalled=self._world.gripper is MotionState.STALLED)
        return self.outcome

    def _begin_both(self, command: Both) -> None:
        now = self._world.snapshot
        if command.gripper is not None:
            self._world.profile.gripper.checked(command.gripper)  # raises before the arm begins to move
        if isinstance(command.arm, Chunk):
            self._stream.forget()
            self._world.apply(command.arm)
        elif command.arm is not None:
            measured = now.arm(self._world.profile.joints)
            chunk = self._stream.chunk(command.arm, measured, seq=now.seq)
            self._world.apply(chunk)
            self._stream.began(chunk, measured, seq=now.seq)
        if command.gripper is not None:
            self._world.apply(command.gripper)
        self._until = now.seq + 1

    def stop(self) -> None:
        """Stop the arm at its present set point if it moves."""
        if self._world.arm is MotionState.RUNNING:
            self._world.hold_arm()
            self._stream.forget()

    def _request(self, target: ToolPose) -> PlanRequest:
        now = self._world.snapshot
        props, held = obstacles(self._scene, now) if self._truth else ((), None)
        seed = self._streams.seed(f'planner/{self._calls}')
        self._calls += 1
        return PlanRequest(now.arm(self._world.profile.joints), target, props, held, seed, now.opening, self._scene.table.top)
