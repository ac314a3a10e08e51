"""The numbers of our interface files, each said once: results, the state of an episode, events and verdicts."""

from enum import Enum, IntEnum

FEATURE_UNSUPPORTED, OK, NOT_FOUND, INCORRECT_STATE, OPERATION_FAILED = range(5)
"""Results that every service and action shares, of simulation_interfaces/Result; special ones begin at 101."""


class EpisodeState(IntEnum):
    """How far an episode is; the numbers of vlm_bench_msgs/Status."""

    IDLE = 0
    LOADING = 1
    RUNNING = 2
    ENDED = 3


class EventKind(IntEnum):
    """What an event means; the numbers of vlm_bench_msgs/Event."""

    STOP = 1
    POLICY_TIMEOUT = 2
    FAULT = 3
    VIOLATION = 4
    ASSISTANCE = 5
    ABANDONED = 6
    ANSWER = 7
    DROPPED = 8
    DISPLACED = 9
    WAYPOINT = 10
    ADVICE = 11
    LATE = 12


class Verdict(Enum):
    """What an episode came to. Unobservable: the bench was at fault, and nothing can be said of the policy."""

    RUNNING = 'running'
    SUCCESS = 'success'
    FAILURE = 'failure'
    UNOBSERVABLE = 'unobservable'

    @property
    def code(self) -> int:
        """The number of vlm_bench_msgs/Report."""
        return list(Verdict).index(self)
