"""Asks a driver's trajectory controller what the bench relies on: what it rejects, how it ends, and that it makes room and stops."""

from collections.abc import Iterator, Sequence

from vlm_bench_sim.core.driver_contract import Finding, velocities
from vlm_bench_sim.nodes.driving.driver_probe import CANCELED, SUCCEEDED, Client, DriverProbe, Goal
from vlm_bench_sim.ros import fields
from vlm_bench_sim.ros.fields import Fields
from vlm_bench_sim.ros.names import arm_names

SWING_RAD, SWING_S = 0.1, 2.0
"""How far the last joint swings, and how long that takes."""

SETTLED_RAD = 0.01
"""Greatest distance from the end of a trajectory that has succeeded."""

LATE_S = 3.0
"""Time after that of a trajectory within which its goal must end."""

STOP_S, STILL_S, STILL_RAD = 1.0, 0.5, 0.005
"""Time within which a goal must end that was cancelled or replaced; time over which a stopped arm is watched, and its greatest motion."""


def arm(probe: DriverProbe, *, knows: bool, moves: bool) -> Iterator[Finding]:
    """Yield what is found.

    Args:
        probe: the conversation with the driver.
        knows: whether every joint of the arm has been told; otherwise only whether there is a server is asked.
        moves: whether the last joint may swing by `SWING_RAD` and back.
    """
    row = arm_names(probe.profile)[0]
    asked = f'{row.name} ({row.type}) is served'
    client = probe.client(row)
    if client is None:
        yield Finding(asked, 'no server answers', 'Start the controller of the profile, or give your own profile its name.')
        return
    yield Finding(asked)
    if not knows:
        return
    yield from _rejections(probe, client)
    yield _holds(probe, client)
    if not moves:
        return
    yield from _swings(probe, client)
    yield from _makes_room(probe, client)
    yield from _cancels(probe, client)


def _rejections(probe: DriverProbe, client: Client) -> Iterator[Finding]:
    here = _here(probe)
    wrong: dict[str, Fields] = {
        'a trajectory for a joint that the arm does not have': _goal(('no_such_joint',), [(here[:1], 1.0)]),
        'a trajectory whose times do not increase': _goal(probe.profile.joints, [(here, 1.0), (here, 0.5)]),
        'a trajectory with too few positions': _goal(probe.profile.joints, [(here[:-1], 1.0)]),
    }
    for what, goal in wrong.items():
        asked, accepted = f'{what} is rejected', client.send(goal)
        if accepted is not None:
            accepted.cancel()
            accepted.ended(STOP_S)
        yield Finding(asked, 'it is accepted', 'Reject it: a policy that errs must be told.') if accepted else Finding(asked)


def _holds(probe: DriverProbe, client: Client) -> Finding:
    goal = client.send(_goal(probe.profile.joints, [(_here(probe), 0.3)]))
    return _succeeds('a trajectory to where the arm is succeeds', goal, 0.3)


def _swings(probe: DriverProbe, client: Client) -> Iterator[Finding]:
    before, end = len(probe.joints), _swung(probe)
    home, goal = _here(probe), client.send(_goal(probe.profile.joints, [(end, SWING_S)]))
    yield _succeeds('a trajectory that moves the arm succeeds', goal, SWING_S)
    probe.rest(0.2)
    apart = max(abs(a - b) for a, b in zip(_here(probe), end, strict=True))
    asked = f'a trajectory that has succeeded ends within {SETTLED_RAD:g} rad of its last point'
    yield Finding(asked, f'{apart:.3f} rad are missing', 'Answer when the arm has arrived.') if apart > SETTLED_RAD else Finding(asked)
    yield velocities(probe.joints[before:], probe.profile)
    _back(probe, client, home)


def _makes_room(probe: DriverProbe, client: Client) -> Iterator[Finding]:
    home, older = _here(probe), client.send(_goal(probe.profile.joints, [(_swung(probe), SWING_S)]))
    probe.rest(0.5)
    newer = client.send(_goal(probe.profile.joints, [(home, 1.0)]))
    asked = 'a newer trajectory takes the place of the older one, which then ends without success'
    if newer is None:
        yield Finding(asked, 'the newer one is rejected', 'Preempt the running goal, as joint_trajectory_controller does.')
        _back(probe, client, home, older)
        return
    if older is None or not older.ended(STOP_S) or older.status == SUCCEEDED:
        yield Finding(asked, 'the older one goes on, or succeeds', 'End it as aborted or canceled.')
    else:
        yield Finding(asked)
    yield _succeeds('the newer trajectory succeeds', newer, 1.0)
    _back(probe, client, home)


def _cancels(probe: DriverProbe, client: Client) -> Iterator[Finding]:
    home, goal = _here(probe), client.send(_goal(probe.profile.joints, [(_swung(probe), SWING_S)]))
    probe.rest(0.5)
    asked = f'a trajectory that is cancelled ends as canceled within {STOP_S:g} s'
    if goal is not None:
        goal.cancel()
    if goal is None or not goal.ended(STOP_S) or goal.status != CANCELED:
        yield Finding(asked, 'it does not', 'Accept the request, and answer it.')
    else:
        yield Finding(asked)
    stopped = _here(probe)
    probe.rest(STILL_S)
    moved = max(abs(a - b) for a, b in zip(_here(probe), stopped, strict=True))
    asked = 'the arm then stands still'
    yield Finding(asked, f'it moved by {moved:.3f} rad', 'Hold the position on a cancel.') if moved > STILL_RAD else Finding(asked)
    _back(probe, client, home, goal)


def _succeeds(asked: str, goal: Goal | None, seconds: float) -> Finding:
    if goal is None:
        return Finding(asked, 'it is rejected', 'Accept trajectories at any time, stamp 0 for now.')
    if not goal.ended(seconds + LATE_S):
        return Finding(asked, f'it has not ended {LATE_S:g} s after its time', 'Answer each goal.')
    if goal.status != SUCCEEDED:
        return Finding(asked, f'it ended with status {goal.status}, {goal.result.error_code}: {goal.result.error_string}', 'See its log.')
    return Finding(asked)


def _back(probe: DriverProbe, client: Client, home: Sequence[float], running: Goal | None = None) -> None:
    """Move the arm back to where it was."""
    if running is not None:
        running.ended(SWING_S + 1.0)
    goal = client.send(_goal(probe.profile.joints, [(home, SWING_S)]))
    if goal is not None:
        goal.ended(SWING_S + LATE_S)


def _here(probe: DriverProbe) -> list[float]:
    return [probe.at[name] for name in probe.profile.joints]


def _swung(probe: DriverProbe) -> list[float]:
    """Return the present positions with the last joint swung away from its nearer limit."""
    *rest, last = _here(probe)
    low, high = probe.profile.limits[-1]
    return [*rest, last + (SWING_RAD if last < (low + high) / 2.0 else -SWING_RAD)]


def _goal(joints: Sequence[str], points: Sequence[tuple[Sequence[float], float]]) -> Fields:
    rows = [{'positions': list(at), 'time_from_start': fields.stamp(round(seconds * 1e9))} for at, seconds in points]
    return {'trajectory': {'joint_names': list(joints), 'points': rows}}
