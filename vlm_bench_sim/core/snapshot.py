"""Snapshots: the state of the world, taken once per control period."""

from dataclasses import dataclass, field
from hashlib import sha256
from struct import pack

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import SceneError, near
from vlm_bench_sim.core.geometry import ZERO, Pose, Vector

Pair = tuple[str, str]
"""Two names in alphabetical order: names of props, `robot`, `table`, `room`, `mechanism/link` for a link, or a group's name for its beads.

`room` is the floor, and what is solid of the room around the table.
"""

ROBOT = 'robot'
TABLE = 'table'
ROOM = 'room'


def pair(a: str, b: str) -> Pair:
    """Return the two names as a pair, in alphabetical order."""
    return (a, b) if a <= b else (b, a)


@serialisable
@dataclass(frozen=True)
class JointState:
    """One joint: position (rad or m), velocity (rad/s or m/s), effort (N m or N)."""

    position: float
    velocity: float = 0.0
    effort: float = 0.0


@serialisable
@dataclass(frozen=True)
class Body:
    """One prop: its pose, linear (m/s) and angular (rad/s) velocity, all in the world frame."""

    pose: Pose
    linear: Vector = ZERO
    angular: Vector = ZERO


@serialisable
@dataclass(frozen=True)
class Snapshot:
    """The whole state that goals, skills and the monitor may read.

    Attributes:
        seq: number of control periods since the episode began.
        step: number of physics steps since the episode began.
        joints: by joint name, arm and fingers.
        tool: pose of the tool centre point in the world.
        opening: full width between the fingers, m.
        held: name of the prop in the gripper, or of the furniture link (`mechanism/link`); '' for nothing.
        bodies: by prop name.
        mechanisms: furniture joints, by `mechanism/link`.
        beads: bead centres of each group, m, in the world.
        dirt: indices of the specks left in each patch.
        touching: pairs in contact now.
        touched: pairs in contact at any physics step since the previous snapshot.
        grasped: props or furniture links whose grasp began at any physics step since the previous snapshot.
        released: props or furniture links whose grasp ended in the same time.
        contacts: False if contacts and grasps cannot be observed; then `held` and the four fields before this one are meaningless.
    """

    seq: int
    step: int
    joints: dict[str, JointState]
    tool: Pose
    opening: float
    held: str = ''
    bodies: dict[str, Body] = field(default_factory=dict)
    mechanisms: dict[str, JointState] = field(default_factory=dict)
    beads: dict[str, tuple[Vector, ...]] = field(default_factory=dict)
    dirt: dict[str, tuple[int, ...]] = field(default_factory=dict)
    touching: tuple[Pair, ...] = ()
    touched: tuple[Pair, ...] = ()
    grasped: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    contacts: bool = True

    def body(self, name: str) -> Body:
        """Return the body of a prop.

        Raises:
            SceneError: the snapshot holds no such prop.
        """
        if name not in self.bodies:
            raise SceneError(f'The snapshot holds no prop called {name!r}. {near(name, self.bodies)}')
        return self.bodies[name]

    def pose(self, name: str) -> Pose:
        """Return the pose of a prop in the world."""
        return self.body(name).pose

    def joint(self, name: str) -> JointState:
        """Return a furniture joint, by `mechanism/link`.

        Raises:
            SceneError: the snapshot holds no such joint.
        """
        if name not in self.mechanisms:
            raise SceneError(f'The snapshot holds no joint of furniture called {name!r}. {near(name, self.mechanisms)}')
        return self.mechanisms[name]

    def touches(self, a: str, b: str) -> bool:
        """Return whether the two touch now."""
        return pair(a, b) in self.touching

    def arm(self, names: tuple[str, ...]) -> tuple[float, ...]:
        """Return the positions of the named joints, rad."""
        return tuple(self.joints[name].position for name in names)


def state_hash(snapshot: Snapshot) -> str:
    """Return the SHA-256 of every pose, velocity, joint, bead, speck and grasp: unrounded float64 bytes in name order."""
    digest = sha256()
    for joints in (snapshot.joints, snapshot.mechanisms):
        for name in sorted(joints):
            digest.update(name.encode() + pack('<2d', joints[name].position, joints[name].velocity))
    for name in sorted(snapshot.bodies):
        body = snapshot.bodies[name]
        digest.update(name.encode() + pack('<13d', *body.pose.position, *body.pose.orientation, *body.linear, *body.angular))
    for name in sorted(snapshot.beads):
        digest.update(name.encode() + b''.join(pack('<3d', *centre) for centre in snapshot.beads[name]))
    for name in sorted(snapshot.dirt):
        digest.update(name.encode() + repr(snapshot.dirt[name]).encode())
    digest.update(b'held ' + snapshot.held.encode())
    return digest.hexdigest()
