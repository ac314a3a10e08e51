"""What stood still has one pose, whatever the jitter of a tracker, and what moved is left as it was seen."""

from math import radians

import numpy as np
import pytest

from test.films import CUBE, numbered, snapshot
from vlm_bench_sim.core.geometry import ZERO, Pose, vector
from vlm_bench_sim.core.hindsight import PERIODS, Hindsight, Steadied
from vlm_bench_sim.core.pose_tracker import EXACT, Accuracy
from vlm_bench_sim.core.scene import Scene

COARSE = Accuracy(0.002, radians(0.5))


def seen(path, seed=0, accuracy=COARSE):
    """Snapshots of a cube on a path of positions, as the tracker sees it."""
    chance = np.random.default_rng(seed)
    poses = [
        Pose(vector(np.asarray(at) + chance.normal(0.0, accuracy.position, 3))) @ Pose.from_rpy(ZERO, chance.normal(0.0, accuracy.angle, 3))
        for at in path
    ]
    return numbered([snapshot(cube=pose) for pose in poses])


def looked_at_again(film, accuracy=COARSE):
    hindsight = Hindsight(accuracy, Scene((CUBE,)))
    return [now for now in map(hindsight.see, film) if now is not None]


HERE = (0.5, 0.1, 0.02)


@pytest.mark.parametrize('seed', range(5))
def test_a_thing_that_stands_still_has_one_pose_and_no_velocity(seed):
    told = looked_at_again(seen([HERE] * 200, seed))
    assert [now.seq for now in told] == list(range(200 - PERIODS))
    bodies = {now.bodies[CUBE.name] for now in told}
    assert len(bodies) == 1, 'one pose for all the time'
    (body,) = bodies
    assert body.linear == body.angular == ZERO
    assert body.pose.distance(Pose(HERE)) < 0.002 and body.pose.angle(Pose()) < radians(0.5)


@pytest.mark.parametrize('seed', range(5))
def test_a_rest_ends_with_the_first_motion_and_begins_where_the_thing_comes_to_rest(seed):
    there = (0.5, 0.2, 0.02)
    way = [tuple(np.add(HERE, np.subtract(there, HERE) * i / 10)) for i in range(1, 10)]
    told = looked_at_again(seen([*[HERE] * 50, *way, *[there] * 60], seed))
    bodies = [now.bodies[CUBE.name] for now in told]
    assert len(set(bodies[:46])) == 1 and len(set(bodies[64:])) == 1
    assert bodies[45].pose.distance(Pose(HERE)) < 0.002 and bodies[-1].pose.distance(Pose(there)) < 0.002
    assert len(set(bodies[51:58])) == 7, 'on its way it is where it was seen'


def test_a_creep_that_a_tracker_can_tell_is_no_rest():
    told = looked_at_again(seen([(0.5 + 0.0005 * i, 0.1, 0.02) for i in range(120)]))  # 10 mm/s
    assert len({now.bodies[CUBE.name].pose for now in told}) > 20


def test_a_tracker_may_err_in_places_alone():
    """The last digits of an angle that is always the same are no motion."""
    told = looked_at_again(seen([HERE] * 60, accuracy=Accuracy(0.002)), Accuracy(0.002))
    assert len({now.bodies[CUBE.name].pose for now in told}) == 1


@pytest.mark.parametrize('seed', range(3))
def test_who_cannot_wait_gets_the_mean_as_soon_as_a_thing_has_stood_still_for_a_while(seed):
    there, steadied = (0.5, 0.2, 0.02), Steadied(COARSE, Scene((CUBE,)))
    told = [steadied.see(now).bodies[CUBE.name].pose for now in seen([*[HERE] * 40, *[there] * 40], seed)]
    assert max(pose.distance(Pose(HERE)) for pose in told[15:40]) < 0.003
    assert told[45].distance(Pose(there)) < 0.015, 'not the mean of two places'
    assert max(pose.distance(Pose(there)) for pose in told[65:]) < 0.003


def test_an_exact_tracker_needs_no_hindsight():
    film = seen([HERE] * 3, accuracy=EXACT)
    assert looked_at_again(film, EXACT) == film
    steadied = Steadied(EXACT, Scene((CUBE,)))
    assert [steadied.see(now) for now in film] == film
