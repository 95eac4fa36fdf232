"""Values with names: pandas objects where pandas is installed, plain ones where it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["columns_of", "index_of", "named", "pandas_for", "series", "table"]

Array = NDArray[np.float64]


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def pandas_for(what: str) -> Any:
    """Pandas, without which there is no such thing."""
    pandas = _pandas()
    if pandas is None:
        raise ImportError(f"{what} makes a DataFrame of pandas, which is not installed; install it with: pip install pandas")
    return pandas


def named(values: Array, names: Sequence[str]) -> Any:
    """Values by name: a Series, or a dictionary without pandas.

    Examples
    --------
    >>> float(named(np.array([1.5, 2.5]), ["a", "b"])["b"])
    2.5
    """
    pandas = _pandas()
    if pandas is None:
        return dict(zip(names, values.tolist(), strict=True))
    return pandas.Series(values, index=list(names), dtype=np.float64)


def table(values: Array, names: Sequence[str], columns: Sequence[Any] | None = None) -> Any:
    """Rows by name: a DataFrame, or the array itself without pandas.

    Examples
    --------
    >>> table(np.zeros((2, 2)), ["a", "b"]).shape
    (2, 2)
    """
    pandas = _pandas()
    return values if pandas is None else pandas.DataFrame(values, index=list(names), columns=columns)


def index_of(data: Any) -> Any:
    """The labels of the rows of a DataFrame of pandas; None where the data have none."""
    return data.index if hasattr(data, "iloc") and hasattr(data, "columns") else None


def series(values: Array, index: Any, name: str | None = None) -> Any:
    """One value for each row: a Series where the rows have labels, else an array."""
    pandas = _pandas()
    return values if pandas is None or index is None else pandas.Series(values, index=index, name=name)


def columns_of(values: Mapping[str, Array], index: Any) -> Any:
    """Several values for each row: a DataFrame, or a dictionary of arrays without pandas."""
    pandas = _pandas()
    return dict(values) if pandas is None else pandas.DataFrame(dict(values), index=index)
