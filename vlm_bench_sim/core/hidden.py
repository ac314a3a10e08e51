"""What a tracker has lost from sight for a while: where it was meanwhile is known once it is seen again.

Until then its last pose stands, and its velocity is unknown: NaN. Who judges waits (`Reappearance`); who acts believes that it stays.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import isnan, nan

import numpy as np

from vlm_bench_sim.core.geometry import ZERO, Pose, interpolated, vector
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot
from vlm_bench_sim.core.timing import PERIOD_S

UNKNOWN = (nan, nan, nan)
"""The velocity of what is out of sight, m/s or rad/s."""


def lost(pose: Pose) -> Body:
    """Return a thing that was last seen at a pose and is out of sight."""
    return Body(pose, UNKNOWN, UNKNOWN)


def is_lost(thing: Body | JointState) -> bool:
    """Return whether a thing, or a joint of furniture, is out of sight."""
    return isnan(thing.linear[0] if isinstance(thing, Body) else thing.velocity)


def believed_still(now: Snapshot) -> Snapshot:
    """Return a snapshot in which everything out of sight stands still where it was seen last."""
    bodies = {name: Body(body.pose) if is_lost(body) else body for name, body in now.bodies.items()}
    mechanisms = {name: JointState(joint.position) if is_lost(joint) else joint for name, joint in now.mechanisms.items()}
    return replace(now, bodies=bodies, mechanisms=mechanisms)


class Reappearance:
    """Takes the snapshots of one episode in order, and holds them back while anything is out of sight.

    Once it is seen again, it has moved evenly from where it was to where it is. What never comes back stays unknown.
    """

    def __init__(self) -> None:
        self._waiting: list[Snapshot] = []

    def see(self, now: Snapshot) -> tuple[Snapshot, ...]:
        """Take the next snapshot; return those that are now known, oldest first."""
        self._waiting.append(now)
        if any(map(is_lost, now.bodies.values())) or any(map(is_lost, now.mechanisms.values())):
            return ()
        known, self._waiting = self._waiting, []
        count = len(known)
        return (*(_between(one, known[-1], share=(i + 1) / count, left=count - 1 - i) for i, one in enumerate(known[:-1])), now)


def _between(one: Snapshot, now: Snapshot, *, share: float, left: int) -> Snapshot:
    """Return a snapshot `left` periods before `now` in which what was lost is on its way, of which it has made `share`."""
    seconds = left * PERIOD_S / (1.0 - share)
    bodies = {name: _moved(body, now.bodies, name, share=share, seconds=seconds) for name, body in one.bodies.items()}
    mechanisms = {name: _turned(joint, now.mechanisms, name, share=share, seconds=seconds) for name, joint in one.mechanisms.items()}
    return replace(one, bodies=bodies, mechanisms=mechanisms)


def _moved(body: Body, after: Mapping[str, Body], name: str, *, share: float, seconds: float) -> Body:
    if not is_lost(body) or name not in after:
        return body
    there = after[name].pose
    if there == body.pose:
        return Body(there)
    speed = np.subtract(there.position, body.pose.position) / seconds
    angle = body.pose.angle(there) / seconds  # about whichever axis: only how fast it turns is judged
    return Body(interpolated(body.pose, there, share), vector(speed), (0.0, 0.0, angle) if angle else ZERO)


def _turned(joint: JointState, after: Mapping[str, JointState], name: str, *, share: float, seconds: float) -> JointState:
    if not is_lost(joint) or name not in after:
        return joint
    way = after[name].position - joint.position
    return JointState(joint.position + share * way, way / seconds)
