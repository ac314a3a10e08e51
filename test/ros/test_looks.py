"""A look from outside is a Look with every field of its type, or is refused with a reason."""

import json

import pytest

from vlm_bench_sim.core import codec
from vlm_bench_sim.core.errors import SceneError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Colour, Look, Texture
from vlm_bench_sim.ros.looks import read_look

PLAIN = Look(Colour('red', (1.0, 0.0, 0.0)))
STRIPED = Look(PLAIN.colour, Texture('stripe', Colour('white', (1.0, 1.0, 1.0)), 0.05))


def changed(look, **fields):
    return json.dumps(json.loads(codec.dumps(look)) | fields)


@pytest.mark.parametrize('look', [PLAIN, STRIPED], ids=['plain', 'striped'])
def test_a_look_is_read_as_it_was_written(look):
    assert read_look(codec.dumps(look)) == look


RED = json.loads(codec.dumps(PLAIN.colour))
STRIPE = json.loads(codec.dumps(STRIPED.texture))


@pytest.mark.parametrize(
    ('text', 'why'),
    [
        ('red', 'cannot be read'),
        ('[' * 1999, 'cannot be read'),
        ('{"is":[]}', 'cannot be read'),
        ('{"is":"Look"}', 'colour'),
        (' ' * 3000, '3000 characters'),
        (codec.dumps(Pose()), 'that of a Pose'),
        ('null', 'that of a NoneType'),
        (changed(PLAIN, colour='red'), 'Look.colour takes Colour'),
        (changed(PLAIN, colour=RED | {'name': 3}), 'Colour.name takes str'),
        (changed(PLAIN, colour=RED | {'rgb': [1.0, 0.0]}), 'Colour.rgb takes tuple'),
        (changed(PLAIN, colour=RED | {'rgb': [2.0, 0.0, 0.0]}), 'in 0…1'),
        (changed(PLAIN, colour=RED | {'rgb': [float('nan'), 0.0, 0.0]}), 'the number NaN, which is not finite'),
        (changed(PLAIN, colour=RED | {'rgb': 'red'}), 'Colour.rgb takes tuple'),
        (changed(STRIPED, texture='stripe'), 'Look.texture takes Texture . None'),
        (changed(STRIPED, texture=STRIPE | {'pattern': 'stripes'}), 'stripe'),
        (changed(STRIPED, texture=STRIPE | {'pattern': ['stripe']}), 'pattern'),
        (changed(STRIPED, texture=STRIPE | {'colour': None}), 'Texture.colour takes Colour'),
        (changed(STRIPED, texture=STRIPE | {'period': 'wide'}), 'Look'),
        (changed(STRIPED, texture=STRIPE | {'period': 1e9}), 'period'),
    ],
)
def test_anything_else_is_refused_with_a_reason(text, why):
    with pytest.raises(SceneError, match=why) as caught:
        read_look(text)
    assert len(str(caught.value)) < 500
