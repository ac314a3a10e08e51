"""The gate: nothing moves the robot before an episode, while it is paused, or after it; what came too early is told once."""

import pytest

pytest.importorskip('rclpy')

from vlm_bench_sim.core.codes import EventKind
from vlm_bench_sim.nodes.driving.gate import MOST_VIOLATIONS, Gate


class Doorman:
    def __init__(self):
        self.paused, self.given, self.warned, self.told = False, False, [], []
        self.gate = Gate(
            paused=lambda: self.paused, given=lambda: self.given, warn=self.warned.append,
            tell=lambda kind, text: self.told.append((kind, text)),
        )  # fmt: skip


def test_only_an_episode_that_is_not_paused_lets_through():
    door = Doorman()
    assert not door.gate.lets('a goal')
    door.gate.begin()
    assert door.gate.lets('a goal')
    door.paused = True
    assert not door.gate.lets('a trajectory')
    door.paused, door.given = False, True
    assert not door.gate.lets('a twist')
    door.given, door.gate.open = False, False
    assert not door.gate.lets('a grip')
    assert door.warned == [
        'Ignored a goal: no episode is running.',
        'Ignored a trajectory: the simulation is paused.',
        'Ignored a twist: the aid given_grasp moves the robot. Wait until `assisting` of /sim/tick is false.',
        'Ignored a grip: no episode is running.',
    ]


def test_what_came_too_early_is_told_when_an_episode_begins_and_what_was_paused_is_none():
    door = Doorman()
    for i in range(MOST_VIOLATIONS + 1):
        door.gate.lets(f'goal {i}')
    assert door.told == []
    door.gate.begin()
    assert len(door.told) == MOST_VIOLATIONS, 'the oldest are forgotten'
    assert door.told[0] == (EventKind.VIOLATION, 'goal 1 while no episode was running')
    door.paused = True
    door.gate.lets('a goal')
    door.gate.begin()
    assert len(door.told) == MOST_VIOLATIONS
