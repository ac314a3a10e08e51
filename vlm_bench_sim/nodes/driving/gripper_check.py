"""Asks a driver's gripper what the bench relies on: that it takes goals and results in the unit of its profile."""

from collections.abc import Iterator

from vlm_bench_sim.core.driver_contract import Finding
from vlm_bench_sim.core.gripper import ParallelProfile
from vlm_bench_sim.nodes.driving.driver_probe import SUCCEEDED, Client, DriverProbe
from vlm_bench_sim.ros import gripper as units
from vlm_bench_sim.ros.names import arm_names

PATIENCE_S = 6.0
OFF_M = 0.003
"""Greatest error of an opening, m."""


def gripper(probe: DriverProbe, *, moves: bool) -> Iterator[Finding]:
    """Yield what is found; `moves`: whether the gripper may open and close, or suck."""
    row = arm_names(probe.profile)[2]
    asked = f'{row.name} ({row.type}) is served'
    client = probe.client(row)
    if client is None:
        yield Finding(asked, 'no server answers', 'Start the controller of the gripper, or give your own profile its name.')
        return
    yield Finding(asked)
    asked = 'a gripper goal that is not a number is rejected'
    yield Finding(asked) if client.send(_goal(float('nan'))) is None else Finding(asked, 'it is accepted', 'Reject it.')
    if not moves:
        return
    hand = probe.profile.gripper
    if isinstance(hand, ParallelProfile):
        for share in (0.5, 1.0):
            yield from _opens(probe, client, hand, hand.max_opening * share)
    else:
        for position in (units.ON, units.OFF):
            goal, asked = client.send(_goal(position)), f'the suction goal {position:g} ends'
            ended = goal is not None and goal.ended(PATIENCE_S)
            yield Finding(asked) if ended else Finding(asked, 'it is rejected, or does not', 'Accept 1 to suck and 0 to let go.')


def _opens(probe: DriverProbe, client: Client, hand: ParallelProfile, opening: float) -> Iterator[Finding]:
    position, _ = units.write(hand, hand.ready(opening))
    asked, goal = f'a gripper goal of {position:g} opens the fingers by {1000 * opening:.0f} mm in all', client.send(_goal(position))
    if goal is None or not goal.ended(PATIENCE_S) or goal.status != SUCCEEDED:
        yield Finding(asked, 'it is rejected, or does not succeed', f'Accept {units.unit(hand)}.')
        return
    probe.rest(0.3)
    now = sum(probe.at.get(name, 0.0) for name in hand.joints)
    remedy = f'The position of a goal is {units.unit(hand)}; correct goal_scale in the profile, or the driver.'
    yield Finding(asked, f'they open by {1000 * now:.0f} mm', remedy) if abs(now - opening) > OFF_M else Finding(asked)
    told, meant = float(goal.result.position), units.position(hand, now, on=False)
    asked = f'its result is {units.result_unit(hand)}'
    remedy = 'Correct result_scale in the profile, or the driver.'
    yield Finding(asked, f'it is {told:g} at an opening of {now:g} m', remedy) if abs(told - meant) > OFF_M else Finding(asked)


def _goal(position: float) -> dict[str, dict[str, float]]:
    return {'command': {'position': position, 'max_effort': 0.0}}
