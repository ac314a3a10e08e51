"""Who comes while the world pauses is shown it, also where another has just gone."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('vlm_bench_msgs', reason='needs the generated messages: source scripts/env.sh')

import rclpy
from policy_client import PolicyClient

from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.publishing.camera_publisher import CameraPublisher
from vlm_bench_sim.profiles import cameras, robot
from vlm_bench_sim.render.prompt import as_described
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros import names

pytestmark = pytest.mark.ros
PANDA = robot('panda')
CAMERAS = cameras('vlmbench:front', 32, 32)
PICTURE = names.COLOR.camera('front')


@pytest.fixture
def ends(domains):
    """What publishes pictures, in this process, and who listens."""
    domain = domains()
    rclpy.init(domain_id=domain)
    node, renderer, client = BenchNode('sim_node', {}), Renderer(PANDA), PolicyClient(domain)
    ends = [CameraPublisher(node, renderer, cameras=CAMERAS, rate=10.0), node, client]
    yield ends
    ends.clear()  # the handle of an event keeps its publisher in the domain
    client.close()
    renderer.close()
    node.close()
    rclpy.shutdown()


def test_who_takes_the_place_of_another_is_shown_the_world_once(ends):
    publisher, node, client = ends
    publisher.load(Scene(()), 'token', SeededPerturbation())
    snapshot, links = as_described(Scene(()), {}, tool=PANDA.tool), Kinematics(PANDA).link_poses({})

    def greet():
        publisher.publish(snapshot, links, ns=0, pausing=True)

    def listeners():
        return {bytes(one.endpoint_gid) for one in node.public.get_subscriptions_info_by_topic(PICTURE.name)}

    client.listen(PICTURE)
    client.wait(listeners, 'the simulator to hear of it before it looks')  # who comes between two looks may be shown it twice
    client.wait(lambda: greet() or client.heard(PICTURE), 'a picture')
    greet()
    client.rest(0.3)
    assert len(client.heard(PICTURE)) == 1, 'nobody is shown the same picture twice'
    before = listeners()
    client.deafen(PICTURE)
    client.listen(PICTURE)
    client.wait(lambda: len(listeners()) == 1 and listeners() != before, 'the simulator to hear of both before it looks again')
    client.wait(lambda: greet() or client.heard(PICTURE), 'a picture for who came instead')
