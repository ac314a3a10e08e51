"""Furniture stays where it is, stops at its limits, and opens when its handle has been turned."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from math import degrees, pi, radians

import pytest
from stage import PROFILE, finish, prop, reach, steps

from vlm_bench_sim.bullet.mechanisms import urdf
from vlm_bench_sim.bullet.world import BulletWorld
from vlm_bench_sim.core.command import Chunk, ToolPose
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Box, Pose
from vlm_bench_sim.core.mechanisms import Latch, Mechanism
from vlm_bench_sim.core.objects.furniture import CABINETS, CHESTS, DOOR, LEVER, MODELS, furniture
from vlm_bench_sim.core.protocols import PlanRequest
from vlm_bench_sim.core.scene import RobotStart, Scene, Table
from vlm_bench_sim.core.snapshot import ROBOT, Snapshot

TABLE = Table(Box((0.5, 0.0, -0.02), (1.6, 1.6, 0.04)))
SAMPLE = MODELS.keys() - CHESTS.keys() - CABINETS.keys() | {'chest4', 'chest8', 'cabinet2', 'cabinet9'}
"""Of the chests and cabinets, one row, nine drawers, double doors and stacked doors."""


def standing(model: str, share: float = 0.0, x: float = 0.85) -> Mechanism:
    """A piece before the robot, each joint at a share of its range."""
    piece = replace(furniture(model, 'piece'), pose=Pose((x, 0.0, 0.0)))
    return piece.started(**{n.split('/')[1]: j.lower + share * (j.upper - j.lower) for n, j in piece.joints.items()})


def room(piece: Mechanism, *props) -> Scene:
    return Scene(tuple(props), table=TABLE, mechanisms=(piece,))


def pull(world: BulletWorld, link: str, force: float, seconds: float = 1.0) -> Snapshot:
    """Pull at a joint with a force, N or N m, towards its upper limit (below 0: its lower one)."""
    body = world._stage.fittings[f'piece/{link}']
    for _ in range(round(seconds * 240)):
        world._stage.client.setJointMotorControl2(body.number, body.link, world._stage.client.TORQUE_CONTROL, force=force)
        world._stage.advance()
    return world.step()


@pytest.mark.parametrize('model', [pytest.param(model, marks=[pytest.mark.slow] * (model not in SAMPLE)) for model in MODELS])
@pytest.mark.parametrize('share', [0.5, pytest.param(0.0, marks=pytest.mark.slow), pytest.param(1.0, marks=pytest.mark.slow)])
def test_everything_holds_its_position_for_ten_seconds(world, model, share):
    piece = standing(model, share)
    first = world.load(room(piece))
    last = steps(world, 200)[-1]
    for name, joint in piece.joints.items():
        for seen in (first, last):
            assert abs(seen.mechanisms[name].position - joint.start) < 0.01 * (joint.upper - joint.lower)


def apart(world: BulletWorld, piece: Mechanism, one: str, other: str) -> Iterator[float]:
    """Distances between two links, m, with each at steps of its range."""
    client, bodies = world._stage.client, [world._stage.fittings[piece.full(link)] for link in (one, other)]
    joints = [piece.link(link).joint for link in (one, other)]
    for shares in product(*((0.0, 0.03, 0.1, 0.25, 0.5, 0.75, 1.0) if joint else (0.0,) for joint in joints)):
        for body, joint, share in zip(bodies, joints, shares, strict=True):
            if joint:
                client.resetJointState(body.number, body.link, joint.lower + share * (joint.upper - joint.lower))
        first, second = bodies
        near = client.getClosestPoints(first.number, second.number, 0.01, first.link, second.link)
        yield min((point[8] for point in near), default=0.01)


@pytest.mark.parametrize('model', [*CHESTS, *CABINETS])
def test_links_never_touch_one_another(world, model):
    piece = standing(model)
    world.load(room(piece))
    for one, other in combinations([link.name for link in piece.links], 2):
        assert min(apart(world, piece, one, other)) > 0.002, (one, other)
    assert min(apart(world, piece, 'body', piece.links[1].name)) == pytest.approx(0.003, abs=1e-4)


@pytest.mark.parametrize('model', MODELS)
def test_links_are_loaded_where_the_mechanism_has_them(world, model):
    piece = standing(model, 0.5)
    world.load(room(piece))
    for name, pose in piece.placed({}).items():
        body = world._stage.fittings[name]
        if body.link >= 0:
            frame = world._stage.client.getLinkState(body.number, body.link, computeForwardKinematics=True)[4:6]
            assert Pose(*frame).distance(pose) < 1e-6 and Pose(*frame).angle(pose) < 1e-3


def test_bullet_reads_no_line_that_it_would_break():
    assert max(len(line) for model in MODELS for line in urdf(furniture(model, 'piece')).splitlines()) < 8000


@pytest.mark.parametrize(
    ('model', 'link', 'force'),
    [
        ('drawer1', 'top', 60.0),
        ('drawer3', 'bottom', 60.0),
        ('cabinet', DOOR, 15.0),
        ('chest8', 'middle_center', 60.0),
        ('cabinet2', 'right', 15.0),
        ('cabinet9', 'top', 15.0),
    ],
)
def test_a_pull_opens_up_to_the_limit_and_no_further_and_a_push_closes(world, model, link, force):
    piece = standing(model)
    joint = piece.joints[f'piece/{link}']
    world.load(room(piece))
    opened = pull(world, link, force, 2.0).mechanisms
    assert opened[f'piece/{link}'].position == pytest.approx(joint.upper, abs=0.01 * joint.upper)
    assert all(abs(state.position) < 1e-4 for name, state in opened.items() if name != f'piece/{link}')
    assert pull(world, link, -force, 2.0).mechanisms[f'piece/{link}'].position == pytest.approx(0.0, abs=0.01 * joint.upper)


def test_friction_holds_what_is_pulled_more_softly(world):
    world.load(room(standing('drawer1')))
    assert pull(world, 'top', 1.6).mechanisms['piece/top'].position < 2e-4
    assert pull(world, 'top', 2.6).mechanisms['piece/top'].position > 0.02


@pytest.mark.parametrize('model', ['door1', 'door2'])
def test_a_door_is_latched_until_its_handle_has_been_turned_and_not_after(world, model):
    piece = standing(model)
    (latch,) = piece.latches
    joint = piece.joints[f'piece/{DOOR}']
    world.load(room(piece))
    assert pull(world, DOOR, 20.0).mechanisms[f'piece/{DOOR}'].position < 0.01 * joint.upper
    almost = piece.started(**{LEVER: latch.threshold - radians(1.0)})
    world.load(room(almost))
    assert pull(world, DOOR, 20.0).mechanisms[f'piece/{DOOR}'].position < 0.01 * joint.upper
    pull(world, LEVER, 1.0)
    assert world.snapshot.mechanisms[f'piece/{LEVER}'].position > latch.threshold
    assert pull(world, DOOR, 5.0).mechanisms[f'piece/{DOOR}'].position > 0.5
    pull(world, LEVER, -1.0)
    assert pull(world, DOOR, -5.0).mechanisms[f'piece/{DOOR}'].position < latch.play
    assert pull(world, DOOR, 20.0).mechanisms[f'piece/{DOOR}'].position < latch.play


def test_the_unseen_door_unlatches_before_its_handle_stops(world):
    for model, turn in (('door1', 30.0), ('door2', 20.0)):
        piece = standing(model)
        assert degrees(piece.joints[f'piece/{LEVER}'].upper) == pytest.approx(turn)
        assert piece.latches[0].threshold < piece.joints[f'piece/{LEVER}'].upper - radians(2.0)


def push(planner) -> tuple[Scene, Chunk]:
    """The closed hand before a drawer that is open, and how it pushes that shut for some centimetres."""
    ahead = Pose.from_rpy((0.37, 0.0, 0.145), (0.0, pi / 2, 0.0))
    joints = reach(planner, ahead)
    scene = replace(room(standing('drawer1', 1.0).started(top=0.0, bottom=0.0)), robot=RobotStart(joints, 0.0))
    return scene, planner.plan(PlanRequest(joints, ToolPose(ahead.shifted((0.2, 0.0, 0.0)), straight=True)))


def test_a_robot_that_pushes_a_drawer_shut_touches_that_link_and_no_other(world, planner):
    scene, way = push(planner)
    start = world.load(scene).mechanisms
    film = finish(world, way)
    assert {name for now in film for pair in now.touched for name in pair} == {ROBOT, 'piece/middle'}
    went = {name: start[name].position - state.position for name, state in film[-1].mechanisms.items()}
    assert went['piece/middle'] > 0.03
    assert max(abs(went['piece/top']), abs(went['piece/bottom'])) < 1e-4


def test_a_prop_in_a_drawer_goes_where_the_drawer_goes(world):
    piece = standing('drawer2').started(top=0.15)
    at = piece.placed({})['piece/top'].shifted((0.08, 0.0, 0.03))
    cube = prop('cube', x=at.position[0], y=0.0, z=at.position[2])
    start = world.load(room(piece, cube))
    assert ('cube', 'piece/top') in start.touching
    end = pull(world, 'top', -3.0, 0.5)
    went = start.mechanisms['piece/top'].position - end.mechanisms['piece/top'].position
    assert went > 0.03
    assert end.pose('cube').position[0] - start.pose('cube').position[0] == pytest.approx(went, abs=0.01)


def test_the_same_pushes_give_the_same_states_again_and_after_a_restore(world, planner):
    scene, way = push(planner)

    def play() -> list[str]:
        world.load(scene)
        world.apply(way)
        return [(world.step(), world.state_hash())[1] for _ in range(25)]

    first = play()
    assert len(set(first)) == 25
    assert play() == first
    saved = world.save()
    world.step()
    world.restore(saved)
    assert world.state_hash() == first[-1]
    other = BulletWorld(PROFILE)
    other.restore(saved)
    assert other.state_hash() == first[-1]
    other.close()


def test_nothing_new_may_be_called_like_the_furniture(world):
    world.load(room(standing('cabinet')))
    with pytest.raises(SceneError, match="'piece' is already in use"):
        world.add(prop('piece'))


def test_of_two_latches_on_a_link_one_is_enough_to_hold_it(world):
    """The one that is free shall not free what the other holds, whichever comes first."""
    piece = standing('door1')
    (latch,) = piece.latches
    bolt = replace(piece.link(LEVER), name='bolt', parts=(replace(piece.link(LEVER).parts[0], name='knob_of_bolt'),), handle=())
    turned = Latch(DOOR, 'bolt', bolt.joint.lower + 0.1, latch.play)
    for latches in ((latch, turned), (turned, latch)):
        both = replace(piece, links=(*piece.links, bolt), latches=latches).started(bolt=bolt.joint.upper)
        world.load(room(both))
        assert pull(world, DOOR, 20.0).mechanisms[f'piece/{DOOR}'].position < 0.01 * piece.joints[f'piece/{DOOR}'].upper


def test_what_slides_is_measured_in_metres_and_what_turns_in_radians(world):
    world.load(room(standing('drawer1')))
    (drawers,) = world._stage.furniture
    body = world._stage.fittings['piece/top']
    world._stage.client.resetJointState(body.number, body.link, 0.0, 0.01)
    assert drawers.moving(linear=0.002, angular=0.02) == ['piece/top']
    assert drawers.moving(linear=0.02, angular=0.002) == []
