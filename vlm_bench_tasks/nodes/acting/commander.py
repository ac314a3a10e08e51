"""Send commands one after another over ROS, in lockstep: each next command is requested while simulated time stands still."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from vlm_bench_sim.core.codes import EpisodeState, Note
from vlm_bench_sim.core.command import Both, Chunk, Command, Joints, ToolPose, Wait, check_chunk
from vlm_bench_sim.core.errors import CommandError
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.stream import Stream
from vlm_bench_sim.core.timing import seconds_to_periods
from vlm_bench_sim.core.trajectory import direct
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.nodes.acting.motions import Motions
from vlm_bench_tasks.nodes.acting.observation_sources import ObservationSource
from vlm_bench_tasks.nodes.acting.ros_planner import RosPlanner
from vlm_bench_tasks.nodes.acting.thinking import think
from vlm_bench_tasks.policy import Observation, Outcome
from vlm_bench_tasks.variation.streams import Streams

Act = Callable[[Observation], Command | None]
"""Returns the next command, `Stop()` if the policy is done, or None if there is nothing to do now. Must not raise."""


class Commander:
    """Acknowledges a tick only after the next command has started. The world therefore stands still while the policy computes.

    Args:
        node: sends the commands.
        profile: robot profile.
        name: name of the node in the barrier.
        source: source of the observations.
        simulated: True if a simulator publishes ticks and waits for us; False with a real arm, for which `tick` must be called.

    Attributes:
        planner: answers questions about reachability at the current tick.
    """

    def __init__(self, node: BenchNode, profile: RobotProfile, *, name: str, source: ObservationSource, simulated: bool = True) -> None:
        self._node, self._profile, self._sight, self._simulated = node, profile, source, simulated
        self._motions = Motions(node, profile, name=name, running=self._on_running, ended=self._on_ended)
        self.planner = RosPlanner(node, lambda: self.seq, met=self._proceed)
        self._participant = Participant(node, name, bench=False, ready=self._is_ready, told=(source.told,))
        self._tick: Any = None
        self._act: Act | None = None
        self._acked, self._ended, self._sent, self._running = -1, '', -1, ''
        self._stream = Stream(profile)
        self._chunk: Chunk | None = None
        self._begin_nothing()
        source.watch(self._proceed)
        if simulated:
            node.subscribe(names.TICK, self.tick)
        node.subscribe(names.STATUS, self._on_status)

    @property
    def seq(self) -> int:
        """Number of the newest tick; 0 before the first one."""
        return 0 if self._tick is None else int(self._tick.seq)

    @property
    def stamp_ns(self) -> int:
        """Simulated time of the newest tick, ns."""
        return 0 if self._tick is None else fields.read_stamp(self._tick.header.stamp)

    @property
    def seen(self) -> Observation | None:
        """The observation at the newest tick of the episode; None if it has not arrived yet."""
        return self._sight.at(self._tick) if self._tick is not None and self._tick.token == self._token else None

    def turn(self) -> None:
        """Stay in the barrier; call it regularly."""
        if self._simulated:
            self._participant.keep_joined()
        self._proceed()  # an awaited message may never come

    def tick(self, tick: Any) -> None:
        """Receive the tick of a new control period."""
        self._tick = tick
        self._proceed()

    def begin(self, token: str, streams: Streams) -> None:
        """Start an episode, without any command yet. Episodes known to have ended are ignored.

        Args:
            token: identifier of the episode.
            streams: random streams, which give each planned path its seed.
        """
        self._motions.forget()
        self._begin_nothing('' if token == self._ended else token)
        self._streams, self._calls = streams, 0  # the tick is acknowledged in the next turn, unless there is a command by then

    def do(
        self,
        act: Act,
        *,
        truth: bool,
        finished: Callable[[], None],
        notes: Callable[[], tuple[Note, ...]] = tuple,
        fault: Callable[[], str] = str,
    ) -> None:
        """Request one command after another, each when the previous one has ended, until there are no more.

        Args:
            act: returns the next command; runs in a thread of its own because it may call services whose answers arrive in this one.
            truth: whether paths avoid all props (assistance), or only robot and table.
            finished: called after the last command, but not if `act` stopped the episode or another one replaces it.
            notes: returns the events that go with the latest command.
            fault: returns the fault because of which `act` has stopped, as `word: sentence`; '' if it is done.
        """
        self._act, self._truth, self._finished, self._notes, self._fault = act, truth, finished, notes, fault
        self._pending, self._outcome = False, Outcome()
        self._acked = min(self._acked, self.seq - 1)  # the current tick may already be acknowledged, and must be processed again
        self._proceed()

    def abandon(self) -> None:
        """Send no more commands; the arm holds its position."""
        self._motions.cancel()
        self._act, self._pending, self._thinking, self._wait_until = None, False, False, 0
        self._for_a_period = False
        self._stream.forget()
        self._proceed()

    @property
    def _is_known(self) -> bool:
        return self._is_ready() and (not self._simulated or self.planner.knows(self._token))

    @property
    def _of(self) -> int:
        """The control period that a request refers to; 0: the newest."""
        return self.seq if self._simulated else 0

    def _is_ready(self) -> bool:
        return self._motions.ready and self.planner.ready

    def _begin_nothing(self, token: str = '') -> None:
        self._token, self._act, self._acked, self._wait_until = token, None, -1, 0
        self._pending = self._thinking = self._for_a_period = False
        self._outcome = Outcome()
        self._stream.forget()

    def _on_status(self, status: Any) -> None:
        self._running = status.token if status.state == EpisodeState.RUNNING else ''
        if status.state == EpisodeState.ENDED:
            self._ended = status.token
            if status.token == self._token:
                self._act, self._thinking = None, False
                self._motions.forget()
        self._proceed()  # a late joiner may receive an episode before the message that it is over

    def _on_running(self) -> None:
        """Let time pass after a command has started. If a period has already passed, the command may be over, and the next one is due."""
        if self._for_a_period:
            self._period_began()
        if self.seq == self._sent:
            self._acknowledge()
        elif self._for_a_period:
            self._proceed()
        else:
            self._participant.ack(self._token, self.seq)

    def _period_began(self) -> None:
        """Let one control period pass, whether or not anything moves."""
        self._pending, self._wait_until = False, self._sent + 1
        if self._chunk is not None:
            self._stream.began(self._chunk, self._joints, seq=self._sent)

    def _on_ended(self, outcome: Outcome) -> None:
        self._outcome, self._pending = outcome, False
        if self._for_a_period and self._motions.begun:  # a part that has started runs for a period, even if the other one was rejected
            self._wait_until = self._sent + 1
        if not outcome.done:
            self._stream.forget()
        self._proceed()

    def _proceed(self) -> None:
        """Acknowledge the newest tick, or decide on the next command; only once per tick."""
        if not self._token or self._tick is None or self._tick.token != self._token or self._acked == self.seq:
            return
        if self._thinking:
            return
        busy = ((self._tick.arm_busy or self._tick.gripper_busy) and not self._for_a_period) or self._tick.assisting
        if busy and self._act is not None and not self._pending:
            # Busy without our command: the gripper is being opened, or a cancelled motion is stopping. Wait for the next tick.
            self._wait_until = max(self._wait_until, self.seq + 1)
        if busy or self._act is None or self._wait_until > self.seq:
            self._acknowledge()
        elif not self._pending and self._running == self._token and self._is_known and (now := self._sight.at(self._tick)) is not None:
            self._decide(now, self._act)

    def _acknowledge(self) -> None:
        self._acked = self.seq
        self._participant.ack(self._token, self.seq, wants=max(0, self._wait_until - self.seq))

    def _decide(self, now: Observation, act: Act) -> None:
        self._thinking, self._joints = True, now.arm(self._profile.joints)
        observation = replace(now, outcome=self._outcome)
        think(self._node, lambda: act(observation), lambda command: self._carry_out(command, act))

    def _carry_out(self, command: Command | None, act: Act) -> None:
        if act is not self._act:
            return
        self._thinking = False
        self._outcome, self._pending = Outcome(), isinstance(command, (ToolPose, Joints, Chunk, Grip, Seal, Both))
        self._for_a_period = isinstance(command, Both)
        if isinstance(command, (ToolPose, Joints, Chunk)):
            self._stream.forget()
        self._motions.announce(self._notes(), token=self._token, seq=self.seq)
        if self._pending:
            self._sent = self.seq
            self._send(command)
        elif isinstance(command, Wait):
            self._wait_until = self.seq + seconds_to_periods(command.seconds)
            self._acknowledge()
        elif command is None:
            self._act = None
            self._finished()
            self._proceed()
        else:
            self._act = None
            self._motions.stop(self._of, self._acknowledge, fault=self._fault())

    def _send(self, command: Command | None) -> None:
        """Send a command. One that the robot can never execute has no effect, as in one process."""
        try:
            if isinstance(command, ToolPose):
                seed, self._calls = self._streams.seed(f'planner/{self._calls}'), self._calls + 1
                self._motions.move(command, seq=self._of, seed=seed, truth=self._truth)
            elif isinstance(command, Joints):
                self._motions.follow(direct(self._joints, command.positions, self._profile.velocity))
            elif isinstance(command, Chunk):
                check_chunk(command, len(self._profile.joints))
                self._motions.follow(command)
            elif isinstance(command, (Grip, Seal)):
                self._motions.grip(command)
            elif isinstance(command, Both):
                if command.gripper is not None:
                    self._profile.gripper.checked(command.gripper)
                self._motions.both(self._arm_part(command.arm), command.gripper)
        except CommandError as error:
            outcome = Outcome(done=False, text=str(error))
            self._node.on_spin(lambda: self._on_ended(outcome))

    def _arm_part(self, arm: Joints | Chunk | None) -> Chunk | None:
        """Return the trajectory of a `Both`. Only one that leads to a set point is part of a stream."""
        if isinstance(arm, Chunk):
            check_chunk(arm, len(self._profile.joints))
            self._stream.forget()
        self._chunk = self._stream.chunk(arm, self._joints, seq=self.seq) if isinstance(arm, Joints) else None
        return arm if isinstance(arm, Chunk) else self._chunk
