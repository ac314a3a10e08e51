"""Instructions for the robot: references to props, and sentences with paraphrases.

This package imports every module that defines a reference, because an episode read from JSON may name any of them.
"""

from vlm_bench_tasks.language import invented, looks, pictures, places, references, sentences, sizes

__all__ = ['invented', 'looks', 'pictures', 'places', 'references', 'sentences', 'sizes']
