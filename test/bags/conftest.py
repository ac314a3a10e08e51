"""An episode to record: values with every bit of their floats in use."""

import random

import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot


def numbers(rng: random.Random, count: int) -> tuple[float, ...]:
    return tuple(rng.uniform(-1, 1) * 10 ** rng.randint(-12, 3) for _ in range(count))


def make_snapshot(seq: int) -> Snapshot:
    rng = random.Random(seq)
    return Snapshot(
        seq=seq,
        step=12 * seq,
        joints={f'panda_joint{i}': JointState(*numbers(rng, 3)) for i in range(1, 8)},
        tool=Pose(numbers(rng, 3), numbers(rng, 4)),
        opening=rng.random(),
        held='star' if seq % 2 else '',
        bodies={n: Body(Pose(numbers(rng, 3), numbers(rng, 4)), numbers(rng, 3), numbers(rng, 3)) for n in ('star', 'tray', 'cube')},
        touching=(('star', 'table'), ('robot', 'star')),
        touched=(('cube', 'star'),),
        grasped=('star',) if seq % 2 else (),
        released=('cube', 'star') if seq % 3 else (),
    )


@pytest.fixture
def episode():
    """Forty control periods."""
    return [make_snapshot(seq) for seq in range(40)]
