"""Instructions in the memory that vector environments share."""

from copy import deepcopy

import pytest
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

from vlm_bench_tasks import catalogue
from vlm_bench_tasks.environment.words import Words


def test_what_was_looked_up_once_shows_what_is_written_later():
    space = Words()
    memory = create_shared_memory(space, 2)
    seen = read_from_shared_memory(space, memory, 2)
    write_to_shared_memory(space, 0, 'Grasp the “blue” mug.', memory)
    write_to_shared_memory(space, 1, '', memory)
    copied = deepcopy(seen)
    assert (list(seen), len(seen), seen[0], seen[:1]) == (
        ['Grasp the “blue” mug.', ''],
        2,
        'Grasp the “blue” mug.',
        ('Grasp the “blue” mug.',),
    )
    write_to_shared_memory(space, 0, 'Pour.', memory)
    assert (seen[0], copied[0]) == ('Pour.', 'Grasp the “blue” mug.')


@pytest.mark.parametrize('task', catalogue.tasks())
def test_every_sentence_is_in_the_space(task):
    """Of the first seed, in every paraphrase."""
    instruction = catalogue.build(task, '', 0).instruction
    for sentence in (instruction.text, *instruction.paraphrases):
        assert Words().contains(sentence), sentence
