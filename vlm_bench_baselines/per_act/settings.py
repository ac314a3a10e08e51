"""Settings of the network and of its training."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vlm_bench_baselines.cards import Share, Size, TrainingSettings


class PerActNetwork(BaseModel):
    """Size of the network (PerAct, section 3.3 and appendix B). The published one has patch 5, width 64, 2048 latents of 512 and depth 6.

    Attributes:
        patch: voxels along a side of a patch.
        width: numbers of a voxel and of a patch.
        latents: number of latent vectors.
        latent: numbers of each.
        depth: number of layers of self-attention.
        heads: of the attention.
        words: numbers of a word's embedding.
        sentence: numbers of the hidden state of the recurrent network, in each direction.
        yaws: number of bins of the angle about the approach direction, over half a turn.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')

    patch: Annotated[int, Field(ge=1, le=20)] = 5
    width: Size = 64
    latents: Annotated[int, Field(ge=1, le=4096)] = 512
    latent: Size = 256
    depth: Annotated[int, Field(ge=1, le=24)] = 6
    heads: Annotated[int, Field(ge=1, le=64)] = 8
    words: Size = 48
    sentence: Size = 64
    yaws: Size = 36

    @model_validator(mode='after')
    def _can_be_split(self) -> 'PerActNetwork':
        if self.latent % self.heads:
            raise ValueError(f'{self.latent} numbers cannot be split into {self.heads} heads')
        return self


class PerActTraining(TrainingSettings):
    """How to train.

    Attributes:
        turned: axes of variation whose scenes may be rotated, because their sentences hold no direction.
        moved: axes of variation whose scenes may be moved; those that name regions of the table may not.
        turn: greatest rotation, rad (PerAct, appendix E: 45 degrees).
        shift: greatest displacement along each axis, m (the same: 0.125).
    """

    steps: Annotated[int, Field(ge=1, le=10_000_000)] = 100_000
    batch: Annotated[int, Field(ge=1, le=1024)] = 8
    rate: Annotated[float, Field(gt=0.0, le=1.0)] = 1e-4
    decay: Share = 1e-4
    turned: tuple[str, ...] = ('color', 'shape', 'size')
    moved: tuple[str, ...] = ('color', 'shape', 'size', 'relative')
    turn: Annotated[float, Field(ge=0.0, le=3.15)] = 0.785
    shift: Annotated[float, Field(ge=0.0, le=1.0)] = 0.125
