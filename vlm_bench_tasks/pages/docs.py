"""Write the generated pages of docs/ (interfaces, tasks, results) and MoveIt's configuration packages, from what the code says.

`python -m vlm_bench_tasks.pages.docs` writes them. With `--check` it writes nothing, lists outdated pages and exits with 1 if any.
"""

from collections.abc import Callable, Iterable
from functools import partial
from math import degrees
from pathlib import Path
from typing import Annotated

import typer

from vlm_bench_sim import profiles
from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_sim.ros import names
from vlm_bench_tasks import settings
from vlm_bench_tasks.evaluation.board import leaderboard
from vlm_bench_tasks.pages import moveit_files
from vlm_bench_tasks.pages.all_tasks_page import NAME, all_tasks_page
from vlm_bench_tasks.pages.interface_files import Interface, interfaces
from vlm_bench_tasks.pages.leaderboard_page import page as leaderboard_page
from vlm_bench_tasks.pages.perturbation_page import perturbations_page
from vlm_bench_tasks.pages.policy_page import policy_page
from vlm_bench_tasks.pages.protocols_page import protocols_page
from vlm_bench_tasks.pages.results_page import FOLDER, REPORTS
from vlm_bench_tasks.pages.robot_page import interfaces_of, robot_page
from vlm_bench_tasks.pages.tables import literal, table
from vlm_bench_tasks.pages.tasks_page import tasks_page

ROOT = Path(__file__).resolve().parents[2]
_HEAD = '<!-- Written by `make docs`; a test fails when it is stale. Do not edit. -->'
_CONVENTIONS = """\
Written from `vlm_bench_sim/ros/names.py`, which defines every name once, the files of `vlm_bench_msgs/`, and the profiles in `config/`.

SI units and radians; quaternions xyzw. Frame `world`: the robot's base at the origin, x forward, z up, the table's top at z = 0 unless a
perturbation moves it. A camera's frame is `<name>_color_optical_frame` (x right, y down, z forward). Header stamps are simulated time,
`/clock`'s; on a real arm they are the system clock's.

Every topic is reliable. *Latched* ones are transient_local too, so late joiners get the last message. *Private* names are the bench's
own; with `scored:=true` they live on `ROS_DOMAIN_ID` + 1, where a policy cannot see them. *Signed* ones carry a `signature` where the
bench has a key, and nodes of the bench then accept no others ([security.md](security.md)). Topics marked *bag* are recorded."""
_BEHAVIOUR = """\
The trajectory action behaves as ros2_controllers' joint_trajectory_controller does:

| given | then |
|---|---|
| an unknown joint, a wrong count, no points, sizes that disagree | rejected; the log says why; the arm holds |
| times that do not increase, a last velocity other than zero, NaN | the same |
| a position beyond a joint's limits (stricter than ros2_controllers, which leaves that to the hardware) | the same |
| joints in another order | accepted and reordered |
| stamp 0 | starts now |
| a later stamp | the arm is at each point at the stamp and the point's time; it sets out for the first one at once |
| an earlier stamp | goes on where the trajectory is by now; one that is over is rejected |
| a second goal | the first is aborted with `INVALID_GOAL`, the second runs |
| cancel | canceled; the arm holds where it is |
| off the path by more than its tolerance, or not at the goal in time | aborted with −4 or −5; the arm holds |
| tolerance 0, −1, another negative number | the default, none, the default with an error in the log |
| the episode ends or another begins | aborted; the arm holds |

A chunk on the trajectory topic follows the same rules; what would be rejected is ignored, and the log says why.

A robot's gripper serves two actions. A goal on one aborts the goal on the other. GripperCommand takes the unit of the robot's own
driver. ParallelGripperCommand takes the positions of finger joints as in the URDF (m): of one finger, or equal ones of all; without
names, the position is that of the first finger. An effort is the maximum force, N: for GripperCommand of all fingers together, for
ParallelGripperCommand of each finger; 0 or none: the profile's. A velocity is ignored, and the log says so. Cups have no joints: a goal
names their links, with the positions 1 or 0.

| given | then |
|---|---|
| fingers stall on an object, cups seal | succeeded with `stalled` |
| fingers close on nothing or open, cups suck air for 0.3 s or let go | succeeded with `reached_goal` |
| an opening out of range, cups sent elsewhere than 0 or 1 | aborted; the log says why; the gripper holds |
| NaN, an infinite number, an unknown joint, sizes that disagree | rejected; the log says why; what runs goes on |
| a second goal, on either action | the first is aborted, the second runs |
| cancel | canceled; the gripper holds where it is |"""

