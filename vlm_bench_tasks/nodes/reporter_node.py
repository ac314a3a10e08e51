"""A reporter node: it describes the scene before the first step, and the outcome after each step."""

import sys
import time
from typing import Any

from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.errors import ConfigError, VlmBenchError, near
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.process import run
from vlm_bench_sim.nodes.lockstep.participant import Participant
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import message
from vlm_bench_tasks.agents.chat import Endpoint
from vlm_bench_tasks.agents.examples import examples
from vlm_bench_tasks.agents.models import VLM, VisionReporter
from vlm_bench_tasks.agents.roles import Problem, Reporter, StepFault, StepReport
from vlm_bench_tasks.agents.truth_reporter import FirstGlance, TruthReporter
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.nodes.acting.thinking import think
from vlm_bench_tasks.nodes.acting.truth import KNOWING, REAL, beliefs
from vlm_bench_tasks.nodes.agents.agent_messages import report_fields
from vlm_bench_tasks.nodes.agents.reporter_inputs import CameraInput, ReporterInput, TruthInput
from vlm_bench_tasks.policy import Observation

REPORTERS = ('truth', 'vision', 'silent')
AID = 'truth_report'
"""Name of the aid in a report: the planner was given ground truth."""

PARAMETERS = KNOWING | {'reporter': 'truth', 'camera': 'top', 'examples': '', 'patience': 10.0}
"""`camera`: camera whose pictures a model gets. `examples`: task of the worked examples for the model.
`patience`: timeout for an observation, wall-clock s."""


class ReporterNode:
    """Observes the scene while the world stands still. It takes part in the barrier to miss nothing, but never delays a period."""

    def __init__(self) -> None:
        self._node = BenchNode('reporter_node', PARAMETERS)
        self._values = self._node.values
        self._kind = self._values['reporter']
        if self._kind not in REPORTERS:
            raise ConfigError(f'There is no reporter {self._kind!r}. {near(self._kind, REPORTERS)}')
        self._blind = self._kind == 'vision'  # without access to ground truth
        camera = self._values['camera']
        self._beliefs, simulated = beliefs(self._node), self._values['mode'] != REAL
        self._view: ReporterInput = (
            CameraInput(self._node, camera, simulated=simulated) if self._blind else TruthInput(self._node, self._beliefs)
        )
        self._reporter: Reporter | None = _model(camera, self._values['examples']) if self._blind else None
        self._participant = Participant(self._node, 'reporter_node', bench=False)
        self._reports, self._events = self._node.publisher(names.AGENT_REPORT), Events(self._node, 'reporter_node')
        self._token = ''
        self._before: Observation | None = None
        self._asked: tuple[int, str, int, int] | None = None
        self._node.subscribe(names.EPISODE if self._blind else names.EPISODE_TRUTH, self._on_episode)
        self._node.subscribe(names.AGENT_DEED, self._on_deed)
        self._node.subscribe(names.TICK, lambda tick: self._participant.ack(tick.token, tick.seq))

    def spin_once(self) -> None:
        """Process callbacks."""
        self._node.spin_once(0.1)
        self._participant.keep_joined()
        self._look()

    def close(self) -> None:
        """Destroy the node."""
        self._node.close()

    def _on_episode(self, episode: Any) -> None:
        if not self._blind:
            try:
                scene = Episode.from_json(episode.episode).scene
            except VlmBenchError as error:
                self._node.log.error(f'An episode that cannot be read was ignored: {error}')
                return
            self._reporter = self._knowing(scene)
            if self._beliefs is not None:
                self._beliefs.lay_out(scene)
        self._token, self._before = episode.token, None
        self._ask(0, '', 0, 0)

    def _knowing(self, scene: Scene) -> Reporter:
        truth = TruthReporter(scene)
        return FirstGlance(truth) if self._kind == 'silent' else truth

    def _on_deed(self, deed: Any) -> None:
        if deed.token != self._token:
            return
        if deed.step:
            self._ask(int(deed.number), deed.step, int(deed.seq), fields.read_stamp(deed.header.stamp))
        else:  # nothing has moved
            self._tell(self._token, int(deed.number), StepReport('', deed.problem[0].text if deed.problem else ''))

    def _ask(self, number: int, step: str, seq: int, ns: int) -> None:
        self._asked, self._until = (number, step, seq, ns), time.monotonic() + self._values['patience']
        self._look()

    def _look(self) -> None:
        """Report once an observation has arrived. Runs the reporter in a thread, since a model may be slow."""
        if self._asked is None or self._reporter is None:
            return
        number, step, seq, ns = self._asked
        now = self._view.at(self._token, seq, ns)
        if now is None and time.monotonic() < self._until:
            return
        token, self._asked = self._token, None
        if now is None:
            source = f'camera {self._values["camera"]!r}' if self._blind else 'simulator'
            text = f'The {source} sent nothing new in {self._values["patience"]:g} s. Check that it runs.'
            self._tell(token, number, Problem(StepFault.EMPTY, text))
            return
        before, self._before = self._before or now, now
        reporter = self._reporter
        think(self._node, lambda: reporter.report(step, before, now), lambda answer: self._tell(token, number, answer))

    def _tell(self, token: str, number: int, answer: StepReport | Problem) -> None:
        if token != self._token:  # the model was slow, and the answer is no longer needed
            return
        if not self._blind:  # sent with each report, since the judge may discover the episode later than this node
            self._events.tell(EventKind.ASSISTANCE, AID, token=token, seq=0)
        self._reports.publish(message(names.AGENT_REPORT.type, report_fields(token, number, answer)))


def _model(camera: str, shown: str) -> VisionReporter:
    known = examples(shown)
    looks, judgements = [example.as_looks() for example in known], [example.as_judgements() for example in known]
    return VisionReporter(Endpoint.from_environment(VLM), camera=camera, looks=looks, judgements=judgements)


def main() -> None:
    """Run the node."""
    sys.exit(run(ReporterNode))


if __name__ == '__main__':
    main()
