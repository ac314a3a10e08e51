"""A look from outside is a Look with every field of its type, or is refused with a reason."""

import json

import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color, Look, Texture
from vlm_bench_sim.ros.looks import read_look

PLAIN = Look(Color('red', (1.0, 0.0, 0.0)))
STRIPED = Look(PLAIN.color, Texture('stripe', Color('white', (1.0, 1.0, 1.0)), 0.05))


def changed(look, **fields):
    return json.dumps(json.loads(codec.dumps(look)) | fields)


@pytest.mark.parametrize('look', [PLAIN, STRIPED], ids=['plain', 'striped'])
def test_a_look_is_read_as_it_was_written(look):
    assert read_look(codec.dumps(look)) == look


RED = json.loads(codec.dumps(PLAIN.color))
STRIPE = json.loads(codec.dumps(STRIPED.texture))


@pytest.mark.parametrize(
    ('text', 'why'),
    [
        ('red', 'cannot be read'),
        ('[' * 1999, 'cannot be read'),
        ('{"is":[]}', 'cannot be read'),
        ('{"is":"Look"}', 'color'),
        (' ' * 3000, 'found 3000'),
        (codec.dumps(Pose()), 'that of a Pose'),
        ('null', 'that of a NoneType'),
        (changed(PLAIN, color='red'), 'Look.color takes Color'),
        (changed(PLAIN, color=RED | {'name': 3}), 'Color.name takes str'),
        (changed(PLAIN, color=RED | {'rgb': [1.0, 0.0]}), 'Color.rgb takes tuple'),
        (changed(PLAIN, color=RED | {'rgb': [2.0, 0.0, 0.0]}), 'in 0…1'),
        (changed(PLAIN, color=RED | {'rgb': [float('nan'), 0.0, 0.0]}), 'the number NaN, which is not finite'),
        (changed(PLAIN, color=RED | {'rgb': 'red'}), 'Color.rgb takes tuple'),
        (changed(STRIPED, texture='stripe'), 'Look.texture takes Texture . None'),
        (changed(STRIPED, texture=STRIPE | {'pattern': 'stripes'}), 'stripe'),
        (changed(STRIPED, texture=STRIPE | {'pattern': ['stripe']}), 'pattern'),
        (changed(STRIPED, texture=STRIPE | {'color': None}), 'Texture.color takes Color'),
        (changed(STRIPED, texture=STRIPE | {'period': 'wide'}), 'Look'),
        (changed(STRIPED, texture=STRIPE | {'period': 1e9}), 'period'),
    ],
)
def test_anything_else_is_refused_with_a_reason(text, why):
    with pytest.raises(SceneError, match=why) as caught:
        read_look(text)
    assert len(str(caught.value)) < 500
