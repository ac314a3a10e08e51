"""Replay a recorded episode: apply the same actions to a new world, and compare each state with the recorded one.

No policy and no planner is called. Planned paths are in the bag as executed trajectories.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vlm_bench_sim.bags import reader
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.arithmetic import processor
from vlm_bench_sim.core.engine import NO_ENGINE, check, recorded
from vlm_bench_sim.core.errors import BagError, VlmBenchError, quoted
from vlm_bench_sim.core.snapshot import Snapshot, state_hash
from vlm_bench_sim.extensions import EXTENSION, found
from vlm_bench_sim.physics.history import Action
from vlm_bench_sim.physics.world import SimulatedWorld
from vlm_bench_sim.ros.fields import read_snapshot
from vlm_bench_sim.ros.names import APPLIED, WORLD_STATE
from vlm_bench_sim.versions import versions
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.run import Bench

_OURS = 'vlm_bench'


@dataclass(frozen=True)
class Replay:
    """The result of a replay.

    Attributes:
        episode: the stored episode.
        robot: name of the robot.
        periods: number of states in the bag.
        actions: number of actions that were applied.
        differs: the first control period with a different state; None if all are equal.
        where: the difference, in words; empty if there is none.
        others: other libraries whose versions differ from those of the recording, each as `name=version`, and the processor if its type
            differs.
    """

    episode: Episode
    robot: str
    periods: int
    actions: int
    differs: int | None = None
    where: str = ''
    others: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether every state equals the recorded one bit by bit."""
        return self.differs is None


def episode_of(path: Path) -> Episode:
    """Return the episode stored in a bag.

    Raises:
        BagError: the bag is missing, damaged, or holds no episode.
    """
    return Episode.from_json(reader.episode_truth(reader.open_bag(path)).episode)


def replay(path: Path) -> Replay:
    """Replay the bag at `path` up to the first state that differs.

    Raises:
        BagError: the bag is missing, damaged, recorded with other physics, or does not hold every action and state.
        VlmBenchError: a recorded action cannot be executed.
    """
    bag = reader.open_bag(path)
    episode = Episode.from_json(reader.episode_truth(bag).episode)
    others = check_versions(bag)
    actions, robot, periods = actions_of(bag), reader.robot(bag), _periods(bag)
    bench = Bench(robot, engine=engine_of(bag))
    done, differs, where = 0, None, ''
    try:
        bench.world.load(episode.scene)
        for recorded, hash_ in _states(bag):
            done = _up_to(bench.world, actions, done=done, seq=recorded.seq)
            if state_hash(bench.world.snapshot) != hash_:
                differs, where = recorded.seq, _difference(recorded, bench.world.snapshot)
                break
    finally:
        bench.close()
    return Replay(episode, robot, periods, done, differs, where, others)


def _up_to(world: SimulatedWorld, actions: list[tuple[int, Action]], *, done: int, seq: int) -> int:
    """Step the world to a control period, with all actions that began before it; return the number of actions applied so far."""
    while world.snapshot.seq < seq:
        while done < len(actions) and actions[done][0] <= world.snapshot.seq:
            world.repeat(actions[done][1])
            done += 1
        world.step()
    return done


def actions_of(bag: reader.Bag) -> list[tuple[int, Action]]:
    """Return the recorded actions in order, each with the control period after which it began.

    Raises:
        BagError: the scene was loaded twice, an action is missing or unreadable, or the bag holds none.
    """
    found: list[tuple[int, Action]] = []
    for index, (_, _, message) in enumerate(bag.messages(APPLIED.name)):
        if message.index != index or bool(message.action) != bool(index):
            why = 'The scene was laid out twice' if message.index == 0 else f'Action {index} is missing'
            raise BagError(f'{bag.path} cannot be replayed: {why} on {APPLIED.name}. Judge it again instead, with vlm-bench judge.')
        if index:
            found.append((int(message.seq), _action(bag.path, message.action)))
    if APPLIED.name not in bag.topics:
        raise BagError(
            f'{bag.path} holds nothing on {APPLIED.name}, the topic for the actions in a simulator. The bag is from a real arm, or older '
            'than this topic. Judge it again instead, with vlm-bench judge.'
        )
    return found


