"""The expert as a node: sees the truth, asks the arm node, and moves the robot through the same actions as any policy.

It acknowledges a tick only when its next command has begun, so the world never runs on while it thinks.
"""

import sys
from threading import Thread
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core.command import Command, Grip, Seal, Stop, ToolPose, Wait
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ, seconds_to_periods
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.participant import Participant
from vlm_bench_sim.nodes.process import run
from vlm_bench_sim.ros import fields, names
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.nodes.motions import Motions
from vlm_bench_tasks.nodes.ros_planner import RosPlanner
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import Briefing, Observation, Outcome, Secret
from vlm_bench_tasks.variation.streams import Streams

ENDED = 3


class OracleNode:
    """Runs an Oracle, one command after another."""

    def __init__(self) -> None:
        self._node = BenchNode('oracle_node', {'robot': 'panda'})
        self._profile = profiles.robot(self._node.values['robot'])
        self._motions = Motions(self._node, self._profile, running=self._acknowledge, ended=self._on_ended)
        self._planner = RosPlanner(self._node, lambda: self._seq, met=self._proceed)
        self._participant = Participant(self._node, 'oracle_node', bench=False, ready=lambda: self._motions.ready and self._planner.ready)
        self._oracle: Oracle | None = None
        self._token, self._snapshots = '', dict[tuple[str, int], Snapshot]()
        self._tick: Any = None
        self._node.subscribe(names.EPISODE_TRUTH, self._on_episode)
        self._node.subscribe(names.WORLD_STATE, self._on_state)
        self._node.subscribe(names.TICK, self._on_tick)
        self._node.subscribe(names.STATUS, self._on_status)

    def spin_once(self) -> None:
        """Serve what has come in."""
        self._node.spin_once(0.1)
        self._participant.keep_joined()

    def close(self) -> None:
        """Free the node."""
        self._node.close()

    @property
    def _seq(self) -> int:
        return int(self._tick.seq)

    def _on_episode(self, truth: Any) -> None:
        try:
            episode = Episode.from_json(truth.episode)
        except VlmBenchError as error:
            self._node.log.error(f'An episode that cannot be solved was ignored: {error}')
            return
        self._motions.forget()
        self._token = truth.token
        self._streams, self._calls = Streams(episode.task, episode.split, episode.seed), 0
        self._acked, self._wait_until = -1, 0
        self._pending = self._thinking = self._done = False
        self._outcome = Outcome()
        self._oracle = Oracle()
        secret = Secret(episode.scene, episode.plan or episode.goal, self._planner)
        self._oracle.reset(Briefing(episode.instruction.text, self._profile, secret))
        self._proceed()

    def _on_state(self, state: Any) -> None:
        self._snapshots = {key: kept for key, kept in self._snapshots.items() if key[1] >= state.seq - 1}
        self._snapshots[(state.token, state.seq)] = fields.read_snapshot(state)
        self._proceed()

    def _on_tick(self, tick: Any) -> None:
        self._tick = tick
        self._proceed()

    def _on_status(self, status: Any) -> None:
        if self._oracle is not None and status.state == ENDED and status.token == self._token:
            self._done = True

    def _on_ended(self, outcome: Outcome) -> None:
        self._outcome, self._pending = outcome, False
        self._proceed()

    def _proceed(self) -> None:
        """Acknowledge the newest tick, or decide what to do at it; either happens once."""
        if self._oracle is None or self._tick is None or self._tick.token != self._token or self._acked == self._seq:
            return
        now = self._snapshots.get((self._token, self._seq))
        if now is None or self._thinking:
            return
        # Busy without a command of ours: the gripper is made to let go.
        if self._done or self._wait_until > self._seq or self._tick.arm_busy or self._tick.gripper_busy:
            self._acknowledge()
        elif not self._pending and self._planner.knows(self._token):
            self._decide(now, self._oracle)

    def _acknowledge(self) -> None:
        self._acked = self._seq
        self._participant.ack(self._token, self._seq, wants=max(0, self._wait_until - self._seq))

    def _decide(self, now: Snapshot, oracle: Oracle) -> None:
        """Think in a thread of its own, since thinking asks services whose answers arrive in this one."""
        self._thinking = True
        observation = Observation(now.step / PHYSICS_HZ, now.joints, now.tool, now.opening, self._outcome, truth=now)

        def think() -> None:
            try:
                command = oracle.act(observation)
            except VlmBenchError as error:
                self._node.log.error(f'The oracle gives up: {error}')
                command = Stop()
            self._node.on_spin(lambda: self._carry_out(command, oracle))

        Thread(target=think, name='oracle', daemon=True).start()

    def _carry_out(self, command: Command, oracle: Oracle) -> None:
        if oracle is not self._oracle:
            return
        self._thinking = False
        self._outcome, self._pending = Outcome(), isinstance(command, (ToolPose, Grip, Seal))
        self._motions.announce(oracle.waypoint, token=self._token, seq=self._seq)
        if isinstance(command, ToolPose):
            seed, self._calls = self._streams.seed(f'planner/{self._calls}'), self._calls + 1
            self._motions.move(command, seq=self._seq, seed=seed)
        elif isinstance(command, (Grip, Seal)):
            self._motions.grip(command)
        elif isinstance(command, Wait):
            self._wait_until = self._seq + seconds_to_periods(command.seconds)
            self._acknowledge()
        else:
            self._done = True
            self._motions.stop(self._seq, self._acknowledge)


def main() -> None:
    """Run the node."""
    sys.exit(run(OracleNode))


if __name__ == '__main__':
    main()
