"""A recorded episode of which any moment can be drawn, in any order, without a physics engine."""

from collections.abc import Mapping
from dataclasses import dataclass

from vlm_bench_sim import profiles
from vlm_bench_sim.bags import reader
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.errors import BagError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.noise import noisy, strayed
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_sim.ros.names import SCENE, WORLD_STATE
from vlm_bench_tasks.dataset.known import Known
from vlm_bench_tasks.dataset.rendering import Wardrobe, dressed
from vlm_bench_tasks.episode import Episode

MOST_MOMENTS = 100_000
"""Control periods of an episode that are kept in memory."""


@dataclass(frozen=True, eq=False)
class Moment:
    """One control period: its state, and what the scene and its props look like."""

    state: Snapshot
    scene: Scene
    looks: Mapping[str, Look]


@dataclass(frozen=True, eq=False)
class Reel:
    """A recorded episode in memory.

    Attributes:
        episode: what was played.
        robot: name of the robot that was moved.
        moments: one for each control period.
    """

    episode: Episode
    robot: str
    moments: tuple[Moment, ...]

    @classmethod
    def of(cls, bag: reader.Bag) -> 'Reel':
        """Return the reel of a bag. Of a real arm it shows what a tracker saw.

        Raises:
            BagError: the bag is damaged, or holds no episode or no state.
        """
        episode = Episode.from_json(reader.episode_truth(bag).episode)
        wardrobe, scene, known = Wardrobe(episode), episode.scene, Known()
        looks: dict[str, Look] = {}
        moments: list[Moment] = []
        for topic, _, message in bag.messages(SCENE.name, WORLD_STATE.name):
            if topic == SCENE.name:
                scene = codec.read(message.scene, Scene, BagError)
                continue
            state = read_snapshot(message)
            if state.seq != len(moments):
                raise reader.damaged(bag.path, f'period {state.seq} stands where period {len(moments)} was expected on {WORLD_STATE.name}')
            if len(moments) == MOST_MOMENTS:
                raise BagError(
                    f'{bag.path} holds more than {MOST_MOMENTS} states, more than can be kept in memory. Draw it with vlm-bench render.'
                )
            if changed := wardrobe.see(state):
                looks = looks | changed
            moments.append(Moment(state, known.of(scene, state), looks))
        if not moments:
            raise BagError(f'{bag.path} holds nothing on {WORLD_STATE.name}, so there is nothing to draw. Record the ground-truth topics.')
        return cls(episode, reader.robot(bag), tuple(moments))


class Projector:
    """Draws the moments of reels of one robot.

    Args:
        robot: name of the profile.

    Raises:
        WorldError: there is no renderer on this machine.
        ConfigError: there is no such robot.
    """

    def __init__(self, robot: str) -> None:
        self.profile = profiles.robot(robot)
        self._renderer, self._kinematics = Renderer(self.profile), Kinematics(self.profile)
        self._shown: tuple[Scene, Mapping[str, Look]] | None = None

    def as_seen(self, reel: Reel, seq: int, camera: Camera, *, samples: int = 1) -> Picture:
        """Return the picture of a camera that the policy could have had: from its true (perturbed) pose, with noise."""
        perturbation = reel.episode.seeded_perturbation
        picture = self.free(reel, seq, strayed(camera, perturbation), samples=samples)
        return noisy(picture, perturbation, camera=camera.name, step=reel.moments[seq].state.step)

    def free(self, reel: Reel, seq: int, camera: Camera, *, samples: int = 1) -> Picture:
        """Return the picture of a camera that nothing disturbs."""
        return self.moment(reel.moments[seq], camera, samples=samples)

    def moment(self, moment: Moment, camera: Camera, *, samples: int = 1) -> Picture:
        """Return the picture of a camera at a moment of any episode with this robot."""
        self._load(moment)
        return self._renderer.render(camera, moment.state, self._links(moment.state), samples=samples)

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()

    def _load(self, moment: Moment) -> None:
        if self._shown is None or self._shown[0] is not moment.scene or self._shown[1] is not moment.looks:
            self._renderer.load(dressed(moment.scene, moment.looks))
            self._shown = moment.scene, moment.looks

    def _links(self, state: Snapshot) -> dict[str, Pose]:
        return self._kinematics.link_poses({name: joint.position for name, joint in state.joints.items()})
