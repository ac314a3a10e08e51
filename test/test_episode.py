"""Every word that an episode can hold is known wherever an episode is read, whatever else was imported there."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from inspect import isabstract
from typing import Any, get_args, get_type_hints

import pytest

from test.films import BLUE, CUBE, RED, TRAY
from vlm_bench_sim.core.areas import AREAS
from vlm_bench_sim.core.codec import dumps
from vlm_bench_sim.core.errors import TaskError
from vlm_bench_sim.core.geometry import Pose
from vlm_bench_sim.core.looks import Look, Texture
from vlm_bench_sim.core.matter import Beads, Dirt
from vlm_bench_sim.core.objects.furniture import DOOR, furniture
from vlm_bench_sim.core.objects.stock import zone
from vlm_bench_sim.core.perturbation import Perturbation
from vlm_bench_sim.core.prompts import PromptPicture
from vlm_bench_sim.core.scene import Scene
from vlm_bench_tasks import catalogue
from vlm_bench_tasks.episode import Episode
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.goals.filling import Filled, Spilt
from vlm_bench_tasks.goals.logic import All, AtEnd, Held, Never, Not, Once, Then
from vlm_bench_tasks.goals.logic import Any as AnyOf
from vlm_bench_tasks.goals.matter import Poured, Wiped
from vlm_bench_tasks.goals.mechanisms import JointAt, Opened
from vlm_bench_tasks.goals.moving import Leaning, Moved, Raised, Toppled, Toward, Turned
from vlm_bench_tasks.goals.placing import At, Inside, On, Slid, Within
from vlm_bench_tasks.goals.scales import Carried, Level
from vlm_bench_tasks.goals.touching import Flying, Grasped, Reached, Touching
from vlm_bench_tasks.goals.towers import Tower
from vlm_bench_tasks.language.invented import ByAdjective, ByWord
from vlm_bench_tasks.language.looks import ByLook
from vlm_bench_tasks.language.pictures import Exhibit
from vlm_bench_tasks.language.places import ByContent, ByDirection, ByLevel, ByNeighbour, ByRegion
from vlm_bench_tasks.language.references import ByColor, ByNoun, ByShape, BySide, BySize, ByTexture
from vlm_bench_tasks.language.sentences import Instruction
from vlm_bench_tasks.language.sizes import BySizedColor
from vlm_bench_tasks.skills import skill_for  # with every skill, and what else plays an episode

READ = """
import sys
from vlm_bench_tasks.episode import Episode
from vlm_bench_sim.core.codec import dumps
sys.stdout.write(dumps(Episode.from_json(sys.stdin.read())))
"""
WOODEN = replace(CUBE, name='object_2', texture=Texture('stripe', RED))
ZONE, CABINET = zone('zone_1', RED), furniture('door1', 'cabinet_1')
AREA = next(iter(AREAS.values()))
WATER, SOIL = Beads('water', ((0.5, -0.3, 0.02),)), Dirt('soil', ((0.0, 0.0, 0.001),), 'object_1')
LEAVES = (
    Inside(CUBE, TRAY), On(CUBE, TRAY), Within(CUBE, AREA), At(CUBE, Pose()), Tower(((CUBE,), (WOODEN,))),
    Opened(CABINET, DOOR, 0.1, 0.2), Poured(WATER, TRAY), Wiped(SOIL, ZONE), Moved(CUBE, 0.1), Raised(CUBE, 0.1), Toppled(CUBE),
    Toward(CUBE, TRAY), Turned(CUBE, 1.0), Grasped(CUBE), Reached(Pose()), Touching(CUBE), JointAt(CABINET, DOOR, 0.5), Leaning(CUBE, 1.0),
    Filled(WATER, TRAY, 0.5), Spilt(WATER, (TRAY,)), Flying(CUBE, TRAY), Slid(CUBE, Pose()),
    Carried(CUBE, CABINET, (DOOR,)), Level(CABINET, DOOR),
)  # fmt: skip
GOAL = AtEnd(Then((All(LEAVES), AnyOf((Not(LEAVES[0]), Held(LEAVES[0], 1.0))), Never(LEAVES[1]), Once(LEAVES[2]))))
REFERENCES = (
    ByNoun('a'), ByColor('a'), ByShape('a'), BySize('a'), BySide('a'), ByTexture('a'), ByWord('a', 'w'), ByAdjective('a', 'w', 1.0),
    BySizedColor('a'), ByLook('a'), ByRegion('a', AREA), ByDirection('a'), ByLevel('a'), ByContent('a'),
    ByNeighbour('a', 'b'),
)  # fmt: skip
LOOK, PICTURE = Look(BLUE), PromptPicture('object', Scene((CUBE,)), 'clevrskills:object')
EPISODE = Episode(
    Scene((CUBE, TRAY, WOODEN, ZONE), mechanisms=(CABINET,), beads=(WATER,), dirt=(SOIL,)),
    GOAL,
    Instruction(
        'Do {0}.',
        refs={str(i): reference for i, reference in enumerate(REFERENCES)},
        pictures=(PICTURE,),
        drawings={'d': PICTURE},
        exhibits={'e': Exhibit(CUBE, 'the cube')},
    ),
    cues=(Cue('zone_1', LEAVES[0], LOOK, LOOK, LOOK),),
    perturbation=Perturbation(pixel_noise=1.0),
)
"""One of each."""


def below(kind: type) -> Iterator[type]:
    """Yield the class and every class derived from it."""
    yield kind
    for derived in kind.__subclasses__():
        yield from below(derived)


def possible(hint: Any, found: set[type]) -> set[type]:
    """Add every class of ours whose value may stand where the type hint does, and what may stand in its fields."""
    for part in get_args(hint):
        possible(part, found)
    for kind in below(hint) if isinstance(hint, type) and hint.__module__.startswith('vlm_bench_') else ():
        if is_dataclass(kind) and not isabstract(kind) and kind.__module__.startswith('vlm_bench_') and kind not in found:
            found.add(kind)
            for field in get_type_hints(kind).values():
                possible(field, found)
    return found


def held(value: Any) -> Iterator[type]:
    """Yield the class of every value that a value holds, itself included."""
    if is_dataclass(value):
        yield type(value)
        value = [getattr(value, field.name) for field in fields(value)]
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from held(part)


def test_every_word_is_known_to_a_process_that_only_reads_an_episode():
    assert catalogue.tasks() and skill_for, 'what plays episodes is imported, so that every class is there'
    assert {kind.__name__ for kind in possible(Episode, set()) - set(held(EPISODE))} == set(), 'add one of each to EPISODE'
    text = dumps(EPISODE)
    done = subprocess.run([sys.executable, '-c', READ], input=text, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-1000:]
    assert done.stdout == text


@pytest.mark.parametrize(
    ('text', 'says'),
    [
        (dumps(EPISODE).replace('"is":"Toward"', '"is":"Nonsense"'), "names the unknown class 'Nonsense'"),
        (dumps(EPISODE).replace(dumps(GOAL), '"the cube is inside"', 1), 'Episode.goal takes Goal; found'),
        (dumps(EPISODE).replace(dumps(EPISODE.scene), dumps(CUBE), 1), 'Episode.scene takes Scene; found'),
        (dumps(EPISODE).replace('"size":[0.2,0.125,0.05]', '"size":[]'), 'Prop.size takes tuple.float, float, float.; found'),
        (dumps(CUBE), 'found that of a Prop'),
        ('', 'cannot be read'),
    ],
)
def test_what_is_no_episode_is_refused_by_what_is_wrong_with_it(text, says):
    with pytest.raises(TaskError, match=says):
        Episode.from_json(text)