def _action(path: Path, text: str) -> Action:
    try:
        action: Action = codec.loads(text)
    except VlmBenchError as error:
        raise BagError(f'{path} cannot be replayed: {quoted(text)} on {APPLIED.name} cannot be read. {error}') from error
    return action


def _states(bag: reader.Bag) -> Iterator[tuple[Snapshot, str]]:
    """Yield the recorded snapshot of each control period with its hash."""
    for seq, (_, _, message) in enumerate(bag.messages(WORLD_STATE.name)):
        if message.seq != seq:
            raise BagError(
                f'{bag.path} cannot be replayed: period {seq} is missing; found period {message.seq} instead. Record the episode again.'
            )
        yield read_snapshot(message), message.state_hash


def _periods(bag: reader.Bag) -> int:
    if WORLD_STATE.name not in bag.topics:
        raise BagError(
            f'{bag.path} holds nothing on {WORLD_STATE.name}, so there is nothing to compare with. Record the ground-truth topics.'
        )
    return bag.topics[WORLD_STATE.name].count


def engine_of(bag: reader.Bag) -> str:
    """Return the engine in which a bag was recorded.

    Raises:
        BagError: it was recorded around a real arm.
    """
    if (engine := recorded(bag.custom.get('versions', '').split())) == NO_ENGINE:
        raise BagError(f'{bag.path} was recorded around a real arm, which no physics engine replays. Judge it again with vlm-bench judge.')
    return engine


def check_versions(bag: reader.Bag) -> tuple[str, ...]:
    """Return the other libraries whose versions differ from those of the recording.

    Raises:
        BagError: the versions of the bench or of the engine differ.
        ConfigError: the engine is not installed.
    """
    there = dict(word.split('=', 1) for word in bag.custom.get('versions', '').split() if '=' in word)
    engine = check(engine_of(bag))
    here = dict(word.split('=', 1) for word in versions('', engine, *found().extensions))
    told = [name for name in there if (name in here or name.startswith(EXTENSION)) and name != 'renderer']
    other = [f'{name}={there[name]}' for name in told if there[name] != here.get(name)]
    if decisive := [word for word in other if word.split('=')[0] in (_OURS, engine)]:
        ours = ', '.join(f'{word.split("=")[0]}={here[word.split("=")[0]]}' for word in decisive)
        raise BagError(
            f'{bag.path} was recorded with {", ".join(decisive)}, but {ours} is installed. Other physics gives other states. '
            'Install the recorded versions, or judge it again with vlm-bench judge, which needs no physics.'
        )
    kind = bag.custom.get('processor', processor())
    return (*other, *([f'processor={kind}'] if kind != processor() else []))


def _difference(recorded: Snapshot, found: Snapshot) -> str:
    """Return in words what is farthest from its recorded pose."""
    if recorded.bodies.keys() != found.bodies.keys():
        return f'the props {sorted(recorded.bodies)} were recorded, but the replay has {sorted(found.bodies)}'
    apart = {name: body.pose.distance(found.bodies[name].pose) for name, body in recorded.bodies.items()}
    turned = {name: abs(joint.position - found.joints[name].position) for name, joint in recorded.joints.items() if name in found.joints}
    farthest, most = max(apart, key=lambda name: apart[name], default=''), max(turned, key=lambda name: turned[name], default='')
    words = [f'{farthest} is {apart[farthest] * 1000:.3g} mm off'] if apart.get(farthest) else []
    words += [f'{most} is {turned[most]:.3g} rad or m off'] if turned.get(most) else []
    return ', '.join(words) or 'poses are the same; velocities, grasps or matter are not'
