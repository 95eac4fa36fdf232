"""The columns of tables, whichever library made them; none is imported unless the table is of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._refusals import cannot_read, quoted
from ._values import CATEGORIES, DATES, TEXT, Column, column_of, label_of, objects

__all__ = ["columns_of", "libraries_of", "one_column"]


def libraries_of(value: object) -> set[str]:
    """The libraries that a value's class and its ancestors come from."""
    return {kind.__module__.partition(".")[0] for kind in type(value).__mro__}


def columns_of(data: Any, what: str = "data") -> list[Column] | None:
    """The columns of a table, None where the value is no table.

    Examples
    --------
    >>> [column.name for column in columns_of({"x": [1, 2], "town": ["Bonn", "Ulm"]})]
    ['x', 'town']
    """
    libraries = libraries_of(data)
    if "pandas" in libraries and hasattr(data, "dtype" if getattr(data, "ndim", 0) == 1 else "dtypes"):
        return _pandas_columns(data)
    if "polars" in libraries:
        return _polars_columns(data, what)
    if "pyarrow" in libraries:
        return _arrow_columns(data, what)
    if isinstance(data, np.ndarray) and data.dtype.names is not None:
        return _fields(data, what)
    if isinstance(data, Mapping):
        return _same_length(
            [one_column(name, values, f"{what}: column {quoted(name)}") for name, values in data.items()],
            what,
        )
    if isinstance(data, (list, tuple)) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(name for row in data for name in row)
        return [column_of(name, objects(row.get(name) for row in data)) for name in names]
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__dataframe__"):
        return _exchanged(data, what)
    return None


