"""Skills that make goals true, one for each goal word. A skill is a generator that receives snapshots and yields commands."""

from vlm_bench_tasks.skills import aloft, build, carry, clearing, filling, logic, operate, pour, push, throw, touch, weigh, wipe
from vlm_bench_tasks.skills.skill import CommandFailed, Dropped, Skill, SkillContext, SkillFailed, skill_for

__all__ = [
    'CommandFailed',
    'Dropped',
    'Skill',
    'SkillContext',
    'SkillFailed',
    'aloft',
    'build',
    'carry',
    'clearing',
    'filling',
    'logic',
    'operate',
    'pour',
    'push',
    'skill_for',
    'throw',
    'touch',
    'weigh',
    'wipe',
]
