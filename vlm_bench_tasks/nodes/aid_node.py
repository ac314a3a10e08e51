"""Gives a policy over ROS the aids subgoals, steps and oracle_stop: it renews the instruction for each control period."""

import sys
from typing import Any

from vlm_bench_sim.core import aids, codec
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Chunk, Joints
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks.agents.step_aid import next_steps
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.episode_messages import instruction_fields
from vlm_bench_tasks.judging.guide import Guide
from vlm_bench_tasks.nodes.episodes.early import Early
from vlm_bench_tasks.nodes.episodes.prompt_client import PromptClient

NAME = 'aid_node'
PATIENCE_S = 30.0
"""Timeout for the pictures of an instruction, wall-clock s."""


class AidNode:
    """Publishes the instruction in place of the task node, and acknowledges a tick after it.

    A policy that must stop and moves the arm instead is stopped at the next tick.
    """

    def __init__(self) -> None:
        self._node = BenchNode(NAME, {'assist': ''})
        self._aids = aids.read([self._node.values['assist']])
        self._participant = Participant(self._node, NAME, bench=True, told=(names.EPISODE_TRUTH, names.WORLD_STATE))
        self._instructions, self._events = self._node.publisher(names.INSTRUCTION), Events(self._node, NAME)
        self._token, self._early, self._prompts = '', Early(), PromptClient(self._node, PATIENCE_S)
        self._guide: Guide | None = None
        self._tick: Any = None
        self._seq, self._stops = -1, set[int]()
        self._disobeyed = self._told = False
        self._node.subscribe(names.COMMANDED, self._on_command)
        self._node.subscribe(names.EPISODE_TRUTH, self._on_episode)
        self._node.subscribe(names.WORLD_STATE, self._on_state)
        self._node.subscribe(names.TICK, self._on_tick)

    def spin_once(self) -> None:
        """Process callbacks."""
        self._node.spin_once(0.1)
        self._participant.keep_joined()
        self._prompts.turn()

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_episode(self, truth: Any) -> None:
        if truth.token == self._token:
            return
        try:
            episode = Episode.from_json(truth.episode)
        except VlmBenchError as error:
            self._node.log.error(f'An episode that cannot be read was ignored: {error}')
            return
        self._token, self._seq, self._guide = truth.token, -1, None
        self._stops, self._disobeyed, self._told = set(), False, False

        def drawn(shown: fields.Fields, problem: str) -> None:
            if problem:
                self._events.tell(EventKind.FAULT, f'an aid failed: {problem}', token=truth.token, seq=0)
                return
            self._instruction = instruction_fields(episode, truth.token) | shown
            steps = next_steps(episode.instruction.text, episode.scene) if aids.STEPS in self._aids else None
            self._guide = Guide(episode.goal, episode.plan or episode.goal, aids=self._aids, steps=steps)
            self._early.describe(truth.token)

        self._prompts.draw(episode.instruction.pictures, drawn)

    def _on_state(self, state: Any) -> None:
        if self._guide is None or state.token != self._token:
            self._early.keep(state, self._on_state)
        elif state.seq > self._seq:
            self._seq = int(state.seq)
            try:
                self._guide.see(fields.read_snapshot(state))
                self._tell(self._guide.subgoal, stop=self._guide.stop)
            except VlmBenchError as error:  # as in one process, this is no failure of the policy
                self._events.tell(EventKind.FAULT, f'an aid failed: {error}', token=self._token, seq=self._seq)
            self._acknowledge()

    def _on_tick(self, tick: Any) -> None:
        self._tick = tick
        self._acknowledge()

    def _on_command(self, told: Any) -> None:
        if told.token == self._token and int(told.seq) in self._stops and not self._disobeyed:
            self._disobeyed = isinstance(codec.loads(told.action), Chunk | Joints) if told.action else False

    def _tell(self, subgoal: str, *, stop: bool) -> None:
        self._stops |= {self._seq} if stop else set()
        told = self._instruction | ({'text': subgoal, 'paraphrases': [], 'pictures': [], 'roles': []} if subgoal else {})
        own = {'renewed': True, 'seq': self._seq, 'stop': stop}
        self._instructions.publish(message(names.INSTRUCTION.type, told | own))

    def _acknowledge(self) -> None:
        tick = self._tick
        if tick is None or tick.token != self._token or int(tick.seq) != self._seq:
            return
        if self._disobeyed and not self._told:
            self._told = True
            self._events.tell(EventKind.STOP, token=self._token, seq=self._seq)
        self._participant.ack(self._token, self._seq)


def main() -> None:
    """Run the node."""
    sys.exit(run(AidNode))


if __name__ == '__main__':
    main()
