"""The PyBullet world: one robot, one table, the props of a scene, advanced one control period at a time."""

from collections import ChainMap

import numpy as np

from vlm_bench_sim.assets import cached_text
from vlm_bench_sim.bullet.arm import Arm
from vlm_bench_sim.bullet.beads import BeadGroups
from vlm_bench_sim.bullet.bodies import RigidBody, add_prop, add_table, place, read
from vlm_bench_sim.bullet.client import Client
from vlm_bench_sim.bullet.contacts import Contacts, roughen
from vlm_bench_sim.bullet.gripper import ParallelGripper
from vlm_bench_sim.bullet.history import Action, Arrival, Hold, Placement, Removal, SavedState
from vlm_bench_sim.bullet.mechanisms import Furniture
from vlm_bench_sim.bullet.suction import SuctionGripper
from vlm_bench_sim.bullet.taking import GRAVITY, check_held, take
from vlm_bench_sim.bullet.wiping import Wiping
from vlm_bench_sim.core.actuated import Actuated
from vlm_bench_sim.core.command import Command, Stop
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import ZERO, Pose, Vector
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.robot import RobotProfile, SuctionProfile
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.snapshot import ROBOT, TABLE, Body, JointState, Snapshot, state_hash
from vlm_bench_sim.core.timing import PHYSICS_HZ, STEPS_PER_PERIOD

_SETTLE_PERIODS = 40
_ITERATIONS, _ITERATIONS_WITH_BEADS = 60, 30  # a third less time for a full cup, and beads lie no worse
# How far apart, as a share of the smaller shape, Bullet forgets a contact. At its default of 0.02 old ones outlive a turn of what is held
# and wedge fingers when they open, at 0.007 now and then; at 0.002 a single cup loses what it needs to hold on.
_STALE_AT_FINGERS, _STALE_AT_CUPS = 0.002, 0.007
_REST_LINEAR, _REST_ANGULAR = 2e-3, 2e-2  # m/s, rad/s
_CALM_LINEAR, _CALM_ANGULAR = 0.005, 0.05  # m/s, rad/s: what a monitor takes for rest


