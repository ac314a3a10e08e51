"""The cameras of a policy and those of an episode."""

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.policy import EpisodeContext


def check_same(context: EpisodeContext, names: tuple[str, ...], width: int, height: int) -> None:
    """Check that the cameras are those of the training.

    Args:
        context: of an episode.
        names: of the cameras, in order.
        width: of their pictures, pixels.
        height: of them, pixels.

    Raises:
        ConfigError: they have other names or sizes.
    """
    found = {name: (one.width, one.height) for name, one in sorted(context.cameras.items())}
    if tuple(found) != names or set(found.values()) != {(width, height)}:
        told = ', '.join(f'{name} of {size[0]} x {size[1]}' for name, size in found.items()) or 'none'
        raise ConfigError(
            f'This policy sees the cameras {", ".join(names)}, pictures of {width} x {height}; found {told}. '
            f'Choose them with --cameras and --size {width}x{height}.'
        )
