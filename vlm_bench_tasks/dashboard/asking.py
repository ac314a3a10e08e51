"""Requests of a page: what all have, and those of a person who answers what the bench asks."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

_MOST = 2**31 - 1

Number = Annotated[int, Field(ge=0, le=_MOST)]
Word = Annotated[str, Field(max_length=200)]
Reason = Annotated[str, Field(max_length=2000)]


class Request(BaseModel):
    """A request; its answer has the same id."""

    model_config = ConfigDict(frozen=True, extra='forbid', allow_inf_nan=False, strict=True)

    id: Number


class Show(Request):
    """The picture of the open question."""

    do: Literal['show']


class Answer(Request):
    """Answer the open question.

    Attributes:
        question: its id; one that is over is not answered.
        said: what vlm_bench_msgs/Answer can say.
        reason: in the person's words.
    """

    do: Literal['answer']
    question: Word
    said: Literal['yes', 'no', 'unsure']
    reason: Reason = ''


class Prove(Request):
    """Enter the code that the bench has printed for its person, so that answers from this window count."""

    do: Literal['prove']
    code: Word


Judge = Show | Answer | Prove
