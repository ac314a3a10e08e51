"""Rooms around the table: the study, twenty rooms by number, and any of these in the palette of another, such as `room3~room17`."""

from functools import lru_cache

from vlm_bench_sim.core.geometry import Box
from vlm_bench_sim.core.objects.rooms.builder import NOWHERE, Room, built
from vlm_bench_sim.core.objects.rooms.palettes import PALETTES
from vlm_bench_sim.core.objects.rooms.plan import Plan
from vlm_bench_sim.core.objects.rooms.plans import bedrooms, dining_rooms, kitchens, living_rooms, offices, workshops
from vlm_bench_sim.core.objects.rooms.study import FLOOR, study, throws

__all__ = [
    'FLOOR', 'IN_THE_LOOK_OF', 'NOVEL', 'NOWHERE', 'PLANS', 'ROOMS', 'SEEN', 'STUDY', 'Room', 'crossed', 'known', 'origins', 'room',
    'throws',
]  # fmt: skip

STUDY = 'study'

IN_THE_LOOK_OF = '~'
"""Stands in a name between the room whose furniture it is and the room whose palette it has."""

PLANS: dict[str, Plan] = {
    f'room{i}': plan
    for i, plan in enumerate((
        living_rooms.SOFA_BY_THE_WALL, kitchens.ONE_LINE, bedrooms.DOUBLE_BED, offices.TWO_DESKS,
        dining_rooms.LONG_TABLE, workshops.WORKBENCH, living_rooms.SCREEN_AND_SOFA, kitchens.CORNER,
        bedrooms.WARDROBE_WALL, offices.MEETING, dining_rooms.ROUND_TABLE, workshops.STORE,
        living_rooms.READING_CORNER, kitchens.ISLAND, bedrooms.CHILDS_ROOM, offices.LABORATORY,
        living_rooms.FIREPLACE, kitchens.GALLEY, bedrooms.BUNKS, workshops.STUDIO,
    ))
}  # fmt: skip
"""The plans by room."""

SEEN, NOVEL = tuple(PLANS)[:16], tuple(PLANS)[16:]
"""Rooms to train in, and rooms that only tests use: neither their plans nor their palettes are like any of the first."""

ROOMS = (STUDY, *PLANS)
"""All rooms by name, each in its own palette."""


def known(name: str) -> bool:
    """Return whether there is a room of that name: one of `ROOMS`, or a numbered one in the palette of another."""
    furnished, mark, painted = name.partition(IN_THE_LOOK_OF)
    return furnished in PLANS and painted in PALETTES if mark else name in ROOMS


def crossed(furnished: str, painted: str) -> str:
    """Return the name of a numbered room in the palette of another one, or in its own."""
    return furnished if painted == furnished else f'{furnished}{IN_THE_LOOK_OF}{painted}'


def origins(name: str) -> tuple[str, str]:
    """Return the name of the room whose furniture a room has, and of the one whose palette it has."""
    furnished, _, painted = name.partition(IN_THE_LOOK_OF)
    return furnished, painted or furnished


@lru_cache(maxsize=64)
def room(name: str, table: Box) -> Room:
    """Return the known room of that name around a table."""
    if name == STUDY:
        return Room(FLOOR, study())
    furnished, painted = origins(name)
    return built(PLANS[furnished], PALETTES[painted], table)
