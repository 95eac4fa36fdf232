"""Points, as the engine takes them: rows of coordinates in double precision, copied only where needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from ._tables import columns_of
from ._values import Column, float_of, is_missing, is_number

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
    """

    array: NDArray[np.float64]
    names: list[str] | None

    @property
    def columns(self) -> list[str]:
        """The names, or those that columns without names have."""
        return self.names or [f"x{axis + 1}" for axis in range(self.array.shape[1])]


def as_points(values: Any, what: str = "X", names: Sequence[str] | None = None) -> Points:
    """Points from whatever holds them; NaN and infinite values pass, because the engine says where they are.

    An array that already is what the engine takes is not copied.

    Parameters
    ----------
    values
        An array, a list of numbers or rows, a table of pandas, polars or pyarrow, a structured array, a
        dictionary of columns, point geometries, or any object that gives an array or a table of itself. One
        dimension makes points with one coordinate.
    what
        What messages call it.
    names
        Of the columns, in place of those that a table has.

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
    found: list[str] | None = None
    geometry = point_coordinates(values, what)
    columns = None if geometry is not None else columns_of(values, what)
    if geometry is not None:
        array, found = geometry
    elif columns is not None:
        array, found = _from_columns(columns, what)
    else:
        array = _from_array(values, what)
    if array.shape[0] == 0:
        raise no_points(what)
    if array.shape[1] == 0:
        raise no_coordinates(what)
    given = found if names is None else _given_names(names, what)
    if given is not None and len(given) != array.shape[1]:
        raise wrong_count(f"names of the columns of {what}", len(given), array.shape[1])
    return Points(np.require(array, np.float64, ["C", "A"]), given)


def _given_names(names: Sequence[str], what: str) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"the names of the columns of {what} are a text; give a list of them")
    return [str(name) for name in names]


def _from_columns(columns: list[Column], what: str) -> tuple[NDArray[np.float64], list[str] | None]:
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
        raise missing_value(what, *min(gaps))
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
