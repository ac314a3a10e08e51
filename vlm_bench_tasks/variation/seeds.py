"""Purposes of seeds: training, validation or testing. Any seed can be run; the purposes bind data sets and scores."""

from collections.abc import Mapping

from vlm_bench_sim.core.errors import SeedError, near, quoted
from vlm_bench_tasks.variation.streams import LAST_SEED

PURPOSES = {'train': range(80_000), 'validate': range(80_000, 100_000), 'test': range(100_000, 2**31)}
"""Purpose of the seeds in every split, by their number."""


MOST_SEEDS = 1_000_000
_NO_OTHERS: Mapping[str, range] = {}
_LONGEST = 60  # greatest length of a text in a message, characters


def read_seeds(text: str) -> range:
    """Return the seeds that a text names: '0:200' for 0 to 199, or '7' for one.

    Raises:
        SeedError: the text names no seeds.
    """
    first, colon, last = text.partition(':')
    if len(text) <= _LONGEST and first.isdecimal() and (last.isdecimal() if colon else not last):
        found = range(int(first), int(last) if colon else int(first) + 1)
        if found and found[-1] <= LAST_SEED:
            if found[-1] - found[0] >= MOST_SEEDS:
                raise SeedError(
                    f'{found[-1] - found[0] + 1} seeds were requested; at most {MOST_SEEDS} are allowed at a time. Use several parts.'
                )
            return found
    raise SeedError(f'Seeds are given as first:last, such as 0:200 for the seeds 0 to 199, and below 2⁶³; found {quoted(text)}.')


def purpose(seeds: range) -> str:
    """Return the purpose of seeds: 'train', 'validate' or 'test'.

    Raises:
        SeedError: there are none, one is negative or beyond 2³¹, or they have several purposes.
    """
    if not seeds:
        raise SeedError('No seeds were given. Name at least one.')
    for word, known in PURPOSES.items():
        if seeds[0] in known and seeds[-1] in known:
            return word
    ranges = ', '.join(f'{word} {_words(known)}' for word, known in PURPOSES.items())
    raise SeedError(f'Seeds {_words(seeds)} do not all have one purpose ({ranges}). Use each range by itself.')


def seeds_of(word: str, published: range | None) -> range:
    """Return the published seeds of a split for one purpose, or all seeds for that purpose if the split has no range of its own.

    Raises:
        SeedError: there is no such purpose.
    """
    if word not in PURPOSES:
        raise SeedError(f'The purpose of seeds must be one of {", ".join(PURPOSES)}; found {quoted(word)}. {near(word, PURPOSES)}')
    known = PURPOSES[word]
    return known if published is None else range(max(known.start, published.start), min(known.stop, published.stop))


def check_published(seeds: range, published: range | None, where: str, others: Mapping[str, range] = _NO_OTHERS) -> str:
    """Check that seeds are published for a split, and return their purpose.

    Args:
        seeds: the requested seeds, ascending.
        published: published seeds of the split; None if it has no range of its own.
        where: task and split, for the error message.
        others: the published seeds of the task's other splits, for the error message.

    Raises:
        SeedError: they are not published, or have no single purpose.
    """
    word = purpose(seeds)
    if published is not None and not _within(seeds, published):
        theirs = ' or '.join(f'--split {split}' for split, known in others.items() if _within(seeds, known))
        hint = f' These are seeds of {theirs}.' if theirs else ''
        raise SeedError(
            f'{where} has the seeds {_words(published)}; requested were {_words(seeds)}. Use published seeds; run plays any.{hint}'
        )
    return word


def check_learned(seeds: range, published: range | None, where: str, others: Mapping[str, range] = _NO_OTHERS) -> str:
    """Check that seeds are published and may be used for learning, and return their purpose.

    Raises:
        SeedError: they are test seeds, are not published, or have no single purpose.
    """
    word = purpose(seeds)
    if word == 'test':
        allowed = f'{PURPOSES["train"].stop - 1} to train, or up to {PURPOSES["validate"].stop - 1} to validate'
        raise SeedError(f'Seeds {_words(seeds)} are for tests, not for demonstrations. Use seeds up to {allowed}.')
    if published is not None and published[0] in PURPOSES['test']:
        raise SeedError(f'{where} has only the seeds {_words(published)}, which are for tests, not for demonstrations. Use another split.')
    return check_published(seeds, published, where, others)


def _within(seeds: range, published: range) -> bool:
    return seeds[0] in published and seeds[-1] in published


def _words(seeds: range) -> str:
    return f'{seeds[0]} to {seeds[-1]}'
