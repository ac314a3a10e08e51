"""The one episode loop: a world, a policy and a monitor in one process. Besides the nodes, the only place that opens a world."""

import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Protocol

from vlm_bench_sim import profiles
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.camera import Camera, Picture
from vlm_bench_sim.core.command import Chunk, Command, Joints, Stop, ToolPose, Wait
from vlm_bench_sim.core.disturbance import Unrest
from vlm_bench_sim.core.errors import CommandError, PlanError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.noise import noisy, strayed
from vlm_bench_sim.core.protocols import MotionState, Planner, PlanRequest, World, obstacles
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_sim.core.timing import PHYSICS_HZ, seconds_to_periods
from vlm_bench_sim.core.unsteady import Mishap, UnsteadyWorld
from vlm_bench_sim.motion.planner import MotionPlanner
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_sim.versions import versions
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.judging.cues import Markers
from vlm_bench_tasks.judging.monitor import Limits, Monitor
from vlm_bench_tasks.judging.report import Event, EventKind, Report, Verdict
from vlm_bench_tasks.policy import Briefing, Observation, Outcome, Policy, Secret
from vlm_bench_tasks.variation.streams import Streams

TRUTH = 'truth'
PATIENCE = 100  # commands in a row that need no simulated time, such as tool poses out of reach
_FAILED = {
    MotionState.PATH_TOLERANCE: 'The arm left its path.',
    MotionState.GOAL_TOLERANCE: 'The arm did not come to its goal.',
    MotionState.STOPPED: 'The motion was stopped.',
}


class Observer(Protocol):
    """Watches a run, such as a recorder does."""

    def period(self, snapshot: Snapshot) -> None:
        """See one control period; the first is that of the settled scene."""
        ...

    def event(self, event: Event) -> None:
        """See an event, after the period of its number."""
        ...


@dataclass(frozen=True)
class Run:
    """What came of an episode.

    Attributes:
        report: the judgement.
        hashes: state hash of each control period.
        wall_seconds: how long the run took.
        failures: what a policy that plans says went wrong on its way.
    """

    report: Report
    hashes: tuple[str, ...]
    wall_seconds: float
    failures: tuple[str, ...] = ()


class Execution:
    """Carries out one command after another on a world; a ToolPose is planned first, which takes no simulated time.

    Args:
        world: to act on.
        planner: for tool poses.
        streams: give each planner call its seed.
        truth: True where plans keep clear of every prop, False where only of robot and table.
    """

    def __init__(self, world: World, planner: Planner, *, streams: Streams, truth: bool) -> None:
        self._world, self._planner, self._streams, self._truth = world, planner, streams, truth
        self._scene = Scene(())
        self._calls = 0
        self._until = 0
        self._moves_arm = False
        self.outcome = Outcome()

    def reset(self, scene: Scene) -> None:
        """Begin an episode in that scene."""
        self._scene, self._calls, self._until, self.outcome = scene, 0, 0, Outcome()

    @property
    def busy(self) -> bool:
        """True while a command runs."""
        moving = MotionState.RUNNING in (self._world.arm, self._world.gripper)
        return moving or self._world.snapshot.seq < self._until

    def begin(self, command: Command) -> None:
        """Begin a command; what it comes to is in `outcome` when it is over."""
        self.outcome, self._moves_arm = Outcome(), isinstance(command, ToolPose | Joints | Chunk)
        try:
            if isinstance(command, Wait):
                self._until = self._world.snapshot.seq + seconds_to_periods(command.seconds)
            elif isinstance(command, ToolPose):
                self._world.apply(self._planner.plan(self._request(command)))
            else:
                self._world.apply(command)
        except (PlanError, CommandError) as error:
            self.outcome = Outcome(done=False, text=str(error))

    def settle(self) -> Outcome:
        """Return what the last command came to, once it is over."""
        if self.outcome.done and self._moves_arm and self._world.arm in _FAILED:
            self.outcome = Outcome(done=False, text=_FAILED[self._world.arm])
        return self.outcome

    def _request(self, target: ToolPose) -> PlanRequest:
        now = self._world.snapshot
        props, held = obstacles(self._scene, now) if self._truth else ((), None)
        seed = self._streams.seed(f'planner/{self._calls}')
        self._calls += 1
        return PlanRequest(now.arm(self._world.profile.joints), target, props, held, seed, now.opening, self._scene.table.top)


