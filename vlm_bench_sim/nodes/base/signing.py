"""Signs and verifies the messages of a node whose bench has a key, as the table of names says."""

import secrets
from array import array
from collections.abc import Callable
from inspect import isawaitable, iscoroutinefunction
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.task import Future

from vlm_bench_sim.ros import keyring
from vlm_bench_sim.ros.convert import interface
from vlm_bench_sim.ros.names import Name
from vlm_bench_sim.ros.signature import SIZE, Signer, Verifier, bare

INCORRECT_STATE = 3  # of vlm_bench_msgs/Result
_FIELD = 'signature'

Take = Callable[[Any], None]
Serve = Callable[[Any, Any], Any]


class SigningPublisher:
    """A publisher that signs its messages.

    It sends the same bytes that it signs. `serialize_message` leaves undefined memory after the last field. That field, the signature, is
    therefore first filled with a mark, which shows where the message ends.

    Args:
        publisher: the publisher that sends.
        signer: the signer of its topic.
    """

    def __init__(self, publisher: Any, signer: Signer) -> None:
        self._publisher, self._signer = publisher, signer
        self._mark = secrets.token_bytes(SIZE)

    @property
    def handle(self) -> Any:
        """Return the publisher's handle."""
        return self._publisher.handle

    def get_subscription_count(self) -> int:
        """Return the number of subscribers."""
        return int(self._publisher.get_subscription_count())

    def publish(self, message: Any) -> None:
        """Sign a message and send it."""
        message.signature = np.frombuffer(self._mark, np.uint8)
        data = bytes(serialize_message(message))
        content = data[: data.rindex(self._mark)]
        self._publisher.publish(content + self._signer.sign(content))


class SigningClient:
    """A client that signs its requests and ignores unsigned answers: the call stays pending.

    Args:
        client: the client that calls.
        signer: signs requests.
        verifier: verifies responses.
    """

    def __init__(self, client: Any, *, signer: Signer, verifier: Verifier) -> None:
        self._client, self._signer, self._verifier = client, signer, verifier
        self.srv_type, self.srv_name = client.srv_type, client.srv_name

    def service_is_ready(self) -> bool:
        """Return whether the service has a server."""
        return bool(self._client.service_is_ready())

    def call_async(self, request: Any) -> Any:
        """Call the service and return the future of a genuine response."""
        answered, signature = Future(), self._signer.sign(words(request))
        request.signature = np.frombuffer(signature, np.uint8)

        def take(asked: Any) -> None:
            response = asked.result() if asked.exception() is None else None
            if response is not None and self._verifier.genuine(signature + words(response), bytes(response.signature)):
                answered.set_result(response)

        self._client.call_async(request).add_done_callback(take)
        return answered


class Signing:
    """The signatures of one node; without a key nothing is signed and every message is accepted.

    Args:
        warn: writes a line to the log.
    """

    def __init__(self, *, warn: Callable[[str], Any]) -> None:
        self._warn = warn
        self._refused = set[str]()

    def publisher(self, row: Name, publisher: Any) -> Any:
        """Return the publisher for that row; it signs if the table says so."""
        key = keyring.held(row.signed)
        return publisher if key is None else SigningPublisher(publisher, Signer(key, row.name))

    def heard(self, row: Name, callback: Take, *, raw: bool, foreign: Take | None) -> tuple[Take, bool]:
        """Return the callback for that row's messages, and whether it takes them as bytes.

        Args:
            row: a topic.
            callback: takes genuine messages, as bytes if `raw`.
            raw: whether `callback` takes bytes.
            foreign: takes messages without a signature of the bench; None: they are dropped.
        """
        key = keyring.held(row.signed)
        if key is None:
            return callback, raw
        verifier, type_ = Verifier(key, row.name), interface(row.type)

        def take(data: bytes) -> None:
            at = verifier.end(data)
            if at >= 0:
                callback(bare(data, at) if raw else deserialize_message(data, type_))
            elif foreign is None:
                self._refuse(row)
            elif (message := _read(data, type_)) is not None:
                foreign(message)

        return take, True

    def served(self, row: Name, callback: Serve, *, foreign: Serve | None) -> Serve:
        """Return the service callback: `callback` for signed requests, `foreign` for others; None: they are refused."""
        key = keyring.held(row.signed)
        if key is None:
            return callback
        verifier, signer = Verifier(key, row.name), Signer(key, _answer_of(row))

        def chosen(request: Any) -> tuple[Serve, bytes]:
            signature = bytes(request.signature)
            if verifier.genuine(words(request), signature):
                return callback, signature
            return foreign or (lambda _, response: self._refused_request(row, response)), b''

        def signed(response: Any, signature: bytes) -> Any:
            if signature:
                response.signature = np.frombuffer(signer.sign(signature + words(response)), np.uint8)
            return response

        async def wait(request: Any, response: Any) -> Any:
            choice, signature = chosen(request)
            answered = choice(request, response)
            return signed(await answered if isawaitable(answered) else answered, signature)

        def serve(request: Any, response: Any) -> Any:
            choice, signature = chosen(request)
            return signed(choice(request, response), signature)

        return wait if iscoroutinefunction(callback) else serve

    def client(self, row: Name, client: Any) -> Any:
        """Return the client for that row; it signs if the table says so."""
        key = keyring.held(row.signed)
        return client if key is None else SigningClient(client, signer=Signer(key, row.name), verifier=Verifier(key, _answer_of(row)))

    def _refused_request(self, row: Name, response: Any) -> Any:
        self._refuse(row)
        response.result.result = INCORRECT_STATE
        response.result.error_message = 'Only nodes of this bench may call this service, and the request lacks their signature.'
        return response

    def _refuse(self, row: Name) -> None:
        if row.name not in self._refused:
            self._refused.add(row.name)
            self._warn(
                f'A message on {row.name} lacks the signature of this bench. It and all later ones without it are ignored; logged once.'
            )


def words(message: Any) -> bytes:
    """Return a request or response without its signature as bytes, the same on both sides."""
    return repr([(name, _plain(getattr(message, name))) for name in message.get_fields_and_field_types() if name != _FIELD]).encode(
        errors='backslashreplace'
    )


def _plain(value: Any) -> Any:
    if hasattr(value, 'get_fields_and_field_types'):
        return [(name, _plain(getattr(value, name))) for name in value.get_fields_and_field_types()]
    return [_plain(item) for item in value] if isinstance(value, (list, tuple, array, np.ndarray)) else value


def _answer_of(row: Name) -> str:
    return f'{row.name} answers'


def _read(data: bytes, type_: Any) -> Any:
    try:
        return deserialize_message(data, type_)
    except RuntimeError:  # from rclpy: the bytes are no message of the type
        return None
