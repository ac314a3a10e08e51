"""Furniture is drawn from the split, stands where a robot can open it, and its words for amounts mean what the table says."""

from math import degrees, hypot, radians

import numpy as np
import pytest

from vlm_bench_sim.core.errors import SceneError, TaskError
from vlm_bench_sim.core.mechanisms import Mechanism
from vlm_bench_sim.core.objects.furniture import DOOR, FINISHES, MODELS, Chest, furniture
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.language.amounts import AMOUNTS, EXTENTS, shares, words
from vlm_bench_tasks.suite.vlmbench._props import Draw
from vlm_bench_tasks.variation.furnishing import ASKEW, TABLE
from vlm_bench_tasks.variation.placement import Workspace
from vlm_bench_tasks.variation.pools import Pools
from vlm_bench_tasks.variation.streams import Streams


def draw(seed: int, chest: str = 'drawer1', door: str = 'door1') -> Draw:
    pools = Pools((), {'chest': (chest,), 'door': (door,)})
    return Draw(Streams('family/task', 'seen', seed), pools, axis='level', workspace=Workspace())


def corners(piece: Mechanism) -> np.ndarray:
    return np.concatenate([solid.pose.apply(solid.solid.vertices) for solid in piece.solids({})])


def gaps(piece: Mechanism, drawers: tuple[str, ...], axis: int) -> list[float]:
    """Distances between the fronts of neighbouring drawers in a row (axis 1, from the left) or column (axis 2, from the top), m."""
    at = [piece.joints[piece.full(drawer)].origin.position[axis] for drawer in drawers]
    half = [piece.link(drawer).parts[0].size[axis] / 2 for drawer in drawers]
    return [at[i] - half[i] - at[i + 1] - half[i + 1] for i in range(len(drawers) - 1)]


def facing(piece: Mechanism) -> tuple[float, float]:
    """How far the middle of the front is from the robot, m, and how far the piece is turned from facing it, rad."""
    front = min(part.pose.position[0] - part.size[0] / 2 for part in piece.links[0].parts)
    x, y, _ = piece.pose.apply([(front, 0.0, 0.0)])[0]
    return float(hypot(x, y)), piece.pose.yaw - float(np.arctan2(y, x))


@pytest.mark.parametrize('model', MODELS)
@pytest.mark.parametrize('share', [0.0, 1.0])
def test_every_piece_stands_on_the_table_and_nothing_of_it_goes_below(model, share):
    piece = furniture(model, 'piece')
    piece = piece.started(**{name.split('/')[1]: joint.lower + share * (joint.upper - joint.lower) for name, joint in piece.joints.items()})
    assert corners(piece)[:, 2].min() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize('model', [name for name, model in MODELS.items() if isinstance(model, Chest)])
def test_drawers_lie_above_one_another_and_side_by_side_with_a_gap_around_each_front(model):
    piece, grid = furniture(model, 'piece'), MODELS[model].layout.names
    for row in grid:
        assert all(gap > 0.01 for gap in gaps(piece, row, 1))
    for column in zip(*grid, strict=True):
        assert all(gap > 0.01 for gap in gaps(piece, column, 2))


@pytest.mark.parametrize('seed', range(30))
def test_furniture_stands_on_the_table_where_a_robot_can_open_it(seed):
    chest, door = draw(seed, chest=('drawer1', 'drawer2', 'drawer3')[seed % 3]).chest(), draw(seed).door()
    for piece in (chest, door):
        assert (corners(piece)[:, :2] > TABLE.box.low[:2]).all() and (corners(piece)[:, :2] < TABLE.box.high[:2]).all()
    distance, turned = facing(chest)
    assert 0.76 <= distance <= 0.82
    assert ASKEW[0] <= abs(turned) <= ASKEW[1]
    assert abs(chest.pose.yaw) <= radians(45.0)
    assert abs(door.pose.yaw) <= radians(22.5)
    assert 0.66 <= facing(door)[0] <= 0.72


def test_a_piece_starts_open_by_the_share_that_is_asked_for():
    assert draw(1).chest(top=1.0).joints['chest/top'].start == pytest.approx(0.2)
    assert degrees(draw(1).door(door=0.5).joints[f'door/{DOOR}'].start) == pytest.approx(30.0)
    with pytest.raises(SceneError, match='starts within its limits'):
        draw(1).chest(top=1.2)


def test_models_and_finishes_are_drawn_and_unknown_ones_refused():
    looks = {draw(seed).chest().links[1].parts[0].color.name for seed in range(40)}
    assert looks == {finish.front.name for finish in FINISHES.values()}
    with pytest.raises(TaskError, match=r"no furniture called 'drawer4'. Did you mean drawer"):
        furniture('drawer4', 'piece')
    with pytest.raises(TaskError, match='no finish'):
        furniture('drawer1', 'piece', 'gold')


def test_all_the_variations_of_the_suite_come_up_and_each_sentence_says_the_amount():
    said = {catalogue.build('vlmbench/drawer', 'seen', seed).goal.words() for seed in range(150)}
    assert len(said) == 12
    doors = [catalogue.build('vlmbench/door', 'seen', seed).goal for seed in range(40)]
    assert len({(goal.low, goal.joint.start) for goal in doors}) == 4
    for seed in range(20):
        told = catalogue.build('vlmbench/drawer', 'unseen', seed).instruction
        for sentence in (told.text, *told.paraphrases):
            assert any(word in sentence.lower() for word in (*EXTENTS, *EXTENTS.values()))


def test_words_for_amounts_mean_shares():
    assert shares('slightly') == (0.4, 0.7)
    assert shares('half') == shares('fifty percent') == pytest.approx((0.4, 0.6))
    assert words(0.75) == ('three quarters', '75 percent', 'seventy-five percent')
    assert words(0.3) == ('30 percent', 'thirty percent')
    assert all(low < high for low, high in AMOUNTS.values())
    with pytest.raises(TaskError, match=r"no amount called 'halve'. Did you mean half"):
        shares('halve')
