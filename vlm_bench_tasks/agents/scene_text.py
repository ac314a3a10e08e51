"""Parser for observation sentences: the blocks, what each stands on, and the bowls and zones."""

import re
from dataclasses import dataclass, replace

from vlm_bench_tasks.agents.steps import TABLE, Thing, placed, thing

UNDER = ' under '
_ELSEWHERE = re.compile(r' (?:in|on) the (gripper|floor)$')


@dataclass(frozen=True)
class Block:
    """One block.

    Attributes:
        kind: its size, color and noun.
        below: index of the block that it stands on; None for none.
        place: its place if it stands on no block: an area, the table, `gripper`, `floor`, a bowl or a zone.
    """

    kind: Thing
    below: int | None
    place: Thing | str | None


@dataclass(frozen=True)
class SceneText:
    """The scene that a sentence describes.

    Attributes:
        blocks: the blocks, in the order of the sentence.
        targets: bowls and zones.
    """

    blocks: tuple[Block, ...] = ()
    targets: tuple[Thing, ...] = ()

    def on(self, index: int) -> int | None:
        """Return the index of the block that stands on a block; None for none."""
        return next((i for i, block in enumerate(self.blocks) if block.below == index), None)

    def top(self, index: int) -> int:
        """Return the index of the topmost block above a block, or of the block itself."""
        seen = {index}
        while (above := self.on(index)) is not None and above not in seen:
            index = above
            seen.add(index)
        return index

    def moved(self, item: int, *, below: int | None, place: Thing | str | None) -> 'SceneText':
        """Return the scene after a block has been moved."""
        blocks = list(self.blocks)
        blocks[item] = replace(blocks[item], below=below, place=place)
        return replace(self, blocks=tuple(blocks))

    def described(self, index: int) -> Thing:
        """Return a description that fits only this block, if there is one."""
        block = self.blocks[index]
        if self._count(block.kind) == 1:
            return block.kind
        full = self._full(index)
        same = [i for i in range(len(self.blocks)) if self._full(i) == full]
        return full if len(same) == 1 else replace(full, sole=False)

    def _full(self, index: int) -> Thing:
        block = self.blocks[index]
        if block.below is None:
            return replace(block.kind, place=block.place)
        base = self.blocks[block.below].kind
        return replace(block.kind, place=base if self._count(base) == 1 else replace(base, sole=False))

    def _count(self, kind: Thing) -> int:
        return sum(block.kind == kind for block in self.blocks)


def read(observation: str) -> SceneText | None:
    """Return the scene that an observation describes; None if it cannot be parsed."""
    text = observation.strip().lower().removeprefix('i see ').rstrip('.')
    blocks: list[Block] = []
    targets: list[Thing] = []
    for entry in re.split(r'\s*[;\n]\s*', text):
        elsewhere = _ELSEWHERE.search(entry)
        lower, _, last = entry.rpartition(UNDER)
        described = thing(last[: -len(elsewhere[0])] if elsewhere else last)
        kinds = [thing(each) for each in lower.split(UNDER)] if lower else []
        if described is None or None in kinds:
            continue
        tower = [replace(kind, sole=True, place=None) for kind in (*kinds, described) if kind is not None]
        if described.noun in ('bowl', 'zone'):
            targets.append(tower[0])
            continue
        at = elsewhere[1] if elsewhere else described.place
        base = replace(at, sole=True, place=None) if isinstance(at, Thing) else at
        for level, kind in enumerate(tower):
            blocks.append(Block(kind, len(blocks) - 1 if level else None, None if level else base))
    return SceneText(tuple(blocks), tuple(targets)) if blocks or targets else None


def spelled(place: Thing | str | None) -> str:
    """Return a place as text; `None` means somewhere on the table."""
    return placed(TABLE if place is None else place)
