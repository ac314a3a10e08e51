"""Words for "done": frozen trees whose leaves are read off two snapshots.

Every module that holds a word is imported here: whoever knows one of them knows all, and an episode read from JSON may name any.
"""

from vlm_bench_tasks.goals import cues, logic, matter, mechanisms, moving, placing, touching, towers

__all__ = ['cues', 'logic', 'matter', 'mechanisms', 'moving', 'placing', 'touching', 'towers']
