"""A policy that speaks in the bench's name: in the domain of policies, or in both."""

from policy_client import PolicyClient
from rclpy.serialization import deserialize_message

from vlm_bench_sim.nodes.base.qos import qos
from vlm_bench_sim.ros.convert import fill, interface

FORGED = 'forged'


class Forger(PolicyClient):
    """Says anything, on any topic, as often as it likes."""

    def __init__(self, domain, *, scored=False):
        super().__init__(domain, scored=scored, name='a_policy')
        self._mouths = {}

    def aim(self, *rows):
        """Begin to publish on these, and wait until somebody of the bench listens to each."""
        for row in rows:
            node = self._node(row)
            self._mouths[row.name] = node.create_publisher(interface(row.type), row.name, qos(row))
        for row in rows:
            self.wait(self._mouths[row.name].get_subscription_count, f'a subscriber of {row.name}', 60.0)
        self.rest(1.0)

    def forge(self, row, **content):
        """Publish something three times."""
        for _ in range(3):
            self._mouths[row.name].publish(fill(interface(row.type)(), content))
            self.rest(0.1)

    def retell(self, row, raw, token):
        """Publish a recorded message as one of the episode that runs."""
        message = deserialize_message(raw, interface(row.type))
        message.token = token
        self._mouths[row.name].publish(message)
        self.rest(0.005)

    def replay(self, row):
        """Publish once more, to the byte, what was heard last on a topic."""
        self._mouths[row.name].publish(self.heard(row)[-1])
        self.rest(0.2)


def success(token, seq=1):
    """The fields of a report that says so."""
    return {
        'token': token, 'verdict': 1, 'seq': seq, 'sim_seconds': seq / 20, 'progress': 1.0, 'score': 100.0, 'reward': 1.0,
        'judged_by': 'truth', 'isolation': 'domain',
    }  # fmt: skip
