"""What a gripper has taken it keeps while it is shaken along three axes and held for five seconds; and only as long as forces let it.

The trials are those of `make bench ARGS=grasps`; the fast ones are a sample of them.
"""

import pytest

from test.benchmark import _holding
from test.benchmark._holding import CUPS, FINGERS, Hand, Thing, slipped
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.gripper import SuctionProfile
from vlm_bench_sim.core.props import Color, Prop
from vlm_bench_sim.core.snapshot import Body, Snapshot
from vlm_bench_sim.profiles import robot, robots

SAMPLE = [
    ('panda', FINGERS[2]),  # a bar, whose ends have the longest levers
    ('ur5e', CUPS[3]),  # a tall box under a single cup
    *[
        pytest.param(name, thing, marks=pytest.mark.slow)
        for name, thing in (
            ('panda', FINGERS[6]),  # a star, held by corners
            ('fr3', FINGERS[5]),  # a can
            ('panda_vacuum', CUPS[9]),  # a cross, on which some cups find no hold
            ('xarm6', CUPS[12]),  # half a kilogram
        )
    ],
]


@pytest.fixture
def hand(request):
    made = Hand(robot(request.param))
    yield made
    made.close()


@pytest.mark.parametrize(('hand', 'thing'), SAMPLE, indirect=['hand'], ids=str)
def test_it_is_held(hand, thing):
    outcome = hand.hold(thing)
    assert outcome.held, str(outcome)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize('name', robots())
def test_each_gripper_holds_fifteen_things(name):
    hand = Hand(robot(name))
    things = CUPS if isinstance(hand.profile.gripper, SuctionProfile) else FINGERS
    lost = {str(thing): str(outcome) for thing in things if not (outcome := hand.hold(thing)).held}
    hand.close()
    assert len(things) == 15 and not lost


@pytest.mark.parametrize(('hand', 'mass'), [('panda', 6.0), ('ur5e', 5.0)], indirect=['hand'])
def test_what_is_too_heavy_is_lost(hand, mass):
    """Friction holds 2 × 35 N × 0.71 at most, the cup 50 N; shaking asks for 2 m/s² more than lying still."""
    outcome = hand.hold(Thing('cube', (0.06, 0.06, 0.06), mass))
    assert (not outcome.held and 'lost' in str(outcome)) or 'slipped' in str(outcome)


@pytest.mark.parametrize('hand', ['panda'], indirect=True)
def test_what_is_slippery_is_lost(hand, monkeypatch):
    monkeypatch.setattr(_holding, 'FRICTION', 0.02)
    assert not hand.hold(Thing('cube', (0.06, 0.06, 0.06), 0.3)).held


def test_slipping_is_measured_at_the_corners():
    prop = Prop('thing', 'cube', (0.2, 0.02, 0.02), Color('red', (1.0, 0.0, 0.0)), 0.1)

    def shot(pose: Pose) -> Snapshot:
        return Snapshot(0, 0, {}, Pose((0.5, 0.0, 0.2)), 0.0, bodies={'thing': Body(pose)})

    turned = Pose.from_rpy((0.5, 0.0, 0.2), (0.0, 0.0, 0.1))
    assert slipped([shot(Pose((0.5, 0.0, 0.2))), shot(turned)], prop) == pytest.approx(0.01, rel=0.02)
