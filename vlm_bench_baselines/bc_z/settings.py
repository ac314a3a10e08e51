"""Settings of the network and of its training."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from vlm_bench_baselines.cards import Share, Size, TrainingSettings


class BcZNetwork(BaseModel):
    """Size of the network.

    Attributes:
        side: pixels along a side of the pictures that it sees; those of the cameras are scaled to squares.
        widths: channels at each scale, each half as fine as the one before.
        words: numbers of a word's embedding.
        sentence: numbers of the hidden state of the recurrent network, in each direction.
        matched: numbers of the vectors by which places in a picture and words are compared.
        hidden: numbers between the features and the motion.
        rows: control periods that it tells at once (BC-Z, section 4: ten).
        pictures: whether it sees the pictures of an instruction.
        state: whether it sees the joints. BC-Z does not; without them a motion is told relative to where the arm seems to be.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')

    side: Annotated[int, Field(ge=32, le=512)] = 96
    widths: tuple[Size, ...] = Field(default=(32, 48, 64), min_length=2, max_length=4)
    words: Size = 48
    sentence: Size = 64
    matched: Size = 16
    hidden: Size = 256
    rows: Annotated[int, Field(ge=1, le=100)] = 10
    pictures: bool = False
    state: bool = True


class BcZTraining(TrainingSettings):
    """How to train.

    Attributes:
        shift: greatest displacement of the pictures, as a share of their side.
        light: greatest relative change of brightness.
        jitter: standard deviation of noise on the joints that it sees, rad: what it learns from them does not depend on the last bit.
    """

    rate: Annotated[float, Field(gt=0.0, le=1.0)] = 5e-4
    batch: Annotated[int, Field(ge=1, le=1024)] = 32
    shift: Share = 0.04
    light: Share = 0.1
    jitter: Annotated[float, Field(ge=0.0, le=1.0)] = 0.01
