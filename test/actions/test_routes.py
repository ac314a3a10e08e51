"""One recorded episode through every route in every space: in each space all routes lead to the same states, and solve it again."""

import numpy as np
import pytest

from test.policy_server import running
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.actions import SPACES
from vlm_bench_tasks.dataset.exports.frames import Wish, frames
from vlm_bench_tasks.dataset.playback import play_back
from vlm_bench_tasks.dataset.recording import Recorder
from vlm_bench_tasks.environment.bench_env import BenchEnv
from vlm_bench_tasks.evaluation.server_observations import ServerObservations
from vlm_bench_tasks.evaluation.socket_player import Manners, SocketPlayer
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.run import Bench

NOTHING = ServerObservations('openpi', (), lambda: 0.0)

TASK, SEED = 'vlmbench/pick_place', 3


@pytest.fixture(scope='module', params=['panda', pytest.param('ur5e', marks=pytest.mark.slow)])
def recorded(request, tmp_path_factory):
    """A bench, and a bag of the expert's in it, without pictures."""
    bench, episode = Bench(request.param), catalogue.build(TASK, 'seen', SEED)
    recorder = Recorder(bench, episode, folder=tmp_path_factory.mktemp('bags'))
    run = bench.run(episode, policy('oracle'), recorder)
    yield bench, recorder.close(run.report)
    bench.close()


def exported(bag, space):
    """The rows of an export, and more that leave the robot where it is, for as long as it takes to judge."""
    rows = frames(bag, Wish(fps=20, action=space)).columns['action']
    still = rows[-1].copy()
    if SPACES[space].relative:
        still[:-1] = 0.0
    return np.vstack([rows, *[still] * 40])


def in_gymnasium(bench, rows, space):
    env = BenchEnv(TASK, action=space, robot=bench.profile.name, cameras='none')
    env.reset(seed=SEED)
    for row in rows:
        _, _, ended, truncated, info = env.step(row)
        if ended or truncated:
            break
    hashes = tuple(env._laid.play.hashes)
    env.close()
    assert info['is_success'], info['cause']
    return hashes


def by_a_server(bench, rows, space):
    episode = catalogue.build(TASK, 'seen', SEED)
    with running({episode.instruction.text: rows}) as server:
        playing = SocketPlayer(Manners(server.address, action=space, seconds=20.0), NOTHING, kinematics=bench.kinematics)
        run = bench.run(episode, playing)
        playing.close()
    assert run.report.verdict is Verdict.SUCCESS, run.report.causes
    return run.hashes


def test_what_noise_made_of_a_recording_is_played_back_without_more_of_it(tmp_path):
    bench = Bench()
    noisy = catalogue.perturbed(catalogue.build(TASK, 'seen', SEED), catalogue.perturbation(['action_noise=0.004']))
    recorder = Recorder(bench, noisy, folder=tmp_path)
    run = bench.run(noisy, policy('oracle'), recorder)
    bench.close()
    assert run.report.verdict is Verdict.SUCCESS
    again = play_back(recorder.close(run.report), 'joints')
    assert again.report.verdict is Verdict.SUCCESS
    assert again.apart < 0.03


@pytest.mark.parametrize('space', SPACES)
def test_every_route_leads_to_the_same_states_and_solves_the_episode(recorded, space):
    bench, bag = recorded
    rows = exported(bag, space)
    hashes = in_gymnasium(bench, rows, space)
    assert by_a_server(bench, rows, space) == hashes
    again = play_back(bag, space)
    assert again.report.verdict is Verdict.SUCCESS
    common = min(len(again.hashes), len(hashes), again.rows + 1)
    assert again.hashes[:common] == hashes[:common]
    assert again.apart < 0.03
