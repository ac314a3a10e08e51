"""A running world: layout, changes and publishing, with the token of the episode and one clock over all episodes."""

from vlm_bench_sim import engines, profiles
from vlm_bench_sim.core.aids import read
from vlm_bench_sim.core.assisted_world import AssistedWorld
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.engine import PYBULLET
from vlm_bench_sim.core.geometry import Box
from vlm_bench_sim.core.lent import NOTHING, Lent
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import PERIOD_NS, steps_to_ns
from vlm_bench_sim.core.unsteady import UnsteadyWorld
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.nodes.base.answers import Events
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.barrier_server import BarrierServer
from vlm_bench_sim.nodes.publishing.action_publisher import ActionPublisher
from vlm_bench_sim.nodes.simulation.sim_publisher import SimPublisher

PARAMETERS = {
    'cameras': 'vlmbench', 'width': 256, 'height': 256, 'camera_rate': 10.0, 'robot': 'panda', 'participant_timeout': 10.0,
    'assist': '', 'engine': PYBULLET,
}  # fmt: skip


class SimSession:
    """The world of a simulator, with its barrier and its publishers.

    Args:
        node: the simulator's node, with `PARAMETERS`.
        profile: the robot.

    Attributes:
        physics: the bare world.
        world: the same world with the episode's perturbation.
        driven: the same world with the policy's aids; commands go to this one.
        barrier: knows the participants.
        token: of the episode; '' while there is none.
    """

    def __init__(self, node: BenchNode, profile: RobotProfile) -> None:
        values = node.values
        cameras = profiles.cameras(values['cameras'], values['width'], values['height'], robot=values['robot'])
        self.token, self._offset_ns = '', 0
        self.physics, self._events = engines.world(profile, values['engine']), Events(node, 'sim_node')
        self.barrier = BarrierServer(node, patience=values['participant_timeout'], token=lambda: self.token)
        self.world = UnsteadyWorld(self.physics, Kinematics(profile), tell=self.tell)
        self._actions = ActionPublisher(node, asked=self.world, done=self.physics)
        self._aids = read([values['assist']])
        self.driven = AssistedWorld(self.world, self._aids, planner=lambda: MotionPlanner(profile))
        self._lent = NOTHING
        self._presenter = SimPublisher(
            node, self.world, cameras=cameras, rate=values['camera_rate'], engine=values['engine'], aids=self._aids
        )

    @property
    def robot(self) -> Box:
        """The box around the robot in its present pose, in the world."""
        return self._presenter.robot

    @property
    def clock_ns(self) -> int:
        """The present simulated time, ns; it never runs backwards."""
        return self._offset_ns + steps_to_ns(self.physics.snapshot.step)

    def tell(self, kind: int, text: str) -> None:
        """Report an event of the present period to the judge."""
        self._events.tell(kind, text, token=self.token, seq=self.physics.snapshot.seq)

    def lay_out(
        self, scene: Scene, token: str, participants: list[str], seeded_perturbation: SeededPerturbation, lent: Lent = NOTHING
    ) -> None:
        """Lay out a scene for these participants; the clock continues. `lent` is what its aids take from the expert."""
        self._offset_ns = self.clock_ns + PERIOD_NS if token else self._offset_ns
        self.world.load(scene, seeded_perturbation)
        self._lent = lent
        self.driven.begin(scene, lent)
        self.token = token
        self.barrier.restart(participants)
        self._presenter.load(scene, token)
        for aid in self._aids if token else ():
            self.tell(EventKind.ASSISTANCE, aid)
        self._actions.begin(ns=self.clock_ns, token=token)
        self._publish()

    def lay_out_again(self, scene: Scene) -> None:
        """Lay out a scene in the running episode."""
        self.lay_out(scene, self.token, self.barrier.bench, self.world.seeded_perturbation, self._lent)

    def change(self, scene: Scene, *, told: bool) -> None:
        """Show a change made between two periods; it is published with the next period, or also now if `told`."""
        self._presenter.load(scene, self.token)
        if told:
            self._publish()

    def step(self) -> None:
        """Run and publish one period."""
        self.driven.step()
        self._publish()

    def greet(self, *, truth: bool, pictures: bool, again: bool) -> None:
        """While the world pauses, publish its state to new subscribers: the ground truth if `truth`, pictures if `pictures`.

        `again`: publish to all subscribers.
        """
        self._presenter.greet(ns=self.clock_ns, truth=truth, pictures=pictures, again=again)

    def close(self) -> None:
        """Free the world."""
        self.physics.close()

    def _publish(self) -> None:
        self._actions.publish(ns=self.clock_ns, token=self.token)
        self._presenter.publish(ns=self.clock_ns, token=self.token)
        self.barrier.tick(self.physics.snapshot.seq)
        self._presenter.tick(self.driven, ns=self.clock_ns, token=self.token)
