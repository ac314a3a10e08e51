"""A user's policy as a node: it uses public topics only, and moves the robot through the same actions as any other node."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from threading import Lock
from traceback import format_exception
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core import aids
from vlm_bench_sim.core.aids import IDS_AID
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import VlmBenchError, quoted
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.render.png import received
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.prompts import read_pngs
from vlm_bench_tasks.evaluation.guard import Guard, guarded
from vlm_bench_tasks.nodes.acting.commander import Commander
from vlm_bench_tasks.nodes.acting.observation_sources import PublicSource
from vlm_bench_tasks.nodes.acting.pulse import Pulse
from vlm_bench_tasks.nodes.acting.truth import LOCKSTEP, REAL
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policies.arguments import read_setting
from vlm_bench_tasks.policy import EpisodeContext, Observation
from vlm_bench_tasks.variation.streams import PUBLIC

PARAMETERS = {'policy': '', 'policy_args': '', 'robot': 'panda', 'cameras': 'vlmbench', 'mode': LOCKSTEP, 'assist': ''}
"""`policy`: module:Class, created with `policy_args`. `cameras`: cameras whose pictures the policy gets, or none.
`mode`: mode of the bench; 'real' for a real arm. `assist`: the aids of the bench."""


class PolicyNode:
    """Plays each episode with one policy. Its process never joins a second ROS domain, scored or not."""

    def __init__(self) -> None:
        self._node = BenchNode('policy_node', PARAMETERS)
        values = self._node.values
        player, self._profile = policy(values['policy'], read_setting(values['policy_args'])), profiles.robot(values['robot'])
        self._player = guarded(player, nullcontext, may_refuse=False, caught=self._caught)
        cameras = tuple(camera.name for camera in profiles.cameras(values['cameras'], robot=values['robot']))
        simulated, lockstep = values['mode'] != REAL, values['mode'] == LOCKSTEP
        ids = IDS_AID in aids.read([values['assist']])
        self._source = source = PublicSource(self._node, self._profile, cameras=cameras, lockstep=lockstep, ids=ids)
        self._commander = Commander(self._node, self._profile, name='policy_node', source=source, simulated=simulated)
        self._pulse = None if simulated else Pulse()
        self._token, self._free = '', Lock()
        self._source.instructed = self._on_instruction
        self._node.subscribe(names.EPISODE, self._on_episode)

    def spin_once(self) -> None:
        """Process callbacks."""
        self._node.spin_once(0.02 if self._pulse else 0.1)
        self._commander.turn()
        if self._pulse and (tick := self._pulse.beat()):
            self._commander.tick(tick)

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_episode(self, episode: Any) -> None:
        if episode.robot != self._profile.name:
            said = f'The episode is played by {quoted(episode.robot)}, and this node is for {self._profile.name!r}.'
            self._node.log.error(f'{said} Start it with the parameter robot of the episode.')

    def _on_instruction(self, instruction: Any) -> None:
        if instruction.token == self._token:
            return
        self._token = instruction.token
        self._commander.begin(instruction.token, PUBLIC)
        if self._pulse:
            self._pulse.begin(instruction.token)
        turns = _Turns(
            self._player, instruction=lambda: self._source.instruction, context=self._context, free=self._free, log=self._node.log
        )
        self._commander.do(turns.take, truth=False, finished=lambda: None, fault=lambda: self._player.fault)

    def _caught(self, error: BaseException) -> None:
        self._node.log.error('The policy failed, so its episode has failed:\n' + ''.join(format_exception(error)).rstrip())

    def _context(self, told: Any) -> EpisodeContext:
        shown = received(read_pngs(told))
        return EpisodeContext(told.text, self._profile, cameras=self._source.calibrations(), pictures=shown)


class _Turns:
    """Calls a policy, which may be slow. A new sentence begins anew; after a fault the policy stops.

    Args:
        player: the guarded policy.
        instruction: returns the newest instruction.
        context: returns the episode context for an instruction, available after the first observation.
        free: lock held during a call, since an episode may start while the player still computes for the last one.
        log: logger of the node.
    """

    def __init__(
        self, player: Guard, *, instruction: Callable[[], Any], context: Callable[[Any], EpisodeContext], free: Lock, log: Any
    ) -> None:
        self._player, self._instruction, self._context, self._free, self._log = player, instruction, context, free, log
        self._told: str | None = None

    def take(self, seen: Observation) -> Command:
        """Return the next command."""
        with self._free:
            instruction = self._instruction()
            if instruction.stop:
                return Stop()
            if instruction.text != self._told and (self._told is None or not self._player.fault):
                try:
                    context = self._context(instruction)
                except VlmBenchError as error:
                    self._log.error(f'The episode is stopped: its instruction cannot be shown to the policy: {error}')
                    return Stop()
                self._player.reset(context)
                self._told = instruction.text
            return self._player.act(seen)


def main() -> None:
    """Run the node."""
    sys.exit(run(PolicyNode))


if __name__ == '__main__':
    main()
