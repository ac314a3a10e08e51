"""What is out of sight for a while is judged once it is seen again, and where it was meanwhile."""

from dataclasses import replace

import pytest

from test.films import CUBE, IN_TRAY, snapshot
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.hidden import Reappearance, believed_still, is_lost, lost
from vlm_bench_sim.core.pose_tracker import Accuracy, PoseTracker
from vlm_bench_sim.core.snapshot import Body, JointState

MS = 1_000_000
AWAY = IN_TRAY.shifted((0.0, 0.0, 0.2))


def seen(seq, pose=IN_TRAY, *, hidden=False):
    now = snapshot()
    return replace(now, seq=seq, step=12 * seq, bodies=now.bodies | {CUBE.name: lost(pose) if hidden else Body(pose)})


def test_what_is_seen_is_told_at_once_and_what_is_hidden_when_it_comes_back():
    back = Reappearance()
    assert [one.seq for one in back.see(seen(0))] == [0]
    assert back.see(seen(1, hidden=True)) == back.see(seen(2, hidden=True)) == ()
    told = back.see(seen(3))
    assert [one.seq for one in told] == [1, 2, 3]
    assert all(one.bodies[CUBE.name] == Body(IN_TRAY) for one in told), 'it is where it was, and has not moved'


def test_what_has_moved_meanwhile_was_on_its_way():
    back = Reappearance()
    back.see(seen(0))
    for seq in (1, 2, 3):
        assert not back.see(seen(seq, hidden=True))
    told = back.see(seen(4, AWAY))
    heights = [one.pose(CUBE.name).position[2] - IN_TRAY.position[2] for one in told]
    assert heights == pytest.approx([0.05, 0.1, 0.15, 0.2])
    assert all(one.bodies[CUBE.name].linear == pytest.approx((0.0, 0.0, 0.2 / 0.2)) for one in told[:-1])


def test_a_joint_of_furniture_too():
    back, now = Reappearance(), snapshot()
    states = [JointState(0.1), JointState(0.1, float('nan')), JointState(0.2)]
    films = [back.see(replace(now, seq=i, mechanisms={'cabinet/top': state})) for i, state in enumerate(states)]
    assert [len(film) for film in films] == [1, 0, 2]
    moved = films[2][0].mechanisms['cabinet/top']
    assert (moved.position, moved.velocity) == (pytest.approx(0.15), pytest.approx(1.0))


def test_what_never_comes_back_stays_unknown():
    back = Reappearance()
    back.see(seen(0))
    back.see(seen(1, hidden=True))
    gone = seen(2)
    told = back.see(replace(gone, bodies={name: body for name, body in gone.bodies.items() if name != CUBE.name}))
    assert [is_lost(one.bodies[CUBE.name]) for one in told if CUBE.name in one.bodies] == [True]


def test_who_acts_believes_that_it_stays():
    assert believed_still(seen(1, hidden=True)).bodies[CUBE.name] == Body(IN_TRAY)


@pytest.mark.parametrize('delay', [0, 300])
def test_a_tracker_loses_a_thing_when_it_tells_nothing_new_however_late_it_is(delay):
    """What is late is not lost; a thing that others outrun is, and so is everything if all of it stops."""
    tracker = PoseTracker(1000 * MS, Accuracy(0.001, 0.01))
    for i in range(20):
        for name in ('a', 'b') if i < 10 else ('a',):
            tracker.see(name, Pose((0.1 * (name == 'a'), 0.0, 0.0)), i * 50 * MS)
        bodies = tracker.bodies(i * 50 * MS + delay * MS)
        assert not is_lost(bodies['a'])
        assert is_lost(bodies['b']) is (i > 9 + 4), i
    assert is_lost(tracker.bodies(20 * 50 * MS + delay * MS + 200 * MS)['a'])
    assert 'a' not in tracker.bodies(3000 * MS)
