"""What users give, as what the engine takes: points, weights, labels, maps, tables and seeds."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._batches import batches_of
from ._geometry import as_geojson
from ._points import Points, as_points
from ._refusals import missing_value, quoted, wrong_count
from ._tables import columns_of, one_column
from ._values import NUMBERS, Column, Labels, label_of

__all__ = ["Points", "as_columns", "as_dimension", "as_geojson", "as_labels", "as_points", "as_vector", "seed_of", "table_of"]


def as_vector(values: Any, length: int, what: str = "weights") -> NDArray[np.float64]:
    """One number for each row, such as weights; NaN and infinite values pass, for the engine to name.

    Examples
    --------
    >>> as_vector([1, 2, 0.5], 3)
    array([1. , 2. , 0.5])
    """
    column = _counted(values, length, what)
    if not column.is_numeric:
        raise TypeError(f"{what} holds {column.holds}, not numbers; turn them into numbers")
    gap = column.first_missing()
    if gap is not None:
        raise missing_value(what, gap, None)
    return np.require(column.floats(), np.float64, ["C", "A"])


def as_labels(values: Any, length: int, what: str = "clusters") -> list[str]:
    """One label for each row, such as clusters, as text: equal numbers are one label, whatever their type.

    Examples
    --------
    >>> as_labels([1, 1.0, 2], 3)
    ['1', '1', '2']
    """
    column = _counted(values, length, what)
    if not column.is_usable:
        raise TypeError(f"{what} holds {column.holds}, which are no labels; give whole numbers or text")
    labels: list[str] = []
    for row, label in enumerate(column.labels()):
        if label is None:
            raise ValueError(
                f"{what}: the label of row {row} is missing; give every row one, or remove that row"
            )
        labels.append(label)
    return labels


def _counted(values: Any, length: int, what: str) -> Column:
    column = one_column("", values, what)
    if len(column.values) != length:
        raise wrong_count(what, len(column.values), length)
    return column


def as_columns(data: Any, what: str = "data") -> dict[str, NDArray[np.float64] | list[str | None]]:
    """The columns of a table by name, for regressions.

    Numbers become arrays in double precision, NaN where they are missing; text, categories, dates, true and
    false become lists of text, None where they are missing, with the order of their levels where their type has
    one. Columns of anything else, such as geometries, are
    left out.

    Parameters
    ----------
    data
        A table of pandas, polars or pyarrow, a dictionary of columns, a list of dictionaries, or a structured
        array.
    what
        What messages call it.

    Examples
    --------
    >>> as_columns({"score": [41, 52], "prog": ["general", None]})
    {'score': array([41., 52.]), 'prog': ['general', None]}
    """
    columns = columns_of(data, what)
    if columns is None:
        raise TypeError(
            f"{what} is a {type(data).__name__} without names of columns; "
            "give a DataFrame or a dictionary of columns"
        )
    if not columns or len(columns[0].values) == 0:
        raise ValueError(f"{what}: there are no rows; give at least one")
    return _by_name(columns, what)


def _by_name(columns: list[Column], what: str) -> dict[str, NDArray[np.float64] | list[str | None]]:
    result: dict[str, NDArray[np.float64] | list[str | None]] = {}
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            raise ValueError(
                f"{what} has more than one column {quoted(column.name)}; rename all but one of them"
            )
        seen.add(column.name)
        if column.holds == NUMBERS and not column.has_more_digits():
            result[column.name] = np.ascontiguousarray(column.floats())
        elif column.is_usable:
            labels = column.labels()
            result[column.name] = labels if column.levels is None else Labels(labels, column.levels)
    return result


def table_of(data: Any, named: Sequence[str] | None = None) -> dict[str, NDArray[np.float64] | list[str | None]] | str:
    """A table for a regression: its columns by name, or the path of a file, which the engine reads.

    Parameters
    ----------
    data
        The table; sources that give their rows some at a time are read.
    named
        Texts that name all columns that are used, such as a formula; others are left out of such sources.

    Examples
    --------
    >>> table_of(iter([{"y": [1.0], "x": [2.0]}, {"y": [3.0], "x": [4.0]}]), ["y ~ x"])
    {'y': array([1., 3.]), 'x': array([2., 4.])}
    >>> table_of("scores.csv")
    'scores.csv'
    """
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    batches = batches_of(data)
    if batches is None:
        return as_columns(data)
    pieces: dict[str, list[Any]] = {}
    for held in batches.pieces:
        used = [column for column in held if named is None or any(column.name in text for text in named)]
        for name, values in _by_name(used, "data").items():
            pieces.setdefault(name, []).append(values)
    if not any(len(piece) for values in pieces.values() for piece in values):
        raise ValueError("data: there are no rows; give at least one")
    return {name: _joined(values) for name, values in pieces.items()}


def _joined(pieces: list[Any]) -> Any:
    """The pieces of a column: numbers as an array, and text, where any piece is that, as a list."""
    if all(isinstance(piece, np.ndarray) for piece in pieces):
        return np.concatenate(pieces)
    labels = [piece if isinstance(piece, list) else [label_of(value) for value in piece.tolist()] for piece in pieces]
    whole = [label for piece in labels for label in piece]
    orders = {tuple(piece.levels) if isinstance(piece, Labels) else None for piece in pieces}
    order = orders.pop()
    # Pieces that differ in their order have none together.
    return whole if order is None or orders else Labels(whole, list(order))


#: More coordinates than any method here is of use for.
MOST_COORDINATES = 10_000


def as_dimension(value: Any) -> int | None:
    """A number of coordinates, or None where it is left open.

    Examples
    --------
    >>> as_dimension(3)
    3
    """
    if value is None:
        return None
    remedy = f"give a whole number from 1 to {MOST_COORDINATES}"
    try:
        dimension = operator.index(value)
    except TypeError:
        raise TypeError(f"dimension is a {type(value).__name__}; {remedy}") from None
    if not 1 <= dimension <= MOST_COORDINATES:
        raise ValueError(f"dimension is {quoted(dimension)}; {remedy}")
    return dimension


def seed_of(random_state: Any) -> int:
    """The seed that a random state stands for; generators give their next number, so that two calls differ.

    Examples
    --------
    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.BitGenerator):
        random_state = np.random.Generator(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**64, dtype=np.uint64))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**64, dtype=np.uint64))
    if isinstance(random_state, np.random.SeedSequence):
        return int(random_state.generate_state(1, np.uint64)[0])
    remedy = "give None, a whole number from 0 to 2^64 - 1, or a NumPy generator"
    try:
        if isinstance(random_state, (bool, np.bool_)):
            raise TypeError
        seed = operator.index(random_state)
    except TypeError:
        raise TypeError(f"random_state is a {type(random_state).__name__}; {remedy}") from None
    if not 0 <= seed < 2**64:
        raise ValueError(f"random_state is {quoted(seed)}; {remedy}")
    return seed
