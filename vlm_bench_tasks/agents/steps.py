"""Step sentences, from text to values and back: `pick up the red block in the top left area and place it on the blue block`.

This module handles only the text. `moves` finds its meaning in a scene.
"""

import re
from dataclasses import dataclass, replace

from vlm_bench_sim.core.errors import quoted
from vlm_bench_tasks.agents.roles import StepError, StepFault

LONGEST = 300
"""Greatest length of a step sentence, characters."""

TABLE = 'table'
CENTER = 'center'
SPOTS = ('top left area', 'top right area', 'bottom left area', 'bottom right area', CENTER, TABLE)
"""Places that are not things."""

SMALLER, BIGGER = 'smaller', 'bigger'
_SIZES = {'small': SMALLER, SMALLER: SMALLER, 'big': BIGGER, BIGGER: BIGGER, 'large': BIGGER, 'larger': BIGGER}
_SPELLED = {'centre': CENTER, **{spot.removesuffix(' area'): spot for spot in SPOTS}, **{spot: spot for spot in SPOTS}}
_AT = r'(?:in|on|into|onto|inside|upon|to|at)'
_PLACED = re.compile(rf'\s{_AT}(?:\stop\sof)?\s')
_PICKED = re.compile(rf'(?:pick|take) up (.+?),? (?:and|then|and then) (?:place|put|drop|stack|lay) it {_AT}(?: top of)? (.+)')
_PUT = re.compile(r'(?:put|place|move|stack|lay|drop|bring) (.+)')
_ARTICLES = {'the': True, 'a': False, 'an': False, 'any': False}


@dataclass(frozen=True)
class Thing:
    """A description of a thing.

    Attributes:
        color: '' for any.
        size: smaller, bigger or '' for any.
        noun: block, bowl, zone.
        sole: True for *the* block, which must be the only one that fits; False for *a* block, which may be any that fits.
        place: its place: another thing, or one of `SPOTS`; None: anywhere.
    """

    color: str
    size: str = ''
    noun: str = 'block'
    sole: bool = True
    place: 'Thing | str | None' = None

    def words(self) -> str:
        """Return the description as text."""
        named = ' '.join(word for word in (self.size, self.color, self.noun) if word)
        article = 'the' if self.sole else 'an' if named[0] in 'aeiou' else 'a'
        return f'{article} {named}' if self.place is None else f'{article} {named} {placed(self.place)}'


@dataclass(frozen=True)
class Step:
    """One step: the thing to move, and its target."""

    item: Thing
    target: Thing | str

    def words(self) -> str:
        """Return the step as an unambiguous sentence."""
        return f'pick up {self.item.words()} and place it {placed(self.target)}'


def placed(place: Thing | str) -> str:
    """Return a place as text with its preposition: on the table, in the blue bowl."""
    if isinstance(place, str):
        return f'{"on" if place == TABLE else "in"} the {place}'
    return f'{"in" if place.noun in ("bowl", "zone") else "on"} {place.words()}'


def readings(text: str) -> tuple[Step, ...]:
    """Return every reading of a step sentence; most have only one.

    Raises:
        StepError: it is empty, too long, or not a step sentence.
    """
    bare = said(text)
    picked, put = _PICKED.fullmatch(bare), _PUT.fullmatch(bare)
    pairs = [(picked[1], picked[2])] if picked else _splits(put[1]) if put else []
    found = [(thing(item), place(target)) for item, target in pairs]
    steps = tuple(Step(item, target) for item, target in found if item is not None and target is not None)
    if not steps:
        raise StepError(
            StepFault.NONSENSE,
            f'{quoted(text)} is not a step. Say, for example: pick up the red block in the top left area and place it on the blue block.',
        )
    return steps


def said(text: str) -> str:
    """Return a text in lower case, with single spaces and without surrounding decoration.

    Raises:
        StepError: it is empty or too long.
    """
    if not text.strip():
        raise StepError(StepFault.EMPTY, 'The step is empty. Say, for example: pick up the red block and place it on the blue block.')
    if len(text) > LONGEST:
        raise StepError(StepFault.TOO_LONG, f'The step has {len(text)} characters; {LONGEST} are allowed. Say one step, in one sentence.')
    return re.sub(r'\s+', ' ', text.strip().lower()).strip(' .!"\'`')


def thing(text: str) -> Thing | None:
    """Return the thing that a text describes, such as `a smaller red block in the blue zone`; None if it describes none."""
    head, _, tail = _cut(text)
    words = head.split()
    sole = _ARTICLES.get(words[0], True) if words else True
    words = words[1:] if words and words[0] in _ARTICLES else words
    sizes = [_SIZES[word] for word in words if word in _SIZES]
    size, words = sizes[0] if sizes else '', [word for word in words if word not in _SIZES]
    if not 1 <= len(words) <= 2 or len(sizes) > 1 or not all(word.isalpha() for word in words):
        return None
    described = Thing(words[0] if len(words) == 2 else '', size, words[-1], sole)
    if not tail:
        return described
    at = place(tail)
    return None if at is None else replace(described, place=at)


def place(text: str) -> Thing | str | None:
    """Return the place that a text describes, such as `the top left area` or `the blue bowl`; None if it describes none."""
    bare = text.removeprefix('the ')
    return _SPELLED[bare] if bare in _SPELLED else thing(text)


def _cut(text: str) -> tuple[str, str, str]:
    found = _PLACED.search(text)
    return (text[: found.start()], found[0], text[found.end() :]) if found else (text, '', '')


def _splits(text: str) -> list[tuple[str, str]]:
    return [(text[: found.start()], text[found.end() :]) for found in _PLACED.finditer(text)]
