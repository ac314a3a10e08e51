"""Meaning of the long instructions of LoHoRavens, as towers: a table from each kind of sentence to the wanted towers.

A single block at a place is a tower of one level.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from vlm_bench_tasks.agents.roles import StepError
from vlm_bench_tasks.agents.scene_text import SceneText
from vlm_bench_tasks.agents.steps import BIGGER, CENTER, SMALLER, Thing, readings

ANY = Thing('')
"""Any block."""


@dataclass(frozen=True)
class WantedTower:
    """A tower that an instruction asks for.

    Attributes:
        levels: descriptions from the lowest level up. Any block that fits may be used.
        base: the thing or place for the lowest block; None: where it stands already.
        source: place whose blocks are used first; '' for anywhere.
    """

    levels: tuple[Thing, ...]
    base: Thing | str | None = None
    source: str = ''


Wishes = tuple[WantedTower, ...]
_Rule = Callable[[re.Match[str], SceneText], Wishes]
_AREA = r'(top|bottom) (left|right)'


def wishes(instruction: str, first: SceneText) -> Wishes | None:
    """Return the towers that an instruction asks for; None if no rule matches.

    Args:
        instruction: the instruction.
        first: the scene before the first step.
    """
    said = re.sub(r'\s+', ' ', instruction.strip().lower()).replace('colour', 'color').rstrip('.')
    for pattern, rule in RULES:
        if found := re.search(pattern, said):
            return rule(found, first)
    return None


def _colors(scene_text: SceneText) -> list[str]:
    return list(dict.fromkeys(block.kind.color for block in scene_text.blocks))


def _targets(scene_text: SceneText, noun: str) -> dict[str, Thing]:
    return {target.color: target for target in scene_text.targets if target.noun == noun}


def _tower_of(kind: Thing, scene_text: SceneText) -> tuple[Thing, ...]:
    return tuple(kind for block in scene_text.blocks if fits(block.kind, kind))


def fits(kind: Thing, wanted: Thing) -> bool:
    """Return whether a block has the wanted size and color."""
    return wanted.color in ('', kind.color) and wanted.size in ('', kind.size)


def _matching(_: re.Match[str], scene_text: SceneText) -> Wishes:
    bowls = _targets(scene_text, 'bowl')
    return tuple(WantedTower((block.kind,), bowls[block.kind.color]) for block in scene_text.blocks if block.kind.color in bowls)


def _mismatching(_: re.Match[str], scene_text: SceneText) -> Wishes:
    """Assign each block a bowl of another color, if possible the one that it is already in."""
    bowls = list(_targets(scene_text, 'bowl').values())
    given: dict[int, int] = {}

    def assign(block: int, tried: set[int]) -> bool:
        order = sorted(range(len(bowls)), key=lambda j: bowls[j] != scene_text.blocks[block].place)
        for j in order:
            if j not in tried and bowls[j].color != scene_text.blocks[block].kind.color:
                tried.add(j)
                if j not in given or assign(given[j], tried):
                    given[j] = block
                    return True
        return False

    for i in range(len(scene_text.blocks)):
        assign(i, set())
    return tuple(WantedTower((scene_text.blocks[i].kind,), bowls[j]) for j, i in sorted(given.items(), key=lambda pair: pair[1]))


def _even(_: re.Match[str], scene_text: SceneText) -> Wishes:
    zones, counts = _targets(scene_text, 'zone'), Counter(block.kind.color for block in scene_text.blocks)
    even = [color for color in counts if counts[color] % 2 == 0 and color in zones]
    return tuple(WantedTower((Thing(color),), zones[color]) for color in even for _ in range(counts[color]))


def _small_on_big(found: re.Match[str], scene_text: SceneText) -> Wishes:
    zones = _targets(scene_text, 'zone')
    in_zones = 'zone' in found.string
    pairs = [(Thing(color, BIGGER), Thing(color, SMALLER)) for color in _colors(scene_text)]
    both = [pair for pair in pairs if all(any(fits(block.kind, kind) for block in scene_text.blocks) for kind in pair)]
    return tuple(WantedTower(pair, zones.get(pair[0].color) if in_zones else None) for pair in both)


def _between(found: re.Match[str], scene_text: SceneText) -> Wishes:
    source, target = f'{found[1]} {found[2]} area', f'{found[3]} {found[4]} area'
    kinds = [block.kind for block in scene_text.blocks if block.below is None and block.place == target]
    kinds += [block.kind for i, block in enumerate(scene_text.blocks) if scene_text.blocks[_foot(scene_text, i)].place == source]
    return tuple(WantedTower((kind,), target, source) for kind in kinds)


def _foot(scene_text: SceneText, index: int) -> int:
    below = scene_text.blocks[index].below
    return index if below is None else _foot(scene_text, below)


def _in_area(found: re.Match[str], scene_text: SceneText) -> Wishes:
    return (WantedTower(_tower_of(ANY, scene_text), f'{found["area"]} area' if found['area'] else CENTER),)


def _on_zone(found: re.Match[str], scene_text: SceneText) -> Wishes:
    zone = _targets(scene_text, 'zone').get(found[1])
    return (WantedTower(_tower_of(ANY, scene_text), zone),) if zone else ()


def _same_size(found: re.Match[str], scene_text: SceneText) -> Wishes:
    zones = [_targets(scene_text, 'zone').get(color) for color in re.findall(r'(\w+) zone', found.string)]
    towers = [_tower_of(Thing('', size), scene_text) for size in (SMALLER, BIGGER)]
    bases = zones if len(zones) == len(towers) else [None] * len(towers)
    return tuple(WantedTower(levels, base) for levels, base in zip(towers, bases, strict=True) if levels)


def _alternate(found: re.Match[str], scene_text: SceneText) -> Wishes:
    """Start with the color that the instruction names first, otherwise with the more frequent color."""
    counts = Counter(block.kind.color for block in scene_text.blocks)
    order = [color for color, _ in counts.most_common(2)]
    rest = re.sub(r'\w+ zone', '', found.string)
    order.sort(key=lambda color: _said_at(color, rest))
    levels: list[Thing] = []
    left = dict(counts)
    while order and left[order[len(levels) % len(order)]] and len(levels) < len(scene_text.blocks):
        color = order[len(levels) % len(order)]
        left[color] -= 1
        levels.append(Thing(color))
    zones = _targets(scene_text, 'zone')
    named = [zones[color] for color in re.findall(r'(\w+) zone', found.string) if color in zones]
    return (WantedTower(tuple(levels), named[0] if named else None),) if levels else ()


def _said_at(word: str, text: str) -> int:
    """Return the position of a word in a text; the length of the text if it is missing."""
    found = re.search(rf'\b{re.escape(word)}\b', text)
    return found.start() if found else len(text)


def _same_color(found: re.Match[str], scene_text: SceneText) -> Wishes:
    zones = _targets(scene_text, 'zone') if 'zone' in found.string else {}
    return tuple(WantedTower(_tower_of(Thing(color), scene_text), zones.get(color)) for color in _colors(scene_text))


RULES: tuple[tuple[str, _Rule], ...] = (
    (r'\beven\b', _even),
    (r'bowl.*(?:mismatch|another color|different color|never with the same|not match)|none belongs in a bowl', _mismatching),
    (r'mismatch.* bowl', _mismatching),
    (r'bowl', _matching),
    (r'\b(?:smaller|bigger)\b.*\bcolor|\bcolor.*\b(?:smaller|bigger)\b', _small_on_big),
    (rf'{_AREA}(?: area)?\b.*{_AREA}', _between),
    (rf'(?=.*(?:stack|tower|pile|on one another)).*\b(?:(?P<area>{_AREA})|center|centre)\b', _in_area),
    (r'alternat|take turns|in turn|other color|no two of one color', _alternate),
    (r'\bsize|bigger blocks and one of the smaller', _same_size),
    (r'(?:stack|tower|pile).* (\w+) zone', _on_zone),
    (r'same(?:-| )color|(?:its|one|each) color|color by color', _same_color),
)
"""Pattern of each kind of sentence, and its rule. The first match counts."""

PRIMITIVES = (
    r'move (?P<item>.+) over to (?P<target>.+) and set it down there',
    r'take (?P<item>.+), carry it to (?P<target>.+) and let it go',
    r'(?P<target>.+) is where (?P<item>.+) belongs: put it there',
    r'move (?P<item>.+) from (?P<source>.+) to (?P<target>.+)',
    r'take (?P<item>.+) out of (?P<source>.+) and set it down in (?P<target>.+)',
    r'(?P<item>.+) lies in (?P<source>.+), but belongs in (?P<target>.+): carry it there',
    r'i want to find (?P<item>.+) in (?P<target>.+) instead of (?P<source>.+)',
)
"""Other wordings of a single step."""


def single_step(instruction: str) -> str | None:
    """Return the step sentence of an instruction that asks for a single step; None for any other instruction."""
    said = re.sub(r'\s+', ' ', instruction.strip().lower()).rstrip('.')
    for pattern in PRIMITIVES:
        if found := re.fullmatch(pattern, said):
            source = found.groupdict().get('source')
            item = f'{found["item"]} in {source}' if source else found['item']
            said = f'pick up {item} and place it in {found["target"]}'
            break
    try:
        steps = readings(said)
    except StepError:
        return None
    one = not any(step.item.noun.endswith('s') for step in steps)
    return (steps[0].words() if len(steps) == 1 else said) if one else None
