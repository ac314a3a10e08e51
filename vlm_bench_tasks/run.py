"""The episode loop: a world, a policy and a monitor in one process. Only this module and the nodes open a world."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from vlm_bench_sim import engines, profiles
from vlm_bench_sim.core.aids import IDS_AID
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.core.command import Command, Hold, Stop
from vlm_bench_sim.core.engine import PYBULLET
from vlm_bench_sim.core.errors import WorldError
from vlm_bench_sim.core.frames import FrameTree, standing
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.noise import noisy, strayed
from vlm_bench_sim.core.perturbation import SeededPerturbation
from vlm_bench_sim.core.prompts import PromptImage
from vlm_bench_sim.core.protocols import World
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.core.timing import PHYSICS_HZ
from vlm_bench_sim.core.unsteady import UnsteadyWorld
from vlm_bench_sim.core.visible_boxes import VisibleBox, visible_boxes
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.prompts import PromptStudio
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.execution import Execution
from vlm_bench_tasks.judging.report import Report
from vlm_bench_tasks.play import Observer, Play
from vlm_bench_tasks.policies.adviser import Adviser
from vlm_bench_tasks.policy import EpisodeContext, Observation, Player, PrivilegedInfo
from vlm_bench_tasks.suites import versions_for
from vlm_bench_tasks.trial import Trial
from vlm_bench_tasks.variation.streams import PUBLIC, Streams

TRUTH = 'truth'
PATIENCE = 100  # greatest number of consecutive commands that take no simulated time, such as unreachable tool poses


def _unheard(_kind: EventKind, _text: str) -> None:
    pass


@dataclass(frozen=True)
class Run:
    """The result of one episode.

    Attributes:
        report: the judge's report.
        hashes: state hash of each control period.
        rewards: dense reward of each control period up to the verdict, 0…1.
        wall_seconds: wall-clock time of the run.
        cpu_seconds: CPU time of all threads of this process during the run.
        failures: failures that a planning policy reports, in words.
    """

    report: Report
    hashes: tuple[str, ...]
    rewards: tuple[float, ...]
    wall_seconds: float
    cpu_seconds: float
    failures: tuple[str, ...] = ()


class Bench:
    """A robot, its world, its planner and its cameras in this process.

    Args:
        robot: name of the profile.
        cameras: name of a camera set, or 'none'.
        width, height: size of the pictures, pixels.
        engine: of the physics, one of `ENGINES`.

    Attributes:
        engine: its name.
        placed: the cameras at their true poses in the newest episode.
    """

    def __init__(self, robot: str = 'panda', cameras: str = 'none', *, width: int = 256, height: int = 256, engine: str = PYBULLET) -> None:
        self.profile, self.engine = profiles.robot(robot), engine
        self.cameras, self._set = profiles.cameras(cameras, width, height, robot=robot), cameras
        self.world = engines.world(self.profile, engine)
        self.planner = MotionPlanner(self.profile)
        self.kinematics = self.planner.kinematics
        self.renderer = Renderer(self.profile) if self.cameras else None
        self._studio = PromptStudio(self.profile, self.kinematics)
        self._played = UnsteadyWorld(self.world, self.kinematics, tell=_unheard)
        self.placed = self.cameras
        self._frames = FrameTree(self.profile.urdf, self.placed)

    def lay_out(
        self, scene: Scene, perturbation: SeededPerturbation, *, tell: Callable[[EventKind, str], None] = _unheard
    ) -> UnsteadyWorld:
        """Load a scene into the physics and the renderer, and return the world that takes commands.

        Args:
            scene: the scene to load.
            perturbation: perturbation of commands, grasps and observations.
            tell: called for each event that snapshots do not show.
        """
        self._played = UnsteadyWorld(self.world, self.kinematics, tell=tell)
        self._played.load(scene, perturbation)
        self.placed = tuple(strayed(camera, perturbation) for camera in self.cameras)
        self._frames = FrameTree(self.profile.urdf, self.placed)
        if self.renderer:
            self.renderer.load(scene)
        return self._played

    @property
    def asked(self) -> Sequence[tuple[int, Command | Hold]]:
        """The commands of the newest episode so far, each with the control period after which it began. The sequence grows."""
        return self._played.asked

    def run(
        self,
        episode: Episode,
        policy: Player,
        *observers: Observer,
        adviser: Adviser | None = None,
        assisted: Callable[[World], World] = lambda world: world,
    ) -> Run:
        """Run one episode to its verdict.

        Args:
            episode: the episode to play.
            policy: chooses the commands.
            observers: receive every control period and event.
            adviser: each command of the policy then comes with an event that holds the advice.
            assisted: returns the world that takes the commands, for aids that act on the robot.
        """
        began, worked = time.perf_counter(), time.process_time()
        play = Play(self, episode, *observers, assisted=assisted)
        loop = _Loop(self, play, policy=policy, adviser=adviser)
        loop.start(episode)
        while not play.over:
            loop.turn()
        report = replace(play.report, versions=self.versions(episode), perturbations=episode.perturbation.labels)
        seconds = time.perf_counter() - began, time.process_time() - worked
        return Run(report, tuple(play.hashes), tuple(play.rewards[: report.seq + 1]), *seconds, policy.failures)

    def versions(self, episode: Episode) -> tuple[str, ...]:
        """Return the versions of all that decides the result of an episode here."""
        return versions_for(self.renderer_string, self.engine, tasks=[episode.task], robots=[self.profile.name], cameras=[self._set])

    def ready_to_draw(self) -> None:
        """Open the renderer for pictures of instructions."""
        self._studio.open()

    def prompt_images(self, episode: Episode) -> tuple[PromptImage, ...]:
        """Return the pictures of an episode's instruction as a policy receives them."""
        return self._studio.draw(episode.instruction.pictures)

    @property
    def renderer_string(self) -> str:
        """The renderer's name as OpenGL reports it; 'none' without cameras, unless it has drawn pictures of an instruction."""
        return self.renderer.renderer_string if self.renderer else self._studio.renderer_string

    def pictures(self, snapshot: Snapshot) -> dict[str, Picture]:
        """Return each camera's picture of the scene that was loaded last, by name."""
        if not self.cameras:
            return {}
        drawn = self._eyes().pictures([self._strayed(camera) for camera in self.cameras], snapshot, self.links(snapshot))
        return {camera.name: self._noisy(camera, one, snapshot) for camera, one in zip(self.cameras, drawn, strict=True)}

    def camera_poses(self, snapshot: Snapshot) -> dict[str, Pose]:
        """Return the world pose of each camera's optical frame, as the transforms of /tf give it."""
        if not self.placed:
            return {}
        transforms = self._frames.fixed | self._frames.moving(self.links(snapshot))
        return {camera.name: pose for camera in self.placed if (pose := standing(transforms, camera.frame)) is not None}

    def picture(self, camera: Camera, snapshot: Snapshot, *, robot: bool = True) -> Picture:
        """Return one camera's picture of the scene that was loaded last, from its true pose and with its noise, without the robot if asked.

        Raises:
            WorldError: this bench has no cameras.
        """
        drawn = self._eyes().render(self._strayed(camera), snapshot, self.links(snapshot), robot=robot)
        return self._noisy(camera, drawn, snapshot)

    def visible_boxes(self, camera: Camera, picture: Picture, snapshot: Snapshot) -> tuple[VisibleBox, ...]:
        """Return the bounding box of each thing in a camera's picture of this snapshot, and the fraction of it that is visible.

        Raises:
            WorldError: this bench has no cameras.
        """
        return visible_boxes(picture.ids, self._eyes().alone(self._strayed(camera), snapshot, self.links(snapshot)))

    def _eyes(self) -> Renderer:
        if self.renderer is None:
            raise WorldError('This bench has no cameras. Name a camera set, such as vlmbench, when you create it.')
        return self.renderer

    def _strayed(self, camera: Camera) -> Camera:
        return strayed(camera, self._played.seeded_perturbation)

    def _noisy(self, camera: Camera, drawn: Picture, snapshot: Snapshot) -> Picture:
        return noisy(drawn, self._played.seeded_perturbation, camera=camera.name, step=snapshot.step)

    def links(self, snapshot: Snapshot) -> dict[str, Pose]:
        """Return the world pose of each link of the robot, by name."""
        return self.planner.kinematics.link_poses({name: joint.position for name, joint in snapshot.joints.items()})

    def close(self) -> None:
        """Free the world and the renderer."""
        self.world.close()
        self._studio.close()
        if self.renderer:
            self.renderer.close()


