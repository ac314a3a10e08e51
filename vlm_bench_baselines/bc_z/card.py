"""The card of the weights of a policy like BC-Z."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from vlm_bench_baselines.bc_z.network import Scope
from vlm_bench_baselines.bc_z.settings import BcZNetwork, BcZTraining
from vlm_bench_baselines.cards import TrainedCard
from vlm_bench_baselines.data import MOST
from vlm_bench_baselines.words import Vocabulary, Words

MOST_GRIPS = 32

Range = Annotated[tuple[Annotated[float, Field(ge=-MOST, le=MOST)], ...], Field(min_length=1, max_length=64)]


class BcZCard(TrainedCard):
    """What a policy is.

    Attributes:
        network, training: settings.
        words: the vocabulary.
        cameras: names of its cameras, in order.
        width, height: of their pictures, pixels.
        joints: names of the arm's joints.
        middle, spread: mean and standard deviation of the joint positions, rad.
        reach: standard deviation of the changes that it tells, rad.
        grips: commands among which it chooses for the gripper, m or 0 and 1.
        tasks: ids of the tasks that it was trained on.
        seeds: lowest and highest seed of the training data.
        episodes: number of episodes for training and for validation.
    """

    kind: Literal['bc_z'] = 'bc_z'
    network: BcZNetwork
    training: BcZTraining
    words: Words
    cameras: Annotated[tuple[str, ...], Field(min_length=1, max_length=16)]
    width: int
    height: int
    joints: Annotated[tuple[str, ...], Field(min_length=1, max_length=64)]
    middle: Range
    spread: Range
    reach: Range
    grips: Annotated[tuple[Annotated[float, Field(ge=-MOST, le=MOST)], ...], Field(min_length=1, max_length=MOST_GRIPS)]
    tasks: tuple[str, ...]
    seeds: tuple[int, int]
    episodes: tuple[int, int]

    @model_validator(mode='after')
    def _fits(self) -> 'BcZCard':
        if not len(self.joints) == len(self.middle) == len(self.spread) == len(self.reach):
            raise ValueError(
                f'{len(self.joints)} joints do not belong to {len(self.middle)}, {len(self.spread)} and {len(self.reach)} numbers'
            )
        if min(*self.spread, *self.reach) <= 0.0:
            raise ValueError(f'deviations are greater than 0; found {min(*self.spread, *self.reach)}')
        return self

    @property
    def scope(self) -> Scope:
        """What its network is made for."""
        return Scope(Vocabulary(self.words).size, len(self.cameras), len(self.joints), len(self.grips))
