"""The page of a robot: what a policy and an integrator must know of its arm and its hand."""

from collections.abc import Iterable, Mapping

import numpy as np

from vlm_bench_sim.core.gripper import GripperProfile, SuctionProfile
from vlm_bench_sim.core.robot import RobotProfile
from vlm_bench_sim.motion.hand import extents
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.ros import names
from vlm_bench_sim.ros.gripper import names as finger_names
from vlm_bench_sim.ros.gripper import result_unit, unit
from vlm_bench_tasks.pages.tables import table

_FRAME = """\
The frame of the tool centre point: z points out of the hand, and y is the axis along which fingers open. With the tool pointing straight
down and its yaw 0, x of the tool points along x of the world."""
_REACH = """\
Where the tool can point straight down at every yaw, the arm clear of itself and of the table, up to 75° to each side: distances from the
axis of the arm, by height of the tool centre point above the table."""


def robot_page(profile: RobotProfile, reach: Iterable[Mapping[str, float]], picture: str, head: str = '') -> str:
    """Return the page of a robot, as Markdown.

    Args:
        profile: of it.
        reach: rows {z, r_min, r_max}, m, as `motion.reach.measure` returns them.
        picture: address of its picture.
        head: what stands below the title; '' for nothing.
    """
    rings = [(f'{row["z"]:.2f} m', f'{row["r_min"]:.2f} m', f'{row["r_max"]:.2f} m') for row in reach]
    return '\n\n'.join([
        f'# {profile.name}', *([head] if head else []), f'![{profile.name} at home, from two sides]({picture})',
        '## Hand', _FRAME, table(('what', 'value'), _hand(profile)),
        '## Joints', table(('joint', 'lowest', 'highest', 'home', 'velocity', 'acceleration'), _joints(profile)),
        '## Reach', _REACH, table(('height', 'nearest', 'farthest'), rings),
        '## ROS interface', interfaces_of(profile),
    ]) + '\n'  # fmt: skip


def interfaces_of(profile: RobotProfile) -> str:
    """Return a table of the names under which a robot is driven, as Markdown."""
    gripper = profile.gripper
    follow, chunk, grip = names.arm_names(profile)
    return table(
        ('what', 'value'),
        [
            ('trajectory action', f'`{follow.name}`'),
            ('trajectory topic', f'`{chunk.name}`'),
            ('gripper action', f'`{grip.name}`; position: {unit(gripper)}; in feedback and result: {result_unit(gripper)}'),
            (
                'second gripper action',
                f'`{names.parallel_gripper(profile).name}`; joints: ' + ', '.join(f'`{name}`' for name in finger_names(gripper)),
            ),
            ('arm joints', ', '.join(f'`{joint}`' for joint in profile.joints)),
            ('home', ', '.join(f'{q:g}' for q in profile.home) + ' rad'),
            *_grip(gripper),
        ],
    )


def _grip(gripper: GripperProfile) -> list[tuple[str, str]]:
    if isinstance(gripper, SuctionProfile):
        held = f'at most {gripper.force:g} N, of which {gripper.cup_force:g} N a cup'
        return [
            ('suction', f'{len(gripper.links)} cups of {gripper.radius:g} m in radius, with lips that follow {gripper.lip:g} m; {held}')
        ]
    return [
        ('finger joints', ', '.join(f'`{joint}`' for joint in gripper.joints)),
        ('opening', f'0 to {gripper.max_opening:g} m, {gripper.speed:g} m/s, at most {gripper.max_force:g} N'),
    ]


def tool_centre_point(profile: RobotProfile) -> str:
    """Return where the tool centre point lies in the tool link, in words."""
    x, y, z = profile.tool.position
    return f'({x:.4g}, {y:.4g}, {z:.4g}) m'


def tip(kinematics: Kinematics) -> float:
    """Return how far the fingers, or the cups, reach beyond the tool centre point, mm along z."""
    return round(1000 * max(float(high[2]) for _, high in extents(kinematics, 0.0).values()), 1) + 0.0


def _hand(profile: RobotProfile) -> list[tuple[str, str]]:
    """Return what there is to know of a hand: pairs of what and value."""
    kinematics = Kinematics(profile)
    home = kinematics.tool_pose(profile.home)
    rows = [
        ('tool link', f'`{profile.tool_link}`'),
        ('tool centre point in it', tool_centre_point(profile)),
        ('tool centre point at home', '(' + ', '.join(f'{round(number, 3) + 0.0:.3f}' for number in home.position) + ') m in `world`'),
    ]
    if isinstance(profile.gripper, SuctionProfile):
        return [*rows, ('tip of the cup', f'{tip(kinematics):.1f} mm beyond the tool centre point')]
    inner = [1000 * float(np.abs([low[1], high[1]]).min()) for low, high in extents(kinematics, profile.gripper.max_opening).values()]
    return [
        *rows,
        ('fingertips', f'{tip(kinematics):.1f} mm beyond the tool centre point along z'),
        ('fully open', f'each finger {min(inner):.1f} mm from the tool centre point, along y'),
    ]


def _joints(profile: RobotProfile) -> list[tuple[str, ...]]:
    rows = zip(profile.joints, profile.limits, profile.home, profile.velocity, profile.acceleration, strict=True)
    return [
        (f'`{name}`', f'{low:.4g} rad', f'{high:.4g} rad', f'{home:.4g} rad', f'{fast:.4g} rad/s', f'{faster:.4g} rad/s²')
        for name, (low, high), home, fast, faster in rows
    ]
