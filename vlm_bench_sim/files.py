"""What files of settings have in common: unknown keys and numbers that are not finite are wrong, and an error is told by its place."""

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from vlm_bench_sim.core.errors import ConfigError, wrong

M = TypeVar('M', bound=BaseModel)


class File(BaseModel):
    """A mapping in a file."""

    model_config = ConfigDict(extra='forbid', frozen=True, allow_inf_nan=False)


def checked(model: type[M], data: Any, where: str) -> M:
    """Return what a file says as a value.

    Args:
        model: what it may say.
        data: what it says.
        where: the file, and the place in it.

    Raises:
        ConfigError: something is wrong.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f'{where} is wrong: {wrong(error.errors())}') from error
