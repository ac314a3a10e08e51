"""Signed topics and services between nodes that hold a key, and what comes from one that holds none."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

import numpy as np
import rclpy
from policy_client import PolicyClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message

from vlm_bench_sim.bags.definitions import deserialise
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.base.qos import qos
from vlm_bench_sim.ros import keyring, names
from vlm_bench_sim.ros.convert import interface, message
from vlm_bench_sim.ros.signature import NONE

pytestmark = pytest.mark.ros
OK, REFUSED = 1, 3  # of Result
FORGED = 'forged'


class Ends:
    """Two nodes of one bench in this process, and a stranger."""

    def __init__(self, domain):
        self.one, self.other, self.stranger = BenchNode('one', {}), BenchNode('other', {}), PolicyClient(domain)

    def turn(self):
        self.one.spin_once(0.01)
        self.other.spin_once(0.01)

    def wait(self, done, what):
        self.stranger.wait(lambda: self.turn() or done(), what)

    def rest(self, seconds=1.0):
        for _ in range(int(seconds / 0.04)):
            self.turn()
            self.stranger.spin()

    def close(self):
        self.stranger.close()
        self.one.close()
        self.other.close()


@pytest.fixture
def ends(domains):
    domain = domains()
    rclpy.init(domain_id=domain)
    with keyring.fresh():
        found = Ends(domain)
        yield found
        found.close()
    rclpy.try_shutdown()


def heard(ends, row, **options):
    """Subscribe in one node and publish from the other, once they know each other."""
    taken, foreign = [], []
    publisher = ends.other.publisher(row)
    ends.one.subscribe(row, taken.append, foreign=foreign.append, **options)
    ends.stranger.listen(row)
    ends.wait(lambda: publisher.get_subscription_count() == 2, 'both listen')
    return publisher, taken, foreign


@pytest.mark.parametrize('text', ['', 'x', 'xy', 'xyz', 'äöü', 'long' * 999])
def test_what_one_says_the_other_and_a_stranger_hear(ends, text):
    publisher, taken, foreign = heard(ends, names.EVENTS)
    for seq in range(3):
        publisher.publish(message(names.EVENTS.type, {'token': 'mine', 'seq': seq, 'kind': 3, 'source': text, 'text': text}))
    ends.wait(lambda: len(taken) == len(ends.stranger.heard(names.EVENTS)) == 3, 'three events')
    for events in (taken, ends.stranger.heard(names.EVENTS)):
        assert [(event.token, event.seq, event.kind, event.source, event.text) for event in events] == [
            ('mine', seq, 3, text, text) for seq in range(3)
        ]
        assert len({bytes(event.signature) for event in events}) == 3
    assert not foreign


def test_a_recorder_takes_the_bytes_without_a_signature_and_no_byte_too_many(ends):
    publisher, taken, _ = heard(ends, names.WORLD_STATE, raw=True)
    pose = {'position': {'x': 1.0, 'y': 2.0, 'z': 3.0}, 'orientation': {'w': 1.0}}
    bodies = [{'name': f'object_{i}' * i, 'pose': pose} for i in range(5)]
    publisher.publish(message(names.WORLD_STATE.type, {'token': 't', 'seq': 7, 'bodies': bodies, 'state_hash': 'abc'}))
    ends.wait(lambda: taken, 'a state')
    state = deserialise(names.WORLD_STATE.type, taken[0])
    assert (state.token, state.seq, len(state.bodies), state.state_hash) == ('t', 7, 5, 'abc')
    assert bytes(state.signature) == NONE
    assert len(taken[0]) - taken[0].rindex(NONE) - len(NONE) < 4


def test_what_a_stranger_says_says_again_or_mangles_is_foreign_and_bytes_that_are_no_message_are_nothing(ends):
    publisher, taken, foreign = heard(ends, names.REPORT)
    mouth = ends.stranger.nodes[0].create_publisher(interface(names.REPORT.type), names.REPORT.name, qos(names.REPORT))
    ends.wait(lambda: mouth.get_subscription_count() >= 1, 'the stranger is known')
    ends.rest()
    publisher.publish(message(names.REPORT.type, {'token': 'genuine'}))
    ends.wait(lambda: taken and ends.stranger.heard(names.REPORT), 'the genuine one')
    again = ends.stranger.heard(names.REPORT)[0]
    mangled = message(names.REPORT.type, {'token': FORGED, 'verdict': 1})
    mangled.signature = np.array(again.signature)
    for said in (again, mangled, message(names.REPORT.type, {'token': FORGED})):
        mouth.publish(said)
        ends.rest(0.2)
    for garbage in (b'\0\1\0\0' + b'\xff' * 60, bytes(serialize_message(again))[:40]):
        mouth.publish(garbage)
        ends.rest(0.2)
    ends.wait(lambda: len(foreign) == 3, 'what is foreign')
    assert [report.token for report in taken] == ['genuine']
    assert [report.token for report in foreign] == ['genuine', FORGED, FORGED]


def test_what_strangers_say_pushes_nothing_out_that_the_bench_has_said(ends):
    publisher, taken, foreign = heard(ends, names.REPORT)
    flood = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    mouth = ends.stranger.nodes[0].create_publisher(interface(names.REPORT.type), names.REPORT.name, flood)
    ends.wait(lambda: mouth.get_subscription_count() == 2, 'the stranger is known')
    publisher.publish(message(names.REPORT.type, {'token': 'genuine'}))
    for _ in range(90):
        mouth.publish(message(names.REPORT.type, {'token': FORGED}))
    ends.stranger.rest(1.0)  # meanwhile nobody of the bench takes anything
    ends.wait(lambda: len(foreign) == 90, 'what is foreign')
    assert [report.token for report in taken] == ['genuine']


def served(ends):
    """Serve LoadScene in one node, and return what was asked and a client of the other."""
    asked = []

    def serve(request, response):
        asked.append(request.token)
        response.result.result, response.state_hash = OK, f'of {request.token}'
        return response

    ends.one.service(names.LOAD_SCENE, serve)
    return asked, ends.other.client(names.LOAD_SCENE)


def test_a_node_of_the_bench_is_served_and_a_stranger_refused(ends):
    asked, client = served(ends)
    call = ends.other.call(client, {'token': 'mine', 'participants': ['a', 'ä'], 'noise_seed': 2**64 - 1})
    ends.wait(call.done, 'an answer')
    assert (call.result().result.result, call.result().state_hash) == (OK, 'of mine')
    service = ends.stranger.nodes[0].create_client(interface(names.LOAD_SCENE.type), names.LOAD_SCENE.name)
    ends.wait(service.service_is_ready, 'the service')
    ends.rest()
    request = service.srv_type.Request(token=FORGED, signature=np.frombuffer(bytes(range(32)), np.uint8))
    answers = [service.call_async(request)]
    ends.wait(answers[0].done, 'a refusal')
    assert answers[0].result().result.result == REFUSED and bytes(answers[0].result().signature) == NONE
    assert set(asked) == {'mine'}


def test_a_forged_answer_is_none_and_the_question_stays_open(ends):
    lies = []

    def lie(request, response):
        lies.append(request.token)
        response.result.result, response.state_hash = OK, FORGED
        response.signature = request.signature
        return response

    liar = ends.stranger.nodes[0].create_service(interface(names.LOAD_SCENE.type), names.LOAD_SCENE.name, lie)
    client = ends.other.client(names.LOAD_SCENE)
    call = ends.other.call(client, {'token': 'mine'})
    ends.wait(lambda: len(lies) >= 2, 'the question is asked again')
    ends.rest()
    assert not call.done()
    asked = []

    def serve(request, response):
        asked.append(request.token)
        response.result.result = OK
        return response

    ends.stranger.nodes[0].destroy_service(liar)
    ends.one.service(names.LOAD_SCENE, serve)
    ends.wait(call.done, 'an answer')
    assert call.result().state_hash == '' and asked
