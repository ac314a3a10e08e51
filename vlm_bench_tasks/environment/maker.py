"""What `gymnasium.make` calls: it returns the environment of a task, in a window for `render_mode='human'`."""

from importlib import import_module
from typing import Any

import gymnasium
from gymnasium.wrappers import HumanRendering

from vlm_bench_sim.core.errors import ConfigError
from vlm_bench_tasks.environment.bench_env import BenchEnv
from vlm_bench_tasks.environment.prompt_env import PromptEnv

HUMAN, PICTURE = 'human', 'rgb_array'


class Maker:
    """Makes environments.

    Attributes:
        metadata: render modes that can be asked for, as gymnasium reads them.
    """

    metadata = BenchEnv.metadata | {'render_modes': [HUMAN, *BenchEnv.metadata['render_modes']]}

    def __call__(self, **options: Any) -> gymnasium.Env[Any, Any]:
        """Return an environment, given the arguments of `PromptEnv`.

        Raises:
            ConfigError: the render mode is human, and there is no pygame, no display or no camera.
            VlmBenchError: as for `PromptEnv`.
        """
        if options.get('render_mode') != HUMAN:
            return PromptEnv(**options)
        _check_window()
        env = PromptEnv(**options | {'render_mode': PICTURE})
        if not env.cameras:
            raise ConfigError("render_mode='human' shows the first camera, and there is none. Name one, such as cameras='vlmbench:front'.")
        return HumanRendering(env)


def _check_window() -> None:
    """Check that pygame can open a window; gymnasium would notice only after the first reset."""
    try:
        pygame = import_module('pygame')
    except ImportError as error:
        raise ConfigError(
            "render_mode='human' opens a window with pygame, which is not installed. Install it with pip install pygame, "
            "or take the pictures yourself with render_mode='rgb_array'."
        ) from error
    try:
        pygame.display.init()
    except pygame.error as error:
        raise ConfigError(f"render_mode='human' opens a window, and there is no display: {error}. Use render_mode='rgb_array'.") from error


make = Maker()
