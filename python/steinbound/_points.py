"""Points, as the engine takes them: rows of coordinates in double precision, copied only where needed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._batches import Batches, Filled, batches_of, chosen_columns
from ._geometry import point_coordinates
from ._refusals import (
    cannot_read,
    missing_value,
    no_coordinates,
    no_points,
    not_a_number,
    quoted,
    wrong_count,
)
from ._systems import file_system, plausible, read_map_table, system_of
from ._tables import columns_of
from ._values import Column, column_of, float_of, is_missing, is_number

__all__ = ["Points", "as_points"]

ROWS = "give an array, a table or a list of rows of numbers"


@dataclass(frozen=True, eq=False)
class Points:
    """Points as the engine takes them.

    Attributes
    ----------
    array
        C-contiguous, double precision, one point in a row.
    names
        Of the columns, None where they have none.
    weights, clusters
        Those that were read with them, by the name of a column.
    system
        The coordinate system, where it is known.
    are_geometries
        Whether they are points of a map, whose coordinates have no names of their own.
    """

    array: NDArray[np.float64]
    names: list[str] | None
    weights: NDArray[np.float64] | None = None
    clusters: list[str] | None = None
    system: Any = None
    are_geometries: bool = False

    @property
    def columns(self) -> list[str]:
        """The names, or those that columns without names have."""
        return self.names or [f"x{axis + 1}" for axis in range(self.array.shape[1])]


def as_points(
    values: Any,
    what: str = "X",
    names: Sequence[str] | None = None,
    *,
    columns: Sequence[str | int] | None = None,
    weights: str | None = None,
    clusters: str | None = None,
) -> Points:
    """Points from whatever holds them; NaN and infinite values pass, because the engine says where they are.

    An array that already is what the engine takes is not copied.

    Parameters
    ----------
    values
        An array, a list of numbers or rows, a table of pandas, polars or pyarrow, a structured array, a
        dictionary of columns, point geometries, or any object that gives an array or a table of itself. One
        dimension makes points with one coordinate. Or the path of a table or a map of points; a lazy frame of polars;
        a reader, dataset or scanner of pyarrow; a relation of DuckDB; an iterator over tables or arrays: their rows
        are read some at a time.
    what
        What messages call it.
    names
        Of the columns, in place of those that a table has.
    columns
        Those to use, by name or by number from 0.
    weights, clusters
        Names of columns with observation weights and labels, which are no coordinates.

    Raises
    ------
    ValueError, TypeError
        With what is wrong, where, and the remedy.

    Examples
    --------
    >>> as_points([[0, 1], [2, 3]]).array
    array([[0., 1.],
           [2., 3.]])
    >>> as_points({"lon": [13.4], "lat": [52.5]}).names
    ['lon', 'lat']
    """
    if isinstance(values, (str, os.PathLike)):
        return _from_path(values, what, columns, weights, clusters)
    wanted = _Wanted(columns, weights, clusters)
    batches = batches_of(values, what, wanted.all())
    if batches is not None:
        return _from_batches(batches, what, names, wanted)
    found: list[str] | None = None
    extra = _Extra()
    system = system_of(values)
    geometry = point_coordinates(values, what) if wanted.is_everything() else None
    held = None if geometry is not None else columns_of(values, what)
    if geometry is not None:
        array, found = geometry
    elif held is not None:
        held, extra = wanted.split(held, what)
        array, found = _from_columns(held, what)
    elif weights is not None or clusters is not None:
        raise ValueError(f"{what} has no names of columns; give weights and clusters as arrays")
    else:
        array = _from_array(values, what)
        if columns is not None:
            listed = [column_of(place, array[:, place]) for place in range(array.shape[1])]
            array = np.column_stack([column.values for column in chosen_columns(listed, columns, what)])
    if array.shape[0] == 0:
        raise no_points(what)
    if array.shape[1] == 0:
        raise no_coordinates(what)
    given = found if names is None else _given_names(names, what)
    if given is not None and len(given) != array.shape[1]:
        raise wrong_count(f"names of the columns of {what}", len(given), array.shape[1])
    return Points(np.require(array, np.float64, ["C", "A"]), given, extra.weights, extra.clusters, system, geometry is not None)


@dataclass(frozen=True)
class _Extra:
    """Columns that are no coordinates."""

    weights: NDArray[np.float64] | None = None
    clusters: list[str] | None = None


@dataclass(frozen=True)
class _Wanted:
    """The columns of a table that are used."""

    columns: Sequence[str | int] | None
    weights: str | None
    clusters: str | None

    def is_everything(self) -> bool:
        """Whether all columns are coordinates."""
        return self.columns is None and self.weights is None and self.clusters is None

    def all(self) -> list[str | int] | None:
        """All that is used, None where that is everything there is."""
        if self.columns is None:
            return None
        if isinstance(self.columns, (str, bytes)):
            raise TypeError(f"columns is {quoted(self.columns)}; give a list of names, or of numbers from 0")
        others = [name for name in (self.weights, self.clusters) if name is not None and name not in self.columns]
        return [*self.columns, *dict.fromkeys(others)]

    def split(self, held: list[Column], what: str, is_chosen: bool = False) -> tuple[list[Column], _Extra]:
        """Coordinates, and the columns that are none."""
        others = [name for name in (self.weights, self.clusters) if name is not None]
        found = {name: chosen_columns(held, [name], what)[0] for name in others}
        extra = _Extra(
            None if self.weights is None else _weights(found[self.weights], self.weights),
            None if self.clusters is None else _labels(found[self.clusters], self.clusters),
        )
        if self.columns is not None:
            count = len(self.columns)
            # A source that was asked for columns gives those, in this order.
            return held[:count] if is_chosen else chosen_columns(held, self.columns, what), extra
        return [column for column in held if column.name not in others], extra


def _weights(column: Column, name: str) -> NDArray[np.float64]:
    if not column.is_numeric:
        raise TypeError(f"weights: column {quoted(name)} holds {column.holds}, not numbers; turn them into numbers")
    return np.ascontiguousarray(column.floats())


def _labels(column: Column, name: str) -> list[str]:
    labels = column.labels() if column.is_usable else [None]
    if None in labels:
        raise ValueError(f"clusters: column {quoted(name)} does not have a label in every row; give every row one")
    return [label for label in labels if label is not None]


def _from_path(
    path: str | os.PathLike[str],
    what: str,
    columns: Sequence[str | int] | None,
    weights: str | None,
    clusters: str | None,
) -> Points:
    """The points of a file, which Python does not touch."""
    if isinstance(columns, (str, bytes)):
        raise TypeError(f"columns is {quoted(columns)}; give a list of names, or of numbers from 0")
    table = read_map_table(path) if columns is None and weights is None and clusters is None else None
    if table is not None:
        return as_points(table, what)
    # Files count their columns from 1.
    asked = [column if isinstance(column, str) else str(int(column) + 1) for column in columns or ()]
    array, names, own_weights, labels, warnings = _core.read_points(os.fspath(path), asked, weights, clusters)
    if warnings:
        from ._results import warn

        warn(f"{what}: {warning}" for warning in warnings)
    return Points(array, names, own_weights, labels, plausible(file_system(path), array), _core.is_map(path))


def _from_batches(batches: Batches, what: str, names: Sequence[str] | None, wanted: _Wanted) -> Points:
    """Points that come some at a time: they go into the array that is used, and nowhere else."""
    filled, weights, labels = Filled(batches.rows), Filled(batches.rows), list[str]()
    found: list[str] | None = None
    width: int | None = None
    for held in batches.pieces:
        held, extra = wanted.split(held, what, batches.is_chosen)
        if width is not None and len(held) != width:
            raise ValueError(
                f"{what}: the rows from {filled.rows} on have {len(held)} columns and those before have {width}; "
                "give all the same"
            )
        array, own = _from_columns(held, what, filled.rows)
        if width is None:
            found = own
        elif own is not None and found is not None and own != found:
            if set(own) != set(found):
                raise ValueError(f"{what}: the columns of row {filled.rows} are {', '.join(own)}, not {', '.join(found)}")
            array = array[:, [own.index(name) for name in found]]
        width = len(held)
        filled.add(array)
        if extra.weights is not None:
            weights.add(extra.weights[:, None])
        labels.extend(extra.clusters or ())
    whole = filled.finish()
    if whole is None or len(whole) == 0:
        raise no_points(what)
    if whole.shape[1] == 0:
        raise no_coordinates(what)
    given = found if names is None else _given_names(names, what)
    if given is not None and len(given) != whole.shape[1]:
        raise wrong_count(f"names of the columns of {what}", len(given), whole.shape[1])
    own_weights = weights.finish()
    return Points(whole, given, None if own_weights is None else own_weights.ravel(), labels or None)


def _given_names(names: Sequence[str], what: str) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"the names of the columns of {what} are a text; give a list of them")
    return [str(name) for name in names]


def _from_columns(columns: list[Column], what: str, before: int = 0) -> tuple[NDArray[np.float64], list[str] | None]:
    for i, column in enumerate(columns):
        if not column.is_numeric:
            called = quoted(column.name) if column.is_named else str(i + 1)
            raise TypeError(
                f"{what}: column {called} holds {column.holds}, not numbers; "
                "leave it out or turn it into numbers"
            )
    # The first place in reading order, as the engine would find it.
    gaps = [(row, i) for i, column in enumerate(columns) if (row := column.first_missing()) is not None]
    if gaps:
        row, place = min(gaps)
        raise missing_value(what, before + row, place)
    rows = len(columns[0].values) if columns else 0
    array = np.empty((rows, len(columns)), dtype=np.float64)
    for i, column in enumerate(columns):
        array[:, i] = column.floats()
    is_named = bool(columns) and all(column.is_named for column in columns)
    return array, [column.name for column in columns] if is_named else None


def _from_array(values: Any, what: str) -> NDArray[np.float64]:
    if isinstance(values, (str, bytes, bytearray)) or values is None:
        raise cannot_read(what, values, ROWS)
    if isinstance(values, np.ma.MaskedArray) and values.ndim > 0:
        gaps = np.argwhere(np.ma.getmaskarray(values))
        if len(gaps) > 0 and values.ndim > 0:
            raise missing_value(what, int(gaps[0][0]), int(gaps[0][1]) if values.ndim > 1 else 0)
        values = np.ma.getdata(values)
    if isinstance(values, Sequence) and not isinstance(values, (range, memoryview)):
        array = _from_rows(values, what)
    else:
        array = _as_array(values, what)
    if array.ndim == 0:
        raise cannot_read(what, values, ROWS)
    if array.ndim > 2:
        raise ValueError(f"{what} has {array.ndim} dimensions; {ROWS}")
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.dtype.kind == "O":
        return _from_objects(array, what)
    if array.dtype.kind not in "biuf":
        words = {
            "c": "complex numbers",
            "U": "text",
            "T": "text",
            "S": "text",
            "M": "dates",
            "m": "durations",
        }
        held = words.get(array.dtype.kind, f"values of type {array.dtype}")
        raise TypeError(f"{what} holds {held}, not numbers; leave them out or turn them into numbers")
    with np.errstate(over="ignore"):
        return np.require(array, np.float64, ["C", "A"])


def _as_array(values: Any, what: str) -> NDArray[Any]:
    if hasattr(values, "toarray"):
        raise cannot_read(what, values, "give a dense array, as its method toarray() makes it")
    try:
        array = np.asarray(values)
    except Exception as error:  # what a foreign object raises when it is read
        raise TypeError(
            f"{what} cannot be read as an array: {quoted(str(error))}; give a NumPy array"
        ) from error
    if array.ndim == 0 and array.dtype == object:
        raise cannot_read(what, values, ROWS)
    return array


def _from_rows(values: Sequence[Any], what: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError):
        array = None
    if array is not None and array.dtype.kind in "biuf":
        return array
    # Row by row, to say where the trouble is.
    has_rows = any(_is_row(row) for row in values)
    rows = [_row(row, what, i) if has_rows else [row] for i, row in enumerate(values)]
    expected = len(rows[0]) if rows else 0
    for i, row in enumerate(rows):
        if len(row) != expected:
            raise ValueError(
                f"{what}: row {i} has {len(row)} values where row 0 has {expected}; "
                "give every row the same"
            )
    array = np.empty((len(rows), expected), dtype=object)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            array[i, j] = value
    return array


def _is_row(row: Any) -> bool:
    return hasattr(row, "__len__") and not isinstance(row, (str, bytes, Mapping))


def _row(row: Any, what: str, at: int) -> list[Any]:
    if not _is_row(row):
        if is_missing(row):
            raise missing_value(what, at, None)
        raise not_a_number(what, at, None, row)
    try:
        return list(row)
    except Exception as error:  # what a foreign object raises when it is read
        raise TypeError(f"{what}: row {at} cannot be read: {quoted(str(error))}; {ROWS}") from error


def _from_objects(array: NDArray[Any], what: str) -> NDArray[np.float64]:
    result = np.empty(array.shape, dtype=np.float64)
    for (i, j), value in np.ndenumerate(array):
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if _is_row(value):
            raise ValueError(f"{what}: row {i}, column {j} holds several values; {ROWS}")
        if is_missing(value) and not isinstance(value, (float, np.floating)):
            raise missing_value(what, i, j)
        if not is_number(value):
            raise not_a_number(what, i, j, value)
        result[i, j] = float_of(value)
    return result
