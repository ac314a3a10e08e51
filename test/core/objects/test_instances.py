"""Instances of a noun differ from each other, and the novel ones in kind: another scale or a shade of the same color would not do."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from test.profiles import apart
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.objects.instances import BOTTLES, CUPS, SEEN, Instance, instance

FAMILIES = {'bottle': BOTTLES, 'cup': CUPS}
ALIKE, NOVEL, SHADE = 0.03, 0.10, 0.25


@pytest.fixture(params=FAMILIES)
def family(request) -> list[Instance]:
    return list(FAMILIES[request.param].values())


def test_there_are_ten_with_shapes_sizes_and_color_names_of_their_own(family):
    assert len(family) == 10
    for values in ({one.model.kind for one in family}, {one.model.size for one in family}, {one.look.color.name for one in family}):
        assert len(values) == 10


def test_profiles_of_seen_instances_differ(family):
    kinds = [one.model.kind for one in family[:SEEN]]
    assert min(apart(*pair) for pair in combinations(kinds, 2)) >= ALIKE


def test_profiles_of_novel_instances_are_far_from_every_seen_one_and_from_each_other(family):
    seen, novel = ([one.model.kind for one in part] for part in (family[:SEEN], family[SEEN:]))
    assert min(apart(one, other) for one in novel for other in seen) >= NOVEL
    assert apart(*novel) >= NOVEL


def test_the_distance_of_profiles_ignores_scale_and_tells_a_barrel_from_a_cone():
    assert apart('cylinder', 'cylinder') == 0.0
    assert apart('bottle0', 'cylinder') > NOVEL


def test_colors_of_novel_instances_are_far_from_every_seen_one(family):
    seen, novel = (np.array([one.look.color.rgb for one in part]) for part in (family[:SEEN], family[SEEN:]))
    assert np.linalg.norm(novel[:, None] - seen, axis=2).min() >= SHADE


def test_a_prop_has_the_size_the_mass_and_the_look_of_its_instance(family):
    for one in family:
        prop = one.prop('some', noun='thing')
        assert (prop.name, prop.noun, prop.kind, prop.size) == ('some', 'thing', one.model.kind, one.model.size)
        assert (prop.mass, prop.friction, prop.look) == (one.model.mass, 0.8, one.look)


def test_bottles_are_of_a_size_and_a_mass_that_a_gripper_of_80_mm_takes_anywhere():
    for one in BOTTLES.values():
        width, depth, height = one.model.size
        assert width == depth and 0.05 <= width <= 0.07 and 0.14 <= height <= 0.24
        assert 0.08 <= one.model.mass <= 0.35


def test_cups_weigh_about_what_their_glass_does():
    for one in CUPS.values():
        parts = one.prop('cup', noun='cup').solid.parts
        glass = 2500.0 * sum(ConvexHull(part).volume for part in parts)
        assert one.model.mass == pytest.approx(glass, rel=0.1)


def test_an_instance_that_is_not_there_is_an_error():
    with pytest.raises(SceneError, match=r"no instance called 'bottle11'\. Did you mean"):
        instance('bottle11')