class BulletWorld(Actuated):
    """A world of its own: it owns its physics server, and several live in one process."""

    _arm: Arm
    _gripper: ParallelGripper | SuctionGripper

    def __init__(self, profile: RobotProfile) -> None:
        super().__init__(profile)
        self._client = Client()

    def load(self, scene: Scene) -> Snapshot:
        """Lay out the scene afresh, settle it and return the first snapshot (seq 0, step 0).

        Raises:
            SceneError: a prop does not come to rest within two seconds, or the hand does not hold what it shall.
        """
        client, self._scene, self._log = self._client, scene, list[tuple[int, Action]]()
        client.resetSimulation()
        client.setPhysicsEngineParameter(
            fixedTimeStep=1 / PHYSICS_HZ,
            numSolverIterations=_ITERATIONS_WITH_BEADS if scene.beads else _ITERATIONS,
            deterministicOverlappingPairs=1,
            enableFileCaching=1,
            contactBreakingThreshold=_STALE_AT_CUPS if isinstance(self.profile.gripper, SuctionProfile) else _STALE_AT_FINGERS,
        )
        client.setGravity(0, 0, -GRAVITY)
        table = add_table(client, scene.table)
        self._add_robot(scene, table)
        self._bodies: dict[str, RigidBody] = {prop.name: add_prop(client, prop) for prop in scene.props}
        self._furniture = [Furniture(client, mechanism) for mechanism in scene.mechanisms]
        self._fittings = {name: body for one in self._furniture for name, body in one.bodies.items()}
        self._beads = BeadGroups(client, scene.beads)
        names = {table: TABLE, self._robot: ROBOT} | {body.number: name for name, body in self._bodies.items()} | self._beads.names
        self._wiping = Wiping(client, scene, names=names)
        parts = {(body.number, body.link): name for name, body in self._fittings.items()}
        links = tuple(self._links[link] for link in self.profile.gripper.links)
        self._contacts = Contacts(names, self._robot, links=links, parts=parts, loose=frozenset(self._beads.names))
        self._gripper = self._hand(scene)
        self._step = self._seq = 0
        self._take(scene.robot)
        self._settle()
        self._step = self._seq = 0
        self._contacts.begin_period()
        self._snapshot = self._observe()
        return self._snapshot

    def apply(self, command: Command) -> None:
        """Begin a command at the next period; a running one of the same part is replaced.

        Raises:
            CommandError: the command is malformed, or needs a planner.
        """
        super().apply(command)
        if not isinstance(command, Stop):  # whose two holds are logged
            self._log.append((self._seq, command))

    def hold_arm(self) -> None:
        """Let the arm hold where it is commanded to be now."""
        super().hold_arm()
        self._log.append((self._seq, Hold('arm')))

    def hold_gripper(self) -> None:
        """Let the gripper hold where it is, with the present force."""
        super().hold_gripper()
        self._log.append((self._seq, Hold('gripper')))

    def step(self) -> Snapshot:
        """Advance one control period and return its snapshot."""
        self._loaded()
        self._contacts.begin_period()
        for _ in range(STEPS_PER_PERIOD):
            self._advance()
        self._seq += 1
        self._snapshot = self._observe()
        self._arm.judge(np.asarray(self._snapshot.arm(self.profile.joints)))
        self._gripper.judge(self._snapshot.opening)
        return self._snapshot

    def state_hash(self) -> str:
        """SHA-256 over every pose, velocity, joint and grasp, as they are in the simulator now."""
        self._loaded()
        return state_hash(self._observe())

    def place(self, name: str, pose: Pose, linear: Vector = ZERO, angular: Vector = ZERO) -> Snapshot:
        """Put a prop elsewhere with a linear (m/s) and an angular (rad/s) velocity; for stages and tests, never for robots."""
        self._loaded().body(name)
        self._log.append((self._seq, Placement(name, pose, linear, angular)))
        place(self._client, self._bodies[name], Body(pose, linear, angular))
        return self._seen_anew()

    def add(self, prop: Prop) -> Snapshot:
        """Put one more prop into the scene that runs, at rest where it says; nothing settles and nobody checks for room.

        Raises:
            SceneError: something has that name already.
        """
        seen = self._loaded()
        if prop.name in (ROBOT, TABLE, *seen.bodies, *seen.beads, *seen.dirt, *(mechanism.name for mechanism in self._scene.mechanisms)):
            raise SceneError(f'Something is called {prop.name!r} already. Choose another name.')
        self._log.append((self._seq, Arrival(prop)))
        self._bodies[prop.name] = body = add_prop(self._client, prop)
        self._contacts.names[body.number] = prop.name
        return self._seen_anew()

    def remove(self, name: str) -> Snapshot:
        """Take a prop out of the scene that runs; whoever holds it holds nothing then."""
        self._loaded().body(name)
        self._log.append((self._seq, Removal(name)))
        self._gripper.lose(name)
        self._contacts.forget(name)
        self._client.removeBody(self._bodies.pop(name).number)
        return self._seen_anew()

    def save(self) -> SavedState:
        """Return what leads to the present state; `restore` gets there again bit for bit, in any process."""
        self._loaded()
        return SavedState(self._scene, tuple(self._log), self._seq)

    def restore(self, saved: SavedState) -> Snapshot:
        """Return to a saved state, by doing again what was done since its scene was loaded."""
        self.load(saved.scene)
        for seq, action in saved.log:
            self._run_to(seq)
            self._do_again(action)
        self._run_to(saved.seq)
        return self.snapshot

    def _do_again(self, action: Action) -> None:
        if isinstance(action, Placement):
            self.place(action.prop, action.pose, action.linear, action.angular)
        elif isinstance(action, Arrival):
            self.add(action.prop)
        elif isinstance(action, Removal):
            self.remove(action.prop)
        elif isinstance(action, Hold):
            (self.hold_arm if action.part == 'arm' else self.hold_gripper)()
        else:
            self.apply(action)

    def _run_to(self, seq: int) -> None:
        while self._seq < seq:
            self.step()

    def close(self) -> None:
        """Free the simulator; closing twice is no error."""
        self._client.close()
        self._snapshot = None

    def _seen_anew(self) -> Snapshot:
        self._snapshot = self._observe()
        return self._snapshot

    def _add_robot(self, scene: Scene, table: int) -> None:
        client, profile = self._client, self.profile
        self._robot = int(client.loadURDF(_urdf_file(profile.urdf), useFixedBase=True, flags=client.URDF_USE_INERTIA_FROM_FILE))
        infos = [client.getJointInfo(self._robot, i) for i in range(client.getNumJoints(self._robot))]
        numbers = {info[1].decode(): info[0] for info in infos}
        self._links = {info[12].decode(): info[0] for info in infos}
        efforts = {info[1].decode(): info[10] for info in infos}
        arm = [numbers[name] for name in profile.joints]
        self._fingers = [numbers[name] for name in profile.gripper.joints]
        self._joints = arm + self._fingers
        self._joint_names = (*profile.joints, *profile.gripper.joints)
        for number, position in zip(arm, scene.robot.joints or profile.home, strict=True):
            client.resetJointState(self._robot, number, position)
        client.setCollisionFilterPair(self._robot, table, -1, -1, 0)
        self._arm = Arm(client, self._robot, joints=arm, efforts=[efforts[name] for name in profile.joints], profile=profile)

    def _hand(self, scene: Scene) -> ParallelGripper | SuctionGripper:
        client, profile = self._client, self.profile.gripper
        pads = [self._links[name] for name in profile.links]
        if isinstance(profile, SuctionProfile):
            roughen(client, self._robot, pads, anchored=True)
            head, tool = self._links[self.profile.tool_link], self.profile.tool
            bodies = ChainMap(self._bodies, self._fittings)
            return SuctionGripper(client, self._robot, head=head, tool=tool, cups=pads, bodies=bodies, profile=profile)
        opening = profile.max_opening if scene.robot.opening is None else scene.robot.opening
        for number in self._fingers:
            client.resetJointState(self._robot, number, opening / len(self._fingers))
        left, right = self._fingers
        gear = client.createConstraint(self._robot, left, self._robot, right, client.JOINT_GEAR, [1, 0, 0], [0, 0, 0], [0, 0, 0])
        client.changeConstraint(gear, gearRatio=-1, erp=0.1, maxForce=50)
        return ParallelGripper(client, self._robot, joints=self._fingers, pads=pads, profile=profile, opening=opening)

    def _take(self, start: RobotStart) -> None:
        if start.held:
            tool, body = self._observe().tool, self._bodies[start.held]
            take(self._client, body, tool @ start.grasp.inverse(), tool=tool, gripper=self._gripper, period=self._pass)

    def _pass(self) -> float:
        for _ in range(STEPS_PER_PERIOD):
            self._advance()
        return self._opening()

    def _settle(self) -> None:
        for _ in range(_SETTLE_PERIODS):
            for _ in range(STEPS_PER_PERIOD):
                self._advance()
            if not self._moving(_REST_LINEAR, _REST_ANGULAR):
                break
        # What the solver rocks for ever by a hair's breadth counts as still too.
        moving = self._moving(_CALM_LINEAR, _CALM_ANGULAR)
        if moving:
            raise SceneError(f'{", ".join(moving)} did not come to rest within 2 s. Place props on the table, apart from one another.')
        check_held(self._scene.robot, self._contacts.held, self._opening())

    def _moving(self, linear: float, angular: float) -> list[str]:
        """Return what moves faster than that, m/s and rad/s."""
        bodies = {name: read(self._client, body) for name, body in self._bodies.items()}
        moving = [n for n, b in bodies.items() if np.linalg.norm(b.linear) > linear or np.linalg.norm(b.angular) > angular]
        moving += [name for one in self._furniture for name, joint in one.observe().items() if abs(joint.velocity) > angular]
        return moving + self._beads.moving()

    def _advance(self) -> None:
        self._gripper.drive()
        self._arm.drive()
        for furniture in self._furniture:
            furniture.drive()
        self._client.stepSimulation()
        self._step += 1
        pushes = self._contacts.observe(self._client)
        self._contacts.update_grasp(self._gripper.holds(pushes, self._opening()))
        self._wiping.wipe(self._contacts.touching, lambda name: read(self._client, self._bodies[name]).pose)

    def _opening(self) -> float:
        return float(sum(state[0] for state in self._client.getJointStates(self._robot, self._fingers))) if self._fingers else 0.0

    def _observe(self) -> Snapshot:
        states = self._client.getJointStates(self._robot, self._joints)
        link = self._client.getLinkState(self._robot, self._links[self.profile.tool_link], computeForwardKinematics=1)
        contacts = self._contacts
        return Snapshot(
            seq=self._seq,
            step=self._step,
            joints={n: JointState(s[0], s[1], s[3]) for n, s in zip(self._joint_names, states, strict=True)},
            tool=Pose(link[4], link[5]) @ self.profile.tool,
            opening=float(sum(s[0] for s in states[len(self.profile.joints) :])),
            held=contacts.held,
            bodies={name: read(self._client, body) for name, body in self._bodies.items()},
            mechanisms={name: state for furniture in self._furniture for name, state in furniture.observe().items()},
            beads=self._beads.observe(),
            dirt=self._wiping.observe(),
            touching=tuple(sorted(contacts.touching)),
            touched=tuple(sorted(contacts.touched)),
            grasped=tuple(contacts.grasped),
            released=tuple(contacts.released),
        )


def _urdf_file(urdf: str) -> str:
    # PyBullet reads URDF from files only, and mesh names without a scheme.
    return str(cached_text('robot', '.urdf', urdf.replace('file://', '')))
