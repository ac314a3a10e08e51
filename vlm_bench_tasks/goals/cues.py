"""Cues: how a marker looks while its goal is waiting, next or done."""

from dataclasses import dataclass

from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.looks import Look
from vlm_bench_tasks.goals.base import Goal


@serialisable
@dataclass(frozen=True)
class Cue:
    """A marker that shows the state of a goal. The goals of an episode's cues come true one after the other, as the parts of a `Then`.

    Looks change between two control periods, and affect neither physics nor hash. At the start a marker has the look of its prop.

    Attributes:
        marker: name of the prop.
        goal: the goal that it marks.
        waiting: its look while the goal of another cue comes first.
        next: its look while its goal is the next to reach.
        done: its look once its goal is reached.
    """

    marker: str
    goal: Goal
    waiting: Look
    next: Look
    done: Look
