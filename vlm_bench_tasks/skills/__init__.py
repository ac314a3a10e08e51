"""How to make a goal true: one skill for each goal word, written as generators that receive snapshots and yield commands."""

from vlm_bench_tasks.skills import aside, build, carry, logic, operate, pour, push, touch, wipe
from vlm_bench_tasks.skills.skill import CommandFailed, Dropped, Means, Skill, SkillFailed, skill_for

__all__ = [
    'CommandFailed',
    'Dropped',
    'Means',
    'Skill',
    'SkillFailed',
    'aside',
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
