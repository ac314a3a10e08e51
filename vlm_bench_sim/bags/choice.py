"""What a bag holds of all that could be recorded: which topics, and how many pictures a second."""

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
"""What no bag does without: from it an episode is judged again, and it says what the bag is of."""

_CAMERA = COLOR.name.partition('{')[0]


@dataclass(frozen=True)
class Choice:
    """What somebody wants in a bag.

    Attributes:
        topics: to keep, whole names or globs such as `/cameras/*/color/*`; none: all.
        leave_out: parts of the names of topics to do without, or globs of such.
        rate: pictures a second of simulated time; 0: all that there are.

    Raises:
        ConfigError: the rate is none that the control periods give.
    """

    topics: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    rate: float = 0.0

    def __post_init__(self) -> None:
        if self.rate:
            periods_between(self.rate)

    def of(self, rows: Iterable[Name]) -> tuple[Name, ...]:
        """Return those of the topics that a bag shall hold, `ALWAYS` among them.

        Raises:
            ConfigError: a word fits no topic, or leaves out nothing but what is always kept.
        """
        known = tuple(rows)
        for word in self.topics:
            _check(word, [row for row in known if fnmatchcase(row.name, word)], known)
        for word in self.leave_out:
            fits = [row for row in (*known, *CAMERA_NAMES) if _part(row, word)]
            _check(word, fits, known)
            if all(row in ALWAYS for row in fits):
                raise ConfigError(f'{fits[0].name} cannot be left out: an episode is judged again from it. Leave out others.')
        return tuple(row for row in known if row in ALWAYS or self._wants(row))

    def _wants(self, row: Name) -> bool:
        kept = not self.topics or any(fnmatchcase(row.name, word) for word in self.topics)
        return kept and not any(_part(row, word) for word in self.leave_out)


EVERYTHING = Choice()


def read_choice(topics: str = '', leave_out: str = '', rate: float = 0.0) -> Choice:
    """Return the choice that is worded as options and parameters are: several words with commas between.

    Raises:
        ConfigError: the rate is none that the control periods give.
    """
    return Choice(_words(topics), _words(leave_out), rate)


class Thinning:
    """Keeps of the pictures that come on each topic the first one of each span of time, so that `rate` of them a second are left.

    Args:
        rate: pictures a second of simulated time; 0: all are kept.

    Raises:
        ConfigError: the rate is none that the control periods give.
    """

    def __init__(self, rate: float) -> None:
        self._span_ns = periods_between(rate) * PERIOD_NS if rate else 0
        self._origin_ns = 0
        self._newest: dict[str, int] = {}

    def begin(self, origin_ns: int) -> None:
        """Begin an episode whose first control period has that stamp."""
        self._origin_ns, self._newest = origin_ns, {}

    def keeps(self, row: Name, data: bytes) -> bool:
        """Tell whether a message stays; what is no picture, nor told with one, always does."""
        if not self._span_ns or row.latched or not row.name.startswith(_CAMERA):
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
        raise ConfigError(f'No topic that is recorded is meant by {quoted(word)}. {near(word, [row.name for row in known])}')
