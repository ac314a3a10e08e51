"""The bench in LeRobot: its EnvHub file, and what its own commands need of an environment. LeRobot itself is not installed here."""

from types import SimpleNamespace

import gymnasium
import pytest

from examples.envhub.env import make_env
from vlm_bench_sim.core.errors import SeedError
from vlm_bench_tasks.environment.prompt_env import PromptEnv

TEST = {'purpose': 'test', 'axis': 'size'}


def test_the_file_for_the_hub_makes_vector_environments_of_its_tasks_for_test_seeds():
    made = make_env(n_envs=1, cfg=SimpleNamespace(task='vlmbench/pick_place,vlmbench/door'))
    assert list(made) == ['vlm_bench'] and list(made['vlm_bench']) == [0, 1]
    envs = made['vlm_bench'][0]
    seen, info = envs.reset(seed=[100000])
    assert seen['agent_pos'].shape == (1, 8) and {picture.shape for picture in seen['pixels'].values()} == {(1, 256, 256, 3)}
    assert info['seed'].tolist() == [100000]
    assert envs.call('task_description')[0].endswith('.') and envs.call('_max_episode_steps') == (1200,)
    for vector in made['vlm_bench'].values():
        vector.close()
    assert isinstance(envs, gymnasium.vector.SyncVectorEnv)


def test_options_of_each_reset_are_said_once_and_may_be_said_otherwise():
    env = PromptEnv('vlmbench/pick_place', cameras='none', reset_options=TEST)
    assert env.reset(seed=100001)[1]['axis'] == 'size'
    assert env.reset(seed=3, options={'purpose': 'train', 'axis': 'color'})[1]['axis'] == 'color'
    assert env.reset()[1]['seed'] >= 100000, 'drawn for the same purpose'
    with pytest.raises(SeedError, match='is for the purpose train'):
        env.reset(seed=3)
    env.close()
