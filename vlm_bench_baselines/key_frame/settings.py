"""Settings of the network and of its training."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=1, le=10_000_000)]
Size = Annotated[int, Field(ge=1, le=1024)]
"""Of a part of the network: a card from elsewhere cannot ask for more memory than a machine has."""

Blank = Literal['', 'words', 'map']
BLANKS: tuple[str, ...] = get_args(Blank)
"""What a network does not get to see, for ablations."""

Share = Annotated[float, Field(ge=0.0, le=1.0)]


class NetworkSettings(BaseModel):
    """Size of the network.

    Attributes:
        widths: channels at each scale of the U-Net, from the finest, which has half the resolution of the map.
        words: numbers of a word's embedding.
        sentence: numbers of the hidden state of the recurrent network, in each direction.
        matched: numbers of the vectors by which pixels and words are compared.
        yaws: number of bins of the angle about the approach direction, over half a turn.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')

    widths: tuple[Size, ...] = Field(default=(32, 40, 56, 72), min_length=2, max_length=6)
    words: Size = 48
    sentence: Size = 64
    matched: Size = 16
    yaws: Size = 18


class TrainingSettings(BaseModel):
    """How to train.

    Attributes:
        seed: of initial weights, batches and augmentation.
        steps: number of batches.
        batch: demonstrations in a batch.
        rate: highest learning rate; it rises linearly over the first 3 % of the steps and then falls to 0 as a cosine.
        decay: weight decay.
        average: share of the old weights in their moving average at each step; the averaged weights are used and saved.
        every: steps between two validations.
        turned: axes of variation whose maps may be rotated, because their sentences hold no direction.
        moved: axes of variation whose maps may be moved; those that name regions of the table may not.
        noise: standard deviation of noise on heights, m.
        light: greatest relative change of brightness.
        blank: what it does not get to see.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')

    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    steps: Count = 20_000
    batch: Annotated[int, Field(ge=1, le=1024)] = 16
    rate: Annotated[float, Field(gt=0.0, le=1.0)] = 1e-3
    decay: Share = 0.01
    average: Share = 0.999
    every: Count = 1000
    turned: tuple[str, ...] = ('color', 'shape', 'size')
    moved: tuple[str, ...] = ('color', 'shape', 'size', 'relative')
    noise: Annotated[float, Field(ge=0.0, le=0.1)] = 0.001
    light: Share = 0.1
    blank: Blank = ''