_SERVO = """\
Twists and pose targets follow MoveIt Servo's rules, and become trajectories on the arm's trajectory topic, with any driver.

| given | then |
|---|---|
| a twist | the tool centre point moves along the axes of `frame_id` (the world or a link), turning about itself, m/s and rad/s |
| a pose target | the tool centre point nears the pose, given in `frame_id`, as fast as the limits allow, and stays there |
| beyond a limit of velocity, or before a joint limit or a singularity | slower as a whole, so that the direction is kept |
| the robot itself or the table in the way | the arm halts before contact; props are not known here |
| an unknown or empty `frame_id`, NaN, a stamp ahead of the joint states | dropped; the log says why |
| a stamp more than 0.1 s older than the joint states, or none | the arm halts within its limits |
| silence | in lockstep no time passes; in realtime the twist goes on for 0.1 s, and then the arm halts within its limits |

In lockstep each message advances the world by one control period. A running MoveTcp goal gives way to a message. `/arm/servo_status` says
how each message was followed, with MoveIt Servo's numbers: 0 as requested, 1 and 2 slowed and halted for a singularity, 4 and 5 for a
collision, 6 for a joint's limit.

A motion constraint of MoveTcp is part of the plan. Joint states are checked against it while the arm moves; a violation aborts the goal.

In `mode:=realtime` the simulator keeps the wall clock and waits for no participant. If it falls behind, it catches up later, four periods
at a stretch; `/sim/lag` says how far it is behind. If the judge misses a period, the episode is unobservable."""


def interfaces_page() -> str:
    """Return docs/interfaces.md."""
    kinds = {kind: [row for row in _rows() if row.kind is kind] for kind in names.Kind}
    topics = [
        (f'`{row.name}`', _type(row), row.server or ('the bench' if row.private else 'policy'), ', '.join(_marks(row)), row.note)
        for row in kinds[names.Kind.TOPIC]
    ]
    asked = [
        (f'`{row.name}`', _type(row), row.server, ', '.join(_access(row)), row.note)
        for row in (*kinds[names.Kind.SERVICE], *kinds[names.Kind.ACTION])
    ]
    return '\n\n'.join([
        '# Interfaces', _HEAD, _CONVENTIONS,
        '## Topics', 'Names with `{…}` depend on the robot or the camera; see below. Depths are those of the bench\'s own queues.',
        table(('topic', 'type', 'from', 'QoS and access', 'note'), topics),
        '## Services and actions', table(('name', 'type', 'served by', 'access', 'note'), asked), _BEHAVIOUR, _SERVO,
        '## Robots', *(f'### {name}\n\n{interfaces_of(profiles.robot(name))}' for name in profiles.robots()),
        '## Cameras', _cameras(),
        '## Result codes', _codes(),
        '## Fields', *(_interface(found) for found in interfaces(ROOT / 'vlm_bench_msgs')),
    ]) + '\n'  # fmt: skip


def _robot(name: str) -> str:
    return robot_page(profiles.robot(name), settings.reach(name), f'../gallery/robot_{name}.png', _HEAD)


def _moveit(robot: str, path: str) -> str:
    return moveit_files.package(robot)[path]


def _leaderboard() -> str:
    reports = ROOT / REPORTS
    return leaderboard_page(leaderboard(reports), reports, ROOT / FOLDER / 'leaderboard.md')


PAGES: dict[str, Callable[[], str]] = {
    'docs/interfaces.md': interfaces_page,
    'docs/policy_facts.md': lambda: policy_page(_HEAD),
    'docs/tasks.md': lambda: tasks_page(_HEAD),
    'docs/perturbations.md': lambda: perturbations_page(_HEAD),
    'docs/protocols.md': lambda: protocols_page(ROOT / FOLDER, _HEAD),
    f'{FOLDER}/{NAME}': lambda: all_tasks_page(ROOT / FOLDER, _HEAD),
    f'{FOLDER}/leaderboard.md': _leaderboard,
}
PAGES |= {f'docs/robots/{name}.md': partial(_robot, name) for name in profiles.robots()}
PAGES |= {
    f'{moveit_files.FOLDER}/{moveit_files.package_of(robot)}/{path}': partial(_moveit, robot, path)
    for robot in profiles.robots()
    for path in moveit_files.paths(robot)
}


