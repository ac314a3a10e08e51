"""A compiled model with its data, and numbers by name, which change when a prop comes or goes."""

from collections.abc import Callable
from functools import cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.mujoco.model import SUBSTEPS, named, rub

Numbers = NDArray[np.intp]

_AWAKE = -(1 + mujoco.mjMINAWAKE)  # in `tree_asleep`: has not been slow yet

mujoco.set_mju_user_warning(lambda _: None)  # else it writes a file into the working directory; a state that is no number shows by itself


class Engine:
    """One simulation.

    Args:
        spec: the model; the engine compiles it, and again after each change.

    Attributes:
        model, data: as MuJoCo has them; other objects after each change.
    """

    def __init__(self, spec: mujoco.MjSpec) -> None:
        self.spec = spec
        named(spec.geoms)
        rub(spec)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._number()

    def change(self, how: Callable[[mujoco.MjSpec], None]) -> None:
        """Change the model; all that stays keeps its state."""
        before, motors, joints = self.model, _names(self.model, 'actuator'), _names(self.model, 'joint')
        how(self.spec)
        named(self.spec.geoms)
        rub(self.spec)
        self.model, self.data = self.spec.recompile(self.model, self.data)
        self._number()
        for name in motors & _names(self.model, 'actuator'):  # what has been set since the model was made
            self.model.actuator(name).forcerange = before.actuator(name).forcerange
        for name in joints & _names(self.model, 'joint'):
            self.model.joint(name).frictionloss = before.joint(name).frictionloss
        self.wake()

    def step(self, between: Callable[[], None]) -> None:
        """Make one physics step, and call `between` after all its parts but the last."""
        for _ in range(SUBSTEPS - 1):
            mujoco.mj_step(self.model, self.data)
            between()
        mujoco.mj_step(self.model, self.data)

    def kinematics(self) -> None:
        """Compute the poses of all bodies from the positions of the joints: a step ends with those from before it."""
        mujoco.mj_kinematics(self.model, self.data)

    def refresh(self) -> None:
        """Compute what depends on positions and velocities, after they were set."""
        mujoco.mj_forward(self.model, self.data)

    def wake(self) -> None:
        """Wake all that sleeps, and refresh: what was set may have been what it rests on, or gravity."""
        option = self.model.opt
        flags, option.enableflags = option.enableflags, 0
        self.refresh()
        option.enableflags = flags
        asleep = self.data.tree_asleep
        asleep[asleep < 0] = _AWAKE  # however slow it was before: it must be slow anew to sleep

    def _number(self) -> None:
        model = self.model
        self.body = cache(lambda name: int(model.body(name).id))
        self.position = cache(lambda names: np.array([model.joint(name).qposadr[0] for name in names]))
        self.velocity = cache(lambda names: np.array([model.joint(name).dofadr[0] for name in names]))
        self.motor = cache(lambda names: np.array([model.actuator(name).id for name in names]))

    def pose(self, body: str) -> Pose:
        """Return the pose of a body's frame in the world."""
        number = self.body(body)
        (x, y, z), (w, i, j, k) = self.data.xpos[number].tolist(), self.data.xquat[number].tolist()
        return Pose((x, y, z), (i, j, k, w))


def _names(model: mujoco.MjModel, kind: str) -> set[str]:
    """Return the names of all motors or joints that have one."""
    count, get = {'actuator': (model.nu, model.actuator), 'joint': (model.njnt, model.joint)}[kind]
    return {get(number).name for number in range(count)} - {''}
