"""A policy of yours: named by the path of its class, told what a robot's user knows, and refused in plain words where it is none."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from test.plays import bench, episode
from vlm_bench_sim.core.codes import Verdict
from vlm_bench_sim.core.command import Stop, ToolPose
from vlm_bench_sim.core.errors import CommandError, TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.snapshot import Snapshot
from vlm_bench_sim.profiles import robot
from vlm_bench_tasks.policies import policy
from vlm_bench_tasks.policy import EpisodeContext, NoCameraError, Observation, Played, Policy, PrivilegedInfo
from vlm_bench_tasks.run import Bench

NOTHING = Observation(0.0, {}, Pose(), 0.08)
MODULE = """
from vlm_bench_sim.core.command import Stop, ToolPose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.policy import Policy

DOWN = (1.0, 0.0, 0.0, 0.0)


class Dips(Policy):
    def reset(self, context):
        self.instruction, self.context, self.seen = context.instruction, context, []

    def act(self, observation):
        self.seen.append(observation)
        ways = (ToolPose(Pose((0.45, 0.1, 0.3), DOWN)), Grip(0.02), Stop())
        return ways[len(self.seen) - 1]


class NoPolicy:
    pass


class NeedsArguments(Policy):
    def __init__(self, weights):
        self.weights = weights

    reset = act = lambda self, told: None


class Abstract(Policy):
    def reset(self, context):
        pass
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of somebody's, in which a shell stands."""
    (tmp_path / 'my_policies.py').write_text(MODULE)
    (tmp_path / 'broken_policies.py').write_text('import a_package_that_nobody_has\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', [entry for entry in sys.path if entry])
    yield tmp_path
    for name in ('my_policies', 'broken_policies'):
        sys.modules.pop(name, None)


def test_the_current_folder_takes_no_name_of_a_policy_that_comes_with_the_bench(folder):
    """There lies what came with a report, perhaps."""
    policy_of_ours = 'vlm_bench_tasks.policies.no_such_module:Learned'
    with pytest.raises(TaskError, match='cannot be imported: ModuleNotFoundError'):
        policy(policy_of_ours)
    assert str(folder) not in sys.path


def test_it_is_found_beside_the_shell_and_plays_an_episode_told_no_secret(folder):
    player = policy('my_policies:Dips')
    run = bench().run(episode(), player)
    own = player._policy
    assert own.instruction == episode().instruction.text
    assert (own.context.privileged_info, own.context.seed, own.context.period) == (None, 0, 0.05)
    assert own.context.profile == robot('panda') and own.context.cameras == {}
    assert run.report.verdict is Verdict.FAILURE and 'stopped' in run.report.causes
    assert [(seen.truth, seen.outcome.done) for seen in own.seen] == [(None, True)] * 3
    assert own.seen[1].tool.position == pytest.approx((0.45, 0.1, 0.3), abs=2e-3)
    assert own.seen[2].opening == pytest.approx(0.02, abs=2e-3)
    assert not run.report.assistance


@pytest.mark.parametrize(
    ('path', 'words'),
    [
        ('my_policies:Dip', "the module 'my_policies' has no class called 'Dip'. Did you mean Dips"),
        ('my_policies:Elsewhere', "no class called 'Elsewhere'. Known: Abstract, Dips, NeedsArguments."),
        ('json:Anything', "the module 'json' has no class called 'Anything'. It has no class derived from vlm_bench_tasks.policy.Policy"),
        ('my_policies:NoPolicy', 'is not a class derived from vlm_bench_tasks.policy.Policy; found <class'),
        ('my_policies:DOWN', r'found \(1.0'),
        ('my_policies:', "has no class called ''. Known: Abstract"),
        ('my_policies:NeedsArguments', 'could not be created without arguments: TypeError: .*weights'),
        ('my_policies:Abstract', "'my_policies:Abstract' lacks act, which every Policy has. Write these methods"),
        ('broken_policies:Any', 'cannot be imported: ModuleNotFoundError: .*a_package_that_nobody_has'),
        ('no_such_module:Any', 'cannot be imported: ModuleNotFoundError'),
        (':Any', 'cannot be imported: ValueError'),
        ('dips', "no policy called 'dips'.* Name your own policy as module:Class"),
    ],
)
def test_what_is_no_policy_is_refused_by_name(folder, path, words):
    with pytest.raises(TaskError, match=words):
        policy(path)


def test_a_camera_that_nobody_asked_for_is_named_in_words():
    for seen in (NOTHING.pictures, NOTHING.camera_poses, EpisodeContext('Pick it up.', robot('panda')).cameras):
        with pytest.raises(NoCameraError, match=r"^There is no camera called 'front': no cameras were asked for\. Name some"):
            seen['front']
        assert 'front' not in seen and seen.get('front') is None
    with pytest.raises(KeyError, match=r"^There is no camera called 'frnt'\. Did you mean front\?"):
        replace(NOTHING, camera_poses={'front': Pose()}).camera_poses['frnt']


@pytest.mark.parametrize('answer', [None, (0.1, 0.2), 'open the gripper', Stop])
def test_what_is_no_command_is_refused_by_name(answer):
    class Answers(Policy):
        def reset(self, context):
            pass

        def act(self, observation):
            return answer

    with pytest.raises(CommandError, match=r'Answers\.act returned .* Let it return a command'):
        Played(Answers()).act(NOTHING)


def test_a_policy_is_never_told_a_secret_even_if_somebody_briefs_it(folder):
    given = episode()
    player = policy('my_policies:Dips')
    player.reset(EpisodeContext('a sentence', robot('panda'), PrivilegedInfo(given.scene, given.goal, bench().planner)))
    told = player._policy.context
    assert (told.instruction, told.privileged_info, told.seed) == ('a sentence', None, 0)
    assert not player.privileged and isinstance(NOTHING.truth, Snapshot | None)


class Looks(Policy):
    """Looks at what its cameras show of the table, waits, and stops."""

    def reset(self, context):
        self.context, self.heights, self.poses = context, {}, []

    def act(self, observation):
        for name, picture in observation.pictures.items():
            rows, columns = np.indices(picture.depth.shape)
            rays = np.stack([columns, rows, np.ones_like(rows)], axis=-1) @ np.linalg.inv(self.context.cameras[name].intrinsics).T
            seen = observation.camera_poses[name].apply((rays * picture.depth[..., None]).reshape(-1, 3))
            self.heights[name] = np.median(seen[picture.depth.reshape(-1) > 0.0, 2])
        self.poses.append(observation.camera_poses)
        commands = (ToolPose(Pose((0.4, 0.0, 0.5), (1.0, 0.0, 0.0, 0.0))), ToolPose(Pose((0.5, 0.1, 0.4), (1.0, 0.0, 0.0, 0.0))), Stop())
        return commands[min(len(self.poses), 3) - 1]


def test_where_each_picture_was_taken_from_is_told_so_that_a_pixel_is_a_point():
    looking, looks = Bench('panda', 'vlmbench:front,wrist', width=64, height=48), Looks()
    looking.run(episode(), Played(looks))
    assert looks.context.cameras.keys() == {'front', 'wrist'}
    front, wrist = (looks.context.cameras[name] for name in ('front', 'wrist'))
    assert (front.link, front.width, front.height) == ('', 64, 48) and wrist.link in looking.profile.urdf
    assert looks.heights == {name: pytest.approx(0.0, abs=0.004) for name in ('front', 'wrist')}, 'the top of the table'
    assert looks.poses[0]['front'] == looks.poses[-1]['front'] == front.pose
    assert looks.poses[0]['wrist'].distance(looks.poses[-1]['wrist']) > 0.05
    looking.close()
