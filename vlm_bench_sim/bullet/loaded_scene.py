"""All objects of a scene in the simulator, in a physics server of its own."""

from collections import ChainMap

from vlm_bench_sim.bullet.beads import BeadGroups
from vlm_bench_sim.bullet.bodies import Reading, RigidBody, add_floor, add_prop, add_table, asleep, place, push, read, wake
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.contacts import Contacts
from vlm_bench_sim.bullet.mechanisms import Furniture
from vlm_bench_sim.bullet.robot import Robot
from vlm_bench_sim.bullet.wiping import Wiping
from vlm_bench_sim.core.control import ArmControl
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.scene import GRAVITY, Scene
from vlm_bench_sim.core.snapshot import ROBOT, ROOM, TABLE, Body, Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ

_ITERATIONS, _ITERATIONS_WITH_BEADS = 60, 30  # a third less time for a full cup; beads lie no worse
# Distance, as a share of the smaller shape, at which Bullet discards a contact. At its default of 0.02, old contacts survive a rotation of
# the held prop and wedge opening fingers; at 0.007 this still happens sometimes; at 0.002 a single cup loses the contacts that hold.
_STALE_AT_FINGERS, _STALE_AT_CUPS = 0.002, 0.007


class LoadedScene:
    """A scene in the simulator, every part at its described pose; nothing has moved yet.

    Raises:
        SceneError: a speck of dirt lies on nothing, or the scene's number of joints differs from the robot's.

    Args:
        client: an empty simulator; the stage owns it from now on.
        profile: the robot.
        scene: the scene to lay out.

    Attributes:
        client: the simulator.
        robot: the robot with its arm.
        gripper: the robot's gripper.
        props: by name.
        fittings: links of furniture by full name.
        furniture: each piece.
        beads: all groups.
        wiping: all dirt.
        contacts: contacts between bodies, and the grasp.
    """

    def __init__(self, client: Client, profile: RobotProfile, *, scene: Scene) -> None:
        self.client = client
        client.setPhysicsEngineParameter(
            fixedTimeStep=1 / PHYSICS_HZ,
            numSolverIterations=_ITERATIONS_WITH_BEADS if scene.beads else _ITERATIONS,
            deterministicOverlappingPairs=1,
            enableFileCaching=1,
            contactBreakingThreshold=_STALE_AT_CUPS if isinstance(profile.gripper, SuctionProfile) else _STALE_AT_FINGERS,
        )
        self.set_gravity(GRAVITY)
        table = add_table(client, scene.table)
        self.robot = Robot(client, profile, start=scene.robot)
        client.setCollisionFilterPair(self.robot.number, table, -1, -1, 0)
        self.props = {prop.name: add_prop(client, prop) for prop in scene.props}
        self.furniture = [Furniture(client, mechanism) for mechanism in scene.mechanisms]
        self.fittings: dict[str, RigidBody] = {name: body for one in self.furniture for name, body in one.bodies.items()}
        self.beads = BeadGroups(client, scene.beads)
        self._pushed: dict[str, Body] = {}
        self._read: dict[str, Reading] = {}
        room = (add_floor(client, scene.floor), *(add_prop(client, solid).number for solid in scene.neighbours))
        names = {table: TABLE, self.robot.number: ROBOT} | dict.fromkeys(room, ROOM) | self.beads.names
        names |= {body.number: name for name, body in self.props.items()}
        parts = {(body.number, body.link): name for name, body in self.fittings.items()}
        loose = frozenset(self.beads.names).union(room)
        self.contacts = Contacts(names, self.robot.number, links=self.robot.pads, parts=parts, loose=loose)
        self.wiping = Wiping(client, scene, named=self.contacts.named)
        self.gripper = self.robot.hand(ChainMap(self.props, self.fittings))

    @property
    def arm(self) -> ArmControl:
        """The arm's controller."""
        return self.robot.arm

    def close(self) -> None:
        """Free the simulator."""
        self.client.close()

    def tool(self) -> Pose:
        """Return the pose of the tool centre point in the world."""
        return self.robot.tool()

    def opening(self) -> float:
        """Return the full width between the fingers, m."""
        return self.robot.opening()

    def bodies(self) -> dict[str, Body]:
        """Return pose and velocity of each prop by name."""
        return {name: read(self.client, body).body for name, body in self.props.items()}

    def restless(self, *, linear: float, angular: float) -> list[str]:
        """Return the names of furniture links faster than that, m/s or rad/s, and of beads that move."""
        links = [name for furniture in self.furniture for name in furniture.moving(linear=linear, angular=angular)]
        return links + self.beads.moving()

    def present(self, prop: Prop, to: Body) -> None:
        """Before anything has moved: set pose and velocity of the prop that the gripper is to take. Beads that lie in it move with it."""
        place(self.client, self.props[prop.name], to)
        self.beads.carry(prop, to)

    def set_gravity(self, gravity: float) -> None:
        """Set the acceleration of all that falls, towards the world's -z, m/s²."""
        self.client.setGravity(0, 0, -gravity)

    def add(self, prop: Prop) -> None:
        """Add a prop."""
        self.props[prop.name] = body = add_prop(self.client, prop)
        self.contacts.names[body.number] = prop.name

    def remove(self, name: str) -> None:
        """Remove a prop; a gripper that held it then holds nothing."""
        self.gripper.lose(name)
        self.contacts.forget(name)
        self.client.removeBody(self.props.pop(name).number)
        self._pushed.pop(name, None)
        self._wake()

    def place(self, name: str, to: Body) -> None:
        """Set a prop's pose and velocity, and wake all that may have lost its support."""
        if asleep(self.client, self.props[name]):
            self._pushed[name] = to
        place(self.client, self.props[name], to)
        self._wake()

    def _wake(self) -> None:
        for body in self.props.values():
            wake(self.client, body)

    def advance(self) -> None:
        """Make one physics step without wiping dirt."""
        self.gripper.drive()
        self.robot.arm.drive()
        for furniture in self.furniture:
            furniture.drive()
        self.client.stepSimulation()
        for name, to in self._pushed.items():
            push(self.client, self.props[name], to)
        self._pushed.clear()
        pushes = self.contacts.observe(self.client)
        self.contacts.update_grasp(self.gripper.holds(pushes, self.robot.opening))

    def wipe(self) -> None:
        """Remove the dirt that wipers reached in the last physics step."""
        self.wiping.wipe(self.contacts.touching, lambda name: read(self.client, self.props[name]).body.pose)

    def observe(self, *, seq: int, step: int) -> Snapshot:
        """Return the true state, `seq` control periods and `step` physics steps after the episode began."""
        contacts = self.contacts
        self._read = {name: read(self.client, body, self._read.get(name)) for name, body in self.props.items()}
        return Snapshot(
            seq=seq,
            step=step,
            joints=self.robot.joints(),
            tool=self.robot.tool(),
            opening=self.robot.opening(),
            held=contacts.held,
            bodies={name: found.body for name, found in self._read.items()},
            mechanisms={name: state for furniture in self.furniture for name, state in furniture.observe().items()},
            beads=self.beads.observe(),
            dirt=self.wiping.observe(),
            touching=tuple(sorted(contacts.touching)),
            touched=tuple(sorted(contacts.touched)),
            grasped=tuple(contacts.grasped),
            released=tuple(contacts.released),
        )
