"""Each notebook runs from its cells alone, and prints what it printed when it was committed."""

import tempfile
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip('nbclient', reason='needs a notebook runner: make notebooks')

import nbformat

from test.notebooks.play import FOLDER, pictures, played, texts

BOOKS = sorted(FOLDER.glob('*.ipynb'))


@pytest.mark.notebook
@pytest.mark.parametrize('path', BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_printed(path, tmp_path):
    kept, now = nbformat.read(path, as_version=4), played(path, tmp_path)
    assert texts(now) == texts(kept)
    assert len(pictures(now)) == len(pictures(kept)) > 0
    for old, new in zip(pictures(kept), pictures(now), strict=True):
        ours, theirs = (cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).astype(int) for jpeg in (old, new))
        assert np.abs(ours - theirs).mean() < 6 if ours.shape == theirs.shape else abs(ours.shape[1] - theirs.shape[1]) < 60


@pytest.mark.notebook
@pytest.mark.parametrize('path', BOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_nothing_of_the_machine_and_little_in_all(path):
    text = path.read_text()
    assert not any(f'{word}/' in text for word in (tempfile.gettempdir(), str(Path.home()), str(FOLDER.parents[1])))
    assert len(text) < 400_000
    assert not any('execution' in cell.metadata for cell in nbformat.reads(text, as_version=4).cells)
