"""Serves PickPlace: language-conditioned pick-and-place with the bench's skills, for any policy."""

import sys
from collections.abc import Callable
from typing import Any

from vlm_bench_sim import profiles
from vlm_bench_sim.core.codes import EpisodeState, EventKind
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.simulation import Refused
from vlm_bench_tasks.agents.actor import truth
from vlm_bench_tasks.agents.requests import Request, Work, meaning
from vlm_bench_tasks.agents.roles import Problem, StepError
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.nodes.acting.truth import KNOWING, Truth
from vlm_bench_tasks.nodes.agents.pick_place_server import NOT_RUNNING, PickPlaceServer, refused
from vlm_bench_tasks.skills import SkillContext
from vlm_bench_tasks.variation.streams import Streams

REFERENCE = 'pick_place_reference'
"""Name of the aid in a report: words were resolved with ground truth."""

_IDLE = 'No episode is running, so the robot accepts no goals. Start one.'
_OVER = 'The episode has ended.'


class PickPlaceNode:
    """Executes one request after another."""

    def __init__(self) -> None:
        self._node = BenchNode('pick_place_node', KNOWING | {'cameras': 'vlmbench'})
        values = self._node.values
        self._profile = profiles.robot(values['robot'])
        self._truth = Truth(self._node)
        self._commander = self._truth.commander('pick_place_node', self._profile)
        self._events = Events(self._node, 'pick_place_node')
        cameras = tuple(camera.name for camera in profiles.cameras(values['cameras'], robot=values['robot']))
        self._server = PickPlaceServer(
            self._node, cameras=cameras, running=self._runs, check=self._check, begin=self._begin,
            abandon=self._commander.abandon, now=lambda: (self._commander.seq, self._commander.stamp_ns),
        )  # fmt: skip
        self._token, self._scene, self._over = '', Scene(()), {''}
        self._status: Any = None
        self._taken: Callable[[], Pose | None] = lambda: None
        self._node.subscribe(names.EPISODE_TRUTH, self._on_episode)
        self._node.subscribe(names.STATUS, self._on_status)

    def spin_once(self) -> None:
        """Process callbacks."""
        self._node.spin_once(0.1)
        self._commander.turn()
        self._server.turn()

    def close(self) -> None:
        """Destroy the node."""
        self._node.spin_last(self._shut_down)
        self._node.close()

    def _shut_down(self) -> None:
        self._server.end(('abort', NOT_RUNNING, 'The node shuts down.'))
        self._server.turn()

    def _on_episode(self, told: Any) -> None:
        try:
            episode = Episode.from_json(told.episode)
        except VlmBenchError as error:
            self._node.log.error(f'An episode that cannot be read was ignored: {error}')
            if told.token != self._token:  # a readable episode that already runs continues
                self._over.add(told.token)
            return
        if self._runs():  # otherwise goals are waiting for this episode
            self._server.end(('abort', NOT_RUNNING, _OVER))
        self._token, self._scene = told.token, episode.scene
        self._truth.lay_out(episode.scene)
        self._taken = lambda: None
        self._commander.begin(told.token, Streams(episode.task, episode.split, episode.seed))

    def _on_status(self, status: Any) -> None:
        self._status = status
        if status.state != EpisodeState.RUNNING:
            self._over.add(status.token)  # this message may arrive before the episode itself
            if status.token == self._token:
                self._server.end(('abort', NOT_RUNNING, _OVER))

    def _runs(self) -> bool | None:
        """Return whether an episode runs; None if unknown, for example if it is announced in a domain not yet discovered."""
        if self._token not in self._over:
            return True
        status = self._status
        if status is None or status.state == EpisodeState.LOADING:
            return None
        return None if status.state == EpisodeState.RUNNING and status.token not in self._over else False

    def _check(self, asked: Request) -> None:
        """Check a request against the current scene.

        Raises:
            Refused: no episode runs, or the request is invalid.
        """
        if not self._runs():
            raise Refused(NOT_RUNNING, _IDLE)
        if not asked.privileged:
            return
        self._tell_aid()
        seen = self._commander.seen
        try:
            if seen is not None:
                meaning(asked, truth(seen), self._scene)
        except StepError as error:
            raise refused(error.problem) from error

    def _begin(self, asked: Request, ended: Callable[[Problem | None], None]) -> None:
        """Start a request."""
        work = Work(asked, SkillContext(self._profile, self._scene, self._commander.planner), taken=self._taken(), closed=self._closed)
        self._taken = lambda: work.taken

        def finished() -> None:
            if asked.privileged:
                self._tell_aid()  # repeated, since the judge may have been discovered only now
            ended(work.problem)

        self._commander.do(work.act, truth=asked.privileged, finished=finished)

    def _tell_aid(self) -> None:
        self._events.tell(EventKind.ASSISTANCE, REFERENCE, token=self._token, seq=self._commander.seq)

    def _closed(self) -> None:
        self._node.on_spin(self._server.placing)


def main() -> None:
    """Run the node."""
    sys.exit(run(PickPlaceNode))


if __name__ == '__main__':
    main()
