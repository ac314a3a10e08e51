"""Where frames stand in the world."""

from vlm_bench_sim.core.frames import standing
from vlm_bench_sim.core.geometry import Pose


def test_a_frame_stands_where_its_chain_leads_and_nowhere_without_one():
    frames = {'arm': ('world', Pose((1.0, 0.0, 0.0))), 'camera': ('arm', Pose((0.0, 2.0, 0.0))), 'a': ('b', Pose()), 'b': ('a', Pose())}
    assert standing(frames, 'camera').position == (1.0, 2.0, 0.0)
    assert standing({}, 'world') == Pose()
    assert standing(frames, 'lost') is standing(frames, 'a') is None
