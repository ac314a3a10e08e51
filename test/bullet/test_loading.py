"""A scene is loaded as a whole or not at all: what stood there before goes on where the new one cannot be laid out."""

from math import pi

import pytest
from stage import PROFILE, prop

from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import Joints
from vlm_bench_sim.core.errors import SceneError, WorldError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import Grip
from vlm_bench_sim.core.matter import Dirt
from vlm_bench_sim.core.perturbation import Perturbation, SeededPerturbation
from vlm_bench_sim.core.scene import RobotStart, Scene
from vlm_bench_sim.core.unsteady import UnsteadyWorld
from vlm_bench_sim.motion.kinematics import Kinematics

GOOD = Scene((prop('a'), prop('ball', 'ball', 0.4, 0.2, size=(0.05, 0.05, 0.05))))
MISSED = Scene((prop('b'),), robot=RobotStart(held='b', grasp=Pose.from_rpy((0.0, 0.0, 0.1), (pi, 0.0, 0.0))))
FALLING = Scene((prop('c', x=3.0),))
BARE = Scene((prop('sponge', 'sponge', size=(0.125, 0.058, 0.033)),), dirt=(Dirt('soil', ((0.4, 0.1, 0.2),), 'sponge'),))
ODD = Scene((prop('d'),), robot=RobotStart((0.0, 0.0)))


def moving(world: BulletWorld) -> BulletWorld:
    """Load a scene and begin to move in it."""
    world.load(GOOD)
    world.place('ball', Pose((0.4, 0.2, 0.026)), (0.1, 0.0, 0.0))
    world.apply(Joints(tuple(q + 0.1 for q in PROFILE.home)))
    world.apply(Grip(0.02))
    world.step()
    return world


@pytest.mark.parametrize(
    ('scene', 'said'),
    [
        (MISSED, "panda is to hold 'b'"),
        (FALLING, r'c \(0.74 m\) fell'),
        (BARE, 'lies on nothing'),
        (ODD, 'gives 2 joint positions; panda'),
    ],
    ids=['not held', 'falling', 'dirt in the air', 'half an arm'],
)
def test_where_a_scene_cannot_be_laid_out_the_one_before_goes_on_bit_for_bit(world, scene, said):
    other = moving(BulletWorld(PROFILE))
    before = moving(world).snapshot
    with pytest.raises(SceneError, match=said):
        world.load(scene)
    assert world.snapshot == before
    for _ in range(5):
        assert world.step() == other.step()
    assert world.save() == other.save()
    other.close()


def test_a_world_whose_first_scene_fails_holds_none_and_takes_another(world):
    with pytest.raises(SceneError):
        world.load(MISSED)
    with pytest.raises(WorldError, match='holds no scene'):
        world.step()
    assert list(world.load(GOOD).bodies) == ['a', 'ball']


def test_the_unrest_of_a_scene_that_fails_does_not_stay(world):
    unsteady = UnsteadyWorld(world, Kinematics(PROFILE), tell=lambda _kind, _text: None)
    calm = SeededPerturbation(Perturbation(action_noise=0.01), 1)
    unsteady.load(GOOD, calm)
    with pytest.raises(SceneError):
        unsteady.load(MISSED, SeededPerturbation(Perturbation(drop_rate=1.0), 2))
    assert unsteady.seeded_perturbation == calm
