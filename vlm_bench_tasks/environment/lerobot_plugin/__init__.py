"""The bench as an environment of LeRobot 0.4.4: `lerobot-eval --env.discover_packages_path=vlm_bench_tasks.environment.lerobot_plugin`.

Only LeRobot imports this package.
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.envs.configs import EnvConfig
from lerobot.utils.constants import ACTION, OBS_IMAGES, OBS_STATE

from vlm_bench_tasks.actions.spaces import DEFAULT
from vlm_bench_tasks.environment.prompt_env import PromptEnv
from vlm_bench_tasks.environment.registration import environment_id
from vlm_bench_tasks.sizes import SIZE, read_size


@EnvConfig.register_subclass('vlm_bench')
@dataclass
class VlmBenchEnv(EnvConfig):  # type: ignore[misc]  # LeRobot is not installed where types are checked
    """One task. LeRobot counts seeds up from `--seed`; say 100000 or more, for its default is a training seed.

    Attributes:
        task: id of the task.
        fps: control periods a second; nothing else is possible.
        cameras: a camera set, or cameras of it, as for --cameras; '' for those of the task's family.
        size: of the pictures, such as 256x256.
        robot: '' for the task's own.
        action: action space of the policy.
        reset_options: purpose of the seeds (test, validate or train), and if wanted split, axis and perturb.
    """

    task: str | None = 'vlmbench/pick_place'
    _: KW_ONLY
    fps: int = 20
    cameras: str = ''
    size: str = SIZE
    robot: str = ''
    action: str = DEFAULT
    reset_options: dict[str, str] = field(default_factory=lambda: {'purpose': 'test'})

    def __post_init__(self) -> None:
        env = PromptEnv(self.task or '', **self.gym_kwargs)
        shown: Any = env.observation_space
        shapes = {ACTION: (FeatureType.ACTION, env.action_space.shape), 'agent_pos': (FeatureType.STATE, shown['agent_pos'].shape)}
        shapes |= {f'pixels/{name}': (FeatureType.VISUAL, space.shape) for name, space in shown['pixels'].items()}
        self.features = {key: PolicyFeature(type=kind, shape=shape) for key, (kind, shape) in shapes.items()}
        named = {key: OBS_IMAGES + key.removeprefix('pixels').replace('/', '.') for key in shapes if key.startswith('pixels/')}
        self.features_map = {ACTION: ACTION, 'agent_pos': OBS_STATE} | named

    @property
    def package_name(self) -> str:
        """What is to be imported so that Gymnasium knows the tasks."""
        return 'vlm_bench_tasks.environment'

    @property
    def gym_id(self) -> str:
        """Gymnasium's name of the task."""
        return environment_id(self.task or '')

    @property
    def gym_kwargs(self) -> dict[str, Any]:
        """Arguments of the environment."""
        own = {name: getattr(self, name) for name in ('cameras', 'robot', 'action', 'reset_options')}
        return own | {'size': read_size(self.size), 'render_mode': 'rgb_array'}
