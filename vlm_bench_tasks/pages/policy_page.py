"""The page that says what a policy must know: time, frames, hand, cameras, depth and colors, and where it finds each by every route."""

from collections.abc import Iterable
from math import degrees
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from vlm_bench_sim import profiles
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.core.timing import CONTROL_HZ, PERIOD_S, PHYSICS_HZ
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.render.jpeg import QUALITY
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.family import family_name
from vlm_bench_tasks.graph import SETTINGS
from vlm_bench_tasks.pages.robot_page import tip, tool_centre_point
from vlm_bench_tasks.pages.tables import table

_TEMPLATE = Path(__file__).with_name('templates') / 'policy_facts.md.jinja'


def policy_page(head: str) -> str:
    """Return docs/policy_facts.md; `head` is the first line of generated pages."""
    # Markdown, not HTML: there is nothing to escape. The values are the bench's own.
    template = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False).from_string(
        _TEMPLATE.read_text('utf-8')
    )
    return template.render(
        head=head,
        period=f'{PERIOD_S:g}',
        control=CONTROL_HZ,
        physics=PHYSICS_HZ,
        camera_rate=f'{SETTINGS["camera_rate"].default:g}',
        quality=QUALITY,
        hands=_hands(),
        cameras=_cameras(),
        colors=_colors(),
    )


def _hands() -> str:
    rows = []
    for name in profiles.robots():
        profile, kinematics = profiles.robot(name), Kinematics(profiles.robot(name))
        rows.append(
            (
                f'[`{name}`](robots/{name}.md)',
                f'`{profile.tool_link}`',
                tool_centre_point(profile),
                f'{tip(kinematics):.1f} mm',
                *_grip(profile),
            )
        )
    head = ('robot', 'tool link', 'tool centre point in it', 'fingertips beyond it', 'fingers close along', 'opening')
    return table(head, rows)


def _grip(profile: RobotProfile) -> tuple[str, str]:
    if isinstance(profile.gripper, SuctionProfile):
        return 'cups: no fingers', '1 cup' if len(profile.gripper.links) == 1 else f'{len(profile.gripper.links)} cups'
    return 'y of the tool', f'0 to {1000 * profile.gripper.max_opening:g} mm'


def _cameras() -> str:
    rows = []
    for name in profiles.camera_sets():
        rows += [(f'`{name}`', f'`{camera.name}`', *_stands(camera), f'{degrees(camera.fov):.1f}°') for camera in profiles.cameras(name)]
    return table(('set', 'camera', 'carried by', 'position', 'optical frame, xyzw', 'vertical field of view'), rows)


def _stands(camera: Camera) -> tuple[str, str, str]:
    pose = profiles.robot('panda').tool.inverse() @ camera.pose if camera.link else camera.pose
    position, quaternion = (
        ', '.join(f'{round(number, digits) + 0.0:.{digits}f}' for number in of)
        for of, digits in ((pose.position, 3), (pose.orientation, 4))
    )
    return 'the hand' if camera.link else 'the world', f'({position}) m', f'({quaternion})'


def _colors() -> str:
    rows = []
    for family in dict.fromkeys(family_name(task) for task in catalogue.tasks()):
        known: set[Color] = set()
        for split, pools in settings.splits(family).pools.items():
            if fresh := [color for color in pools.color if color not in known]:
                rows.append((family, f'`{split}`', _words(fresh)))
                known.update(fresh)
    return table(('suite', 'from the split', 'words and RGB'), rows)


def _words(colors: Iterable[Color]) -> str:
    return ', '.join(f'{color.name} `#{"".join(f"{round(255 * channel):02x}" for channel in color.rgb)}`' for color in colors)
