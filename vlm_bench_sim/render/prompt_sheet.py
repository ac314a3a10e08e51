"""An instruction as one picture: its words and pictures in one flow of lines, as a person reads them."""

import re
from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vlm_bench_sim.core.prompts import PromptImage

Pixels = npt.NDArray[np.uint8]

_FONT, _SCALE, _THICK = cv2.FONT_HERSHEY_SIMPLEX, 0.7, 1
_WIDE, _MARGIN, _GAP, _LINE, _SIDE = 800, 20, 10, 32, 160  # pixels; _SIDE is the height of a picture
_PAPER, _INK = 255, (30, 30, 30)
_PART = re.compile(r'<image (\d{1,3})>|[^\s<]+|<')


def prompt_sheet(text: str, images: Sequence[PromptImage]) -> Pixels:
    """Return (height, 800, 3) uint8: the sentence with each picture in place of its `<image 1>`; unknown ones stay as text."""
    rows: list[list[Pixels]] = [[]]
    for part in _parts(text, images):
        used = sum(each.shape[1] + _GAP for each in rows[-1])
        if rows[-1] and used + part.shape[1] > _WIDE - 2 * _MARGIN:
            rows.append([])
        rows[-1].append(part)
    margin = np.full((_MARGIN, _WIDE, 3), _PAPER, np.uint8)
    return np.vstack([margin, *(_row(parts) for parts in rows if parts), margin])


def _parts(text: str, images: Sequence[PromptImage]) -> Iterator[Pixels]:
    for found in _PART.finditer(text):
        number = int(found[1]) if found[1] else 0
        yield _shown(images[number - 1].color) if 0 < number <= len(images) else _word(found[0])


def _shown(color: Pixels) -> Pixels:
    height, width = color.shape[:2]
    return np.asarray(cv2.resize(color, (max(1, round(width * _SIDE / height)), _SIDE), interpolation=cv2.INTER_AREA), np.uint8)


def _word(word: str) -> Pixels:
    word = ''.join(letter if ' ' <= letter <= '~' else '?' for letter in word)  # what the font has
    (width, _), _ = cv2.getTextSize(word, _FONT, _SCALE, _THICK)
    paper = np.full((_LINE, min(width, _WIDE - 2 * _MARGIN), 3), _PAPER, np.uint8)
    cv2.putText(paper, word, (0, _LINE - 10), _FONT, _SCALE, _INK, _THICK, cv2.LINE_AA)
    return paper


def _row(parts: Sequence[Pixels]) -> Pixels:
    height = max(part.shape[0] for part in parts) + _GAP
    row, left = np.full((height, _WIDE, 3), _PAPER, np.uint8), _MARGIN
    for part in parts:
        tall, wide = part.shape[0], min(part.shape[1], _WIDE - left)
        top = (height - tall) // 2
        row[top : top + tall, left : left + wide] = part[:, :wide]
        left += wide + _GAP
    return row
