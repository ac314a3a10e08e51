"""All pieces of furniture by name."""

from collections.abc import Callable

from vlm_bench_sim.core.objects.rooms import decor, kitchen, nearby, seating, storage, tables, walls
from vlm_bench_sim.core.objects.rooms.parts import Parts

Piece = Callable[[float, float, float], Parts]
"""Returns the parts of a piece of a width, depth and height, m."""

_MADE: tuple[Piece, ...] = (
    seating.sofa, seating.chair, seating.stool, seating.bench, seating.office_chair, seating.bed, seating.bunk_bed,
    tables.table, tables.laid_table, tables.round_table, tables.coffee_table, tables.desk, tables.computer_desk, tables.monitor,
    tables.desk_lamp, tables.workbench, tables.toolbox,
    storage.bookcase, storage.open_shelf, storage.cabinet, storage.sideboard, storage.vase, storage.drawers, storage.hutch, storage.rack,
    storage.boxes, storage.wall_shelf, storage.two_shelves,
    kitchen.counter, kitchen.sink, kitchen.stove, kitchen.fridge, kitchen.wall_cupboards, kitchen.hood, kitchen.tiles, kitchen.island,
    kitchen.washer, kitchen.basket, kitchen.microwave, kitchen.coffee_machine, kitchen.bottles,
    walls.window, walls.door, walls.curtains, walls.blinds, walls.picture, walls.abstract, walls.mirror, walls.clock, walls.whiteboard,
    walls.noticeboard, walls.pegboard, walls.television, walls.radiator, walls.fireplace,
    decor.rug, decor.round_rug, decor.plant, decor.palm, decor.floor_lamp, decor.table_lamp, decor.pendant, decor.nightstand, decor.piano,
    decor.easel, decor.toys, decor.barrel, decor.ladder, decor.coat_stand,
    nearby.screen, nearby.aquarium, nearby.cactus, nearby.speaker, nearby.pillar, nearby.pipes, nearby.books_between, nearby.globe,
    nearby.side_table,
)  # fmt: skip

PIECES: dict[str, Piece] = {piece.__name__: piece for piece in _MADE}
"""Furniture and what else stands or hangs in rooms."""

FLAT = frozenset({'window', 'door', 'curtains', 'blinds', 'radiator'})
"""Pieces that touch the wall also at the floor, where the skirting is."""

THIN = frozenset({'rug', 'round_rug'})
"""Pieces that lie on the floor, on which others may stand."""
