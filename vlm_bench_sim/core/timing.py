"""The quantum of time. Inside an episode, time is the integer count of physics steps since it began."""

PHYSICS_HZ = 240
STEPS_PER_PERIOD = 12
CONTROL_HZ = PHYSICS_HZ // STEPS_PER_PERIOD
PERIOD_S = STEPS_PER_PERIOD / PHYSICS_HZ
PERIOD_NS = 1_000_000_000 * STEPS_PER_PERIOD // PHYSICS_HZ


def steps_to_ns(steps: int) -> int:
    """Return the nanoseconds of simulated time in `steps` physics steps (exact on period boundaries)."""
    return steps * 1_000_000_000 // PHYSICS_HZ


def seconds_to_periods(seconds: float) -> int:
    """Return the least number of control periods that last `seconds`."""
    return max(0, -int(-round(seconds * CONTROL_HZ, 6) // 1))
