"""Turns a stream of messages into one bag per episode: decides when a bag opens, what belongs in it, and when it is complete.

A bag opens once the truth of an episode and its first WorldState have arrived, in any order. It closes after the report and the
WorldState that the report refers to.
"""

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vlm_bench_sim.bags.choice import Thinning
from vlm_bench_sim.bags.definitions import deserialise
from vlm_bench_sim.bags.folder import bag_name
from vlm_bench_sim.bags.prefix import seq, stamp_ns, token
from vlm_bench_sim.bags.writer import INSTRUCTION as PROMPT
from vlm_bench_sim.bags.writer import BagWriter
from vlm_bench_sim.core import codec
from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.errors import BagError, VlmBenchError
from vlm_bench_sim.core.operator import Operator, told
from vlm_bench_sim.core.timing import PERIOD_NS
from vlm_bench_sim.ros.names import EPISODE, EPISODE_TRUTH, EVENTS, REPORT, SCENE, TICK, WORLD_STATE, Name

VERDICTS = {verdict.code: verdict.value for verdict in Verdict if verdict is not Verdict.RUNNING}
PATIENCE = 8
_NUMBERS = ('score', 'progress', 'reward', 'sim_seconds', 'drops', 'violations')  # of a report
"""Calls of `settle` for which an episode without a report may delay the next one."""


