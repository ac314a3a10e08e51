"""The bench inside the vla-eval harness: its own runner plays episodes against a model server of its own."""

import asyncio
import socket
from contextlib import suppress

import numpy as np
import pytest
from vla_eval.connection import Connection
from vla_eval.model_servers.predict import PredictModelServer
from vla_eval.model_servers.serve import serve_async
from vla_eval.runners.sync_runner import SyncEpisodeRunner
from vla_eval.specs import GRIPPER_CLOSE_POS, IMAGE_RGB, LANGUAGE, POSITION_DELTA, ROTATION_AA, STATE_EEF_POS_AA_GRIP, check_specs

from vlm_bench_sim.core.errors import CommandError, ConfigError, SeedError
from vlm_bench_tasks.environment.vla_eval_bench import VlmBench

GIVEN = {'tasks': 'vlmbench/pick_place', 'seeds': '100000:100002', 'axis': 'color', 'cameras': 'vlmbench:front,wrist', 'size': '32x24'}
STAYS = {'actions': np.array([0, 0, 0, 0, 0, 0, -1.0], np.float32)}


@pytest.fixture(scope='module')
def bench():
    made = VlmBench(**GIVEN)
    yield made
    made.cleanup()


@pytest.fixture
def free_port():
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        return free.getsockname()[1]


class Still(PredictModelServer):
    """Keeps the arm where it is, and what it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown = []

    def predict(self, obs, ctx):
        self.shown.append(obs)
        return STAYS

    def get_action_spec(self):
        return {'position': POSITION_DELTA, 'rotation': ROTATION_AA, 'gripper': GRIPPER_CLOSE_POS}

    def get_observation_spec(self):
        return {'image': IMAGE_RGB, 'language': LANGUAGE, 'state': STATE_EEF_POS_AA_GRIP}


def test_the_harness_plays_an_episode_against_a_server_of_its_own(bench, free_port):
    server = Still()

    async def played():
        serving = asyncio.ensure_future(serve_async(server, host='127.0.0.1', port=free_port))
        await asyncio.sleep(0.3)
        async with Connection(f'ws://127.0.0.1:{free_port}') as connection:
            task = {**bench.get_tasks()[0], 'episode_idx': 1}
            result = await SyncEpisodeRunner().run_episode(bench, task, connection, max_steps=5)
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
        return result

    result = asyncio.run(played())
    assert result['steps'] == 5
    metrics = result['metrics']
    assert (metrics['success'], metrics['progress'], metrics['verdict'], metrics['unobservable']) == (False, 0.0, 'running', False)
    shown = server.shown[0]
    assert {name: picture.shape for name, picture in shown['images'].items()} == dict.fromkeys(('front', 'wrist'), (24, 32, 3))
    assert shown['task_description'].endswith('.') and shown['states'].shape == (8,)


def test_both_say_the_same_about_actions_and_observations(bench):
    server = Still()
    assert not check_specs(server.get_action_spec(), bench.get_action_spec(), server.get_observation_spec(), bench.get_observation_spec())
    assert set(VlmBench(**GIVEN, action='joints').get_action_spec()) == {'action'}


def test_the_number_of_an_episode_chooses_its_seed(bench):
    (task,) = bench.get_tasks()
    assert task == {'name': 'vlmbench/pick_place', 'suite': 'vlmbench'}
    first, second, again = (bench.make_obs(bench.reset({**task, 'episode_idx': number}), task) for number in (0, 1, 0))
    assert (first['images']['front'] == again['images']['front']).all()
    assert (first['images']['front'] != second['images']['front']).any()
    assert bench.get_metadata()['max_episodes_per_task'] == 2 and bench.get_metadata()['max_steps'] == 1200
    with pytest.raises(SeedError, match='Episode 2 was asked for; there are 2 seeds'):
        bench.reset({**task, 'episode_idx': 2})


def test_an_episode_ends_with_its_verdict(bench):
    (task,) = bench.get_tasks()
    bench.reset({**task, 'episode_idx': 0})
    result = bench.step(STAYS)
    assert not result.done and result.obs['pixels']['wrist'].shape == (24, 32, 3)
    told = bench.get_step_result(result)
    assert told['success'] is False and told['verdict'] == 'running'
    assert set(bench.get_metric_keys()) <= set(told)
    assert bench.render().shape == (24, 32, 3)
    assert bench.get_hold_action({'actions': np.ones(7)})['actions'].tolist() == [0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize('rows', [None, 'up', np.zeros((2, 7)), np.zeros(6), np.full(7, np.nan)], ids=repr)
def test_a_bad_answer_is_told(bench, rows):
    (task,) = bench.get_tasks()
    bench.reset(task)
    with pytest.raises(CommandError):
        bench.step({'actions': rows} if rows is not None else {})


def test_what_it_cannot_be_is_said():
    with pytest.raises(ConfigError, match='need pictures'):
        VlmBench(**GIVEN | {'cameras': 'none'})
    with pytest.raises(SeedError):
        VlmBench(**GIVEN | {'seeds': '79990:80010'})
