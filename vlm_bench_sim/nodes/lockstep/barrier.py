"""The lockstep barrier: the next control period runs once it is needed and every participant has acknowledged the last tick."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum

REPEAT_S = 2.5
"""A participant that joins again within this time without any acknowledgement missed the answer; restarting a process takes longer."""

LEAVE = 2
"""Used in Join in place of a role."""


class Role(IntEnum):
    """Role of a participant, which decides who is at fault if it falls silent; the numbers of Join."""

    POLICY = 0
    BENCH = 1


@dataclass
class Participant:
    """A participant that the barrier waits for.

    Attributes:
        role: policy or bench.
        acked: the newest tick that it acknowledged; -1: none in this episode.
        wants_until: number of the last period that it asks for.
        excused: the barrier does not wait for it until it acknowledges the newest tick, or shows life and another episode begins.
        heard: it has shown life since it was excused.
        joined: when it joined, s of wall clock; its silence counts from then at the earliest.
        asked: when it last asked to join, s of wall clock.
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
    """Pure bookkeeping; the caller passes the wall clock, which is used only to find silent participants."""

    def __init__(self) -> None:
        self._participants: dict[str, Participant] = {}
        self._seq, self._since = 0, 0.0

    def join(self, name: str, role: Role, now: float) -> None:
        """Add a participant; one that joins again starts afresh, unless it only repeats its request because it missed the answer."""
        known = self._participants.get(name)
        if known is not None and known.role is role and known.acked < 0 and now - known.asked <= REPEAT_S:
            known.asked = now
        else:
            self._participants[name] = Participant(role, joined=now, asked=now)

    def has_room(self, name: str, most: int) -> bool:
        """Return whether this participant has joined, or fewer than `most` have."""
        return name in self._participants or len(self._participants) < most

    def leave(self, name: str) -> None:
        """Remove a participant."""
        self._participants.pop(name, None)

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return those of these names that have not joined, or have shown no life since they were excused."""
        known = {name: p for name, p in self._participants.items() if p.heard or not p.excused}
        return [name for name in names if name not in known]

    def restart(self, now: float) -> None:
        """Begin an episode at period 0, without any acknowledgements."""
        for participant in self._participants.values():
            participant.acked, participant.wants_until = -1, 0
            participant.excused = participant.excused and not participant.heard
        self._seq, self._since = 0, now

    def tick(self, seq: int, now: float) -> None:
        """Note that period `seq` has been published."""
        self._seq, self._since = seq, now

    def hear(self, name: str) -> None:
        """Note a sign of life, such as an acknowledgement of any tick."""
        if name in self._participants:
            self._participants[name].heard = True

    def ack(self, name: str, seq: int, periods_wanted: int) -> None:
        """Note an acknowledgement; one from an unknown name, or of an older or future tick, has no effect."""
        participant = self._participants.get(name)
        if participant is not None and participant.acked <= seq <= self._seq:
            participant.acked, participant.wants_until = seq, seq + periods_wanted
            participant.excused = participant.excused and seq < self._seq

    def ready(self, *, busy: bool) -> bool:
        """Return whether the next period may run; `busy`: a command is running."""
        wanted = busy or any(p.wants_until > self._seq for p in self._participants.values() if not p.excused)
        return wanted and not self.waiting_for()

    def waiting_for(self) -> tuple[str, ...]:
        """Return the participants that have not acknowledged the newest tick."""
        return tuple(name for name, p in self._participants.items() if p.acked < self._seq and not p.excused)

    def bench_is_ready(self) -> bool:
        """Return whether every part of the bench has acknowledged the newest tick, which leaves only policies to wait for."""
        return all(self._participants[name].role is not Role.BENCH for name in self.waiting_for())

    def unheard(self) -> bool:
        """Return whether a part of the bench has acknowledged nothing in this episode and may have missed its messages."""
        return any(p.role is Role.BENCH and p.acked < 0 and not p.excused for p in self._participants.values())

    def silent(self, now: float, patience: float) -> tuple[str, ...]:
        """Return the participants that have delayed the barrier for more than `patience` seconds of wall clock."""
        return tuple(name for name in self.waiting_for() if now - max(self._since, self._participants[name].joined) > patience)

    def role(self, name: str) -> Role:
        """Return the role of a participant."""
        return self._participants[name].role

    def excuse(self, names: Iterable[str]) -> None:
        """Stop waiting for these participants until they acknowledge the newest tick again."""
        for name in names:
            self._participants[name].excused, self._participants[name].heard = True, False


class Standing:
    """Notices when a needed period does not run. The caller passes the wall clock.

    Args:
        patience: seconds of wall clock after which this is reported.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._awaited: tuple[str, ...] = ()
        self._since, self._told = 0.0, False

    def notice(self, awaited: tuple[str, ...], now: float) -> bool:
        """Return True, once, if the same participants have been awaited for too long; `awaited` is empty if no period is needed."""
        if awaited != self._awaited:
            self._awaited, self._since, self._told = awaited, now, False
        late = bool(awaited) and not self._told and now - self._since > self._patience
        self._told = self._told or late
        return late
