"""Ready-made props have the published sizes."""

from vlm_bench_sim.core.areas import AREAS, Area
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.objects.stock import BLOCKS, COLORS, ZONES, area_marker, block, bowl, floating_marker, in_the_air, painted, zone
from vlm_bench_sim.core.scene import Scene

RED = COLORS['red']


def test_sizes_masses_and_nouns():
    small, big = (block(name, RED, side=side) for name, side in BLOCKS.items())
    assert (small.size, big.size) == ((0.04,) * 3, (0.06,) * 3)
    assert small.mass == big.mass == 0.01
    assert bowl('b', RED).size[:2] == (0.12, 0.12)
    assert [zone('z', RED, side=side).size[:2] for side in ZONES] == [(0.10, 0.10), (0.12, 0.12), (0.15, 0.15)]
    assert len({prop.noun for prop in (small, bowl('b', RED), zone('z', RED), area_marker('a', RED))}) == 4


def test_markers_and_zones_are_only_seen_and_an_area_bears_things():
    assert zone('z', RED).ghost and floating_marker('m', RED, (0.5, 0.0, 0.3)).ghost
    marker = area_marker('a', RED)
    assert marker.fixed and not marker.ghost
    hung = in_the_air(block('b', RED), Pose((0.5, 0.0, 0.3)))
    assert hung.fixed and hung.pose.position[2] == 0.3
    assert len(Scene((zone('z', RED), marker, hung)).props) == 3


def test_a_painted_area_covers_it_and_is_only_seen():
    film = painted('a', AREAS['top_left'], RED)
    assert film.ghost and film.solid.parts
    covered = Area.under(film)
    assert (covered.size, covered.pose.position[:2]) == (AREAS['top_left'].size, AREAS['top_left'].pose.position[:2])


def test_colors_tell_themselves_apart():
    assert len({color.rgb for color in COLORS.values()}) == len(COLORS) == 11
    assert all(name == color.name for name, color in COLORS.items())
