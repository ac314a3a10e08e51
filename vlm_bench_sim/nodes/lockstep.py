"""The lockstep barrier: the next control period runs when somebody needs time and every participant has acknowledged the last tick."""

from dataclasses import dataclass
from enum import IntEnum


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
    """

    role: Role
    acked: int = -1
    wants_until: int = 0


class Lockstep:
    """Pure bookkeeping; the wall clock is handed in and serves nothing but the search for silent participants."""

    def __init__(self) -> None:
        self.participants: dict[str, Participant] = {}
        self._seq, self._since = 0, 0.0

    def join(self, name: str, role: Role, now: float) -> None:
        """Take a participant in; one that joins again starts afresh."""
        self.participants[name] = Participant(role)
        self._since = now

    def leave(self, name: str) -> None:
        """Let a participant go."""
        self.participants.pop(name, None)

    def restart(self, now: float) -> None:
        """Begin an episode at period 0: nobody has acknowledged anything."""
        for participant in self.participants.values():
            participant.acked, participant.wants_until = -1, 0
        self._seq, self._since = 0, now

    def tick(self, seq: int, now: float) -> None:
        """Say that period `seq` has been published."""
        self._seq, self._since = seq, now

    def ack(self, name: str, seq: int, periods_wanted: int) -> None:
        """Note an acknowledgement; one from a stranger or of an older tick is no use."""
        participant = self.participants.get(name)
        if participant is not None and seq >= participant.acked:
            participant.acked = seq
            participant.wants_until = seq + periods_wanted

    def ready(self, *, busy: bool) -> bool:
        """Tell whether the next period may run; `busy`: a command is running."""
        wanted = busy or any(p.wants_until > self._seq for p in self.participants.values())
        return wanted and not self.waiting_for()

    def waiting_for(self) -> tuple[str, ...]:
        """Return who has not acknowledged the newest tick."""
        return tuple(name for name, p in self.participants.items() if p.acked < self._seq)

    def silent(self, role: Role, now: float, patience: float) -> tuple[str, ...]:
        """Return who of that role has kept the barrier waiting for more than `patience` seconds of wall clock."""
        if now - self._since <= patience:
            return ()
        return tuple(name for name in self.waiting_for() if self.participants[name].role is role)
