"""The numeric codes of our interface files: results, episode states, events and verdicts."""

from enum import Enum, IntEnum

FEATURE_UNSUPPORTED, OK, NOT_FOUND, INCORRECT_STATE, OPERATION_FAILED = range(5)
"""Result codes that all services and actions share, from simulation_interfaces/Result; specific ones begin at 101."""


class EpisodeState(IntEnum):
    """State of an episode, numbered as in vlm_bench_msgs/Status."""

    IDLE = 0
    LOADING = 1
    RUNNING = 2
    ENDED = 3


class EventKind(IntEnum):
    """Meaning of an event, numbered as in vlm_bench_msgs/Event."""

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
    SKILL_BEGUN = 13
    SKILL_ENDED = 14
    OPERATED = 15
    POLICY_FAULT = 16


Note = tuple[EventKind, str]
"""An event that goes with a command: its kind and its text."""


class Verdict(Enum):
    """Result of an episode. Unobservable: the bench failed, so the policy cannot be judged."""

    RUNNING = 'running'
    SUCCESS = 'success'
    FAILURE = 'failure'
    UNOBSERVABLE = 'unobservable'

    @property
    def code(self) -> int:
        """The number in vlm_bench_msgs/Report."""
        return list(Verdict).index(self)
