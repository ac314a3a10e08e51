"""Tables of blocks, bowls and zones whose things a test moves by itself, as a step says: no robot, no physics, no time."""

from dataclasses import replace

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.stock import BLOCKS, COLORS, block, bowl, zone
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.snapshot import Body, Snapshot, pair
from vlm_bench_tasks.agents.moves import Move
from vlm_bench_tasks.agents.whereabouts import NAMED
from vlm_bench_tasks.goals.placing import highest
from vlm_bench_tasks.skills.clearing import free_spots

TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT = (0.36, -0.3), (0.36, 0.3), (0.62, -0.3), (0.62, 0.3)


def thing(what: str, at: tuple[float, float], *, name: str = ''):
    """A thing such as `red bowl` or `big red block`, at x and y, m."""
    *size, color, noun = what.split()
    name = name or what.replace(' ', '_')
    made = {
        'block': lambda: block(name, COLORS[color], side=BLOCKS[size[0] if size else 'small']),
        'bowl': lambda: bowl(name, COLORS[color]),
        'zone': lambda: zone(name, COLORS[color]),
    }[noun]()
    return made.at(Pose((*at, made.size[2] / 2)))


def table(*things) -> Scene:
    return Scene(tuple(things))


def first(scene: Scene) -> Snapshot:
    """Everything where the scene has it."""
    return Snapshot(0, 0, {}, Pose((0.4, 0.0, 0.4)), 0.08, bodies={prop.name: Body(prop.pose) for prop in scene.props})


def put(now: Snapshot, name: str, pose: Pose, on: str = '') -> Snapshot:
    """The same with one thing elsewhere, touching what it stands on."""
    touching = tuple(two for two in now.touching if name not in two) + ((pair(name, on),) if on else ())
    return replace(now, bodies=now.bodies | {name: Body(pose)}, touching=touching, touched=touching)


def stacked(scene: Scene, now: Snapshot, name: str, base: str) -> Snapshot:
    """The same with one thing on top of another."""
    x, y, _ = now.pose(base).position
    height = highest(scene.prop(base), now.pose(base)) + scene.prop(name).size[2] / 2
    return put(now, name, Pose((x, y, height)), base)


def moved(move: Move, scene: Scene, now: Snapshot) -> Snapshot:
    """The same once a step has been carried out."""
    item, target = move.item, move.target
    if isinstance(target, str):
        return put(now, item.name, free_spots(item, NAMED.get(target, NAMED['top left area']), scene, now)[0])
    (x, y, z), half = now.pose(target.name).position, item.size[2] / 2
    if not target.ghost and target.solid.cavity is not None:
        return put(now, item.name, Pose((x, y, z + target.solid.cavity.low[2] + half)))
    if target.ghost:
        taken = [now.pose(prop.name).position for prop in scene.props if not prop.ghost and prop.name != item.name]
        steps = (0.0, 0.045, -0.045)
        spots = [(x + dx, y + dy, half) for dx in steps for dy in steps]
        return put(now, item.name, Pose(next(s for s in spots if all(max(abs(s[0] - p[0]), abs(s[1] - p[1])) > 0.041 for p in taken))))
    return stacked(scene, now, item.name, target.name)
