"""Settings of the network and of its training."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from vlm_bench_baselines.cards import Share, Size, TrainingSettings

Blank = Literal['', 'words', 'map']
BLANKS: tuple[str, ...] = get_args(Blank)
"""What a network does not get to see, for ablations."""


class NetworkSettings(BaseModel):
    """Size of the network.

    Attributes:
        widths: channels at each scale of the U-Net, from the finest, which has half the resolution of the map.
        words: numbers of a word's embedding.
        sentence: numbers of the hidden state of the recurrent network, in each direction.
        matched: numbers of the vectors by which pixels and words are compared.
        yaws: number of bins of the angle about the approach direction, over half a turn.
        frozen: numbers of a word's features from CLIP; 0: words are learned.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')

    widths: tuple[Size, ...] = Field(default=(24, 32, 48, 64), min_length=2, max_length=6)
    words: Size = 48
    sentence: Size = 64
    matched: Size = 16
    yaws: Size = 18
    frozen: Annotated[int, Field(ge=0, le=4096)] = 0


class KeyFrameTraining(TrainingSettings):
    """How to train a key-frame policy.

    Attributes:
        turned: axes of variation whose maps may be rotated, because their sentences hold no direction.
        moved: axes of variation whose maps may be moved; those that name regions of the table may not.
        noise: standard deviation of noise on heights, m.
        light: greatest relative change of brightness.
        blank: what it does not get to see.
    """

    turned: tuple[str, ...] = ('color', 'shape', 'size')
    moved: tuple[str, ...] = ('color', 'shape', 'size', 'relative')
    noise: Annotated[float, Field(ge=0.0, le=0.1)] = 0.001
    light: Share = 0.1
    blank: Blank = ''