def bench_for(trial: Trial) -> Bench:
    """Return the bench for a trial. The process caches it for later trials with the same robot, cameras and engine."""
    return _kept(trial.robot, trial.cameras, trial.width, trial.height, trial.engine)


@cache
def _kept(robot: str, cameras: str, width: int, height: int, engine: str) -> Bench:
    return Bench(robot, cameras, width=width, height=height, engine=engine)


def forget_benches() -> None:
    """Clear the cache of benches, because one of them was left in an undefined state."""
    _kept.cache_clear()


class _Loop:
    """Asks the policy for a command whenever its last one has ended."""

    def __init__(self, bench: Bench, play: Play, *, policy: Player, adviser: Adviser | None) -> None:
        self.bench, self.play, self.policy, self.adviser = bench, play, policy, adviser
        self.stopped, self.idle = False, 0

    def start(self, episode: Episode) -> None:
        """Reset the policy and begin the episode."""
        bench, streams = self.bench, Streams(episode.task, episode.split, episode.seed)
        chance = streams if self.policy.privileged else PUBLIC  # as over ROS, where other policies do not know the seed
        self.execution = Execution(self.play.world, bench.planner, streams=chance, truth=self.policy.privileged)
        self.execution.reset(episode.scene)
        privileged_info = PrivilegedInfo(episode.scene, episode.plan or episode.goal, bench.planner, episode.alternatives)
        own = privileged_info if self.policy.privileged else None
        if self.adviser:
            self.adviser.reset(EpisodeContext(episode.instruction.text, bench.profile, privileged_info))
        cameras = {camera.name: camera.calibration for camera in bench.placed}
        images = () if self.policy.privileged else tuple(image.copied() for image in bench.prompt_images(episode))
        self.policy.reset(EpisodeContext(episode.instruction.text, bench.profile, own, streams.seed('policy'), cameras, pictures=images))
        self.play.begin()
        for aid in (*([TRUTH] if self.policy.privileged else []), *self.policy.assistance):
            self.play.event(EventKind.ASSISTANCE, aid)

    def turn(self) -> None:
        """Ask the policy if its last command has ended, then step one control period if a command or the judge needs it."""
        if not self.execution.busy and not self.stopped:
            observation = self._observation()
            if self.adviser:
                advice = self.adviser.advise(replace(observation, truth=self.bench.world.snapshot))
                self.play.event(EventKind.ADVICE, dumps(advice))
            command = self.policy.act(observation)
            if self.adviser:
                self.adviser.see(command)
            for kind, text in self.policy.notes:
                self.play.event(kind, text)
            if isinstance(command, Stop):
                self.stopped = True
                self.execution.stop()
                fault = self.policy.fault  # only `evaluation.guard` sets it: it ends the episode
                self.play.event(EventKind.POLICY_FAULT if fault else EventKind.STOP, fault)
            else:
                self.execution.begin(command)
        if self.execution.busy or self.play.wants_time():
            self.idle = 0
            self.play.step()
        else:
            self.idle += 1
            if self.idle >= PATIENCE:
                self.play.event(EventKind.POLICY_TIMEOUT, f'{PATIENCE} commands in a row had no effect')

    def _pictures(self, now: Snapshot) -> dict[str, Picture]:
        pictures = self.bench.pictures(now)
        if self.policy.privileged or IDS_AID in self.policy.assistance:
            return pictures
        return {name: picture.without_ids() for name, picture in pictures.items()}

    def _observation(self) -> Observation:
        now = self.bench.world.snapshot
        return Observation(
            seconds=now.step / PHYSICS_HZ,
            joints=now.joints,
            tool=now.tool,
            opening=now.opening,
            outcome=self.execution.settle(),
            pictures=self._pictures(now),
            camera_poses=self.bench.camera_poses(now),
            truth=now if self.policy.privileged else None,
        )
