"""What a driver tells: labels say of each instance what it is, and nothing of how the scene calls it."""

from vlm_bench_sim.core.camera import Camera
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.mechanisms import Joint, Link, Mechanism
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene
from vlm_bench_sim.ros import driver

SLIDE = Joint('prismatic', Pose(), (1.0, 0.0, 0.0), 0.0, 0.2)
BODY, FRONT = (Prop(name, 'cube', (0.2, 0.2, 0.2), Color('red', (1.0, 0.0, 0.0)), 1.0) for name in ('carcass', 'front'))
CABINET = Mechanism('target_2', (Link('body', (BODY,)), Link('drawer', (FRONT,), 'body', SLIDE)), noun='cabinet')
SPONGE = Prop('target_1', 'cube', (0.05, 0.05, 0.02), Color('red', (1.0, 0.0, 0.0)), 0.05, noun='sponge')
SCENE = Scene(
    (SPONGE,), room='study', mechanisms=(CABINET,),
    beads=(Beads('target_water', ((0.4, 0.0, 0.05),)),), dirt=(Dirt('target_1_dirt', ((0.4, 0.1, 0.0),), 'target_1'),),
)  # fmt: skip


def test_labels_are_nouns_and_parts_and_no_name_of_the_scene():
    _, fields = driver.labels(SCENE, Camera('front', Pose()), 'token')
    told = {row['id']: (row['name'], row['part']) for row in fields['labels']}
    assert told == {
        1: ('table', ''), 2: ('robot', ''), 3: ('sponge', ''), 4: ('cabinet', 'body'), 5: ('cabinet', 'drawer'),
        6: ('water', ''), 7: ('dirt', ''), 8: ('room', ''),
    }  # fmt: skip
