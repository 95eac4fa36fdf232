"""Arguments that are one number, name or flag: what each may be, said by its name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._refusals import quoted

__all__ = ["as_count", "check_kinds", "check_order"]


def as_count(value: Any, what: str) -> int:
    """A number of things.

    Examples
    --------
    >>> as_count(np.int64(3), "n")
    3
    """
    remedy = "give a whole number that is not negative"
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {_told(value)}; {remedy}") from None
    if count < 0:
        raise ValueError(f"{what} is {quoted(count)}; {remedy}")
    return count


def _number(value: Any, what: str) -> None:
    if isinstance(value, str) or np.ndim(value) != 0:
        raise TypeError(f"{what} is {_told(value)}; give a number")
    try:
        float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} is {_told(value)}; give a number") from None


def _text(value: Any, what: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} is {_told(value)}; give it as text")


def _flag(value: Any, what: str) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} is {_told(value)}; give True or False")


def _told(value: Any) -> str:
    return "None" if value is None else f"{quoted(value)}, a {type(value).__name__}"


#: How arguments are checked, and whether they may be None.
_KINDS: Mapping[str, tuple[Callable[[Any, str], object], bool]] = {
    "formula": (_text, False),
    "method": (_text, False),
    "statistic": (_text, False),
    "compute": (_text, False),
    "boundary_sampling": (_text, False),
    "distance": (_text, True),
    "resampling": (_text, True),
    "interval": (_text, True),
    "bandwidth": (_number, True),
    "ridge": (_number, True),
    "tolerance": (_number, True),
    "confidence": (_number, False),
    "level": (_number, False),
    "distance_power": (_number, False),
    "known_sigma": (_number, True),
    "boundary_points": (as_count, True),
    "threads": (as_count, True),
    "bootstrap": (as_count, True),
    "count": (as_count, True),
    "allow_outside": (_flag, False),
    "diagnostics": (_flag, False),
    "drop_missing": (_flag, False),
}


def check_kinds(arguments: Mapping[str, Any]) -> None:
    """Refuses arguments of a wrong kind by their name; the engine knows whether their values make sense.

    Examples
    --------
    >>> check_kinds({"ridge": 1e-5, "threads": None})
    """
    for name, value in arguments.items():
        kind = _KINDS.get(name)
        if kind is None or (value is None and kind[1]):
            continue
        kind[0](value, name)


def check_order(X: Any, values: Any, what: str) -> None:
    """Refuses a labelled column with the rows of a table in another order: it would be taken as it stands.

    Examples
    --------
    >>> check_order([[1.0], [2.0]], [0.5, 0.5], "weights")
    """
    rows: Any = getattr(X, "index", None)
    labels: Any = getattr(values, "index", None)
    if not (hasattr(rows, "equals") and hasattr(labels, "equals")) or rows.equals(labels):
        return
    if len(rows) == len(labels) and rows.is_unique and set(rows) == set(labels):
        raise ValueError(
            f"{what} has the rows of the data in another order; give {what}.loc[data.index], or {what}.to_numpy() "
            "where they go by place"
        )
