"""What the robot is told: references to props, and sentences with paraphrases.

Every module that holds a reference is imported here: whoever knows one of them knows all, and an episode read from JSON may name any.
"""

from vlm_bench_tasks.language import places, references, sentences, sizes

__all__ = ['places', 'references', 'sentences', 'sizes']
