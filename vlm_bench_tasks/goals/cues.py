"""Cues: how markers look while what they mark is waiting, next or done."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.looks import Look
from vlm_bench_tasks.goals.base import Goal


@serialisable
@dataclass(frozen=True)
class Cue:
    """What one marker tells the robot; the cues of an episode come true one after the other, as the parts of a `Then`.

    Looks change between two control periods, and touch neither physics nor hash; at the start a marker looks as its prop in the scene.

    Attributes:
        marker: name of the prop.
        goal: what it marks.
        waiting: its look while another comes first.
        next: its look while its goal is the one to make true.
        done: its look from then on.
    """

    marker: str
    goal: Goal
    waiting: Look
    next: Look
    done: Look
