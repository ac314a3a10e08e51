"""The graph of a real arm with the kinematic driver, and a person who answers as the test says."""

import os
import time

from policy_client import PolicyClient
from running_bench import OK, RunningBench, ros_environment

from vlm_bench_sim.nodes.base.person import QuestionKind
from vlm_bench_sim.nodes.base.signing import SigningPublisher
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.keyring import read_code
from vlm_bench_sim.ros.signature import Signer
from vlm_bench_tasks.real_graph import real

LAY_TABLE, JUDGE = QuestionKind.LAY_TABLE, QuestionKind.JUDGE
YES, NO, UNSURE = 1, 2, 3
PATIENCE_S = 15.0  # of the observer, on a machine that others may use: processes here have stood still for 3 s
RUNNING = 2  # of Status; an episode that nobody can observe ends as soon as it has begun


class ScriptedPerson(PolicyClient):
    """Answers each kind of question in one way, over the topics by which a terminal answers; what it has no answer to it leaves."""

    def __init__(self, domain, *, scored=False):
        super().__init__(domain, scored=scored, name='person')
        self.script, self.asked = {}, []
        self.listen(names.QUESTION)
        self._done = set()

    def spin(self, timeout=0.02):
        super().spin(timeout)
        for question in self.heard(names.QUESTION):
            if question.id not in self._done:
                self._done.add(question.id)
                self.asked.append(question)
                if question.kind in self.script:
                    answer, reason = self.script[question.kind]
                    self.say(names.ANSWER, {'id': question.id, 'answer': answer, 'reason': reason})

    def hold(self, code):
        """Sign answers, as who knows the code."""
        self.say(names.ANSWER, {})
        self._publishers[names.ANSWER.name] = SigningPublisher(
            self._publishers[names.ANSWER.name], Signer(read_code(code), names.ANSWER.name)
        )

    def rest(self, seconds):
        """Not by `spin`, which would answer again while it waits to answer."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            super().spin()


class RunningReal(RunningBench):
    """Starts what `vlm_bench_tasks.real_graph.real` names, with a policy's client and a person."""

    def __init__(self, domain, folder, *, without=(), others=(), patience=PATIENCE_S, **settings):
        values = {'autostart': False, 'scored': False, 'pictures': False, 'observer_timeout': 2 * PATIENCE_S} | settings
        self.specs = {spec.name: spec for spec in (*real(values), *others) if spec.name not in without}
        self.domain = domain
        self._environment, self._folder = ros_environment(domain), folder
        self.processes = {}
        self.client = PolicyClient(domain, scored=values['scored'])
        self.person = ScriptedPerson(domain, scored=values['scored'])
        # The observer tells its first period, which may be the only one, once all of these have joined; so the client misses none.
        observer = self.specs['observer_node'].parameters
        observer['participants'] = [*observer['participants'], self.client.nodes[0].get_name()]
        observer['patience'] = patience
        for name in self.specs:
            self.start(name)

    def __enter__(self):
        self.client.listen(names.REPORT, names.STATUS, names.WORLD_STATE, names.JOINT_STATES, names.RUNNING_REPORT)
        self.client.join()
        self.client.ask(names.START_EPISODE, {'task': '?'}, again=True, seconds=60.0)
        return self

    def start_episode(self, asked):
        """Ask for an episode once, with the person at work; return the answer."""
        client = self.client
        client.ask(names.START_EPISODE, {'task': '?'}, again=True)
        service = client._services[names.START_EPISODE.name]
        request = service.srv_type.Request()
        for name, value in asked.items():
            setattr(request, name, value)
        future = service.call_async(request)
        self.wait(future.done, 'an answer to StartEpisode', 90.0)
        return future.result()

    def begin(self, **asked):
        """Start an episode and return its token once its first world state has come."""
        answer = self.ask_to_begin(**asked)
        assert answer.result.result == OK, answer.result.error_message
        self.token = answer.token
        self.wait(lambda: self.states, 'the first world state')
        self.wait(lambda: any(s.token == self.token and s.state >= RUNNING for s in self.client.heard(names.STATUS)), 'the status says so')
        return self.token

    def wait(self, done, what, seconds=30.0):
        """Wait, and let the person work meanwhile."""

        def turn():
            self.person.spin(0.005)
            return done()

        self.client.wait(turn, what, seconds)

    def bag_in(self, folder):
        """Return the bag of the newest episode once it is whole."""
        self.wait(lambda: [path for path in finished(folder) if self.token[:8] in path.name], 'the bag')
        return next(path for path in finished(folder) if self.token[:8] in path.name)

    def stop(self):
        self.person.close()
        super().stop()


def finished(folder):
    """Bags that are whole."""
    return [folder / name for name in sorted(os.listdir(folder)) if not name.startswith('.')] if folder.is_dir() else []
