"""Signatures: 32 bytes which prove that the sender of a message holds the key of the bench. Pure.

A signature is a random sender id (8 bytes), a count of the sender's signatures (8 bytes), and 16 bytes of keyed BLAKE2b over the name
of the topic or service, the id, the count and the content. It therefore fits no other content or name, and is valid once. Both ends
share the key, as in the message signing of MAVLink 2.
"""

import hmac
import secrets
from hashlib import blake2b

BENCH, PERSON = 'bench', 'person'
"""The owner of a key."""

SIZE = 32
NONE = bytes(SIZE)
"""The signature field of an unsigned message."""

_HALF = 8
_WINDOW = 4096
"""How many later messages of the same sender may arrive before a message that still counts."""

_PADS = range(4)
"""Numbers of padding bytes that a middleware may add after the last field."""


class Signer:
    """Signs the messages of one sender under one name.

    Args:
        key: of the bench, at most 64 bytes.
        name: of the topic or service.
    """

    def __init__(self, key: bytes, name: str) -> None:
        self._key, self._name, self._sender, self._count = key, name, secrets.token_bytes(_HALF), 0

    def sign(self, content: bytes) -> bytes:
        """Return a signature of that content, a different one each time."""
        self._count += 1
        head = self._sender + self._count.to_bytes(_HALF, 'big')
        return head + _digest(self._key, self._name, head, content)


class Verifier:
    """Verifies the messages under one name.

    Args:
        key: of the bench.
        name: of the topic or service.
    """

    def __init__(self, key: bytes, name: str) -> None:
        self._key, self._name = key, name
        self._seen: dict[bytes, tuple[int, int]] = {}  # of each sender: the largest count, and the counts seen before it, as bits

    def genuine(self, content: bytes, signature: bytes) -> bool:
        """Return whether the signature is valid for this content and was not seen before; then mark it as seen."""
        head, digest = signature[: 2 * _HALF], signature[2 * _HALF :]
        return hmac.compare_digest(digest, _digest(self._key, self._name, head, content)) and self._is_new(head)

    def end(self, data: bytes) -> int:
        """Return the start of the signature, the last field, in the bytes of a message; -1 if the message is not genuine."""
        for pad in _PADS:
            at = len(data) - SIZE - pad
            if at >= 0 and self.genuine(data[:at], data[at : at + SIZE]):
                return at
        return -1

    def _is_new(self, head: bytes) -> bool:
        sender, count = head[:_HALF], int.from_bytes(head[_HALF:], 'big')
        newest, seen = self._seen.get(sender, (0, 0))
        ahead = count - newest
        if ahead > 0:
            seen, newest = (seen << min(ahead, _WINDOW)) & ((1 << _WINDOW) - 1) | 1, count
        elif ahead <= -_WINDOW or seen >> -ahead & 1:
            return False
        else:
            seen |= 1 << -ahead
        self._seen[sender] = newest, seen
        return True


def bare(data: bytes, at: int) -> bytes:
    """Return the bytes of a message without its signature, which begins at `at`."""
    return data[:at] + NONE + data[at + SIZE :]


def _digest(key: bytes, name: str, head: bytes, content: bytes) -> bytes:
    told = name.encode()
    return blake2b(len(told).to_bytes(4, 'big') + told + head + content, digest_size=SIZE - 2 * _HALF, key=key).digest()
