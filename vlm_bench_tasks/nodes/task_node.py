"""Builds episodes, loads their scenes and publishes the instruction for the policy."""

import sys
from typing import Any

from rclpy.task import Future

from vlm_bench_sim.core import aids
from vlm_bench_sim.core.codes import INCORRECT_STATE, OK, OPERATION_FAILED, EpisodeState
from vlm_bench_sim.core.engine import PYBULLET
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_sim.core.timing import CONTROL_HZ
from vlm_bench_sim.nodes.base.answers import Events, answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.episode_messages import episode_fields, instruction_fields, truth_fields
from vlm_bench_tasks.evaluation.faults import ending
from vlm_bench_tasks.evaluation.lending import lent
from vlm_bench_tasks.judging.judges import TRUTH
from vlm_bench_tasks.nodes.episodes.scene_loader import Done, SceneLoader
from vlm_bench_tasks.nodes.episodes.start_codes import CODES

PARAMETERS = {
    'robot': 'panda', 'task': 'vlmbench/pick_place', 'split': '', 'axis': '', 'seed': 0, 'perturb': '',
    'autostart': True, 'participants': ['monitor_node'], 'patience': 30.0, 'judged_by': TRUTH, 'assist': '', 'prompt': '',
    'engine': PYBULLET,
}  # fmt: skip
"""`judged_by`: truth (of a simulator), or on a real arm tracker, person or nobody; those have no ticks. `engine`: none on a real arm."""

_WORDS = ('task', 'split', 'axis', 'prompt')


class TaskNode:
    """Serves the start and stop of episodes, and publishes their state."""

    def __init__(self) -> None:
        self._node = BenchNode('task_node', PARAMETERS)
        self._values = values = self._node.values
        self._aids = aids.read([values['assist']])
        rows = (names.EPISODE, names.INSTRUCTION, names.STATUS, names.EPISODE_TRUTH)
        self._publishers = {row.name: (row, self._node.publisher(row)) for row in rows}
        self._events = Events(self._node, 'task_node')
        self._stage = SceneLoader(self._node, participants=list(values['participants']), patience=values['patience'])
        self._node.service(names.START_EPISODE, self._start, foreign=self._start)
        self._node.service(names.STOP_EPISODE, self._stop)
        self._node.subscribe(names.TICK if values['judged_by'] == TRUTH else names.WORLD_STATE, self._on_tick)
        self._node.subscribe(names.REPORT, self._on_report)
        self._token, self._seq, self._horizon, self._ns = '', 0, 0.0, 0
        if values['autostart']:  # not idle before, however long it takes to build the episode: who starts a bench takes that for a refusal
            self._begin(self._build(seed=values['seed']), lambda code, text: self._node.log.error(text) if code != OK else None)
        else:
            self._enter(EpisodeState.IDLE)

    def spin_once(self) -> None:
        """Process callbacks."""
        self._node.spin_once(0.1)
        self._stage.turn()

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _build(self, *, seed: int, perturbation: str = '', **asked: str) -> Episode:
        """Build an episode; what is not asked for or '' is the parameter of that name."""
        own = {name: asked.get(name) or self._values[name] for name in _WORDS}
        harder = Perturbation.from_json(perturbation) if perturbation else catalogue.perturbation([self._values['perturb']])
        catalogue.check_needs(own['task'], engine=self._values['engine'], perturbation=harder)
        return catalogue.perturbed(catalogue.build(own['task'], own['split'], seed, own['axis'], own['prompt']), harder)

    async def _start(self, request: Any, response: Any) -> Any:
        try:
            words = {name: getattr(request, name) for name in (*_WORDS, 'perturbation')}
            episode = self._build(seed=request.seed, **words)
        except VlmBenchError as error:
            return answer(response, CODES.get(type(error), OPERATION_FAILED), str(error))
        if self._state == EpisodeState.LOADING:
            return answer(response, INCORRECT_STATE, 'Another episode is just being set up. Wait until it runs.')
        if self._state == EpisodeState.RUNNING:
            self._events.superseded(token=self._token, seq=self._seq)
        begun: Future = Future()
        self._begin(episode, lambda code, text: begun.set_result((code, text)))
        code, text = await begun
        response.token = text if code == OK else ''
        return answer(response, code, '' if code == OK else text)

    def _begin(self, episode: Episode, done: Done) -> None:
        """Load the scene and announce the episode; `done` is called with the outcome."""

        def staged(code: int, text: str) -> None:
            if code == OK:
                self._announce(episode, text)
            else:
                self._enter(EpisodeState.IDLE)
            done(code, text)

        self._enter(EpisodeState.LOADING)
        self._stage.set(episode, staged, lambda: lent(self._values['robot'], episode, self._aids))

    def _announce(self, episode: Episode, token: str) -> None:
        self._token, self._seq, self._horizon, self._ns = token, 0, episode.horizon, 0
        self._send(names.EPISODE_TRUTH, truth_fields(episode, token, self._values['judged_by']))
        self._enter(EpisodeState.RUNNING)
        self._send(names.EPISODE, episode_fields(episode, token, self._values['robot']))
        if not aids.GUIDING & set(self._aids):  # otherwise aid_node renews it each control period
            self._send(names.INSTRUCTION, instruction_fields(episode, token) | self._stage.shown)
        seed = '' if self._values['scored'] else f', seed {episode.seed}'  # a policy can read the log
        self._node.log.info(f'{episode.task} [{episode.split}{seed}]: {episode.instruction.text}')

    def _stop(self, request: Any, response: Any) -> Any:
        if self._state != EpisodeState.RUNNING:
            return answer(response, INCORRECT_STATE, 'No episode is running, so there is nothing to stop.')
        self._events.tell(*ending(request.fault), token=self._token, seq=request.seq or self._seq)
        return answer(response, OK)

    def _on_tick(self, tick: Any) -> None:
        if tick.token == self._token and self._state == EpisodeState.RUNNING:
            self._seq, self._ns = tick.seq, fields.read_stamp(tick.header.stamp)
            if tick.seq % CONTROL_HZ == 0:
                self._tell_status()

    def _on_report(self, report: Any) -> None:
        if report.token == self._token and self._state == EpisodeState.RUNNING:
            self._seq, self._ns = report.seq, fields.read_stamp(report.header.stamp)
            self._enter(EpisodeState.ENDED)

    def _enter(self, state: EpisodeState) -> None:
        self._state = state
        self._tell_status()

    def _tell_status(self) -> None:
        left = max(0.0, self._horizon - self._seq / CONTROL_HZ)
        content = {'header': fields.header(self._ns), 'token': self._token, 'state': int(self._state), 'seq': self._seq, 'time_left': left}
        self._send(names.STATUS, content)

    def _send(self, row: names.Name, content: fields.Fields) -> None:
        self._publishers[row.name][1].publish(message(row.type, content))


def main() -> None:
    """Run the node."""
    sys.exit(run(TaskNode))


if __name__ == '__main__':
    main()
