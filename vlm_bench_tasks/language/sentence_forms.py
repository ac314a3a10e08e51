"""Sentence forms: the verbs and the structure of a sentence. Two paraphrases count as different if their forms differ."""

import re
from dataclasses import dataclass

_PLAIN = """
    arrange assemble attach be belong bring build carry change clean clear close collect come connect copy cover cut deposit do draw
    drop empty erase exchange fall fetch fill find fit fold follow gather get give go grab grasp hang have hit hold insert keep knock
    lay lean leave let lift load look lower make match mix move need open order pack pick pile place plug point pour press pull push
    put raise reach rearrange release remove reorient repeat rest restore rotate rub screw scrub see serve set shift shove shut sit
    slide sort spin stack stand stir swap sweep swing take throw tidy tilt tip topple toss touch trace transfer turn unload unpack
    unplug unscrew use want wash wipe wrap
"""
_IRREGULAR = {
    'are': 'be', 'brought': 'bring', 'built': 'build', 'came': 'come', 'done': 'do', 'does': 'do', 'drawn': 'draw', 'fell': 'fall',
    'found': 'find', 'given': 'give', 'goes': 'go', 'gone': 'go', 'got': 'get', 'has': 'have', 'held': 'hold', 'is': 'be', 'laid': 'lay',
    'left': 'leave', 'seen': 'see', 'slid': 'slide', 'stood': 'stand', 'swept': 'sweep', 'swung': 'swing', 'taken': 'take', 'thrown':
    'throw', 'was': 'be', 'were': 'be',
}  # fmt: skip


def _forms(verb: str) -> tuple[str, ...]:
    stems = (verb, verb.rstrip('e'), verb + verb[-1], verb[:-1] + 'i')
    return (verb, verb + 's', verb + 'es', *(stem + end for stem in stems for end in ('ed', 'es', 'ing')))


VERBS = {form: verb for verb in _PLAIN.split() for form in _forms(verb)} | _IRREGULAR
"""The verbs of all sentences, by each of their inflected forms."""

_KEPT = 'to with over under above by along across around up down and then until of'
_LINKS = {
    **{word: word for word in _KEPT.split()},
    **dict.fromkeys(('in', 'into', 'inside', 'within'), 'in'),
    **dict.fromkeys(('on', 'onto', 'atop', 'upon'), 'on'),
    **dict.fromkeys(('from', 'out', 'off'), 'from'),
}
_TOKENS = re.compile(r'\{\w+\}|\w+|[?:;]')


@dataclass(frozen=True)
class SentenceForm:
    """The form of a sentence.

    Attributes:
        verbs: the verbs in order, each in its base form.
        structure: the sequence of verbs, blanks and linking words. All other words are left out.
    """

    verbs: tuple[str, ...]
    structure: tuple[str, ...]


def sentence_form(template: str) -> SentenceForm:
    """Return the form of a sentence with blanks such as {item}.

    Filler words such as please and now do not count. Variants such as in and into count as the same.
    """
    tokens = [token if token[0] == '{' else token.lower() for token in _TOKENS.findall(template)]
    verbs = tuple(VERBS[token] for token in tokens if token in VERBS)
    structure = tuple('verb' if token in VERBS else _LINKS.get(token, token) for token in tokens if _counts(token))
    return SentenceForm(verbs, structure)


def _counts(token: str) -> bool:
    return token in VERBS or token in _LINKS or token[0] == '{' or token in '?:;'


def unbound(templates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sentences without a known verb. Add the verb to `VERBS`, or change the sentence."""
    return tuple(template for template in templates if not sentence_form(template).verbs)
