"""Pictures of the instruction in the Gymnasium environment: there if asked for, those of the bench, and nothing else changes."""

from contextlib import suppress

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

pytest.importorskip('moderngl')

import vlm_bench_tasks.environment as environment
from vlm_bench_sim.core.errors import ConfigError, PromptError
from vlm_bench_sim.core.prompts import MOST_PICTURES, PromptImage
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.environment.prompt_env import PromptEnv, _filled
from vlm_bench_tasks.language.pictures import FIRST_FRAME, PICTURES, WORDS

gymnasium.register_envs(environment)
TASK, ID = 'clevrskills/place', 'vlm_bench/clevrskills-place-v0'
MORE = {'prompt_images', 'prompt_count'}


def make(prompt, **options):
    return gymnasium.make(ID, prompt=prompt, **({'cameras': 'none'} | options))


@pytest.fixture(scope='module', params=[PICTURES, FIRST_FRAME])
def env(request):
    made = make(request.param)
    yield made
    made.close()


@pytest.mark.filterwarnings('ignore:.*recommend using a symmetric and normalized space')
def test_gymnasium_finds_nothing_wrong():
    env = make(PICTURES, cameras='vlmbench:front', size=(32, 24), render_mode='rgb_array')
    check_env(env.unwrapped)
    env.close()


def test_the_pictures_are_those_of_the_bench_and_the_others_are_black(env):
    seen, info = env.reset(seed=3)
    built = catalogue.build(TASK, '', 3, prompt=env.unwrapped._prompt)
    assert env.observation_space.contains(seen)
    assert seen['instruction'] == info['task_description'] == built.instruction.text
    images, shown = env.unwrapped._bench.prompt_images(built), seen['prompt_images']
    assert (shown.shape, shown.dtype, len(shown)) == ((10, 256, 256, 3), np.uint8, MOST_PICTURES)
    assert seen['prompt_count'] == len(images) == {PICTURES: 2, FIRST_FRAME: 3}[env.unwrapped._prompt]
    assert np.array_equal(shown[: len(images)], [image.color for image in images]) and not shown[len(images) :].any()


def test_each_observation_of_an_episode_holds_them_and_another_episode_has_its_own(env):
    first, _ = env.reset(seed=3)
    later = env.step(np.zeros(7, np.float32))[0]
    assert env.observation_space.contains(later) and np.array_equal(first['prompt_images'], later['prompt_images'])
    before = first['prompt_images'].copy()
    other, _ = env.reset(seed=4)
    assert not np.array_equal(other['prompt_images'], before)
    assert np.array_equal(env.reset(seed=3)[0]['prompt_images'], before)


def test_who_writes_into_an_observation_changes_no_other(env):
    seen, _ = env.reset(seed=3)
    before = seen['prompt_images'].copy()
    with suppress(ValueError):  # or it is read-only
        seen['prompt_images'][:] = 7
    assert np.array_equal(env.step(np.zeros(7, np.float32))[0]['prompt_images'], before)
    assert np.array_equal(env.reset(seed=3)[0]['prompt_images'], before)


def test_a_perturbed_episode_shows_the_perturbed_table():
    env = make(FIRST_FRAME)
    plain, harder = (env.reset(seed=3, options={'perturb': words})[0]['prompt_images'] for words in ([], ['distractors=2']))
    env.close()
    assert np.array_equal(plain[:2], harder[:2]) and not np.array_equal(plain[2], harder[2])


def test_the_prompt_decides_nothing_else_of_an_episode():
    words, pictures = make(WORDS), make(PICTURES)
    told, shown = (env.reset(seed=3)[0] for env in (words, pictures))
    assert set(shown) - set(told) == MORE and set(told) < set(shown)
    assert set(words.observation_space.spaces) == set(told)
    action = np.array([0.3, 0.2, -0.5, 0.0, 0.0, 0.3, 0.0], np.float32)
    for _ in range(3):
        told, shown = (env.step(action)[0] for env in (words, pictures))
    assert all(np.array_equal(told[name], shown[name]) for name in ('agent_pos', 'tool_pose'))
    for env in (words, pictures):
        env.close()


def test_without_a_prompt_it_is_the_first_that_the_task_has():
    env = PromptEnv(TASK, cameras='none')
    assert env._prompt == catalogue.task(TASK).prompts[0] == WORDS and not MORE & set(env.observation_space.spaces)
    env.close()


@pytest.mark.parametrize('task', [task for task in catalogue.tasks() if WORDS not in catalogue.task(task).prompts])
def test_a_task_that_has_pictures_only_is_asked_with_pictures(task):
    env = PromptEnv(task, cameras='none')
    seen, _ = env.reset(seed=3)
    assert env.observation_space.contains(seen) and seen['prompt_count'] > 0
    env.close()
    with pytest.raises(PromptError, match='cannot be asked in words'):
        PromptEnv(task, prompt=WORDS, cameras='none')


def test_a_picture_of_another_size_is_refused_with_a_sentence():
    with pytest.raises(ConfigError, match=r'Picture 1 of the instruction has 128 x 64 pixels; prompt_images hold 256 x 256\.'):
        _filled((PromptImage('object', np.zeros((64, 128, 3), np.uint8), b''),))


def test_an_unknown_prompt_is_named_when_it_is_made():
    with pytest.raises(PromptError, match=r"no prompt called 'picture'. Did you mean pictures"):
        make('picture')


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_many_show_their_own_pictures_at_once():
    vector = {'context': 'spawn', 'shared_memory': True}
    envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode='async', vector_kwargs=vector, cameras='none', prompt=PICTURES)
    alone = make(PICTURES)
    try:
        seen, _ = envs.reset(seed=3)
        assert seen['prompt_images'].shape == (2, 10, 256, 256, 3) and seen['prompt_count'].tolist() == [2, 2]
        for row, seed in zip(seen['prompt_images'], (3, 4), strict=True):
            assert np.array_equal(row, alone.reset(seed=seed)[0]['prompt_images'])
    finally:
        envs.close()
        alone.close()
