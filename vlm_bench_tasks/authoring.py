"""The single import of a task file."""

from vlm_bench_sim.core.areas import AREAS, Area
from vlm_bench_sim.core.looks import Color
from vlm_bench_sim.core.objects.furniture import DOOR, LEVELS
from vlm_bench_sim.core.prompts import PromptPicture
from vlm_bench_sim.core.props import Prop
from vlm_bench_sim.core.snapshot import TABLE
from vlm_bench_tasks.episode import Due, Episode, Task
from vlm_bench_tasks.family import Family, ScoreDue
from vlm_bench_tasks.goals.base import Goal
from vlm_bench_tasks.goals.cues import Cue
from vlm_bench_tasks.goals.filling import Filled, poured_out, transferred
from vlm_bench_tasks.goals.logic import AtEnd, Held, Never, Not, Once, all_of, any_of, then
from vlm_bench_tasks.goals.matter import Poured, Wiped
from vlm_bench_tasks.goals.mechanisms import JointAt, Opened, led_to, moved_by
from vlm_bench_tasks.goals.moving import Leaning, Moved, Raised, Toppled, Toward, Turned
from vlm_bench_tasks.goals.placing import At, Inside, On, Slid, Within
from vlm_bench_tasks.goals.scales import Carried, Level
from vlm_bench_tasks.goals.touching import Flying, Grasped, Reached, Touching
from vlm_bench_tasks.goals.towers import Tower, tower
from vlm_bench_tasks.language.amounts import DOORS, EXTENTS, amounts, angles, lengths, shares
from vlm_bench_tasks.language.invented import ByAdjective, ByWord
from vlm_bench_tasks.language.pictures import PICTURES, Exhibit, look_tile
from vlm_bench_tasks.language.places import ByContent, ByLevel, ByNeighbour
from vlm_bench_tasks.language.references import ByNoun
from vlm_bench_tasks.language.sentences import say
from vlm_bench_tasks.variation.draw import Draw

__all__ = [
    'AREAS',
    'DOOR',
    'DOORS',
    'EXTENTS',
    'LEVELS',
    'PICTURES',
    'TABLE',
    'Area',
    'At',
    'AtEnd',
    'ByAdjective',
    'ByContent',
    'ByLevel',
    'ByNeighbour',
    'ByNoun',
    'ByWord',
    'Carried',
    'Color',
    'Cue',
    'Draw',
    'Due',
    'Episode',
    'Exhibit',
    'Family',
    'Filled',
    'Flying',
    'Goal',
    'Grasped',
    'Held',
    'Inside',
    'JointAt',
    'Leaning',
    'Level',
    'Moved',
    'Never',
    'Not',
    'On',
    'Once',
    'Opened',
    'Poured',
    'PromptPicture',
    'Prop',
    'Raised',
    'Reached',
    'ScoreDue',
    'Slid',
    'Task',
    'Toppled',
    'Touching',
    'Toward',
    'Tower',
    'Turned',
    'Wiped',
    'Within',
    'all_of',
    'amounts',
    'angles',
    'any_of',
    'led_to',
    'lengths',
    'look_tile',
    'moved_by',
    'poured_out',
    'say',
    'shares',
    'then',
    'tower',
    'transferred',
]
