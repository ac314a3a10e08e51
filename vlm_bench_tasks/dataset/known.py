"""What a state tells of a scene. In a simulation that is all of it; on a real arm, what a tracker sees."""

from dataclasses import replace

from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.snapshot import Snapshot


class Known:
    """Keeps the part that is known as the same object as long as it is the same part, since renderers load a scene anew."""

    def __init__(self) -> None:
        self._whole: Scene | None = None
        self._names: tuple[str, ...] = ()
        self._part: Scene | None = None

    def of(self, scene: Scene, state: Snapshot) -> Scene:
        """Return the scene with those things alone whose state is known; itself if that is all."""
        props = tuple(prop for prop in scene.props if prop.name in state.bodies)
        fitted = tuple(mechanism for mechanism in scene.mechanisms if mechanism.joints.keys() <= state.mechanisms.keys())
        if len(props) == len(scene.props) and len(fitted) == len(scene.mechanisms):
            return scene
        names = (*(prop.name for prop in props), *(mechanism.name for mechanism in fitted))
        if self._part is None or self._whole is not scene or names != self._names:
            self._whole, self._names = scene, names
            self._part = replace(scene, props=props, mechanisms=fitted, beads=(), dirt=(), robot=RobotStart())
        return self._part
