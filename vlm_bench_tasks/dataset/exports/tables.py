"""Write rows to parquet files of limited size."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vlm_bench_tasks.dataset.exports.frames import Columns

MEGA = 1_000_000


class Tables:
    """Parquet files of one schema. A new file starts when the size limit is reached; rows added together are never split.

    Args:
        path: returns the path of a file by its number.
        limit_mb: size in memory beyond which no further rows are added to a file.
    """

    def __init__(self, path: Callable[[int], Path], *, limit_mb: float) -> None:
        self._path, self._limit = path, limit_mb * MEGA
        self._writer: pq.ParquetWriter | None = None
        self._number, self._bytes = -1, 0

    @property
    def next(self) -> int:
        """The number of the file for the next rows."""
        return self._number + 1 if self._writer is None or self._bytes > self._limit else self._number

    def add(self, rows: pa.Table) -> None:
        """Append rows."""
        if self.next != self._number:
            self.close()
            self._number, self._bytes = self._number + 1, 0
            path = self._path(self._number)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(path, rows.schema, compression='snappy')
        if self._writer is not None:
            self._writer.write_table(rows)
        self._bytes += rows.nbytes

    def close(self) -> None:
        """Finish the last file; a parquet file without its footer cannot be read."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def table(columns: Columns) -> pa.Table:
    """Return columns as a table: (N,) as numbers, (N, numbers) as lists of a fixed length, (N, rows, columns) as lists of lists."""
    return pa.table({name: _column(values) for name, values in columns.items()})


def write_words(path: Path, number: str, words: Sequence[str]) -> None:
    """Write a numbered table of words, which pandas reads with the words as index."""
    index = '__index_level_0__'
    described = [_described(number, number, 'int64', 'int64'), _described(None, index, 'unicode', 'object')]
    about = {'index_columns': [index], 'column_indexes': [], 'columns': described, 'pandas_version': '2.0.0'}
    rows = pa.table({number: pa.array(range(len(words)), pa.int64()), index: pa.array(words, pa.string())})
    pq.write_table(rows.replace_schema_metadata({'pandas': json.dumps(about)}), path)


def _described(name: str | None, field: str, kind: str, dtype: str) -> Mapping[str, Any]:
    return {'name': name, 'field_name': field, 'pandas_type': kind, 'numpy_type': dtype, 'metadata': None}


def _column(values: np.ndarray[Any, Any]) -> pa.Array:
    if values.ndim == 1:
        return pa.array(values)
    if values.ndim == 3:  # of variable length, as the Array2D of Hugging Face's datasets is stored
        _, height, width = values.shape
        lines = pa.ListArray.from_arrays(_offsets(values.size, width), pa.array(values.reshape(-1)))
        return pa.ListArray.from_arrays(_offsets(len(lines), height), lines)
    return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])


def _offsets(size: int, each: int) -> pa.Array:
    return pa.array(np.arange(0, size + 1, each, dtype=np.int32))
