"""The state hash sees every bit of the state and nothing else."""

from dataclasses import replace

import pytest

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Body, JointState, Snapshot, pair, state_hash

BASE = Snapshot(
    seq=5,
    step=60,
    joints={'j1': JointState(0.1, 0.2, 0.3), 'j2': JointState(-0.4)},
    tool=Pose((0.5, 0.0, 0.3)),
    opening=0.04,
    held='a',
    bodies={'a': Body(Pose((0.5, 0.0, 0.2))), 'b': Body(Pose((0.3, 0.1, 0.02)), (0.0, 0.1, 0.0), (0.0, 0.0, 0.2))},
    touching=(('a', 'robot'),),
)


def body(**change) -> Snapshot:
    return replace(BASE, bodies=BASE.bodies | {'b': replace(BASE.bodies['b'], **change)})


def joint(**change) -> Snapshot:
    return replace(BASE, joints=BASE.joints | {'j1': replace(BASE.joints['j1'], **change)})


@pytest.mark.parametrize(
    'other',
    [
        body(pose=Pose((0.3 + 1e-12, 0.1, 0.02))),
        body(pose=Pose((0.3, 0.1, 0.02), (0.0, 0.0, 1e-15, 1.0))),
        body(linear=(0.0, 0.1, 1e-300)),
        body(angular=(0.0, -1e-12, 0.2)),
        joint(position=0.1 + 1e-12),
        joint(velocity=0.2 - 1e-12),
        replace(BASE, held=''),
        replace(BASE, held='b'),
        replace(BASE, bodies={'a': BASE.bodies['a']}),
        replace(BASE, bodies={'a': BASE.bodies['b'], 'b': BASE.bodies['a']}),
    ],
)
def test_any_change_of_the_state_changes_the_hash(other):
    assert state_hash(other) != state_hash(BASE)


@pytest.mark.parametrize(
    'other',
    [
        replace(BASE, seq=6, step=72),
        replace(BASE, touching=(), touched=(('a', 'table'),), grasped=('a',), released=('b',)),
        replace(BASE, joints=dict(reversed(BASE.joints.items())), bodies=dict(reversed(BASE.bodies.items()))),
    ],
)
def test_neither_the_order_of_names_nor_memory_enters_the_hash(other):
    assert state_hash(other) == state_hash(BASE)


def test_the_hash_is_sha256_in_hexadecimal():
    assert len(state_hash(BASE)) == 64
    assert int(state_hash(BASE), 16) > 0


def test_pairs_are_in_alphabetical_order():
    assert pair('table', 'a') == pair('a', 'table') == ('a', 'table')
    assert BASE.touches('robot', 'a')
    assert not BASE.touches('a', 'b')


def test_arm_returns_the_joints_in_the_order_asked_for():
    assert BASE.arm(('j2', 'j1')) == (-0.4, 0.1)
