"""A question of the bench to a person on a real arm."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Question:
    """What the bench asks a person on a real arm.

    Attributes:
        id: the answer repeats it.
        kind: lay_table or judge.
        text: in words.
        picture: a jpeg file; empty: none.
        proven: whether answers of this window count: the bench signs nothing, or this window knows the code of its person.
    """

    id: str
    kind: str
    text: str
    picture: bytes = b''
    proven: bool = True

    def told(self, version: int) -> dict[str, Any]:
        """Return it as JSON types; `picture` is the version in which the picture came, 0 if there is none."""
        facts = {'id': self.id, 'kind': self.kind, 'text': self.text, 'proven': self.proven}
        return facts | {'picture': version if self.picture else 0}
