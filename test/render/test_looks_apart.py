"""Every look of ClevrSkills is another one, as seen by the camera of its policies."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from vlm_bench_sim.core.geometry import Floats, Pose
from vlm_bench_sim.core.looks import MATERIALS, Color, Look, read_look
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.profiles import cameras
from vlm_bench_sim.render import Renderer
from vlm_bench_tasks import settings

APART = 0.04
"""Least difference of two looks that are told apart, as a mean over pixels and channels; the closest pair differs by 0.06."""

AT = Pose.from_rpy((0.46, 0.0, 0.025), (0.0, 0.0, 0.4))
POOLS = settings.splits('clevrskills').pools
COLORS = {color.name: color.rgb for color in POOLS['seen'].color}
PAISLEY = tuple(f'{name} paisley' for name in ('black', 'blue', 'green', 'purple', 'red', 'yellow'))
SWIRLS = 'black and white swirls'
LOOKS = dict.fromkeys(
    (*(look.words for pools in POOLS.values() for group in pools.look.values() for look in group), *MATERIALS, *PAISLEY, SWIRLS)
)


def seen(renderer: Renderer, look: Look) -> Floats:
    """The pixels of a cube of that look, (n, 3) in 0…1, as the base camera sees them."""
    (camera,) = (camera for camera in cameras('clevrskills', 256, 256, robot='xarm6') if camera.name == 'base')
    cube = Prop('cube', 'cube', (0.10, 0.10, 0.05), Color('', (0.0, 0.0, 0.0)), 0.5, pose=AT).dressed(look)
    scene = Scene((cube,))
    renderer.load(scene)
    picture = renderer.render(camera, {'cube': AT}, {}, table=True)
    return picture.color[picture.ids == scene.ids['cube']] / 255.0


def confused(renderer: Renderer, looks: Sequence[Look]) -> list[tuple[str, str]]:
    """The pairs of looks that differ by less than `APART`."""
    pixels = [seen(renderer, look) for look in looks]
    pairs = combinations(range(len(looks)), 2)
    return [(looks[i].words, looks[j].words) for i, j in pairs if np.abs(pixels[i] - pixels[j]).mean() < APART]


def read(*words: str) -> list[Look]:
    return [read_look(one, COLORS) for one in words]


def test_all_looks_are_told_apart_from_the_base_camera(renderer: Renderer) -> None:
    assert len(LOOKS) == 76
    assert len(seen(renderer, *read('red'))) > 500
    assert confused(renderer, read(*LOOKS)) == []


@pytest.mark.parametrize(
    ('words', 'drawn'),
    [
        ('red and blue polka dots', 'red and blue stripes'),
        ('dark red and blue stripes', 'red and blue stripes'),
        ('magma', 'granite'),
        ('rainbow-colored', 'red'),
        ('blue paisley', 'blue and white polka dots'),
    ],
)
def test_two_looks_that_are_drawn_the_same_would_be_noticed(renderer: Renderer, words: str, drawn: str) -> None:
    one, other = read(words, drawn)
    assert confused(renderer, [one, other]) == []
    assert confused(renderer, [replace(one, texture=other.texture, color=Color(words, other.color.rgb)), other]) != []


def test_two_looks_of_almost_one_color_would_be_noticed(renderer: Renderer) -> None:
    (red,) = read('red and blue stripes')
    nearly = replace(red, color=Color('crimson', (0.95, 0.05, 0.0)))
    assert confused(renderer, [red, nearly]) == [('red and blue stripes', 'crimson and blue stripes')]
