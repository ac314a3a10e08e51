"""Small pieces of what an episode needs, each tried once and timed: a picture, a plan, some physics. Runs native code of many libraries."""

from math import sin
from statistics import median
from time import perf_counter

from vlm_bench_sim import profiles
from vlm_bench_sim.core.camera import Picture
from vlm_bench_sim.core.command import Joints, Stop
from vlm_bench_sim.core.errors import PlanError, WorldError
from vlm_bench_sim.core.protocols import MotionState, PlanCode
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.timing import PERIOD_S
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.renderer import Renderer
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.execution import Execution
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.policies.oracle import Oracle
from vlm_bench_tasks.policy import EpisodeContext, Observation, PrivilegedInfo
from vlm_bench_tasks.run import Bench
from vlm_bench_tasks.variation.streams import Streams

_EPISODE = SETTINGS['task'].default, 'seen', 0
_CAMERA, _SIDE, _PICTURES = 'vlmbench:front', 256, 9
_PERIODS, _LONGEST_S = 300, 4.0  # 15 s of simulation, or what fits in 4 s


def picture() -> float:
    """Return how long a picture takes after the first one, ms: RGB-D of a task's scene at 256x256, with the arm elsewhere each time.

    Raises:
        WorldError: there is no renderer, or a picture cannot be right.
    """
    scene = catalogue.build(*_EPISODE).scene
    profile, (camera,) = profiles.robot('panda'), profiles.cameras(_CAMERA, _SIDE, _SIDE)
    kinematics, renderer = Kinematics(profile), Renderer(profile)
    renderer.load(scene)
    poses, times = {prop.name: prop.pose for prop in scene.props}, []
    for turn in range(1 + _PICTURES):
        links = kinematics.link_poses(dict(zip(profile.joints, (0.02 * turn, *profile.home[1:]), strict=True)))
        began = perf_counter()
        drawn = renderer.render(camera, poses, links)
        times.append(1e3 * (perf_counter() - began))
        check(drawn, scene)
    renderer.close()
    return median(times[1:])


def check(drawn: Picture, scene: Scene) -> None:
    """Check that a picture can be right.

    Raises:
        WorldError: it is of one color, its depth is not finite or empty, or it shows no prop of the scene.
    """
    depth, shown = drawn.depth, {int(number) for number in set(drawn.ids.ravel().tolist())}
    if (drawn.color == drawn.color[0, 0]).all():
        raise WorldError('The picture is empty: every pixel has the same color.')
    if not ((depth >= 0.0) & (depth < 1e3)).all() or not (depth > 0.0).any():
        raise WorldError('The depth of the picture is wrong: it is not finite, negative or 0 everywhere.')
    if not shown & {scene.ids[prop.name] for prop in scene.props}:
        raise WorldError('The picture shows none of the props of its scene.')


def plan() -> float:
    """Return how long the expert takes to its first motion in a task's scene, s: choosing a grasp, and planning the way there.

    Raises:
        PlanError: it finds none.
    """
    episode, bench = catalogue.build(*_EPISODE), Bench()
    expert, world = Oracle(), bench.world
    world.load(episode.scene)
    own = PrivilegedInfo(episode.scene, episode.plan or episode.goal, bench.planner, episode.alternatives)
    expert.reset(EpisodeContext(episode.instruction.text, bench.profile, own))
    execution = Execution(world, bench.planner, streams=Streams(*_EPISODE), truth=True)
    execution.reset(episode.scene)
    command, seconds = None, 0.0
    while world.arm is not MotionState.RUNNING and not isinstance(command, Stop):
        while execution.busy:
            world.step()
        now, began = world.snapshot, perf_counter()
        command = expert.act(Observation(0.0, now.joints, now.tool, now.opening, execution.settle(), truth=now))
        if not isinstance(command, Stop):
            execution.begin(command)
        seconds += perf_counter() - began
    bench.close()
    if isinstance(command, Stop):
        raise PlanError(f'The expert found no motion: {"; ".join(expert.failures)}', PlanCode.NO_PATH)
    return seconds


def physics() -> float:
    """Return the simulated seconds per wall-clock second in the world of an episode, while the arm moves."""
    bench = Bench()
    bench.world.load(catalogue.build(*_EPISODE).scene)
    began, periods = perf_counter(), 0
    while periods < _PERIODS and perf_counter() - began < _LONGEST_S:
        bench.world.apply(Joints((0.3 * sin(0.1 * periods), *bench.profile.home[1:])))
        bench.world.step()
        periods += 1
    rate = periods * PERIOD_S / (perf_counter() - began)
    bench.close()
    return rate
