"""Arguments of your own policies: `name=value` words, every value a string."""

import json
from collections.abc import Iterable, Mapping

from vlm_bench_sim.core.errors import ConfigError, quoted

Arguments = tuple[tuple[str, str], ...]
"""Pairs of name and value, sorted by name."""


def read_arguments(words: Iterable[str]) -> Arguments:
    """Return the arguments from words of the form `name=value`.

    Raises:
        ConfigError: a word does not have this form, or repeats an argument.
    """
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition('=')
        if not (equals and name.isidentifier()):
            raise ConfigError(f'An argument of a policy is given as name=value, such as checkpoint=weights.pt; found {quoted(word)}.')
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
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f'policy_args must be a JSON object; found {quoted(text)}: {error}.') from error
    if not isinstance(given, Mapping) or not all(isinstance(value, str) for value in given.values()):
        raise ConfigError(f'policy_args must be a JSON object of strings; found {quoted(text)}.')
    return read_arguments(f'{name}={value}' for name, value in given.items())
