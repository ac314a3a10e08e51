"""Which of the recordable topics a bag holds, and its picture rate."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from vlm_bench_sim.bags.prefix import stamp_ns
from vlm_bench_sim.core.errors import ConfigError, near, quoted
from vlm_bench_sim.core.timing import PERIOD_NS, periods_between
from vlm_bench_sim.ros.names import (
    CAMERA_NAMES,
    COLOR,
    EPISODE,
    EPISODE_TRUTH,
    EVENTS,
    INSTRUCTION,
    REPORT,
    SCENE,
    TICK,
    WORLD_STATE,
    Name,
)

ALWAYS = (EPISODE_TRUTH, EPISODE, INSTRUCTION, SCENE, WORLD_STATE, TICK, EVENTS, REPORT)
"""Topics in every bag: they identify the episode, and it can be judged again from them."""

_CAMERA = COLOR.name.partition('{')[0]


@dataclass(frozen=True)
class Choice:
    """A user's choice of the content of a bag.

    Attributes:
        topics: to keep, full names or globs such as `/cameras/*/color/*`; none: all.
        leave_out: topics to omit, as parts of names or as globs.
        rate: pictures per second of simulated time; 0: all.

    Raises:
        ConfigError: the control period does not permit this rate.
    """

    topics: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    rate: float = 0.0

    def __post_init__(self) -> None:
        if self.rate:
            periods_between(self.rate)

    def of(self, rows: Iterable[Name]) -> tuple[Name, ...]:
        """Return the chosen topics, including those of `ALWAYS`.

        Raises:
            ConfigError: a word matches no topic, or leaves out only topics that are always kept.
        """
        known = tuple(rows)
        for word in self.topics:
            _check(word, [row for row in known if fnmatchcase(row.name, word)], known)
        for word in self.leave_out:
            fits = [row for row in (*known, *CAMERA_NAMES) if _part(row, word)]
            _check(word, fits, known)
            if all(row in ALWAYS for row in fits):
                raise ConfigError(f'{fits[0].name} cannot be left out: it is needed to judge the episode again. Leave out other topics.')
        return tuple(row for row in known if row in ALWAYS or self._wants(row))

    def _wants(self, row: Name) -> bool:
        kept = not self.topics or any(fnmatchcase(row.name, word) for word in self.topics)
        return kept and not any(_part(row, word) for word in self.leave_out)


EVERYTHING = Choice()


def read_choice(topics: str = '', leave_out: str = '', rate: float = 0.0) -> Choice:
    """Return the choice from the text of options and parameters: words separated by commas.

    Raises:
        ConfigError: the control period does not permit this rate.
    """
    return Choice(_words(topics), _words(leave_out), rate)


class Thinning:
    """Keeps the first picture of each topic in each interval, which leaves `rate` pictures per second.

    Args:
        rate: pictures per second of simulated time; 0: all are kept.

    Raises:
        ConfigError: the control period does not permit this rate.
    """

    def __init__(self, rate: float) -> None:
        self._span_ns = periods_between(rate) * PERIOD_NS if rate else 0
        self._origin_ns = 0
        self._newest: dict[str, int] = {}

    def begin(self, origin_ns: int) -> None:
        """Begin an episode whose first control period has that stamp."""
        self._origin_ns, self._newest = origin_ns, {}

    def keeps(self, row: Name, data: bytes) -> bool:
        """Return whether to keep a message; only pictures and their companion messages are ever dropped."""
        if not self._span_ns or row.latched or row.occasional or not row.name.startswith(_CAMERA):
            return True
        stamp = stamp_ns(row.type, data)
        if stamp is None:
            return True
        span = (stamp - self._origin_ns) // self._span_ns
        if span <= self._newest.get(row.name, span - 1):
            return False
        self._newest[row.name] = span
        return True


def _words(text: str) -> tuple[str, ...]:
    return tuple(sorted({word.strip() for word in text.split(',') if word.strip()}))


def _part(row: Name, word: str) -> bool:
    return fnmatchcase(row.name, f'*{word}*')


def _check(word: str, fits: list[Name], known: tuple[Name, ...]) -> None:
    if not fits:
        raise ConfigError(f'No recordable topic matches {quoted(word)}. {near(word, [row.name for row in known])}')
