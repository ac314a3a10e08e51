"""Signatures: 32 bytes by which a message shows that who sent it holds the key of the bench. Pure.

A signature is 8 bytes of a sender, drawn by chance, 8 bytes that count what it has signed, and 16 bytes of BLAKE2b, keyed, over the name
of the topic or service, both of these, and the content. So it fits no other content and no other name, and holds once. Both ends share the
key, as with the message signing of MAVLink 2.
"""

import hmac
import secrets
from hashlib import blake2b

BENCH, PERSON = 'bench', 'person'
"""Whose key it is that signs."""

SIZE = 32
NONE = bytes(SIZE)
"""In the place of a signature where there is none."""

_HALF = 8
_WINDOW = 4096
"""How far a message may be overtaken by others of its sender and still count."""

_PADS = range(4)
"""Bytes that a middleware may put behind the last field."""


class Signer:
    """Signs what one sender sends under one name.

    Args:
        key: of the bench, at most 64 bytes.
        name: of the topic or service.
    """

    def __init__(self, key: bytes, name: str) -> None:
        self._key, self._name, self._sender, self._count = key, name, secrets.token_bytes(_HALF), 0

    def sign(self, content: bytes) -> bytes:
        """Return the signature of that content, another one each time."""
        self._count += 1
        head = self._sender + self._count.to_bytes(_HALF, 'big')
        return head + _digest(self._key, self._name, head, content)


class Verifier:
    """Tells what is genuine of all that comes under one name.

    Args:
        key: of the bench.
        name: of the topic or service.
    """

    def __init__(self, key: bytes, name: str) -> None:
        self._key, self._name = key, name
        self._seen: dict[bytes, tuple[int, int]] = {}  # of each sender the greatest count, and which before it were there, as bits

    def genuine(self, content: bytes, signature: bytes) -> bool:
        """Tell whether the signature is of a holder of the key, of this content, and was not seen before; after that it was."""
        head, digest = signature[: 2 * _HALF], signature[2 * _HALF :]
        return hmac.compare_digest(digest, _digest(self._key, self._name, head, content)) and self._is_new(head)

    def end(self, data: bytes) -> int:
        """Return where the signature begins in the bytes of a message, whose last field it is; -1 where the message is not genuine."""
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
    """Return the bytes of a message without its signature, which begins there."""
    return data[:at] + NONE + data[at + SIZE :]


def _digest(key: bytes, name: str, head: bytes, content: bytes) -> bytes:
    told = name.encode()
    return blake2b(len(told).to_bytes(4, 'big') + told + head + content, digest_size=SIZE - 2 * _HALF, key=key).digest()
