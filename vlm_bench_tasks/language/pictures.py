"""Pictures of things for the blanks of a sentence: one thing alone, or a look on a tile (ClevrSkills, prompts)."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from vlm_bench_sim.core.algebra import norm
from vlm_bench_sim.core.codec import serialisable
from vlm_bench_sim.core.errors import PromptError, TaskError, near, quoted
from vlm_bench_sim.core.geometry import Pose, Vector
from vlm_bench_sim.core.looks import Look
from vlm_bench_sim.core.prompts import OBJECT, SCENE, TEXTURE, PromptPicture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.scene import Scene

WORDS, PICTURES, FIRST_FRAME = 'words', 'pictures', 'pictures,first_frame'
FORMS = {
    WORDS: 'a sentence',
    PICTURES: 'a sentence with pictures of the things that it names',
    FIRST_FRAME: 'the same with a picture of the table at the start',
}
"""How a task can be asked, with a description."""

ALONE, TILE = 'clevrskills:object', 'clevrskills:texture'
"""Names of the cameras that look at one thing, and down on a tile."""

_HELD = 0.16
"""Radius of a ball around the origin that the camera of one thing sees whole, m."""
_TOWARDS: Vector = (1 / sqrt(3), 1 / sqrt(3), 1 / sqrt(3))  # from the origin to that camera
_TILE: Vector = (0.30, 0.30, 0.01)


def check_form(form: str) -> str:
    """Return the form if a task can be asked in it.

    Raises:
        PromptError: there is no such form.
    """
    if form not in FORMS:
        raise PromptError(f'There is no prompt called {quoted(form)}. {near(form, FORMS)}')
    return form


def twins(prop: Prop, scene: Scene) -> tuple[str, ...]:
    """Return the names of the other props that nobody tells from this one in a picture: of the same shape and look."""
    return tuple(other.name for other in scene.props if other.name != prop.name and (other.kind, other.look) == (prop.kind, prop.look))


def portrait(prop: Prop, scene: Scene) -> PromptPicture:
    """Return a picture of a prop of the scene alone, as a reference to it.

    Raises:
        TaskError: another prop of the scene looks the same.
    """
    if same := twins(prop, scene):
        raise TaskError(f'A picture of {prop.name!r} also shows {same[0]!r}, which looks the same. Refer to it in words.')
    return alone(prop)


def alone(prop: Prop) -> PromptPicture:
    """Return a picture of a prop alone. A small one looks small; one that does not fit stands further away."""
    radius = norm(np.array(prop.size)) / 2
    away = max(0.0, radius / _HELD - 1.0) * _HELD * 2.2  # the eye is 2.2 times as far as the ball is wide
    x, y, z = (-away * part for part in _TOWARDS)
    return PromptPicture(OBJECT, Scene((replace(prop, pose=Pose((x, y, z)), fixed=True),)), ALONE)


@serialisable
@dataclass(frozen=True)
class Exhibit:
    """Fills a blank with a thing that is not in the scene, such as an example of a new word (ClevrSkills, NovelAdjective).

    Attributes:
        thing: the thing.
        words: what it is called in a sentence.
    """

    thing: Prop
    words: str

    @property
    def picture(self) -> PromptPicture:
        """A picture of the thing."""
        return alone(self.thing)


def look_tile(look: Look) -> PromptPicture:
    """Return a picture of a look on a tile, from above."""
    tile = Prop('tile', 'cube', _TILE, look.color, 0.0, pose=Pose((0.0, 0.0, -_TILE[2] / 2)), texture=look.texture, fixed=True)
    return PromptPicture(TEXTURE, Scene((tile,)), TILE)


def first_frame(scene: Scene, camera: str) -> PromptPicture:
    """Return a picture of the table at the start."""
    return PromptPicture(SCENE, scene, camera, robot=True, table=True)
