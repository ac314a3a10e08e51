"""Tasks as Gymnasium environments: their checker's word, what seeds and actions mean, how an episode ends, and many at once."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import vlm_bench_tasks.environment as environment
from vlm_bench_sim.core.command import Chunk
from vlm_bench_sim.core.errors import CommandError, ConfigError, SeedError, SplitError, TaskError, WorldError
from vlm_bench_sim.core.gripper import Grip, Seal
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.actions import SPACES
from vlm_bench_tasks.environment.bench_env import BenchEnv

gymnasium.register_envs(environment)
TASK, ID = 'vlmbench/pick_place', 'vlm_bench/vlmbench-pick_place-v0'


@pytest.fixture
def made():
    """Make environments without cameras, and close them."""
    open_ = []

    def make(task=TASK, **options):
        open_.append(BenchEnv(task, **({'cameras': 'none'} | options)))
        return open_[-1]

    yield make
    for env in open_:
        env.close()


def still(env):
    """An action of delta_pose that moves nothing."""
    return np.zeros(7, np.float32)


def test_every_task_has_an_id():
    ids = {environment.environment_id(task) for task in catalogue.tasks()}
    assert len(ids) == len(catalogue.tasks())
    assert ids <= set(gymnasium.registry)
    assert environment.environment_id(TASK) == ID
    with pytest.raises(TaskError, match='Did you mean vlmbench/pick_place'):
        environment.environment_id('vlmbench/pick_plce')


@pytest.mark.parametrize('action', ['delta_pose', *(pytest.param(each, marks=pytest.mark.long) for each in SPACES if each != 'delta_pose')])
@pytest.mark.filterwarnings('ignore:.*recommend using a symmetric and normalized space')  # metres and radians are neither
def test_gymnasium_finds_nothing_wrong(action):
    env = gymnasium.make(ID, action=action, size=(32, 24), render_mode='rgb_array')
    check_env(env.unwrapped)
    env.reset()
    assert env.render().shape == (24, 32, 3)
    env.close()


def test_an_observation_is_what_trainers_of_lerobot_expect():
    env = gymnasium.make(ID, size=(32, 24))
    seen, info = env.reset(seed=3)
    assert {name: picture.shape for name, picture in seen['pixels'].items()} == dict.fromkeys(('front', 'wrist'), (24, 32, 3))
    assert (seen['agent_pos'].shape, seen['tool_pose'].shape) == ((8,), (7,))
    assert (
        seen['instruction'] == info['task_description'] == env.unwrapped.task_description == catalogue.build(TASK, '', 3).instruction.text
    )
    assert (env.unwrapped.task, env.unwrapped._max_episode_steps, info['is_success']) == (TASK, 1200, False)
    assert env.step(env.action_space.sample())[4]['is_success'] is False
    env.close()


def test_a_seed_is_the_episode(made):
    env = made()
    first, info = env.reset(seed=7)
    assert (info['seed'], info['split'], info['axis']) == (7, 'seen', 'color')
    assert first['instruction'] == catalogue.build(TASK, 'seen', 7).instruction.text
    env.reset()
    again, _ = env.reset(seed=7)
    assert np.array_equal(first['tool_pose'], again['tool_pose'])


def test_nobody_learns_from_a_test_seed_by_accident(made):
    env = made()
    for seed in (100_003, 2**31 - 1):
        with pytest.raises(SeedError, match='is a test seed, which training must not use'):
            env.reset(seed=seed)
    assert env.reset(seed=100_003, options={'purpose': 'test'})[1]['seed'] == 100_003
    assert env.reset(options={'purpose': 'test'})[1]['seed'] >= 100_000
    assert env.reset(seed=80_001)[1]['seed'] == 80_001
    assert env.reset(options={'purpose': 'validate'})[1]['seed'] in range(80_000, 100_000)
    with pytest.raises(SeedError, match='The seed 7 is for the purpose train, but test was requested'):
        env.reset(seed=7, options={'purpose': 'test'})
    with pytest.raises(SeedError, match='Did you mean test'):
        env.reset(options={'purpose': 'tests'})
    with pytest.raises(SeedError):
        env.reset(seed=2**31)


@pytest.mark.parametrize(('task', 'cameras'), [(TASK, ['front', 'wrist']), ('lohoravens/pick_and_place', ['front', 'left', 'right'])])
def test_a_task_is_shown_by_the_cameras_of_its_family(task, cameras):
    assert list(BenchEnv(task, size=(32, 24)).observation_space['pixels']) == cameras


def test_a_split_without_seeds_to_learn_from_gives_none_by_accident():
    env = gymnasium.make('vlm_bench/lohoravens-pick_and_place-v0', cameras='none', split='test')
    with pytest.raises(SeedError, match="no seeds for the purpose train in the split 'test'"):
        env.reset()
    assert env.reset(options={'purpose': 'test'})[1]['seed'] >= 100_000
    env.close()


def test_without_a_seed_come_episodes_to_learn_from_the_same_after_the_same_seed(made):
    env = made()
    drawn = []
    for _ in range(2):
        env.reset(seed=5)
        drawn.append([env.reset()[1]['seed'] for _ in range(2)])
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 2
    assert all(0 <= seed < 80_000 for seed in drawn[0])


def test_options_choose_split_axis_and_perturbation(made):
    env = made()
    info = env.reset(seed=1, options={'split': 'unseen', 'axis': 'shape'})[1]
    assert (info['split'], info['axis']) == ('unseen', 'shape')
    env.reset(seed=1, options={'perturb': ['action_noise=0.01']})
    env.step(still(env))
    assert env._laid.play.report.perturbations == () and env._laid.episode.perturbation.labels


def test_options_of_others_are_ignored_with_a_warning(made):
    env = made()
    with pytest.warns(UserWarning, match='ignores it') as told:
        info = env.reset(seed=1, options={'axs': 'shape', 'lerobot_new_rollout': True, 'split': 'unseen'})[1]
    assert (info['split'], info['axis']) == ('unseen', 'color')
    assert ["'axs' and ignores it. Did you mean axis" in str(told[0].message), 'lerobot_new_rollout' in str(told[1].message)] == [
        True,
        True,
    ]


@pytest.mark.parametrize(
    ('given', 'error', 'words'),
    [
        ({'task': 'vlmbench/por'}, TaskError, 'Did you mean'),
        ({'action': 'delta_poze'}, ConfigError, 'Did you mean delta_pose'),
        ({'split': 'sen'}, SplitError, 'Did you mean seen'),
        ({'robot': 'pnda'}, ConfigError, 'Did you mean panda'),
        ({'cameras': 'vlmbench:frnt'}, ConfigError, 'Did you mean front'),
    ],
)
def test_what_does_not_exist_is_named_when_it_is_made(given, error, words):
    with pytest.raises(error, match=words):
        BenchEnv(**({'task': TASK, 'cameras': 'none'} | given))


@pytest.mark.parametrize(
    ('action', 'words'),
    [
        (np.full(7, np.nan), 'delta_pose needs finite numbers; found .*nan.*Check the policy'),
        (np.zeros(6), r'has the shape \(7,\) for panda; found \(6,\)'),
        (np.zeros((1, 7)), r'has the shape \(7,\) for panda; found \(1, 7\)'),
        (['left'] * 7, 'holds 7 numbers; found'),
        (None, r'has the shape \(7,\)|holds 7 numbers'),
    ],
    ids=['nan', 'short', 'batch', 'words', 'none'],
)
def test_an_action_that_means_nothing_is_refused_and_time_stands_still(made, action, words):
    env = made()
    env.reset(seed=3)
    with pytest.raises(CommandError, match=words):
        env.step(action)
    assert env._laid.play.world.snapshot.seq == 0
    env.step(still(env))


def test_a_pose_without_a_direction_is_refused(made):
    env = made(action='pose')
    env.reset(seed=3)
    with pytest.raises(CommandError, match='quaternion'):
        env.step(np.array([0.4, 0.0, 0.3, 0.0, 0.0, 0.0, 0.0, 1.0]))


def test_a_step_needs_an_episode_that_runs(made, monkeypatch):
    env = made()
    with pytest.raises(WorldError, match='Call reset'):
        env.step(still(env))
    with pytest.raises(WorldError, match='Call reset'):
        made(render_mode='rgb_array').render()
    monkeypatch.setattr(catalogue, 'perturbed', lambda built, by: replace(built, horizon=0.1))
    env.reset(seed=3)
    env.step(still(env))
    env.step(still(env))
    with pytest.raises(WorldError, match='The episode is over'):
        env.step(still(env))
    assert env.render() is None


def test_time_that_is_over_truncates_and_does_not_terminate(made, monkeypatch):
    env = made()
    monkeypatch.setattr(catalogue, 'perturbed', lambda built, by: replace(built, horizon=0.25))
    env.reset(seed=3)
    ends = [env.step(still(env))[2:4] for _ in range(5)]
    assert ends == [(False, False)] * 4 + [(False, True)]


def test_an_action_of_delta_pose_moves_the_tool_so_far_in_a_period(made):
    """0.2 of 0.05 m, and 0.05 of 0.5 rad about the vertical, once the arm has got under way; other numbers stay as they are."""
    env = made()
    env.reset(seed=3)
    seen = [env.step(np.array([0.0, 0.0, -0.2, 0.0, 0.0, 0.05, 0.0]))[0]['tool_pose'] for _ in range(14)]
    steps = np.diff(np.asarray(seen)[-6:], axis=0)
    assert steps[:, 2] == pytest.approx([-0.01] * 5, abs=5e-4)
    assert np.abs(steps[:, :2]).max() < 5e-4
    angles = [2 * np.arccos(min(1.0, abs(float(np.dot(a[3:], b[3:]))))) for a, b in zip(seen[-6:], seen[-5:], strict=False)]
    assert angles == pytest.approx([0.025] * 5, abs=2e-3)


def test_a_pose_is_gone_to_and_kept(made):
    env = made(action='pose')
    seen, _ = env.reset(seed=3)
    goal = np.array([0.45, 0.1, 0.3, 1.0, 0.0, 0.0, 0.0])
    for _ in range(40):
        seen = env.step(np.array([*goal, 0.04]))[0]
    assert seen['tool_pose'] == pytest.approx(goal, abs=3e-3)
    assert seen['agent_pos'][-1] == pytest.approx(0.04, abs=1e-3)


def test_numbers_beyond_the_space_are_cut_off(made):
    env = made(action='joints')
    env.reset(seed=3)
    env.step(np.full(8, 1e9))
    (last,) = [command for _, command in env._laid.play.world.asked if isinstance(command, Chunk)]
    assert last.points[-1].positions == pytest.approx(env.action_space.high[:-1])


def test_who_waits_gains_nothing_and_who_comes_nearer_does(made):
    """The reward of a step is what exceeds the best state so far; the dense reward itself stands beside it."""
    env = made(action='delta_pose')
    _, info = env.reset(seed=3)
    thing = env._laid.episode.goal.prop.pose
    values, gains = [info['reward']], []
    for towards in (thing, thing, thing, None, None, None, env._laid.play.world.snapshot.tool, thing, thing, thing):
        for _ in range(5):
            apart = np.subtract(towards.position, env._laid.play.world.snapshot.tool.position) if towards else np.zeros(3)
            _, gain, _, _, info = env.step(np.array([*np.clip(apart / 0.05, -0.5, 0.5), 0.0, 0.0, 0.0, -1.0]))
            gains.append(gain)
            values.append(info['reward'])
    assert values[-1] == env._laid.play.report.reward
    assert max(values) > values[0] + 0.02 and sum(gains) == pytest.approx(max(values) - values[0])
    assert all(gain == max(0.0, value - max(values[:i])) for i, (gain, value) in enumerate(zip(gains, values[1:], strict=True), 1))
    assert sum(gain == 0.0 for gain in gains[25:35]) == 10


@pytest.mark.parametrize(('robot', 'kind'), [('panda', Grip), ('ur5e', Seal)])
def test_the_gripper_is_told_once_by_the_robots_own_commands_and_moves_with_the_arm(made, robot, kind):
    env = made(robot=robot)
    env.reset(seed=3)
    for number in (-1.0, 0.0, 1.0, 1.0, 0.0, -1.0):
        env.step(np.array([0.1] * 6 + [number]))
    asked = env._laid.play.world.asked
    assert {type(command) for _, command in asked} <= {Chunk, kind}
    told = [(seq, command) for seq, command in asked if isinstance(command, kind)]
    close, open_ = (Grip(0.0), Grip(0.08)) if kind is Grip else (Seal(on=True), Seal(on=False))
    assert told == [(0, open_), (2, close), (5, open_)]
    assert [seq for seq, command in asked if isinstance(command, Chunk)] == list(range(6))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize('shared', [True, False], ids=['shared', 'sent'])
def test_many_run_at_once_in_processes_of_their_own(shared):
    envs = gymnasium.make_vec(
        ID,
        num_envs=2,
        vectorization_mode='async',
        vector_kwargs={'context': 'spawn', 'shared_memory': shared},
        size=(32, 24),
        cameras='vlmbench:front',
    )
    try:
        seen, info = envs.reset(seed=3)
        assert info['seed'].tolist() == [3, 4]
        assert seen['pixels']['front'].shape == (2, 24, 32, 3)
        assert seen['instruction'] == tuple(catalogue.build(TASK, '', seed).instruction.text for seed in (3, 4))
        kept = seen['instruction']
        seen, _ = envs.reset(seed=8)
        assert seen['instruction'][0] == catalogue.build(TASK, '', 8).instruction.text
        assert kept[0] == catalogue.build(TASK, '', 3).instruction.text  # what was seen stays what it was
        _, rewards, ended, truncated, info = envs.step(envs.action_space.sample())
        assert (rewards.shape, ended.tolist(), truncated.tolist()) == ((2,), [False] * 2, [False] * 2)
        assert info['is_success'].tolist() == [False, False]
    finally:
        envs.close()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize('task', catalogue.tasks())
def test_every_task_can_be_stepped(task):
    env = gymnasium.make(environment.environment_id(task), cameras='none')
    seen, info = env.reset(seed=3)
    assert seen['instruction'] == info['task_description'] != ''
    env.action_space.seed(0)
    for _ in range(5):
        seen, reward, _, _, _ = env.step(env.action_space.sample())
        assert env.observation_space.contains(seen)
        assert 0.0 <= reward <= 1.0
    env.close()