class Session:
    """Writes episode after episode, each into its own bag.

    Args:
        folder: of the bags.
        rate: pictures per second of simulated time; 0: all.
        about: strings for every bag's `custom_data`.
        late: returns whether messages of the present episode may have been missed, though its first world state was received.

    Attributes:
        acknowledged: token and sequence number of the newest tick whose WorldState is in the bag.
        finished: paths of the completed bags.
    """

    def __init__(
        self, folder: Path, *, rate: float = 0.0, about: Mapping[str, str] = MappingProxyType({}), late: Callable[[], bool] = lambda: False
    ) -> None:
        self.acknowledged = ('', 0)
        self.finished: list[Path] = []
        self.token = ''
        self._folder, self._thinning, self._always = folder, Thinning(rate), dict(about)
        self._bag: BagWriter | None = None
        self._given_up = ''
        self._latched: dict[str, tuple[Name, bytes]] = {}
        self._waiting: deque[tuple[Name, bytes]] = deque(maxlen=300)
        self._seen: dict[str, int] = {}
        self._report: Any = None
        self._operators: list[Operator] = []
        self._start = self._end = self._first = 0
        self._settled = 0
        self._period, self._is_late, self._late = -1, late, False
        self._state = b''  # of that period

    def take(self, row: Name, data: bytes) -> None:
        """Handle a message from the table of names.

        Raises:
            BagError: the bag cannot be written. The episode is abandoned; the next one gets a bag again.
        """
        theirs = token(row.type, data)
        if row.latched:
            self._latched[row.name] = (row, data)
        try:
            if self._bag is not None and self._belongs(row, data, theirs):
                self._write(self._bag, row, data)
                if row.name == WORLD_STATE.name:
                    self._release(self._bag)
            elif not row.latched and (theirs or _trusted(row, data) is not None):
                self._waiting.append((row, data))
            if theirs and theirs != self.token:
                self._perhaps_begin()
        except BagError:
            self._give_up()
            raise
        finally:
            self._acknowledge(row, data, theirs)

    @property
    def awaits(self) -> str:
        """What the open bag still needs, in words; '' if it is complete, or none is open."""
        if self._bag is None:
            return ''
        if self._report is None:
            return 'the report came'
        newest = self._seen.get(WORLD_STATE.name, -1)
        return f'period {self._report.seq} came, which the report names; the newest is {newest}' if newest < self._report.seq else ''

    def settle(self) -> None:
        """Close a bag whose report has arrived. Call this about four times a second: late messages then still reach the open bag.

        Raises:
            BagError: the bag cannot be completed.
        """
        if self._bag is not None:
            self._settled += self._report is not None or self._next() is not None
            if self._settled > 1 and not self.awaits:
                self.finish()
            elif self._settled > PATIENCE:
                self.finish('the next episode began before the report came')
        self._perhaps_begin()

    def finish(self, cause: str = 'the recorder was stopped before the report came') -> None:
        """Close the bag, if one is open; without a report its verdict is unobservable, with that cause.

        Raises:
            BagError: the bag cannot be completed.
        """
        if self._bag is None:
            return
        bag, self._bag = self._bag, None
        try:
            self.finished.append(bag.close(self._about() | told(self._operators) | self._verdict(cause)))
        finally:
            self._given_up, self._report, self._settled = self.token, None, 0

    def _belongs(self, row: Name, data: bytes, theirs: str | None) -> bool:
        """Return whether a message belongs to the open bag; without a token, its stamp decides: from the first to the newest WorldState."""
        stamp = _trusted(row, data)
        return theirs == self.token or (theirs is None and (stamp is None or self._start <= stamp <= self._end))

    def _write(self, bag: BagWriter, row: Name, data: bytes) -> None:
        period = seq(row.type, data) if row.name == WORLD_STATE.name else None
        if not self._thinning.keeps(row, data) or period == self._period:  # a paused world repeats its state for late subscribers
            return
        bag.write(row, data)
        if period is not None:
            self._end, self._period, self._state = stamp_ns(row.type, data) or 0, period, data
        if row.name == REPORT.name:
            self._report = deserialise(row.type, data)
        elif row.name == EVENTS.name:
            self._operators += _operators(deserialise(row.type, data))

    def _release(self, bag: BagWriter) -> None:
        """Write the waiting messages that belong to the bag: world states first, because they decide where the others belong."""
        waiting = sorted(self._waiting, key=lambda message: token(message[0].type, message[1]) != self.token)
        self._waiting.clear()
        for row, data in waiting:
            theirs = token(row.type, data)
            if self._belongs(row, data, theirs):
                self._write(bag, row, data)
                self._acknowledge(row, data, theirs)
            else:
                self._waiting.append((row, data))

    def _next(self) -> str | None:
        """Return the token of an episode that can begin: its truth and its first WorldState have arrived."""
        truth = self._latched.get(EPISODE_TRUTH.name)
        wanted = token(truth[0].type, truth[1]) if truth else None
        if not wanted or wanted in (self._given_up, self.token if self._bag else ''):
            return None
        return wanted if any(r.name == WORLD_STATE.name and token(r.type, d) == wanted for r, d in self._waiting) else None

    def _perhaps_begin(self) -> None:
        wanted = self._next()
        if wanted is None or (self._bag is not None and self._report is None):
            return
        self.finish()
        self.token, self._seen, self._period, self._late = wanted, {}, -1, self._is_late()
        self._operators = []
        states = [d for r, d in self._waiting if r.name == WORLD_STATE.name and token(r.type, d) == wanted]
        self._start = self._end = stamp_ns(WORLD_STATE.type, states[0]) or 0
        self._first = min(seq(WORLD_STATE.type, data) or 0 for data in states)
        self._thinning.begin(self._start - self._first * PERIOD_NS)
        try:
            self._begin(self._about())
        except BagError:
            self._give_up()
            raise

    def _begin(self, about: dict[str, str]) -> None:
        name = bag_name(about['task'], about['split'], about['seed'], self.token)
        self._bag = bag = BagWriter(self._folder, name, custom=about)
        for row, data in self._latched.values():
            if token(row.type, data) in (None, self.token):
                self._write(bag, row, data)
        self._release(bag)

    def _acknowledge(self, row: Name, data: bytes, theirs: str | None) -> None:
        newest = seq(row.type, data) if row.name in (TICK.name, WORLD_STATE.name) else None
        if newest is None or theirs is None:
            return
        if theirs in ('', self._given_up):
            self.acknowledged = (theirs, newest)  # there is nothing to record, and the bench must not wait
        elif self._bag is not None and theirs == self.token:
            self._seen[row.name] = newest
            if len(self._seen) == 2:
                self.acknowledged = (theirs, min(self._seen.values()))

    def _give_up(self) -> None:
        if self._bag is not None:
            self._bag.abort()
        self._bag, self._report, self._settled, self._given_up = None, None, 0, self.token

    def _about(self) -> dict[str, str]:
        truth, episode, scene = (self._told(row) for row in (EPISODE_TRUTH, EPISODE, SCENE))
        about = {key: str(getattr(truth, key)) for key in ('token', 'task', 'axis', 'split', 'seed', PROMPT)} if truth else {}
        if episode:
            about |= {key: str(getattr(episode, key)) for key in ('revision', 'robot', 'prompt')}
        if scene:
            about['renderer'] = str(scene.renderer)
        return self._always | about

    def _told(self, row: Name) -> Any:
        held = self._latched.get(row.name)
        return deserialise(row.type, held[1]) if held and token(row.type, held[1]) == self.token else None

    def _verdict(self, cause: str) -> dict[str, str]:
        if self._report is None:
            return {'verdict': 'unobservable', 'cause': cause}
        if self._first or self._late:
            why = f'the bag begins with control period {self._first}' if self._first else 'it had not joined when the episode began'
            return {'verdict': 'unobservable', 'cause': f'the recorder came late: {why}'}
        return {
            'verdict': VERDICTS.get(int(self._report.verdict), 'unobservable'),
            'cause': '; '.join(self._report.causes),
            'versions': ' '.join(self._report.versions),
            'assistance': ' '.join(self._report.assistance),
            'perturbations': '; '.join(self._report.perturbations),
            'isolation': str(self._report.isolation),
            **{name: str(getattr(self._report, name)) for name in _NUMBERS},
            'state_hash': self._hash(),
        }

    def _hash(self) -> str:
        """Return the hash of the state at the verdict; '' if that is not the newest state."""
        return str(deserialise(WORLD_STATE.type, self._state).state_hash) if self._period == self._report.seq else ''


def _trusted(row: Name, data: bytes) -> int | None:
    return stamp_ns(row.type, data) if row.server and not row.latched else None


def _operators(event: Any) -> list[Operator]:
    """Return the person who has driven by then, as an event says; none if it is about something else, or nonsense."""
    try:
        operator = codec.read(event.text, Operator) if event.kind == EventKind.OPERATED else Operator()
    except VlmBenchError:
        return []
    return [operator] if operator.devices else []
