"""Which seeds are for what: to learn from, to choose by, or to be measured by. Any seed can be run; these bind data sets and scores."""

from vlm_bench_sim.core.errors import SeedError, near, quoted
from vlm_bench_tasks.variation.streams import LAST_SEED

PURPOSES = {'train': range(80_000), 'validate': range(80_000, 100_000), 'test': range(100_000, 2**31)}
"""What the seeds of every split are for, by number alone."""


MOST_SEEDS = 1_000_000
_LONGEST = 60  # characters


def read_seeds(text: str) -> range:
    """Return the seeds that a text names: '0:200' for 0 to 199, or '7' for one.

    Raises:
        SeedError: it names none.
    """
    first, colon, last = text.partition(':')
    if len(text) <= _LONGEST and first.isdecimal() and (last.isdecimal() if colon else not last):
        found = range(int(first), int(last) if colon else int(first) + 1)
        if found and found[-1] <= LAST_SEED:
            if found[-1] - found[0] >= MOST_SEEDS:
                raise SeedError(
                    f'{found[-1] - found[0] + 1} seeds were asked for; {MOST_SEEDS} at a time are the most. Take them in parts.'
                )
            return found
    raise SeedError(f'Seeds are given as first:last, such as 0:200 for the seeds 0 to 199, and below 2⁶³; found {quoted(text)}.')


def purpose(seeds: range) -> str:
    """Return what seeds are for: 'train', 'validate' or 'test'.

    Raises:
        SeedError: there are none, one is negative or beyond 2³¹, or they are for several things.
    """
    if not seeds:
        raise SeedError('No seeds were given. Name at least one.')
    for word, known in PURPOSES.items():
        if seeds[0] in known and seeds[-1] in known:
            return word
    ranges = ', '.join(f'{word} {_words(known)}' for word, known in PURPOSES.items())
    raise SeedError(f'Seeds {_words(seeds)} are for no one purpose ({ranges}). Take each range by itself.')


def seeds_of(word: str, published: range | None) -> range:
    """Return the seeds of one purpose among the published ones of a split, or all of them where it has no range of its own.

    Raises:
        SeedError: there is no such purpose.
    """
    if word not in PURPOSES:
        raise SeedError(f'Seeds are for {", ".join(PURPOSES)}; found {quoted(word)}. {near(word, PURPOSES)}')
    known = PURPOSES[word]
    return known if published is None else range(max(known.start, published.start), min(known.stop, published.stop))


def check_published(seeds: range, published: range | None, where: str) -> str:
    """Return what seeds are for, and check that they are among the published ones of a split.

    Args:
        seeds: that are asked for, ascending.
        published: those of the split; None where it has no range of its own.
        where: names task and split, for the message.

    Raises:
        SeedError: they are not, or for no one purpose.
    """
    word = purpose(seeds)
    if published is not None and not (seeds[0] in published and seeds[-1] in published):
        raise SeedError(f'{where} has the seeds {_words(published)}; asked for were {_words(seeds)}. Stay within them; run plays any.')
    return word


def check_learned(seeds: range, published: range | None, where: str) -> str:
    """Return what seeds are for, and check besides that one may learn from them.

    Raises:
        SeedError: they are for tests, not among the published ones, or for no one purpose.
    """
    word = purpose(seeds)
    if word == 'test':
        allowed = f'{PURPOSES["train"].stop - 1} at most, or up to {PURPOSES["validate"].stop - 1} to validate'
        raise SeedError(f'Seeds {_words(seeds)} are for tests: no demonstrations are made of them. Take seeds of {allowed}.')
    return check_published(seeds, published, where)


def _words(seeds: range) -> str:
    return f'{seeds[0]} to {seeds[-1]}'
