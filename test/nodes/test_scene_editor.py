"""What stands in the world: spawning is all or none, and a reset leads back. Without ROS messages, over a real world."""

from dataclasses import replace
from math import pi

import pytest

from vlm_bench_sim import profiles
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.scene import RobotStart, Scene, Table

pytest.importorskip('rclpy')

from vlm_bench_sim.core.objects.furniture import furniture
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.nodes.simulation.robot_box import RobotBox
from vlm_bench_sim.nodes.simulation.scene_editor import SceneEditor, SimHooks

PANDA = profiles.robot('panda')
ROOM = 3


def prop(name, x=0.5, y=0.0, z=0.02):
    return Prop(name, 'cube', (0.04, 0.04, 0.04), Color('red', (1.0, 0.0, 0.0)), 0.05, pose=Pose((x, y, z)))


SCENE = Scene((prop('a', y=0.2), prop('b', y=-0.2)))


class Stage:
    """A simulator that can draw three props."""

    def __init__(self):
        self.world, self.shown, self.told = BulletWorld(PANDA), [], []
        kinematics, box = Kinematics(PANDA), RobotBox(PANDA)
        self.scene_editor = SceneEditor(
            SimHooks(
                world=self.world, clock_ns=lambda: 0, abort=self.told.append, load=self.world.load, show=self.show,
                robot=lambda: box.now(kinematics.link_poses({n: j.position for n, j in self.world.snapshot.joints.items()})),
                tell=lambda kind, text: self.told.append(text),
            )
        )  # fmt: skip
        self.world.load(SCENE)
        self.scene_editor.loaded(SCENE)

    def show(self, scene):
        if len(scene.props) > ROOM:
            raise SceneError('A picture holds no more than that. Use fewer props.')
        self.shown.append([prop.name for prop in scene.props])

    @property
    def bodies(self):
        return sorted(self.world.snapshot.bodies)


@pytest.fixture
def stage():
    made = Stage()
    yield made
    made.world.close()


def test_what_cannot_be_drawn_is_taken_out_again(stage):
    stage.scene_editor.spawn([prop('c', z=0.2)])
    with pytest.raises(SceneError, match='fewer'):
        stage.scene_editor.spawn([prop('d', z=0.3), prop('e', z=0.4)])
    assert stage.bodies == ['a', 'b', 'c']
    assert stage.shown[-1] == ['a', 'b', 'c']


def test_a_name_that_is_there_takes_the_others_out_again(stage):
    with pytest.raises(SceneError, match="'a'"):
        stage.scene_editor.spawn([prop('c', z=0.2), prop('a', z=0.3)])
    assert stage.bodies == ['a', 'b']
    assert stage.told == []


def test_a_reset_brings_back_and_keeps_or_clears(stage):
    stage.scene_editor.spawn([prop('c', z=0.2)])
    stage.scene_editor.delete('a')
    for _ in range(10):
        stage.world.step()
    assert stage.scene_editor.taken == {'a', 'b', 'c', 'robot', 'table', 'room'}
    stage.scene_editor.restore(keep=True)
    assert stage.bodies == ['a', 'b', 'c']
    assert stage.world.snapshot.seq == 0
    assert stage.world.snapshot.pose('c').position[2] == pytest.approx(0.2)
    stage.scene_editor.restore(keep=False)
    assert stage.bodies == ['a', 'b']
    assert stage.shown[-1] == ['a', 'b']


def test_what_the_robot_held_at_the_start_can_be_deleted_and_comes_back(stage):
    """Without it the hand is empty, for pictures and messages too; the world goes on and a reset puts it into the hand again."""
    held = replace(SCENE, robot=RobotStart(held='a', grasp=Pose.from_rpy((0.0, 0.0, 0.0), (pi, 0.0, 0.0))))
    stage.world.load(held)
    stage.scene_editor.loaded(held)
    assert stage.world.snapshot.held == 'a'
    stage.scene_editor.delete('a')
    assert (stage.bodies, stage.shown[-1], stage.scene_editor.scene.robot.held) == (['b'], ['b'], '')
    assert stage.world.step().held == ''
    stage.scene_editor.spawn([prop('c', z=0.2)])
    assert stage.shown[-1] == ['b', 'c']
    stage.scene_editor.restore(keep=False)
    assert stage.scene_editor.scene == held
    assert stage.world.snapshot.held == 'a'


def test_furniture_stands_there_and_names_of_all_things_are_taken(stage):
    """Furniture is looked at as a whole and link by link; beads and dirt have no pose, but their names."""
    piece = replace(furniture('drawer1', 'piece'), pose=Pose((0.85, 0.0, 0.0))).started(top=0.1)
    scene = Scene(
        (prop('a'),), table=Table(Box((0.5, 0.0, -0.02), (1.6, 1.6, 0.04))), mechanisms=(piece,),
        beads=(Beads('water', ((0.4, 0.3, 0.004),)),), dirt=(Dirt('soil', ((0.4, -0.3, 0.0),), 'a'),),
    )  # fmt: skip
    stage.world.load(scene)
    stage.scene_editor.loaded(scene)
    assert {'piece', 'piece/top', 'water', 'soil', 'room'} <= set(stage.scene_editor.taken)
    there = stage.scene_editor.entities()
    assert {'piece', 'piece/top', 'a', 'robot', 'table'} <= set(there) and not {'water', 'soil'} & set(there)
    at = piece.placed(stage.world.snapshot.mechanisms)['piece/top']
    assert there['piece/top'].body.pose == at
    assert at.distance(piece.started(top=0.0).placed({})['piece/top']) == pytest.approx(0.1, abs=2e-3)


def test_ids_of_what_was_there_stay_when_something_comes(stage):
    before = stage.scene_editor.scene.ids
    stage.scene_editor.spawn([prop('c', z=0.2)])
    assert stage.scene_editor.scene.ids == before | {'c': 5}


def test_the_robot_fills_the_box_that_its_tool_is_in(stage):
    """The box holds the tool and the base, and grows no larger than the arm can reach."""
    span = stage.scene_editor.entities()['robot'].span
    tool = stage.world.snapshot.tool.position
    assert (span.low <= tool).all()
    assert (span.high >= tool).all()
    assert span.low[2] == pytest.approx(0.0, abs=0.01)
    assert max(span.size) < 1.4


def test_each_change_is_told_to_the_judge(stage):
    stage.scene_editor.spawn([prop('c', z=0.2)])
    stage.scene_editor.place('a', Pose((0.4, 0.0, 0.3)), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    stage.scene_editor.delete('b')
    stage.scene_editor.clear()
    assert stage.told == ['simulation_services'] * 4
    assert stage.scene_editor.entities().keys() == {'a', 'robot', 'table'}
