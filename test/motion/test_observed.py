"""What is seen around a real arm is of one moment, whenever its parts are told."""

from itertools import pairwise

import pytest

from test.plays import Film, bench
from vlm_bench_sim.core.errors import CommandError, Unobservable
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.pose_tracker import Accuracy
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.core.sighting import Sight
from vlm_bench_sim.core.snapshot import JointState
from vlm_bench_sim.core.timing import PERIOD_NS, PERIOD_S
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.motion.observed import Blindfold, Observation, trackable
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.policies import policy

PANDA = bench('panda').profile
MS = 1_000_000


def joints(turn):
    arm = {name: JointState(value + turn) for name, value in zip(PANDA.joints, PANDA.home, strict=True)}
    return arm | {name: JointState(0.02) for name in PANDA.gripper.joints}


def test_the_arm_is_told_as_it_was_when_the_tracker_saw_the_props():
    observation = Observation(Kinematics(PANDA))
    for i in range(10):
        observation.hear(joints(0.01 * i), i * 50 * MS)
    observation.see('star', Pose((0.4, 0.0, 0.1)), 200 * MS)
    now = observation.snapshot(9, 450 * MS)
    assert now.arm(PANDA.joints) == pytest.approx([value + 0.04 for value in PANDA.home])
    assert now.tool == Kinematics(PANDA).tool_pose(now.arm(PANDA.joints))
    assert (now.opening, now.contacts, list(now.bodies)) == (pytest.approx(0.04), False, ['star'])


def test_joints_that_come_in_two_messages_are_put_together():
    observation, both = Observation(Kinematics(PANDA)), joints(0.0)
    observation.hear({name: both[name] for name in PANDA.gripper.joints}, 0)
    assert not observation.knows_arm
    observation.hear({name: both[name] for name in PANDA.joints}, 10 * MS)
    assert observation.knows_arm
    assert observation.snapshot(0, 20 * MS).joints == both


def test_joints_that_are_told_no_more_or_are_no_number_are_not_known():
    """The arm goes on telling, and its fingers are silent: two publishers are two drivers."""
    observation, both = Observation(Kinematics(PANDA)), joints(0.0)
    with pytest.raises(Unobservable, match='has not told'):
        observation.snapshot(0, 0)
    observation.hear(both, 0)
    assert observation.silent(900 * MS) == ()
    fingers, first = PANDA.gripper.joints, PANDA.joints[0]
    arm = {name: both[name] for name in PANDA.joints}
    observation.hear(arm, 1000 * MS)
    observation.hear(dict.fromkeys(fingers, JointState(float('nan'))) | {'foreign': JointState(1.0)}, 1500 * MS)
    assert observation.silent(1900 * MS) == fingers
    assert set(observation.snapshot(1, 1900 * MS).joints) == set(PANDA.joints)
    assert observation.silent(2100 * MS)[0] == first


def test_a_pose_without_an_orientation_is_refused():
    observation = Observation(Kinematics(PANDA))
    for orientation in ((0.0, 0.0, 0.0, 0.0), (float('nan'), 0.0, 0.0, 1.0)):
        with pytest.raises(CommandError):
            observation.see('star', Pose((0.4, 0.0, 0.1), orientation), 0)


@pytest.mark.parametrize('task', ['vlmbench/drawer', 'vlmbench/door', 'vlmbench/pick_place', 'clevrskills/balance'])
def test_an_exact_tracker_gives_the_poses_and_the_joints_of_an_episode(task):
    episode, film = catalogue.build(task, catalogue.splits(task)[0], 0), Film()
    own = bench(catalogue.task(task).robot)
    own.run(episode, policy('oracle'), film)
    blindfold = Blindfold(own.kinematics, episode.scene, sight=Sight())
    for before, now in pairwise([film.snapshots[0], *film.snapshots]):
        seen = blindfold.observe(now)
        assert not seen.contacts and seen.seq == now.seq
        assert {name: body.pose for name, body in seen.bodies.items()} == {name: body.pose for name, body in now.bodies.items()}
        assert set(seen.mechanisms) == set(now.mechanisms)
        for name, joint in now.mechanisms.items():
            assert seen.mechanisms[name].position == pytest.approx(joint.position, abs=1e-6)
            moved = joint.position - before.mechanisms[name].position
            assert seen.mechanisms[name].velocity == pytest.approx(moved / PERIOD_S, abs=1e-4 + 0.01 * abs(moved / PERIOD_S))
        assert seen.tool.distance(now.tool) < 1e-5 and seen.opening == pytest.approx(now.opening, abs=1e-6)
    travelled = [abs(joint.position - film.snapshots[0].mechanisms[name].position) for name, joint in now.mechanisms.items()]
    assert not travelled or max(travelled) > 0.01


def test_a_late_tracker_tells_what_was_when_it_looked():
    episode, film = catalogue.build('vlmbench/pick_place', 'seen', 0), Film()
    own = bench('panda')
    own.run(episode, policy('oracle'), film)
    blindfold = Blindfold(own.kinematics, episode.scene, sight=Sight(Accuracy(), delay=0.1))
    for now in film.snapshots:
        seen, then = blindfold.observe(now), film.snapshots[max(0, now.seq - 2)]
        assert seen.seq == now.seq
        assert seen.pose('object_1') == then.pose('object_1')
        assert seen.tool.distance(then.tool) < 1e-5, 'the arm, too'


def test_what_never_moves_need_not_be_seen_and_furniture_that_is_not_seen_is_not_known():
    scene = catalogue.build('lohoravens/pick_and_place', 'test', 0).scene
    ghosts = {prop.name for prop in scene.props if prop.ghost or prop.fixed}
    observation = Observation(Kinematics(PANDA))
    observation.lay_out(scene)
    observation.hear(joints(0.0), 0)
    assert ghosts and set(observation.snapshot(0, 0).bodies) == ghosts
    drawer = catalogue.build('vlmbench/drawer', 'seen', 0)
    observation.lay_out(drawer.scene)
    assert observation.snapshot(1, PERIOD_NS).mechanisms == {}


def test_everything_of_a_scene_can_be_tracked():
    episode, film = catalogue.build('vlmbench/drawer', 'seen', 0), Film()
    bench('panda').run(episode, policy('still'), film)
    names = set(trackable(episode.scene, film.snapshots[0]))
    assert {mechanism.full(link.name) for mechanism in episode.scene.mechanisms for link in mechanism.links} <= names
    assert trackable(Scene(()), film.snapshots[0]).keys() == film.snapshots[0].bodies.keys()
