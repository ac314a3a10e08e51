"""Units of time. Within an episode, time is an integer: the number of physics steps since its start."""

from vlm_bench_sim.core.errors import ConfigError

PHYSICS_HZ = 240
STEPS_PER_PERIOD = 12
CONTROL_HZ = PHYSICS_HZ // STEPS_PER_PERIOD
PERIOD_S = STEPS_PER_PERIOD / PHYSICS_HZ
PERIOD_NS = 1_000_000_000 * STEPS_PER_PERIOD // PHYSICS_HZ


def steps_to_ns(steps: int) -> int:
    """Return the nanoseconds of simulated time in `steps` physics steps (exact at period boundaries)."""
    return steps * 1_000_000_000 // PHYSICS_HZ


def seconds_to_periods(seconds: float) -> int:
    """Return the smallest number of control periods that last at least `seconds`."""
    return max(0, -int(-round(seconds * CONTROL_HZ, 6) // 1))


def periods_between(rate: float) -> int:
    """Return the number of control periods from one picture to the next.

    Args:
        rate: pictures per second of simulated time.

    Raises:
        ConfigError: the control frequency is not a whole multiple of the rate.
    """
    periods = round(CONTROL_HZ / rate) if 0 < rate <= CONTROL_HZ else 0
    if not periods or abs(periods * rate - CONTROL_HZ) > 1e-6:
        rates = ', '.join(str(whole) for whole in range(1, CONTROL_HZ + 1) if CONTROL_HZ % whole == 0)
        raise ConfigError(
            f'Pictures were requested at a rate of {rate:g} a second; the time between two must be '
            f'a whole number of control periods of {PERIOD_S:g} s. Ask for {rates}, or a number below 1 that divides {CONTROL_HZ}.'
        )
    return periods
