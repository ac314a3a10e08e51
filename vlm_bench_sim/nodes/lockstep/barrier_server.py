"""Serves the lockstep barrier: joins, acknowledgements, and the detection of silent participants."""

import time
from collections.abc import Callable
from typing import Any

from vlm_bench_sim.core.codes import FEATURE_UNSUPPORTED, INCORRECT_STATE, OK, OPERATION_FAILED, EventKind
from vlm_bench_sim.nodes.base.answers import answer
from vlm_bench_sim.nodes.base.bench_node import BenchNode
from vlm_bench_sim.nodes.lockstep.barrier import LEAVE, Lockstep, Role, Standing
from vlm_bench_sim.ros import names

MOST, LONGEST = 1000, 256
"""Limits: number of participants, and characters of a name; each is stored and waited for. Nodes that hold the key always find room."""
SHOWN = 10
"""Maximum number of names in a log line."""
AGAIN_S = 1.0
"""Time after which the newest period is repeated for participants not heard from in this episode, s of wall clock."""


class BarrierServer:
    """The barrier and its ROS interface.

    Args:
        node: the simulator's node, or on a real arm the observer's, which waits only until all have joined.
        patience: wall-clock seconds after which a silent part of the bench has failed.
        token: returns the token of the loaded episode.
    """

    def __init__(self, node: BenchNode, *, patience: float, token: Callable[[], str]) -> None:
        self._patience, self._token = patience, token
        self._barrier, self._standing, self._warn = Lockstep(), Standing(patience), node.log.warning
        self._bench: frozenset[str] = frozenset()
        self._told_at = 0.0
        self._signed = node.signed
        self._genuine = set[str]()  # names of bench nodes, which nobody else may use to join, leave or acknowledge
        node.service(names.JOIN, self._join, foreign=self._join_foreign)
        node.subscribe(names.ACK, self._acknowledge, foreign=self._acknowledge_foreign)
        node.subscribe(names.EVENTS, self._on_event)

    @property
    def bench(self) -> list[str]:
        """Names of the parts of the bench."""
        return sorted(self._bench)

    def missing(self, participants: list[str]) -> list[str]:
        """Return those of these participants that have not joined."""
        absent = self._barrier.missing(participants)
        return [name for name in participants if name in absent or name not in self._genuine]

    def restart(self, participants: list[str]) -> None:
        """Begin an episode with these parts of the bench; any other participant is a policy, whatever role it claims."""
        self._bench = frozenset(participants)
        self._barrier.restart(time.monotonic())

    def tick(self, seq: int) -> None:
        """Note that period `seq` is about to be published; participants may acknowledge it from now on."""
        self._told_at = time.monotonic()
        self._barrier.tick(seq, self._told_at)

    def tell_again(self) -> bool:
        """Return whether to repeat the newest period, because a part of the bench has not been heard from in this episode.

        A volatile message is lost if the publisher has not yet discovered its subscriber. The subscriber of a killed process keeps the
        same name for about twenty seconds. A repetition is due once a second.
        """
        due = self._barrier.unheard() and time.monotonic() - self._told_at > AGAIN_S
        self._told_at = time.monotonic() if due else self._told_at
        return due

    def ready(self, *, busy: bool) -> bool:
        """Return whether the next period may run."""
        return self._barrier.ready(busy=busy)

    def bench_is_ready(self) -> bool:
        """Return whether only policies are left to wait for."""
        return self._barrier.bench_is_ready()

    def name_awaited(self, *, needed: bool) -> None:
        """Log once which participants the world waits for. Call it regularly. `needed`: a command or a step needs a period."""
        awaited = self._barrier.waiting_for() if needed else ()
        if self._standing.notice(awaited, time.monotonic()):
            whom = ', '.join(awaited[:SHOWN])
            self._warn(
                f'The world has waited {self._patience:g} s for {whom} to acknowledge the newest tick. Check that node. '
                'If it belongs to no bench, end it: an earlier run may have left it in this ROS domain.'
            )

    def drop_silent(self) -> list[str]:
        """Stop waiting for the parts of the bench that have delayed everyone for too long, and return what happened."""
        silent = [name for name in self._barrier.silent(time.monotonic(), self._patience) if not self._is_policy(name)]
        self._barrier.excuse(silent)
        return [f'{name} silent for {self._patience:g} s' for name in silent]

    def _is_policy(self, name: str) -> bool:
        return name not in self._bench or self._barrier.role(name) is Role.POLICY

    def _join(self, request: Any, response: Any) -> Any:
        admitted = self._admit(request, response, room=self._signed)
        if admitted.result.result == OK:
            self._genuine.add(request.participant)
        return admitted

    def _join_foreign(self, request: Any, response: Any) -> Any:
        if request.participant in self._genuine | self._bench:
            return answer(response, INCORRECT_STATE, f'{request.participant} is a node of the bench. Send the name of your own node.')
        return self._admit(request, response, room=False)

    def _admit(self, request: Any, response: Any, *, room: bool) -> Any:
        """Answer a request to join or leave; `room`: the number of participants is not limited."""
        name, known = request.participant, [int(role) for role in Role]
        if not name:
            return answer(response, OPERATION_FAILED, 'A participant needs a name. Send that of your node.')
        if len(name) > LONGEST:
            return answer(
                response, OPERATION_FAILED, f'A name has at most {LONGEST} characters; found {len(name)}. Send that of your node.'
            )
        if request.role == LEAVE and name in self._bench:
            return answer(response, INCORRECT_STATE, f'{name} is a part of the bench and cannot leave: the episode needs it.')
        if request.role == LEAVE:
            self._barrier.leave(name)
        elif not (room or name in self._bench or self._barrier.has_room(name, MOST)):
            return answer(response, OPERATION_FAILED, f'At most {MOST} participants are allowed at a time. End some of them.')
        elif request.role in known:
            self._barrier.join(name, Role(request.role), time.monotonic())
        else:
            return answer(
                response, FEATURE_UNSUPPORTED, f'The role {request.role} does not exist. Send 0 (policy), 1 (bench) or 2 (leave).'
            )
        return answer(response, OK)

    def _acknowledge(self, ack: Any) -> None:
        self._barrier.hear(ack.participant)
        if ack.token == self._token():
            self._barrier.ack(ack.participant, ack.seq, ack.periods_wanted)

    def _acknowledge_foreign(self, ack: Any) -> None:
        if ack.participant not in self._genuine | self._bench:
            self._acknowledge(ack)

    def _on_event(self, event: Any) -> None:
        """Remove a policy that has fallen silent: the next episode must not wait for it."""
        if event.kind == EventKind.POLICY_TIMEOUT and event.token == self._token():
            self._barrier.excuse(name for name in self._barrier.waiting_for() if self._is_policy(name))
