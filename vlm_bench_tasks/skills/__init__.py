"""How to make a goal true: one skill for each goal word, written as generators that receive snapshots and yield commands."""

from vlm_bench_tasks.skills import build, carry, logic, operate, pour, push, touch, wipe
from vlm_bench_tasks.skills.skill import CommandFailed, Means, Skill, SkillFailed, skill_for

__all__ = [
    'CommandFailed',
    'Means',
    'Skill',
    'SkillFailed',
    'build',
    'carry',
    'logic',
    'operate',
    'pour',
    'push',
    'skill_for',
    'touch',
    'wipe',
]
