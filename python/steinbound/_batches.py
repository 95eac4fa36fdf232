"""Sources that give their rows some at a time: queries, streams and generators, none of which is held as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._refusals import cannot_read, quoted
from ._tables import columns_of, libraries_of
from ._values import Column, column_of

__all__ = ["Batches", "Filled", "batches_of", "chosen_columns"]

Wanted = Sequence[str | int]

#: Rows that are asked for at once, where the source lets us say.
AT_ONCE = 65_536


@dataclass(frozen=True)
class Batches:
    """Rows that come in pieces, once.

    Attributes
    ----------
    rows
        How many there are, where the source knows.
    pieces
        The columns of some rows each, in order.
    is_chosen
        Whether they have the columns that were asked for, in that order, and no others.
    """

    rows: int | None
    pieces: Iterator[list[Column]]
    is_chosen: bool = False


class Filled:
    """An array that grows row by row in one place, in double precision."""

    def __init__(self, rows: int | None) -> None:
        self._expected = rows
        self._array: NDArray[np.float64] | None = None
        self._rows = 0

    @property
    def rows(self) -> int:
        """How many rows there are by now."""
        return self._rows

    def add(self, piece: NDArray[np.float64]) -> None:
        """Adds rows."""
        if self._array is None:
            self._array = np.empty((max(self._expected or 0, len(piece)), piece.shape[1]))
        needed = self._rows + len(piece)
        if needed > len(self._array):
            # The memory is made longer where it lies, so that there is no second copy.
            self._array.resize((max(needed, len(self._array) * 5 // 4), piece.shape[1]), refcheck=False)
        self._array[self._rows : needed] = piece
        self._rows = needed

    def finish(self) -> NDArray[np.float64] | None:
        """The array, None where nothing was added."""
        if self._array is not None and len(self._array) > self._rows:
            self._array.resize((self._rows, self._array.shape[1]), refcheck=False)
        return self._array


def batches_of(source: Any, what: str = "data", columns: Wanted | None = None) -> Batches | None:
    """The rows of a source that gives them in pieces, None where it does not.

    These are lazy frames of polars, tables, readers, datasets and scanners of pyarrow, relations of DuckDB and
    whatever else has an Arrow stream, and iterators over tables or arrays.

    Parameters
    ----------
    source
        Where the rows are.
    what
        What messages call it.
    columns
        Those that are used, for sources that then leave the others where they are.

    Examples
    --------
    >>> found = batches_of(iter([[[0.0, 1.0]], [[2.0, 3.0]]]))
    >>> [[column.values.tolist() for column in piece] for piece in found.pieces]
    [[[0.0], [1.0]], [[2.0], [3.0]]]
    >>> batches_of([[0.0, 1.0]]) is None
    True
    """
    libraries = libraries_of(source)
    if "polars" in libraries and hasattr(source, "collect_schema") and hasattr(source, "collect"):
        return _lazy(source, columns)
    if "pyarrow" in libraries:
        return _arrow(source, what, columns)
    is_table = {"pandas", "polars", "geopandas"} & libraries
    if hasattr(source, "__arrow_c_stream__") and not is_table:
        try:
            import pyarrow
        except ImportError:
            raise cannot_read(what, source, "install pyarrow to read it, or give a pandas DataFrame") from None
        return _arrow(pyarrow.RecordBatchReader.from_stream(source), what, columns)
    if isinstance(source, Iterator):
        return Batches(None, _given(source, what))
    return None


def _lazy(frame: Any, columns: Wanted | None) -> Batches:
    names = list(frame.collect_schema().names())
    if columns is not None:
        frame = frame.select([names[place] for place in _places(names, columns, "X")])
    if hasattr(frame, "collect_batches"):
        tables: Iterable[Any] = frame.collect_batches(chunk_size=AT_ONCE)
    else:  # polars before 1.34
        tables = [frame.collect()]
    return Batches(None, (columns_of(table) or [] for table in tables), columns is not None)


def _arrow(source: Any, what: str, columns: Wanted | None) -> Batches | None:
    """Tables, batches, readers, datasets and scanners."""
    is_chosen = False
    if hasattr(source, "scanner"):
        names = list(source.schema.names)
        chosen = None if columns is None else [names[place] for place in _places(names, columns, what)]
        source, is_chosen = source.scanner(columns=chosen, batch_size=AT_ONCE), columns is not None
    if hasattr(source, "to_reader") and hasattr(source, "projected_schema"):
        source = source.to_reader()
    if hasattr(source, "read_next_batch"):
        return Batches(None, (_columns(batch, what) for batch in source), is_chosen)
    if hasattr(source, "to_batches") and hasattr(source, "num_rows"):
        names, rows = list(source.schema.names), source.num_rows
        is_chosen = columns is not None
        if columns is not None:
            source = source.select(_places(names, columns, what))
        tables = source.to_batches(max_chunksize=AT_ONCE)
        return Batches(rows, (_columns(batch, what) for batch in tables or [source]), is_chosen)
    return None


def _columns(batch: Any, what: str) -> list[Column]:
    return columns_of(batch, what) or []


def _given(pieces: Iterator[Any], what: str) -> Iterator[list[Column]]:
    """What a generator gives, each piece a table or an array."""
    for number, piece in enumerate(pieces):
        columns = columns_of(piece, f"{what}, batch {number}")
        if columns is None:
            from ._points import as_points

            array = as_points(piece, f"{what}, batch {number}").array
            columns = [column_of(place, array[:, place]) for place in range(array.shape[1])]
        yield columns


def chosen_columns(held: list[Column], columns: Wanted, what: str) -> list[Column]:
    """Columns by name, or by number from 0.

    Examples
    --------
    >>> import numpy as np
    >>> held = [column_of(name, np.zeros(1)) for name in ("a", "b", "c")]
    >>> [column.name for column in chosen_columns(held, ["c", 0], "X")]
    ['c', 'a']
    """
    return [held[place] for place in _places([column.name for column in held], columns, what)]


def _places(names: list[str], columns: Wanted, what: str) -> list[int]:
    if isinstance(columns, (str, bytes)) or not isinstance(columns, Sequence) or not columns:
        raise TypeError(f"columns is {quoted(columns)}; give a list of names, or of numbers from 0")
    places = []
    for wanted in columns:
        if isinstance(wanted, str):
            if wanted not in names:
                raise ValueError(f"{what} has no column {quoted(wanted)}; it has {', '.join(names) or 'none'}")
            places.append(names.index(wanted))
        elif isinstance(wanted, int) and not isinstance(wanted, bool):
            if not -len(names) <= wanted < len(names):
                raise ValueError(f"{what} has no column {wanted}; it has {len(names)}, counted from 0")
            places.append(wanted % len(names))
        else:
            raise TypeError(f"columns has a {type(wanted).__name__}; give names, or numbers from 0")
    again = next((names[place] for at, place in enumerate(places) if place in places[:at]), None)
    if again is not None:
        raise ValueError(f"columns names {quoted(again)} more than once; name every column once")
    return places