def stale(root: Path) -> list[str]:
    """Return the pages under `root` that differ from what would be written now."""
    return [page for page, text in PAGES.items() if not (root / page).is_file() or (root / page).read_text() != text()]


def write(root: Path) -> None:
    """Write all pages under `root`.

    Raises:
        ConfigError: the docs folder does not exist.
    """
    if not (root / 'docs').is_dir():
        raise ConfigError(f'The pages are written to {root / "docs"}, which does not exist. Run this from a clone.')
    for page, text in PAGES.items():
        (root / page).parent.mkdir(parents=True, exist_ok=True)
        (root / page).write_text(text())


def main(check: Annotated[bool, typer.Option('--check', help='write nothing; exit 1 if a page is stale')] = False) -> None:
    """Write the generated pages of docs/."""
    if not check:
        write(ROOT)
        return
    old = stale(ROOT)
    for page in old:
        typer.echo(f'{page} is stale. Run make docs.', err=True)
    raise typer.Exit(1 if old else 0)


def _rows() -> Iterable[names.Name]:
    return (*names.FIXED, *names.CAMERA_NAMES, names.FOLLOW, names.CHUNK, names.GRIPPER, names.PARALLEL_GRIPPER)


def _type(row: names.Name) -> str:
    return row.type.replace('/msg/', '/').replace('/srv/', '/').replace('/action/', '/')


def _marks(row: names.Name) -> list[str]:
    marks = {'latched': row.latched, f'depth {row.depth}': True, 'bag': row.recorded}
    return [*_access(row), *(mark for mark, set_ in marks.items() if set_)]


def _access(row: names.Name) -> list[str]:
    return [mark for mark, set_ in {'private': row.private, 'signed': row.signed}.items() if set_]


def _cameras() -> str:
    rows = []
    for name, all_of_it in profiles.camera_sets().items():
        published = {camera.name for camera in profiles.cameras(name)}
        for camera in profiles.cameras(f'{name}:{",".join(all_of_it)}'):
            x, y, z = camera.pose.position
            where = f'on the hand of every robot, that of the Panda `{camera.link}`, at' if camera.link else 'at'
            note = '' if camera.name in published else '; for prompts, by name only'
            rows.append((f'`{name}`', f'`{camera.name}`', f'{where} ({x:.3g}, {y:.3g}, {z:.3g}) m{note}', f'{degrees(camera.fov):.1f}°'))
    text = (
        'Choose a set (`cameras:=lohoravens`) or some of its cameras (`cameras:=lohoravens:front,top`). Defaults: 256 × 256 pixels and\n'
        '10 pictures per second of simulated time. `fidelity.md` says which poses are the published ones.'
    )
    return f'{text}\n\n' + table(('set', 'camera', 'where', 'vertical field of view'), rows)


def _codes() -> str:
    found = {interface.name: interface for interface in interfaces(ROOT / 'vlm_bench_msgs')}
    shared = [(code.value, f'`{code.name}`', 'all', code.comment) for code in found['Result'].constants if code.name != 'TYPE']
    own = [
        (code.value, f'`{code.name}`', interface.name, code.comment)
        for interface in found.values()
        for code in interface.constants
        if interface.kind != 'msg' and int(code.value) > 100
    ]
    text = (
        'Every service and action of `vlm_bench_msgs` answers with a number and a sentence. Up to 100 the numbers mean the same everywhere.'
    )
    return f'{text}\n\n' + table(('code', 'name', 'of', 'meaning'), [*shared, *own])


def _interface(found: Interface) -> str:
    blocks = [f'### {found.name} ({found.kind})', literal(found.about)]
    constants = [(f'`{c.name}`', c.value, literal(c.comment)) for c in found.constants if not (found.kind != 'msg' and int(c.value) > 100)]
    if constants and found.name != 'Result':
        blocks.append(table(('constant', 'value', 'meaning'), constants))
    for title, part in found.parts.items():
        rows = [(f'`{f.name}`', f'`{f.type}`', literal(f'{f.comment}; default {f.default}' if f.default else f.comment)) for f in part]
        blocks.append((f'{title}:\n\n' if title else '') + (table(('field', 'type', 'meaning'), rows) if rows else 'nothing'))
    return '\n\n'.join(blocks)


if __name__ == '__main__':
    typer.run(main)
