"""Goal words: frozen trees whose leaves are evaluated from two snapshots.

This package imports every module that defines a goal word, because an episode read from JSON may name any of them.
"""

from vlm_bench_tasks.goals import cues, filling, logic, matter, mechanisms, moving, placing, scales, touching, towers

__all__ = ['cues', 'filling', 'logic', 'matter', 'mechanisms', 'moving', 'placing', 'scales', 'touching', 'towers']
