"""POSIX extended regular expressions, matched in bounded time.

Python's `re` has another syntax and may never finish on a pattern from a request. Here a pattern is a function from the
possible start positions to the possible end positions.
"""

import string
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass

from vlm_bench_sim.core.errors import VlmBenchError

Ends = Callable[[str, frozenset[int]], frozenset[int]]

_LONGEST, _DEEPEST, _MOST = 200, 5, 255
_CLASSES = {
    'alpha': string.ascii_letters, 'digit': string.digits, 'alnum': string.ascii_letters + string.digits, 'lower': string.ascii_lowercase,
    'upper': string.ascii_uppercase, 'punct': string.punctuation, 'space': string.whitespace, 'blank': ' \t', 'xdigit': string.hexdigits,
}  # fmt: skip


class PatternError(VlmBenchError):
    """A regular expression that cannot be parsed."""


def search(pattern: str) -> Callable[[str], bool]:
    """Return a function that tells whether a text contains a match; `^` and `$` match its ends.

    Raises:
        PatternError: the pattern is malformed, too long or too deeply nested.
    """
    if len(pattern) > _LONGEST or not pattern.isascii():
        raise PatternError(f'A pattern has at most {_LONGEST} characters, all of them ASCII; found {len(pattern)}: {pattern[:40]!a}.')
    reader = _Reader(pattern)
    ends = reader.alternatives()
    if reader.rest:
        raise PatternError(f'The pattern {pattern!r} closes a group that it never opened. Write \\) for the character.')
    return lambda text: bool(ends(text, frozenset(range(len(text) + 1))))


@dataclass
class _Reader:
    """Parses a pattern from left to right."""

    pattern: str
    _: KW_ONLY
    at: int = 0
    depth: int = 0

    @property
    def rest(self) -> str:
        return self.pattern[self.at :]

    def take(self) -> str:
        """Return the next character and advance."""
        if not self.rest:
            raise PatternError(f'The pattern {self.pattern!r} ends too early. Close what it opens.')
        self.at += 1
        return self.pattern[self.at - 1]

    def until(self, end: str) -> str:
        """Return the text before `end` and advance past it."""
        if end not in self.rest:
            raise PatternError(f'The pattern {self.pattern!r} lacks a {end!r}. Close what it opens.')
        text = self.rest[: self.rest.index(end)]
        self.at += len(text) + len(end)
        return text

    def alternatives(self) -> Ends:
        branches = [self.branch()]
        while self.rest.startswith('|'):
            self.take()
            branches.append(self.branch())
        return lambda text, starts: frozenset().union(*(branch(text, starts) for branch in branches))

    def branch(self) -> Ends:
        parts = list(self.parts())

        def ends(text: str, starts: frozenset[int]) -> frozenset[int]:
            for part in parts:
                starts = part(text, starts)
            return starts

        return ends

    def parts(self) -> Iterator[Ends]:
        while self.rest and self.rest[0] not in '|)':
            part = self.atom()
            while self.rest and self.rest[0] in '*+?{':
                part = _repeated(part, *self.count())
            yield part

    def atom(self) -> Ends:
        character = self.take()
        if character == '(':
            return self.group()
        if character == '[':
            return self.bracket()
        if character in '*+?{':
            raise PatternError(f'The pattern {self.pattern!r} repeats nothing at {character!r}. Write \\{character} for the character.')
        if character == '^':
            return lambda _, starts: starts & {0}
        if character == '$':
            return lambda text, starts: starts & {len(text)}
        if character == '.':
            return _one(lambda _: True)
        literal = self.take() if character == '\\' else character
        return _one(lambda c: c == literal)

    def group(self) -> Ends:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise PatternError(f'The pattern {self.pattern!r} nests groups more than {_DEEPEST} deep.')
        inner = self.alternatives()
        if self.take() != ')':
            raise PatternError(f'The pattern {self.pattern!r} leaves a group open.')
        self.depth -= 1
        return inner

    def count(self) -> tuple[int, int | None]:
        """Return the minimum and maximum number of repetitions."""
        sign = self.take()
        if sign != '{':
            return {'*': (0, None), '+': (1, None), '?': (0, 1)}[sign]
        low, comma, high = self.until('}').partition(',')
        if (
            not low.isdecimal()
            or (high and not high.isdecimal())
            or max(int(low), int(high or 0)) > _MOST
            or (high and int(high) < int(low))
        ):
            raise PatternError(f'The pattern {self.pattern!r} needs {{n}}, {{n,}} or {{n,m}} with n ≤ m ≤ {_MOST}.')
        return int(low), (int(high) if high else None) if comma else int(low)

    def bracket(self) -> Ends:
        negated = self.rest.startswith('^')
        self.at += negated
        members: set[str] = set()
        while not (members and self.rest.startswith(']')):
            members |= self.members()
        self.take()
        return _one(lambda c: (c in members) is not negated)

    def members(self) -> set[str]:
        first = self.take()
        if first == '[' and self.rest[:1] == ':':
            self.take()
            name = self.until(':]')
            if name not in _CLASSES:
                raise PatternError(f'There is no class [:{name}:]. Known: {", ".join(sorted(_CLASSES))}.')
            return set(_CLASSES[name])
        if first == '[' and self.rest[:1] in ('.', '='):
            raise PatternError(f'The pattern {self.pattern!r} uses [. .] or [= =], which are not supported.')
        if len(self.rest) > 1 and self.rest[0] == '-' and self.rest[1] != ']':
            self.take()
            last = self.take()
            if last < first:
                raise PatternError(f'The pattern {self.pattern!r} holds the range {first}-{last}, which runs backwards.')
            return {chr(code) for code in range(ord(first), ord(last) + 1)}
        return {first}


def _one(fits: Callable[[str], bool]) -> Ends:
    return lambda text, starts: frozenset(i + 1 for i in starts if i < len(text) and fits(text[i]))


def _repeated(part: Ends, low: int, high: int | None) -> Ends:
    def ends(text: str, starts: frozenset[int]) -> frozenset[int]:
        for _ in range(low):
            before, starts = starts, part(text, starts)
            if starts == before:
                break  # further repetitions change nothing; stopping here keeps nested counts from multiplying
        found = reached = starts
        for _ in range(len(text) + 1 if high is None else high - low):
            reached = part(text, reached) - found
            if not reached:
                break
            found |= reached
        return found

    return ends