def one_column(name: object, values: Any, what: str) -> Column:
    """A sequence of any kind as a column.

    Examples
    --------
    >>> one_column("age", [31, None], "data").floats()
    array([31., nan])
    """
    if isinstance(values, (str, bytes, Mapping)) or not _has_values(values):
        raise cannot_read(what, values, "give a list or an array of one dimension")
    columns = None if isinstance(values, Sequence) else columns_of(values, what)
    if columns is not None:
        if len(columns) != 1:
            raise ValueError(f"{what} has {len(columns)} columns; choose one of them")
        named = column_of(name, columns[0].values[:0])
        return replace(columns[0], name=named.name, is_named=named.is_named)
    array = _masked_as_objects(values) if isinstance(values, np.ma.MaskedArray) else _plain(values, what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{what} has {array.ndim} dimensions; give a list or an array of one dimension")
    return column_of(name, array)


def _has_values(values: Any) -> bool:
    readers = ("__array__", "__array_interface__", "__arrow_c_stream__", "__dataframe__", "__arrow_c_array__")
    return isinstance(values, (Sequence, memoryview)) or any(hasattr(values, reader) for reader in readers)


def _masked_as_objects(values: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    if not np.ma.getmaskarray(values).any():
        return np.asarray(values)
    return objects(None if value is np.ma.masked else value for value in values.ravel()).reshape(values.shape)


def _plain(values: Any, what: str) -> NDArray[Any]:
    if isinstance(values, Sequence) and not isinstance(values, (range, memoryview)):
        # NumPy would write numbers beside text as text, and truth values beside numbers as numbers.
        kinds = {type(value) for value in values}
        if len(kinds - {int, float}) > 0 or not kinds:
            return objects(values)
    try:
        return np.asarray(values)
    except Exception as error:  # what a foreign object raises when it is read
        raise TypeError(
            f"{what} cannot be read as an array: {quoted(str(error))}; give a NumPy array"
        ) from error


def _same_length(columns: list[Column], what: str) -> list[Column]:
    for column in columns[1:]:
        if len(column.values) != len(columns[0].values):
            found, first = len(column.values), columns[0]
            raise ValueError(
                f"{what}: column {quoted(column.name)} has {found} values where column {quoted(first.name)} "
                f"has {len(first.values)}; give every column the same"
            )
    return columns


def _fields(data: NDArray[Any], what: str) -> list[Column]:
    if data.ndim != 1:
        raise ValueError(f"{what} is a structured array of {data.ndim} dimensions; give one record a row")
    masked = isinstance(data, np.ma.MaskedArray)
    columns = []
    for name in data.dtype.names or ():
        values = data[name]
        if values.ndim != 1 or values.dtype.names is not None:
            raise ValueError(
                f"{what}: field {quoted(name)} holds arrays or records; give one value in each field"
            )
        missing = np.ma.getmaskarray(values) if masked else None
        columns.append(column_of(name, np.asarray(values), missing))
    return columns


def _pandas_columns(data: Any) -> list[Column]:
    if data.ndim == 1:
        if not hasattr(data, "iloc"):
            import pandas

            data = pandas.Series(data)
        return [_pandas_column("" if data.name is None else data.name, data)]
    return [_pandas_column(name, data.iloc[:, i]) for i, name in enumerate(data.columns)]


def _pandas_column(name: object, series: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return column_of(name, series.to_numpy())
    missing = np.asarray(series.isna(), dtype=np.bool_)
    if type(dtype).__name__ == "CategoricalDtype":
        column = column_of(name, np.asarray(series.astype(object), dtype=object), missing, CATEGORIES)
        return replace(column, levels=_levels(dtype.categories))
    if str(dtype) == "geometry":
        return column_of(name, np.asarray(series, dtype=object), missing, "geometries")
    if dtype.kind in "biuf":
        plain = getattr(dtype, "numpy_dtype", None) or np.dtype(dtype.type)
        if missing.any() and dtype.kind != "f":
            return column_of(
                name, series.fillna(False if dtype.kind == "b" else 0).to_numpy(dtype=plain), missing
            )
        return column_of(name, np.asarray(series.to_numpy(dtype=plain, **_gap(missing))), missing)
    if dtype.kind in "mM":
        held = np.asarray(series.astype(object), dtype=object)
        return column_of(name, held, missing, DATES if dtype.kind == "M" else "durations")
    return column_of(name, np.asarray(series.astype(object), dtype=object), missing)


def _levels(categories: Iterable[Any]) -> list[str] | None:
    """Categories in their order, as labels; None where they are no labels."""
    labels = [label_of(category) for category in categories]
    return None if None in labels else [label for label in labels if label is not None]


def _gap(missing: NDArray[np.bool_]) -> dict[str, float]:
    return {"na_value": float("nan")} if missing.any() else {}


def _polars_columns(data: Any, what: str) -> list[Column] | None:
    if hasattr(data, "get_columns"):
        return [_polars_column(series) for series in data.get_columns()]
    if hasattr(data, "collect"):
        raise cannot_read(what, data, "collect() it first")
    return [_polars_column(data)] if hasattr(data, "null_count") else None


def _polars_column(series: Any) -> Column:
    kind = type(series.dtype).__name__ if not isinstance(series.dtype, type) else series.dtype.__name__
    missing = np.asarray(series.is_null().to_numpy(), dtype=np.bool_) if series.null_count() else None
    # NumPy has no numbers of these kinds.
    is_wide = kind in ("Decimal", "Int128", "UInt128")
    if is_wide or not (series.dtype.is_numeric() or kind == "Boolean"):
        words = {
            "Categorical": CATEGORIES,
            "Enum": CATEGORIES,
            "Date": DATES,
            "Datetime": DATES,
            "Duration": "durations",
        }
        column = column_of(series.name, objects(series.to_list()), missing, words.get(kind))
        # Other categories have no order but that in which they were met.
        return replace(column, levels=_levels(series.dtype.categories)) if kind == "Enum" else column
    filled = series if missing is None else series.fill_null(False if kind == "Boolean" else 0)
    return column_of(series.name, np.asarray(filled.to_numpy()), missing)


def _arrow_columns(data: Any, what: str) -> list[Column] | None:
    if hasattr(data, "column_names"):
        return [_arrow_column(data.column_names[i], data.column(i)) for i in range(data.num_columns)]
    if hasattr(data, "read_all"):
        return _arrow_columns(data.read_all(), what)
    return [_arrow_column("", data)] if hasattr(data, "null_count") else None


def _arrow_column(name: str, array: Any) -> Column:
    import pyarrow.types as types

    kind = array.type
    is_plain = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    missing = np.asarray(array.is_null().to_pylist(), dtype=np.bool_) if array.null_count else None
    if is_plain:
        filled = array if missing is None else array.fill_null(False if types.is_boolean(kind) else 0)
        whole = filled.combine_chunks() if hasattr(filled, "combine_chunks") else filled
        return column_of(name, np.asarray(whole.to_numpy(zero_copy_only=False)), missing)
    holds = (
        CATEGORIES
        if types.is_dictionary(kind)
        else DATES
        if types.is_date(kind) or types.is_timestamp(kind)
        else None
    )
    column = column_of(name, objects(array.to_pylist()), missing, TEXT if types.is_string(kind) else holds)
    # Other dictionaries have the order in which their values were met.
    return replace(column, levels=_dictionary(array)) if types.is_dictionary(kind) and kind.ordered else column


def _dictionary(array: Any) -> list[str] | None:
    """The categories of an Arrow array in their order, None where its chunks have several orders."""
    chunks = array.chunks if hasattr(array, "chunks") else [array]
    orders = {tuple(_levels(chunk.dictionary.to_pylist()) or ()) for chunk in chunks}
    return list(orders.pop()) or None if len(orders) == 1 else None


def _exchanged(data: Any, what: str) -> list[Column] | None:
    try:
        import pyarrow
    except ImportError:
        raise cannot_read(what, data, "install pyarrow to read it, or give a pandas DataFrame") from None
    try:
        if hasattr(data, "__arrow_c_stream__"):
            return _arrow_columns(pyarrow.table(data), what)
        from pyarrow.interchange import from_dataframe

        return _arrow_columns(from_dataframe(data), what)
    except (pyarrow.ArrowException, NotImplementedError, TypeError) as error:
        raise cannot_read(
            what, data, f"it cannot be read: {quoted(str(error))}; give a pandas DataFrame"
        ) from error
