"""Play the notebooks of docs/notebooks from their cells: `python -m test.notebooks.play` writes their outputs again.

Outputs are kept in the files, so that pages show them. Texts must come out the same on every machine; a test compares them. Pictures are
kept as JPEG, a fifth of the size; drivers draw them a little differently.
"""

import os
import sys
import tempfile
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import cv2
import nbformat
import numpy as np
from nbclient import NotebookClient

from vlm_bench_sim.core import arithmetic

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / 'docs' / 'notebooks'
PNG, JPEG = 'image/png', 'image/jpeg'
_QUALITY = 85
_CELL_S = 300


def played(path: Path, folder: Path) -> Any:
    """Return a notebook as it is when all of its cells have run, one after the other, in an empty folder.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell raised.
    """
    book = nbformat.read(path, as_version=4)
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get('PYTHONPATH'))))
    environment = os.environ | arithmetic.environment(os.environ) | {'PYTHONPATH': paths}
    client = NotebookClient(book, timeout=_CELL_S, resources={'metadata': {'path': str(folder)}}, record_timing=False)
    client.execute(env=environment)
    for cell in book.cells:
        if cell.cell_type == 'code':
            cell.outputs = [_kept(output) for output in cell.outputs if output.get('name') != 'stderr']
    book.metadata.pop('widgets', None)
    book.metadata.language_info = {'name': 'python'}
    return book


def texts(book: Any) -> list[str]:
    """Return the printed text of each code cell."""
    return [''.join(output.get('text', '') for output in cell.outputs) for cell in book.cells if cell.cell_type == 'code']


def pictures(book: Any) -> list[bytes]:
    """Return the pictures of a notebook, as JPEG files."""
    outputs = [output for cell in book.cells if cell.cell_type == 'code' for output in cell.outputs]
    return [b64decode(output['data'][JPEG]) for output in outputs if JPEG in output.get('data', {})]


def _kept(output: Any) -> Any:
    """Return an output with its picture as JPEG."""
    data = output.get('data', {})
    if PNG in data:
        drawn = cv2.imdecode(np.frombuffer(b64decode(data.pop(PNG)), np.uint8), cv2.IMREAD_COLOR)
        jpeg = cv2.imencode('.jpg', drawn, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1]
        data[JPEG] = b64encode(jpeg.tobytes()).decode()
    return output


def main() -> None:
    """Play all notebooks, or those named, and write them again."""
    for path in sorted(FOLDER.glob('*.ipynb')):
        if not sys.argv[1:] or path.name in sys.argv[1:]:
            with tempfile.TemporaryDirectory() as folder:
                book = played(path, Path(folder))
            path.write_text(nbformat.writes(book) + '\n')
            sys.stdout.write(f'{path.relative_to(ROOT)}: {len(pictures(book))} pictures, {path.stat().st_size / 1e3:.0f} kB\n')


if __name__ == '__main__':
    main()
