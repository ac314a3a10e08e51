"""Arguments of your own policies: `name=value` words, every value a string."""

import json
from collections.abc import Iterable

from vlm_bench_sim.core.errors import ConfigError, quoted

Arguments = tuple[tuple[str, str], ...]
"""Pairs of name and value, sorted by name."""


def read_arguments(words: Iterable[str]) -> Arguments:
    """Return the arguments from words of the form `name=value`.

    Raises:
        ConfigError: a word does not have this form, or repeats an argument.
    """
    pairs = []
    for word in words:
        name, equals, value = word.partition('=')
        if not equals:
            raise ConfigError(f'An argument of a policy is given as name=value, such as checkpoint=weights.pt; found {quoted(word)}.')
        pairs.append((name, value))
    return _checked(pairs)


def _checked(pairs: Iterable[tuple[str, str]]) -> Arguments:
    found: dict[str, str] = {}
    for name, value in pairs:
        if not name.isidentifier():
            raise ConfigError(f'An argument of a policy has a name such as checkpoint; found {quoted(name)} for the value {quoted(value)}.')
        if any('\ud800' <= letter <= '\udfff' for letter in value):
            raise ConfigError(f'The argument {quoted(name)} of the policy is not valid UTF-8: {quoted(value)}. Correct it.')
        if name in found:
            raise ConfigError(f'The argument {quoted(name)} of the policy is given twice: {quoted(found[name])} and {quoted(value)}.')
        found[name] = value
    return tuple(sorted(found.items()))


def written(arguments: Arguments) -> str:
    """Return the arguments as one string for the setting `policy_args`."""
    return json.dumps(dict(arguments)) if arguments else ''


def read_setting(text: str) -> Arguments:
    """Return the arguments of the setting `policy_args`: a JSON object of strings, or name=value words separated by commas.

    Raises:
        ConfigError: the text is neither.
    """
    if not text.strip().startswith('{'):
        return read_arguments(filter(None, text.split(',')))
    try:
        given = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f'policy_args must be a JSON object; found {quoted(text)}: {error}.') from error
    if not all(isinstance(value, str) for _, value in given):
        raise ConfigError(f'policy_args must be a JSON object of strings; found {quoted(text)}.')
    return _checked(given)
