"""A simulated world: one robot, one table, the props of a scene, advanced one control period at a time."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from math import isfinite

import numpy as np

from vlm_bench_sim.core.actuated import Actuated
from vlm_bench_sim.core.command import Command, Hold, Stop
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import ZERO, Pose, Vector
from vlm_bench_sim.core.props import Prop, check_name
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, Snapshot, state_hash
from vlm_bench_sim.core.timing import STEPS_PER_PERIOD
from vlm_bench_sim.physics.history import Action, Arrival, Placement, Removal, SavedState
from vlm_bench_sim.physics.settling import settle
from vlm_bench_sim.physics.stage import Stage

LIGHTEST = 1e-6
"""Least mass of what moves, kg: engines divide by moments of inertia."""


class SimulatedWorld(Actuated, ABC):
    """A world in a physics engine. Subclasses name the engine and open a stage in it; several worlds can exist in one process."""

    _scene: Scene
    _stage: Stage
    _log: list[tuple[int, Action]]

    @abstractmethod
    def _open(self, scene: Scene) -> Stage:
        """Return the scene in an engine of its own; nothing has moved yet.

        Raises:
            SceneError: the engine cannot hold the scene.
        """

    def load(self, scene: Scene) -> Snapshot:
        """Lay out the scene afresh, settle it and return the first snapshot (seq 0, step 0).

        It replaces the previous scene once it is complete; after a failure, the previous scene continues unchanged.

        Raises:
            SceneError: an object does not come to rest within two seconds, a speck of dirt lies on nothing, or the gripper does not hold
                the prop that it should, or a prop's mass or friction is none.
        """
        for prop in scene.props:
            _check_weight(prop)
        with ExitStack() as if_it_fails:
            stage = self._open(scene)
            if_it_fails.callback(stage.close)
            settle(stage, self.profile, scene)
            if_it_fails.pop_all()
        self.close()
        self._scene, self._stage, self._log = scene, stage, []
        self._arm, self._gripper = stage.arm, stage.gripper
        self._step = self._seq = 0
        return self._seen_anew()

    def apply(self, command: Command) -> None:
        """Begin a command at the next period; it replaces a running command of the same part.

        Raises:
            CommandError: the command is malformed, or needs a planner.
        """
        super().apply(command)
        if not isinstance(command, Stop):  # a Stop logs its two holds instead
            self._log.append((self._seq, command))

    def hold_arm(self) -> None:
        """Make the arm hold its present commanded position."""
        super().hold_arm()
        self._log.append((self._seq, Hold('arm')))

    def hold_gripper(self) -> None:
        """Make the gripper hold its position, with the present force."""
        super().hold_gripper()
        self._log.append((self._seq, Hold('gripper')))

    def step(self) -> Snapshot:
        """Advance one control period and return its snapshot."""
        self._loaded()
        self._stage.contacts.begin_period()
        for _ in range(STEPS_PER_PERIOD):
            self._stage.advance()
            self._stage.wipe()
        self._seq, self._step = self._seq + 1, self._step + STEPS_PER_PERIOD
        self._snapshot = self._observe()
        self._arm.judge(np.asarray(self._snapshot.arm(self.profile.joints)))
        self._gripper.judge(self._snapshot.opening)
        return self._snapshot

    def state_hash(self) -> str:
        """SHA-256 over the present poses, velocities, joints and grasp in the simulator."""
        self._loaded()
        return state_hash(self._observe())

    def place(self, name: str, pose: Pose, linear: Vector = ZERO, angular: Vector = ZERO) -> Snapshot:
        """Set a prop's pose, with a linear (m/s) and an angular (rad/s) velocity; for stages and tests, never for robots.

        Raises:
            CommandError: a number is not finite, or the quaternion is zero.
        """
        self._loaded().body(name)
        Pose.of(pose.position, pose.orientation)
        for velocity in (linear, angular):
            Pose.of(velocity)
        self._log.append((self._seq, Placement(name, pose, linear, angular)))
        self._stage.place(name, Body(pose, linear, angular))
        return self._seen_anew()

    def add(self, prop: Prop) -> Snapshot:
        """Add a prop to the running scene, at rest at its pose, without settling and without a check for free space.

        Raises:
            SceneError: the name is in use, or invalid; or the mass or the friction is none.
        """
        seen = self._loaded()
        check_name('prop', prop.name)
        if prop.name in (*seen.bodies, *self._scene.with_props(()).names):
            raise SceneError(f'The name {prop.name!r} is already in use. Choose another name.')
        _check_weight(prop)
        self._log.append((self._seq, Arrival(prop)))
        self._stage.add(prop)
        return self._seen_anew()

    def remove(self, name: str) -> Snapshot:
        """Remove a prop from the running scene; a gripper that held it then holds nothing."""
        self._loaded().body(name)
        self._log.append((self._seq, Removal(name)))
        self._stage.remove(name)
        return self._seen_anew()

    @property
    def history(self) -> Sequence[tuple[int, Action]]:
        """The actions since the scene was loaded, each with the control period after which it began; it grows."""
        self._loaded()
        return self._log

    def save(self) -> SavedState:
        """Return a path to the present state; `restore` reaches it again bit for bit, in any process."""
        self._loaded()
        return SavedState(self._scene, tuple(self._log), self._seq)

    def restore(self, saved: SavedState) -> Snapshot:
        """Return to a saved state by repeating the actions since its scene was loaded."""
        self.load(saved.scene)
        for seq, action in saved.log:
            self._run_to(seq)
            self.repeat(action)
        self._run_to(saved.seq)
        return self.snapshot

    def repeat(self, action: Action) -> None:
        """Repeat, now, an action from a history.

        Raises:
            VlmBenchError: it is impossible here, for example for another robot or a missing prop.
        """
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
        """Free the simulator; repeated calls are no error, and loading opens the world again."""
        if self._snapshot is not None:
            self._stage.close()
        self._snapshot = None

    def _seen_anew(self) -> Snapshot:
        self._snapshot = self._observe()
        return self._snapshot

    def _observe(self) -> Snapshot:
        return self._stage.observe(seq=self._seq, step=self._step)


def _check_weight(prop: Prop) -> None:
    """Check that an engine can move a prop.

    Raises:
        SceneError: its mass or its friction is no number, or too small.
    """
    weighs = prop.fixed or prop.ghost or (isfinite(prop.mass) and prop.mass >= LIGHTEST)
    if not weighs or not (isfinite(prop.friction) and prop.friction >= 0.0):
        raise SceneError(
            f'{prop.name!r} has a mass of {prop.mass:g} kg and a friction of {prop.friction:g}. '
            f'Give it a mass from {LIGHTEST:g} kg and a friction from 0.'
        )
