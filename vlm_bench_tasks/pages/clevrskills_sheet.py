"""Contact sheets of ClevrSkills: the objects and looks of its pools, and a prompt."""

import cv2
import numpy as np

from vlm_bench_sim import profiles
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.shapes import usual_size
from vlm_bench_sim.motion.kinematics import Kinematics
from vlm_bench_sim.prompts import PromptStudio
from vlm_bench_sim.render.mesh import Bytes
from vlm_bench_sim.render.prompt_sheet import prompt_sheet
from vlm_bench_tasks import catalogue, settings
from vlm_bench_tasks.language.pictures import PICTURES
from vlm_bench_tasks.language.references import shape_noun
from vlm_bench_tasks.pages.prop_sheet import alone, sheet

COLUMNS = 8
SMALLER = 0.55
PROMPT, SEED = 'clevrskills/novel_adj_noun', 2008
_PAINT = Color('paint', (0.16, 0.45, 0.85))


def household(*, captions: bool = True) -> Bytes:
    """Return a sheet of every object in the pools of ClevrSkills at its usual size, with its noun if `captions`."""
    every = [kind for pools in settings.splits('clevrskills').pools.values() for group in pools.shape.values() for kind in group]
    tiles = [(shape_noun(kind), alone(Prop('one', kind, usual_size(kind), _PAINT, 0.1))) for kind in dict.fromkeys(every)]
    return sheet(tiles, columns=COLUMNS, captions=captions)


def prompt() -> Bytes:
    """Return a prompt with pictures as a person reads it."""
    profile = profiles.robot(catalogue.task(PROMPT).robot)
    studio = PromptStudio(profile, Kinematics(profile))
    told = catalogue.build(PROMPT, '', SEED, prompt=PICTURES).instruction
    shown = prompt_sheet(told.text, studio.draw(told.pictures))
    studio.close()
    return shown


def looks() -> Bytes:
    """Return a sheet of every look in the pools of ClevrSkills on a block, the seen ones first, with its words."""
    every = [look for pools in settings.splits('clevrskills').pools.values() for group in pools.look.values() for look in group]
    block = Prop('one', 'cube', (0.10, 0.10, 0.05), _PAINT, 0.1)
    whole = sheet([(look.words, alone(block.dressed(look))) for look in dict.fromkeys(every)], columns=COLUMNS)
    return np.asarray(cv2.resize(whole, None, fx=SMALLER, fy=SMALLER, interpolation=cv2.INTER_AREA), dtype=np.uint8)
