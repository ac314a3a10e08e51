"""A small recorded bag: an episode in which a policy opens the hand, waits and is done, in chunks so small that there are several."""

import pytest

from vlm_bench_sim.bags import storage
from vlm_bench_sim.core.command import Stop, Wait
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.policy import Player
from vlm_bench_tasks.run import Bench


class Idle(Player):
    """Opens its hand, waits and is done."""

    def reset(self, context):
        self._left = [Grip(0.04), Wait(0.4), Stop()]

    def act(self, observation):
        return self._left.pop(0)


def recorded(folder):
    """Record it, and return its path."""
    bench, episode = Bench('panda'), catalogue.build('vlmbench/pick_place', 'seen', 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, 'CHUNK_BYTES', 24 << 10)
        recorder = Recorder(bench, episode, folder=folder)
        path = recorder.close(bench.run(episode, Idle(), recorder).report)
    bench.close()
    return path
