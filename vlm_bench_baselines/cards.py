"""What trained weights say of themselves, whatever their kind of policy."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from vlm_bench_baselines import checkpoint

Count = Annotated[int, Field(ge=1, le=10_000_000)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Size = Annotated[int, Field(ge=1, le=1024)]
"""Of a part of a network: a card from elsewhere cannot ask for more memory than a machine has."""


class TrainingSettings(BaseModel):
    """How to train. Each kind of policy adds its own.

    Attributes:
        seed: of initial weights, batches and augmentation.
        steps: number of batches.
        batch: examples in a batch.
        rate: highest learning rate; it rises linearly over the first 3 % of the steps and then falls to 0 as a cosine.
        decay: weight decay.
        average: share of the old weights in their moving average at each step; the averaged weights are used and saved.
        every: steps between two validations.
        precision: of convolutions and products; bfloat16 is faster where the processor has it.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')

    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    steps: Count = 20_000
    batch: Annotated[int, Field(ge=1, le=1024)] = 16
    rate: Annotated[float, Field(gt=0.0, le=1.0)] = 1e-3
    decay: Share = 0.01
    average: Share = 0.999
    every: Count = 1000
    precision: Literal['float32', 'bfloat16'] = 'float32'


class TrainedCard(checkpoint.Card):
    """What trained weights are.

    Attributes:
        step: number of batches that they have seen.
        splits: that the training data are of.
        validation: lowest and highest seed of the validation data.
        digests: SHA-256 of the files of both, so that a training goes on with the same ones alone.
        device, threads: where it was trained, cpu or cuda, and the threads of a processor: other ones come to other bits.
    """

    step: Annotated[int, Field(ge=0)] = 0
    splits: tuple[str, ...] = ()
    validation: tuple[int, int] | None = None
    digests: tuple[str, str] = ('', '')
    device: str = ''
    threads: Annotated[int, Field(ge=0)] = 0
