"""Decides whether simulated time may pass: playing, paused or stopped, and the steps requested while paused. No ROS."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import KW_ONLY, dataclass, field

from vlm_bench_sim.ros.simulation import (
    FEATURE_UNSUPPORTED,
    INCORRECT_STATE,
    OK,
    OPERATION_FAILED,
    Refused,
    State,
    Transition,
)

Outcome = tuple[int, str]
"""Result code and message."""


@dataclass(eq=False)
class Run:
    """A request for steps.

    Attributes:
        steps: number of requested steps.
        told: called after each step with the number of completed ones.
        completed: number of completed steps.
        outcome: how it ended.
    """

    steps: int
    _: KW_ONLY
    told: Callable[[int], None] = lambda _: None
    completed: int = 0
    outcome: 'Future[Outcome]' = field(default_factory=Future)

    def end(self, code: int, text: str = '') -> None:
        """Note how it ended; repeated calls are no error."""
        if not self.outcome.done():
            self.outcome.set_result((code, text))


class Stepping:
    """The state of the simulation, and at most one request for steps."""

    def __init__(self) -> None:
        self.state = State.PLAYING
        self._run: Run | None = None

    @property
    def paused(self) -> bool:
        """True if no period may run except for a requested step."""
        return self.state is not State.PLAYING

    @property
    def due(self) -> bool:
        """True if a requested step has not been made yet."""
        return self._run is not None

    def check_transition(self, asked: int) -> State:
        """Return the requested state, if the transition is possible now.

        Raises:
            Refused: with a shared code or one of `Transition`.
        """
        if asked not in list(State):
            raise Refused(FEATURE_UNSUPPORTED, f'The state {asked} cannot be set here. Send 0 (stopped), 1 (playing) or 2 (paused).')
        if asked == self.state:
            raise Refused(Transition.ALREADY_IN_TARGET_STATE, f'The simulation is {self.state.name.lower()} already.')
        if self._run is not None:
            raise Refused(Transition.STATE_TRANSITION_ERROR, 'Steps are being simulated. Wait for them, or cancel SimulateSteps.')
        if self.state is State.STOPPED and asked == State.PAUSED:
            raise Refused(Transition.INCORRECT_TRANSITION, 'A stopped simulation cannot be paused. Set it to playing first.')
        return State(asked)

    def begin(self, run: Run) -> None:
        """Begin to make steps; a request that may not begin has ended when this returns."""
        if self.state is not State.PAUSED:
            run.end(INCORRECT_STATE, f'The simulation is {self.state.name.lower()}; steps run only while it is paused. Pause it first.')
        elif self._run is not None:
            run.end(INCORRECT_STATE, 'Other steps are being simulated. Wait for them, or cancel SimulateSteps.')
        elif run.steps == 0:
            run.end(OK)
        else:
            self._run = run

    def made(self) -> None:
        """Note that a step was made."""
        run = self._run
        if run is None:
            return
        run.completed += 1
        if run.completed >= run.steps:
            self._run = None
        run.told(run.completed)
        if self._run is None:
            run.end(OK)

    def cancel(self, why: str, run: Run | None = None) -> None:
        """Cancel the remaining steps of `run`, or of any request."""
        if self._run is not None and run in (None, self._run):
            given_up, self._run = self._run, None
            given_up.end(OPERATION_FAILED, f'{why} {given_up.completed} of {given_up.steps} steps were simulated.')
