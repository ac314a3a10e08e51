"""Builds episodes, sets the stage and tells the policy what to do."""

import sys
import time
from collections.abc import Callable
from secrets import token_hex
from typing import Any

from rclpy.task import Future

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import SplitError, TaskError, VlmBenchError
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.nodes.answers import INCORRECT_STATE, OK, EpisodeState, EventKind, Events, answer
from vlm_bench_sim.nodes.bench_node import BenchNode
from vlm_bench_sim.nodes.process import run
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode

UNKNOWN_TASK, UNKNOWN_SPLIT, STAGE_FAILED, BENCH_NOT_READY = 101, 102, 104, 105
RETRY_S = 0.2
PARAMETERS = {
    'robot': 'panda', 'task': 'vlmbench/pick_place', 'split': 'seen', 'axis': '', 'seed': 0,
    'autostart': True, 'participants': ['monitor_node'], 'patience': 30.0,
}  # fmt: skip


class TaskNode:
    """Serves start and stop, and says where the episode stands."""

    def __init__(self) -> None:
        self._node = BenchNode('task_node', PARAMETERS)
        self._values = self._node.values
        rows = (names.EPISODE, names.INSTRUCTION, names.STATUS, names.EPISODE_TRUTH)
        self._publishers = {row.name: (row, self._node.publisher(row)) for row in rows}
        self._events = Events(self._node, 'task_node')
        self._load = self._node.client(names.LOAD_SCENE)
        self._node.service(names.START_EPISODE, self._start)
        self._node.service(names.STOP_EPISODE, self._stop)
        self._node.subscribe(names.TICK, self._on_tick)
        self._node.subscribe(names.REPORT, self._on_report)
        self._token, self._state, self._seq, self._horizon = '', EpisodeState.IDLE, 0, 0.0
        self._deadline = time.monotonic() + self._values['patience']
        self._wanted = self._values['autostart']
        self._retry: Callable[[], None] | None = None
        self._retry_at = 0.0
        self._tell_status(0)

    def spin_once(self) -> None:
        """Serve what has come in; begin the bench's own episode as soon as the simulator is there."""
        self._node.spin_once(0.1)
        if self._retry is not None and time.monotonic() > self._retry_at:
            retry, self._retry = self._retry, None
            retry()
        if self._wanted and self._load.service_is_ready():
            self._wanted = False
            episode = self._build('', '', '', self._values['seed'])
            self._stage(episode, lambda code, text: self._node.log.error(text) if code != OK else None)

    def close(self) -> None:
        """Free the node."""
        self._node.close()

    def _build(self, task: str, split: str, axis: str, seed: int) -> Episode:
        values = self._values
        return catalogue.build(task or values['task'], split or values['split'], seed, axis or values['axis'])

    async def _start(self, request: Any, response: Any) -> Any:
        try:
            episode = self._build(request.task, request.split, request.axis, request.seed)
        except TaskError as error:
            return answer(response, UNKNOWN_TASK, str(error))
        except SplitError as error:
            return answer(response, UNKNOWN_SPLIT, str(error))
        except VlmBenchError as error:
            return answer(response, STAGE_FAILED, str(error))
        if self._state == EpisodeState.RUNNING:
            self._events.tell(EventKind.FAULT, 'another episode was started', token=self._token, seq=self._seq)
        staged = Future()
        self._deadline = time.monotonic() + self._values['patience']
        self._stage(episode, lambda code, text: staged.set_result((code, text)))
        code, text = await staged
        response.token = self._token if code == OK else ''
        return answer(response, code, text)

    def _stage(self, episode: Episode, done: Any) -> None:
        """Lay out the scene; where a participant is still missing, try again until patience is over."""
        self._state, token = EpisodeState.LOADING, token_hex(8)
        content = {'token': token, 'scene': codec.dumps(episode.scene), 'participants': list(self._values['participants'])}
        call = self._node.call(self._load, content)
        call.add_done_callback(lambda future: self._staged(episode, token, future.result().result, done))

    def _staged(self, episode: Episode, token: str, result: Any, done: Any) -> None:
        if result.result == OK:
            self._announce(episode, token)
            done(OK, '')
        elif result.result != INCORRECT_STATE:
            self._state = EpisodeState.IDLE
            done(STAGE_FAILED, result.error_message)
        elif time.monotonic() > self._deadline:
            self._state = EpisodeState.IDLE
            done(BENCH_NOT_READY, result.error_message)
        else:
            self._retry = lambda: self._stage(episode, done)
            self._retry_at = time.monotonic() + RETRY_S

    def _announce(self, episode: Episode, token: str) -> None:
        self._token, self._state, self._seq, self._horizon = token, EpisodeState.RUNNING, 0, episode.horizon
        common = {'token': token, 'task': episode.task, 'axis': episode.axis, 'split': episode.split}
        self._send(names.EPISODE_TRUTH, common | {'seed': episode.seed, 'episode': codec.dumps(episode)})
        self._tell_status(0)
        self._send(names.EPISODE, common | {
            'revision': episode.revision, 'robot': self._values['robot'], 'time_limit': episode.horizon,
            'step_limit': episode.step_limit or round(episode.horizon * CONTROL_HZ),
        })  # fmt: skip
        instruction = episode.instruction
        self._send(names.INSTRUCTION, {'token': token, 'text': instruction.text, 'paraphrases': list(instruction.paraphrases)})
        self._node.log.info(f'{episode.task} [{episode.split}, seed {episode.seed}]: {instruction.text}')

    def _stop(self, request: Any, response: Any) -> Any:
        if self._state != EpisodeState.RUNNING:
            return answer(response, INCORRECT_STATE, 'No episode is running, so there is nothing to stop.')
        self._events.tell(EventKind.STOP, token=self._token, seq=request.seq or self._seq)
        return answer(response, OK)

    def _on_tick(self, tick: Any) -> None:
        if tick.token == self._token:
            self._seq = tick.seq
            if tick.seq % CONTROL_HZ == 0:
                self._tell_status(fields.read_stamp(tick.header.stamp))

    def _on_report(self, report: Any) -> None:
        if report.token == self._token and self._state == EpisodeState.RUNNING:
            self._state, self._seq = EpisodeState.ENDED, report.seq
            self._tell_status(fields.read_stamp(report.header.stamp))

    def _tell_status(self, ns: int) -> None:
        left = max(0.0, self._horizon - self._seq / CONTROL_HZ)
        self._send(
            names.STATUS,
            {'header': fields.header(ns), 'token': self._token, 'state': int(self._state), 'seq': self._seq, 'time_left': left},
        )

    def _send(self, row: names.Name, content: fields.Fields) -> None:
        self._publishers[row.name][1].publish(message(row.type, content))


def main() -> None:
    """Run the node."""
    sys.exit(run(TaskNode))


if __name__ == '__main__':
    main()
