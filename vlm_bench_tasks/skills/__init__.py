"""How to make a goal true: one skill for each goal word, written as generators that receive snapshots and yield commands."""

from vlm_bench_tasks.skills import build, carry, clearing, logic, operate, pour, push, touch, wipe
from vlm_bench_tasks.skills.skill import CommandFailed, Dropped, Skill, SkillContext, SkillFailed, skill_for

__all__ = [
    'CommandFailed',
    'Dropped',
    'Skill',
    'SkillContext',
    'SkillFailed',
    'build',
    'carry',
    'clearing',
    'logic',
    'operate',
    'pour',
    'push',
    'skill_for',
    'touch',
    'wipe',
]
