"""Patterns: each shows both colors, goes with its thing, and costs a plain scene nothing."""

from dataclasses import replace

import numpy as np
import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import CLEAR, PATTERNS, Color, Texture, glass
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Light, Scene, Table
from vlm_bench_sim.render import Renderer
from vlm_bench_sim.render.pattern_shaders import tint

RED, BLUE = Color('red', (0.9, 0.1, 0.1)), Color('blue', (0.1, 0.1, 0.9))
NEAR = Camera('near', Pose.look_at((0.5, 0.0, 0.35), (0.50001, 0.0, 0.0)), fov=0.5, width=200, height=200)

BEECH = Table()


def cube(pose: Pose = Pose((0.5, 0.0, 0.05)), **more: object) -> Prop:
    return Prop('cube', 'cube', (0.1, 0.1, 0.1), RED, 0.1, pose=pose, **more)


def look(renderer: Renderer, *props: Prop, table: Table = BEECH) -> np.ndarray:
    """The pixels of the cube's top, or of the table where there is no cube, (n, 3)."""
    scene = Scene(props, table=table, light=Light(shadows=False))
    renderer.load(scene)
    return renderer.render(NEAR, {prop.name: prop.pose for prop in props}, {}).color[40:160, 40:160].astype(int)


@pytest.mark.parametrize('pattern', PATTERNS)
def test_a_pattern_shows_both_colors_where_it_was_put(renderer: Renderer, pattern: str) -> None:
    plain, other = look(renderer, cube()), look(renderer, replace(cube(), color=BLUE))
    seen = look(renderer, cube(texture=Texture(pattern, BLUE, 0.02)))
    under = np.abs(seen - plain[60, 60]).max(axis=-1) < 12
    over = np.abs(seen - other[60, 60]).max(axis=-1) < 12
    assert under.mean() > 0.05
    if pattern in ('wood', 'marble', 'speckle', 'magma', 'dimple'):  # whose colors run into each other
        assert np.ptp(seen[:, :, 2]) > 40
    else:
        assert over.mean() > 0.05


def test_every_pattern_is_another_picture(renderer: Renderer) -> None:
    pictures = [look(renderer, cube(texture=Texture(pattern, BLUE, 0.02))) for pattern in PATTERNS]
    for i, one in enumerate(pictures):
        assert all(np.abs(one - other).mean() > 2 for other in pictures[:i]), PATTERNS[i]


def test_a_rainbow_has_seven_hues_between_its_two_colors_and_magma_a_third_color(renderer: Renderer) -> None:
    bands = look(renderer, cube(texture=Texture('rainbow', Color('violet', (0.5, 0.1, 0.9)), 0.07)))
    shares = [(np.abs(bands - color).sum(axis=-1) == 0).mean() for color in np.unique(bands.reshape(-1, 3), axis=0)]
    assert sum(share > 0.05 for share in shares) == 7
    crust, glowing = Color('crust', (0.1, 0.1, 0.1)), Color('glow', (0.9, 0.0, 0.0))
    magma = look(renderer, replace(cube(texture=Texture('magma', glowing, 0.03)), color=crust))
    assert (magma[:, :, 1] > 120).mean() > 0.005  # of which neither color has so much green


def test_patterns_that_are_not_simple_cost_a_picture_of_simple_ones_nothing(renderer: Renderer) -> None:
    simple, rich = (tint(rich=rich) for rich in (False, True))
    assert 'paisley' in rich and 'paisley' not in simple
    before = look(renderer, cube(texture=Texture('stripe', BLUE, 0.02)))
    paisley = Prop('other', 'cube', (0.01, 0.01, 0.01), RED, 0.1, pose=Pose((0.8, 0.5, 0.05)), texture=Texture('paisley', BLUE))
    assert (np.abs(look(renderer, cube(texture=Texture('stripe', BLUE, 0.02)), paisley) - before) <= 1).all()


def test_a_pattern_goes_with_its_thing(renderer: Renderer) -> None:
    stripes = Texture('stripe', BLUE, 0.02)
    straight = look(renderer, cube(texture=stripes))
    turned = look(renderer, cube(Pose.from_rpy((0.5, 0.0, 0.05), (0.0, 0.0, np.pi / 2)), texture=stripes))
    assert np.abs(straight - np.rot90(turned)).mean() < 8 < np.abs(straight - turned).mean()


def test_the_period_is_a_length(renderer: Renderer) -> None:
    def changes(period: float) -> int:
        row = look(renderer, cube(texture=Texture('stripe', BLUE, period)))[:, :, 2]
        lines = max((row[60], row[:, 60]), key=np.ptp)
        return int((np.diff((lines > 120).astype(int)) != 0).sum())

    assert changes(0.01) == pytest.approx(2 * changes(0.02), abs=2)


def test_a_table_has_a_pattern_too_and_the_cube_on_it_stays_plain(renderer: Renderer) -> None:
    patterned = Table(texture=Texture('checker', BLUE, 0.05))
    assert np.ptp(look(renderer, table=patterned)[:, :, 0]) > 40
    assert (np.abs(look(renderer, cube(), table=patterned) - look(renderer, cube())) <= 1).all()


def test_see_through_is_no_pattern_that_anybody_draws_but_a_texture_takes_it() -> None:
    assert CLEAR not in PATTERNS
    assert glass(RED).texture == Texture(CLEAR, RED)
    assert codec.loads(codec.dumps(glass(RED))) == glass(RED)


def test_a_pattern_that_cannot_be_is_refused() -> None:
    with pytest.raises(SceneError, match='Did you mean stripe'):
        Texture('strip', RED)
    with pytest.raises(SceneError, match='period'):
        Texture('stripe', RED, 0.0)
