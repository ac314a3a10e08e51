"""The lockstep barrier: the next control period runs when somebody needs time and every participant has acknowledged the last tick."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum

REPEAT_S = 2.5
"""A name that joins again so soon, and has acknowledged nothing, has not heard the answer: a process that starts over takes longer."""

LEAVE = 2
"""Instead of a role in Join."""


class Role(IntEnum):
    """Whose silence it would be; the numbers of Join."""

    POLICY = 0
    BENCH = 1


@dataclass
class Participant:
    """One that the barrier waits for.

    Attributes:
        role: policy or bench.
        acked: the newest tick it acknowledged; -1: none of this episode.
        wants_until: it asks for the periods up to this one.
        excused: nobody waits for it until it acknowledges the newest tick again, or is heard of and another episode begins.
        heard: it was heard of since it was excused.
        joined: when it came, s of wall clock; its silence counts from then at the earliest.
        asked: when it asked to join, s of wall clock.
    """

    role: Role
    _: KW_ONLY
    joined: float
    asked: float
    acked: int = -1
    wants_until: int = 0
    excused: bool = False
    heard: bool = False


class Lockstep:
    """Pure bookkeeping; the wall clock is handed in and serves nothing but the search for silent participants."""

    def __init__(self) -> None:
        self._participants: dict[str, Participant] = {}
        self._seq, self._since = 0, 0.0

    def join(self, name: str, role: Role, now: float) -> None:
        """Take a participant in; one that joins again starts afresh, unless it only asks again because it is deaf to the answers."""
        known = self._participants.get(name)
        if known is not None and known.role is role and known.acked < 0 and now - known.asked <= REPEAT_S:
            known.asked = now
        else:
            self._participants[name] = Participant(role, joined=now, asked=now)

    def has_room(self, name: str, most: int) -> bool:
        """Tell whether that one takes part, or fewer than `most` do."""
        return name in self._participants or len(self._participants) < most

    def leave(self, name: str) -> None:
        """Let a participant go."""
        self._participants.pop(name, None)

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return who of these has not joined, or was excused and has given no sign of life since."""
        known = {name: p for name, p in self._participants.items() if p.heard or not p.excused}
        return [name for name in names if name not in known]

    def restart(self, now: float) -> None:
        """Begin an episode at period 0: nobody has acknowledged anything."""
        for participant in self._participants.values():
            participant.acked, participant.wants_until = -1, 0
            participant.excused = participant.excused and not participant.heard
        self._seq, self._since = 0, now

    def tick(self, seq: int, now: float) -> None:
        """Say that period `seq` has been published."""
        self._seq, self._since = seq, now

    def hear(self, name: str) -> None:
        """Note a sign of life, such as an acknowledgement of whatever tick."""
        if name in self._participants:
            self._participants[name].heard = True

    def ack(self, name: str, seq: int, periods_wanted: int) -> None:
        """Note an acknowledgement; one from a stranger, of an older tick or of one that has not been is no use."""
        participant = self._participants.get(name)
        if participant is not None and participant.acked <= seq <= self._seq:
            participant.acked, participant.wants_until = seq, seq + periods_wanted
            participant.excused = participant.excused and seq < self._seq

    def ready(self, *, busy: bool) -> bool:
        """Tell whether the next period may run; `busy`: a command is running."""
        wanted = busy or any(p.wants_until > self._seq for p in self._participants.values() if not p.excused)
        return wanted and not self.waiting_for()

    def waiting_for(self) -> tuple[str, ...]:
        """Return who has not acknowledged the newest tick."""
        return tuple(name for name, p in self._participants.items() if p.acked < self._seq and not p.excused)

    def bench_is_ready(self) -> bool:
        """Tell whether every part of the bench has acknowledged the newest tick, so that only policies can be waited for."""
        return all(self._participants[name].role is not Role.BENCH for name in self.waiting_for())

    def unheard(self) -> bool:
        """Tell whether a part of the bench has acknowledged nothing of this episode, as if it had not been told of it."""
        return any(p.role is Role.BENCH and p.acked < 0 and not p.excused for p in self._participants.values())

    def silent(self, now: float, patience: float) -> tuple[str, ...]:
        """Return who has kept the barrier waiting for more than `patience` seconds of wall clock."""
        return tuple(name for name in self.waiting_for() if now - max(self._since, self._participants[name].joined) > patience)

    def role(self, name: str) -> Role:
        """Return the role of a participant."""
        return self._participants[name].role

    def excuse(self, names: Iterable[str]) -> None:
        """Wait no longer for these, until they acknowledge the newest tick again."""
        for name in names:
            self._participants[name].excused, self._participants[name].heard = True, False


class Standing:
    """Notices that a period which somebody needs does not come. The wall clock is handed in.

    Args:
        patience: seconds of wall clock after which that is worth a word.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._awaited: tuple[str, ...] = ()
        self._since, self._told = 0.0, False

    def notice(self, awaited: tuple[str, ...], now: float) -> bool:
        """Tell, once, that the same participants have been awaited for too long; nobody is where no period is needed."""
        if awaited != self._awaited:
            self._awaited, self._since, self._told = awaited, now, False
        late = bool(awaited) and not self._told and now - self._since > self._patience
        self._told = self._told or late
        return late
