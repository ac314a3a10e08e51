"""Split a list of jobs between several machines: disjoint, complete and deterministic."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from vlm_bench_sim.core.errors import ConfigError

J = TypeVar('J')


class Shard(BaseModel):
    """One part: number `index`, from 0, of `count`."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    index: int = 0
    count: int = 1

    @model_validator(mode='after')
    def _within(self) -> 'Shard':
        if not 0 <= self.index < self.count:
            raise ValueError(f'shard {self.index} of {self.count} does not exist')
        return self

    def of(self, jobs: Sequence[J]) -> tuple[J, ...]:
        """Return this part's jobs: every `count`-th job, so that each part has as many of every task."""
        return tuple(jobs[self.index :: self.count])

    def __str__(self) -> str:
        """Return the text for `--shard`."""
        return f'{self.index}/{self.count}'


WHOLE = Shard()


def read_shard(text: str) -> Shard:
    """Parse a shard: '0/4' is the first of four; '' is everything in one part.

    Raises:
        ConfigError: the text is no shard.
    """
    if not text:
        return WHOLE
    index, slash, count = text.partition('/')
    if not (slash and index.isdecimal() and count.isdecimal() and int(index) < int(count)):
        raise ConfigError(f'A shard is given as I/N, from 0/N to N-1/N, such as 0/4 for the first of four; found {text!r}.')
    return Shard(index=int(index), count=int(count))
