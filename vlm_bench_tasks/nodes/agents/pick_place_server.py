"""The PickPlace action server: parses a goal, executes it, and returns a code and a sentence. One goal at a time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future

from vlm_bench_sim.core.codes import FEATURE_UNSUPPORTED, OK, OPERATION_FAILED
from vlm_bench_sim.core.errors import CommandError, near, quoted
from vlm_bench_sim.core.frames import ROOT
from vlm_bench_sim.core.geometry import Pose, Quaternion
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.ros import fields, names
from vlm_bench_sim.ros.convert import interface
from vlm_bench_sim.ros.simulation import Refused
from vlm_bench_tasks.agents.points import TALLEST, Touch
from vlm_bench_tasks.agents.requests import Request
from vlm_bench_tasks.agents.roles import Problem, StepFault
from vlm_bench_tasks.nodes.agents.hearing import Hearing, Unheard

NOT_RUNNING, INVALID_WORDS, ABSENT, AMBIGUOUS, IMPOSSIBLE, INVALID_POSE, UNKNOWN_FRAME, UNKNOWN_CAMERA = range(101, 109)
INVALID_PIXEL, NO_PICTURE, PICK_FAILED, PLACE_FAILED, LOST, PREEMPTED, INVALID_HEIGHT = range(109, 116)
WORDS, PIXEL, POSE = range(3)
UNTURNED = ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
"""Orientations that mean "not given", such as that of a new message; the tool then comes from above."""
CODES = {
    StepFault.EMPTY: INVALID_WORDS, StepFault.TOO_LONG: INVALID_WORDS, StepFault.NONSENSE: INVALID_WORDS, StepFault.ABSENT: ABSENT,
    StepFault.AMBIGUOUS: AMBIGUOUS, StepFault.IMPOSSIBLE: IMPOSSIBLE, StepFault.PICK_FAILED: PICK_FAILED,
    StepFault.PLACE_FAILED: PLACE_FAILED, StepFault.LOST: LOST,
}  # fmt: skip
"""The result codes of PickPlace by problem; all others mean that the operation failed."""

NEWS_S = 5.0
"""Time for which a goal waits for an episode, wall-clock s; its sender may hear of the episode before this node does."""
PATIENCE_S = 30.0
"""Timeout for the description of an announced episode, wall-clock s; it comes in another domain, which may be discovered later."""

Ended = tuple[str, int, str]
"""'succeed', 'abort' or 'canceled', the code, and the sentence."""
_DONE: Ended = ('succeed', OK, '')


def _whole(goal: Any) -> None:
    """Check that a goal in words holds no fields that would be ignored.

    Raises:
        Refused: such a field is set.
    """
    if goal.height:
        raise Refused(INVALID_HEIGHT, f'A height is only for goals with two points; found {goal.height:g} m with words. Send 0 with words.')
    for name, spot in (('pick', goal.pick), ('place', goal.place)):
        if goal.sentence and (spot.words or spot.kind != WORDS):
            raise Refused(INVALID_WORDS, f'A sentence says the whole step, and {name} was given, too. Send one or the other.')
        if spot.kind == POSE and tuple(fields.read_pose(spot.pose.pose).orientation) not in UNTURNED:
            raise Refused(
                INVALID_POSE, f'An orientation is only for goals with two points; the pose of {name} has one. Leave it out with words.'
            )


@dataclass(eq=False)
class _Goal:
    """A goal being parsed or executed, and the future of its result."""

    handle: Any
    over: Future = field(default_factory=Future)


def ended_by(problem: Problem | None) -> Ended:
    """Return the result of a goal that ended with this problem, if any."""
    return _DONE if problem is None else ('abort', CODES.get(problem.fault, OPERATION_FAILED), problem.text)


def refused(problem: Problem) -> Refused:
    """Return the error for a request that cannot be understood."""
    return Refused(CODES.get(problem.fault, OPERATION_FAILED), problem.text)


class PickPlaceServer:
    """Serves PickPlace. A new goal is checked before it replaces the running one; a refused goal does not disturb it.

    Args:
        node: offers the action.
        cameras: names of the bench's cameras.
        running: returns whether an episode runs; None if an episode may run whose description has not arrived.
        check: raises `Refused` if a request is invalid.
        begin: starts a request; its callback gets the problem, if any, at the end.
        abandon: cancels the running request; the arm holds its position.
        now: sequence number and simulated time (ns) of the newest tick.
    """

    def __init__(
        self,
        node: BenchNode,
        *,
        cameras: tuple[str, ...],
        running: Callable[[], bool | None],
        check: Callable[[Request], None],
        begin: Callable[[Request, Callable[[Problem | None], None]], None],
        abandon: Callable[[], None],
        now: Callable[[], tuple[int, int]],
    ) -> None:
        self._cameras, self._running = cameras, running
        self._check, self._begin, self._abandon, self._now = check, begin, abandon, now
        self._hearing = Hearing(node)
        self._type = interface(names.PICK_PLACE.type)
        self._goals = list[_Goal]()  # in order of arrival
        self._current: _Goal | None = None
        self._server = ActionServer(
            node.public, self._type, names.PICK_PLACE.name, self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT, cancel_callback=self._cancel,
        )  # fmt: skip

    def turn(self) -> None:
        """Resume goals whose wait has timed out; call it regularly."""
        self._hearing.turn()

    def end(self, ended: Ended) -> None:
        """End all goals with this result."""
        for goal in self._goals[:]:
            self._end(goal, ended)

    def placing(self) -> None:
        """Publish the feedback that the gripper has closed."""
        if self._current is not None:
            self._current.handle.publish_feedback(self._type.Feedback(stage=self._type.Feedback.PLACING))

    async def _execute(self, handle: Any) -> Any:
        goal = _Goal(handle)
        self._goals.append(goal)
        outcome, code, text = await self._outcome(goal)
        self._goals.remove(goal)
        if self._current is goal:
            self._current = None
        getattr(handle, outcome)()
        seq, ns = self._now()
        result = self._type.Result()
        result.seq, result.header.stamp.sec, result.header.stamp.nanosec = seq, ns // fields.SECOND_NS, ns % fields.SECOND_NS
        return answer(result, code, text)

    async def _outcome(self, goal: _Goal) -> Ended:
        try:
            asked = await self._read(goal.handle.request)
            await self._hearing.until(lambda: self._running() or goal.over.done(), NEWS_S)
            await self._hearing.until(lambda: self._running() is not None or goal.over.done(), PATIENCE_S)
            if not goal.over.done():
                self._check(asked)
                self._take_over(goal, asked)
        except Refused as error:
            return goal.over.result() if goal.over.done() else ('abort', error.code, str(error))
        return await goal.over

    def _take_over(self, goal: _Goal, asked: Request) -> None:
        """Start a goal. It replaces the running goal and all earlier goals that are still being parsed."""
        for older in self._goals[: self._goals.index(goal)]:
            self._end(older, ('abort', PREEMPTED, 'Preempted: a newer goal took its place.'))
        self._current = goal
        goal.handle.publish_feedback(self._type.Feedback(stage=self._type.Feedback.PICKING))
        self._begin(asked, lambda problem: None if goal.over.done() else goal.over.set_result(ended_by(problem)))

    def _end(self, goal: _Goal, ended: Ended) -> None:
        if not goal.over.done():
            if goal is self._current:
                self._abandon()
            goal.over.set_result(ended)

    def _cancel(self, handle: Any) -> CancelResponse:
        for goal in self._goals[:]:
            if goal.handle is handle:
                self._end(goal, ('canceled', OPERATION_FAILED, 'Canceled; the arm holds where it is.'))
        return CancelResponse.ACCEPT

    async def _read(self, goal: Any) -> Request:
        """Return the request in a goal.

        Raises:
            Refused: a part of it is invalid.
        """
        if not (isfinite(goal.height) and 0.0 <= goal.height <= TALLEST):
            raise Refused(INVALID_HEIGHT, f'The height of the picked object is {goal.height} m. Give one in 0…{TALLEST:g} m.')
        for spot in (goal.pick, goal.place):
            if spot.kind not in (WORDS, PIXEL, POSE):
                raise Refused(FEATURE_UNSUPPORTED, f'A spot of kind {spot.kind} does not exist. Send 0 (words), 1 (pixel) or 2 (pose).')
        if goal.sentence or WORDS in (goal.pick.kind, goal.place.kind):
            _whole(goal)
        if goal.sentence:
            return Request('', '', goal.sentence)
        return Request(await self._spot(goal.pick), await self._spot(goal.place), height=float(goal.height))

    async def _spot(self, spot: Any) -> Touch | str:
        if spot.kind == WORDS:
            return str(spot.words)
        if spot.kind == PIXEL:
            return await self._pixel(spot)
        return await self._pose(spot.pose)

    async def _pixel(self, spot: Any) -> Touch:
        if spot.camera not in self._cameras:
            raise Refused(UNKNOWN_CAMERA, f'There is no camera {quoted(spot.camera)} here. {near(spot.camera, self._cameras)}')
        try:
            return Touch(await self._hearing.point(spot.camera, spot.column, spot.row))
        except Unheard as unheard:
            raise Refused(NO_PICTURE, str(unheard)) from unheard
        except CommandError as error:
            raise Refused(INVALID_PIXEL, str(error)) from error

    async def _pose(self, stamped: Any) -> Touch:
        raw, frame = fields.read_pose(stamped.pose), stamped.header.frame_id
        if not frame:
            raise Refused(INVALID_POSE, f'A pose needs its frame_id; found none. Give {ROOT}, or a frame of /tf.')
        turned = tuple(raw.orientation) not in UNTURNED
        try:
            own = Pose.of(raw.position, raw.orientation if turned else Pose().orientation)
            stands = Pose() if frame == ROOT else await self._hearing.frame(frame)
        except CommandError as error:
            raise Refused(INVALID_POSE, str(error)) from error
        except Unheard as unheard:
            raise Refused(UNKNOWN_FRAME, str(unheard)) from unheard
        there = stands @ own
        turn: Quaternion | None = there.orientation if turned else None
        return Touch(there.position, turn)