class Bench:
    """A robot, its world, its planner and its cameras in this process.

    Args:
        robot: name of the profile.
        cameras: a camera set, or 'none'.
        width, height: of the pictures, pixels.
    """

    def __init__(self, robot: str = 'panda', cameras: str = 'none', *, width: int = 256, height: int = 256) -> None:
        self.profile = profiles.robot(robot)
        self.cameras = profiles.cameras(cameras, width, height, robot=robot)
        self.world = BulletWorld(self.profile)
        self.planner = MotionPlanner(self.profile)
        self.kinematics, self.unrest = self.planner.kinematics, Unrest()
        self.renderer = Renderer(self.profile) if self.cameras else None

    def run(self, episode: Episode, policy: Policy, *observers: Observer) -> Run:
        """Run one episode to its verdict."""
        began = time.perf_counter()
        hashes: list[str] = []
        see: list[Callable[[Snapshot], None]] = [lambda now: hashes.append(state_hash(now)), *(o.period for o in observers)]
        tell: list[Callable[[Event], None]] = [o.event for o in observers]
        monitor = Monitor(episode.goal, Limits(episode.horizon, episode.step_limit))
        loop = _Loop(self, episode, policy=policy, monitor=monitor, see=see, tell=tell)
        loop.start()
        while monitor.report.verdict is Verdict.RUNNING:
            loop.turn()
        failures = tuple(getattr(policy, 'failures', ()))
        report = replace(monitor.report, versions=versions(self.renderer_string), conditions=episode.disturbance.conditions)
        return Run(report, tuple(hashes), time.perf_counter() - began, failures)

    @property
    def renderer_string(self) -> str:
        """What draws the pictures, as OpenGL names it; 'none' where nothing does."""
        return self.renderer.renderer_string if self.renderer else 'none'

    def pictures(self, snapshot: Snapshot) -> dict[str, Picture]:
        """Return what each camera sees of the scene that was loaded last."""
        return self._seen(self.cameras, snapshot) if self.cameras else {}

    def picture(self, camera: Camera, snapshot: Snapshot) -> Picture:
        """Return what one camera sees of the scene that was loaded last, from where it really is and with its noise.

        Raises:
            WorldError: this bench was made without cameras.
        """
        return self._seen((camera,), snapshot)[camera.name]

    def _seen(self, cameras: tuple[Camera, ...], snapshot: Snapshot) -> dict[str, Picture]:
        if self.renderer is None:
            raise WorldError('This bench has no cameras. Name a camera set, such as vlmbench, when it is made.')
        pictures = self.renderer.pictures([strayed(camera, self.unrest) for camera in cameras], snapshot, self.links(snapshot))
        taken = zip(cameras, pictures, strict=True)
        return {camera.name: noisy(picture, self.unrest, camera=camera.name, step=snapshot.step) for camera, picture in taken}

    def links(self, snapshot: Snapshot) -> dict[str, Pose]:
        """Return where each link of the robot is in the world."""
        return self.planner.kinematics.link_poses({name: joint.position for name, joint in snapshot.joints.items()})

    def close(self) -> None:
        """Free world and renderer."""
        self.world.close()
        if self.renderer:
            self.renderer.close()


@dataclass
class _Loop:
    bench: Bench
    episode: Episode
    _: KW_ONLY
    policy: Policy
    monitor: Monitor
    see: list[Callable[[Snapshot], None]]
    tell: list[Callable[[Event], None]]

    def start(self) -> None:
        self.stopped, self.idle = False, 0
        episode, bench = self.episode, self.bench
        streams = Streams(episode.task, episode.split, episode.seed)
        bench.unrest = episode.unrest
        self.world = UnsteadyWorld(bench.world, bench.kinematics, tell=self._mishap)
        self.execution = Execution(self.world, bench.planner, streams=streams, truth=self.policy.privileged)
        snapshot = self.world.load(episode.scene, episode.unrest)
        if bench.renderer:
            bench.renderer.load(episode.scene)
        self.markers, self.looks = Markers(episode.cues), dict[str, Look]()
        self.execution.reset(episode.scene)
        secret = Secret(episode.scene, episode.plan or episode.goal, bench.planner, episode.alternatives)
        own = secret if self.policy.privileged else None
        self.policy.reset(Briefing(episode.instruction.text, bench.profile, own, streams.seed('policy')))
        self._observe(snapshot)
        if self.policy.privileged:
            self._event(EventKind.ASSISTANCE, TRUTH)

    def turn(self) -> None:
        """Ask the policy if it is its turn, then let a period pass if somebody needs one."""
        if not self.execution.busy and not self.stopped:
            command = self.policy.act(self._observation())
            if isinstance(command, Stop):
                self.stopped = True
                self._event(EventKind.STOP, '')
            else:
                if told := getattr(self.policy, 'waypoint', ''):
                    self._event(EventKind.WAYPOINT, told)
                self.execution.begin(command)
        if self.execution.busy or self.monitor.wants_time():
            self.idle = 0
            self._observe(self.world.step())
        else:
            self.idle += 1
            if self.idle >= PATIENCE:
                self._event(EventKind.POLICY_TIMEOUT, f'{PATIENCE} commands in a row came to nothing')

    def _observe(self, snapshot: Snapshot) -> None:
        if self.bench.renderer:
            self.bench.renderer.dress(self.looks)
        self.looks = self.markers.see(snapshot)  # seen with the next period: cues are applied between two
        self.monitor.observe(snapshot)
        for see in self.see:
            see(snapshot)

    def _mishap(self, mishap: Mishap, text: str) -> None:
        self._event(EventKind(mishap), text)

    def _event(self, kind: EventKind, text: str) -> None:
        event = Event(self.bench.world.snapshot.seq, kind, 'run', text)
        self.monitor.event(event)
        for tell in self.tell:
            tell(event)

    def _observation(self) -> Observation:
        now = self.bench.world.snapshot
        return Observation(
            seconds=now.step / PHYSICS_HZ,
            joints=now.joints,
            tool=now.tool,
            opening=now.opening,
            outcome=self.execution.settle(),
            pictures=self.bench.pictures(now),
            truth=now if self.policy.privileged else None,
        )
