"""Single values and columns of them: what is missing, what is a number, how a label is written."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Column", "Labels", "column_of", "is_missing", "label_of", "objects", "float_of"]

NUMBERS, BOOLEANS, TEXT, CATEGORIES, DATES = "numbers", "true and false", "text", "categories", "dates"


def is_missing(value: object) -> bool:
    """Whether a value says that there is none: None, NaN, NA or NaT.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0.0, "")]
    [True, True, False, False]
    """
    if isinstance(value, (str, int)):
        return False
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))


def is_number(value: object) -> bool:
    """Whether a value is a real number; truth values count as 0 and 1."""
    return isinstance(value, (numbers.Real, Decimal, np.bool_))


def float_of(value: Any) -> float:
    """A real number in double precision; what is beyond its range is infinite."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    except ValueError:  # a signalling NaN of the decimal module
        return float("nan")


def label_of(value: Any) -> str | None:
    """A label as text, None where there is none to be had: equal numbers give one label, whatever their type.

    Examples
    --------
    >>> label_of(1), label_of(1.0), label_of(0.5), label_of("north")
    ('1', '1', '0.5', 'north')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if is_number(value):
        whole = isinstance(value, numbers.Integral) or (np.isfinite(float_of(value)) and value == int(value))
        return str(int(value)) if whole else repr(float_of(value))
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)):
        return str(value)
    # The bins that pandas.cut makes are categories.
    return str(value) if type(value).__name__ == "Interval" else None


def objects(values: Iterable[Any]) -> NDArray[Any]:
    """An array of one dimension, whatever the values are."""
    held = list(values)
    array = np.empty(len(held), dtype=object)
    for i, value in enumerate(
        held
    ):  # assigning a list would make NumPy look for dimensions inside of the values
        array[i] = value
    return array


class Labels(list[str | None]):
    """Labels of rows, with the levels in the order that their type declares."""

    levels: list[str]

    def __init__(self, labels: Iterable[str | None], levels: list[str]) -> None:
        super().__init__(labels)
        self.levels = levels

    def __reduce__(self) -> tuple[Any, ...]:
        return Labels, (list(self), self.levels)


@dataclass(frozen=True)
class Column:
    """One column of a table: values in their own type, what they are in words, and which do not exist."""

    name: str
    is_named: bool
    holds: str
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None
    #: The categories in their order, where the type of the column declares one.
    levels: list[str] | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the values can be computed with."""
        return self.holds in (NUMBERS, BOOLEANS)

    @property
    def is_usable(self) -> bool:
        """Whether the values are numbers or labels."""
        return self.is_numeric or self.holds in (TEXT, CATEGORIES, DATES)

    def first_missing(self) -> int | None:
        """The first row without a value; NaN is a value of numbers."""
        if self.missing is None or not self.missing.any():
            return None
        return int(np.argmax(self.missing))

    def floats(self) -> NDArray[np.float64]:
        """The numbers in double precision, NaN where there is none."""
        if self.values.dtype == object:
            held = (float("nan") if is_missing(value) else float_of(value) for value in self.values)
            return np.fromiter(held, dtype=np.float64, count=len(self.values))
        with np.errstate(over="ignore"):
            array = self.values.astype(np.float64, copy=False)
        if self.missing is None or not self.missing.any():
            return array
        return np.where(self.missing, np.nan, array)

    def has_more_digits(self) -> bool:
        """Whether whole numbers, such as identifiers, are too long for double precision."""
        if self.values.dtype.kind not in "iu" or len(self.values) == 0:
            return False
        return max(abs(int(self.values.min())), abs(int(self.values.max()))) > 2**53

    def labels(self) -> list[str | None]:
        """The values as text, None where there is none."""
        if self.values.dtype.kind in "iu" and self.missing is None:
            return [str(value) for value in self.values.tolist()]
        held = self.values if self.values.dtype.kind in "mM" else self.values.tolist()
        labels = [None if is_missing(value) else label_of(value) for value in held]
        if self.missing is not None:
            labels = [None if gone else label for label, gone in zip(labels, self.missing, strict=True)]
        return labels


def column_of(
    name: object, values: NDArray[Any], missing: NDArray[np.bool_] | None = None, holds: str | None = None
) -> Column:
    """A column of values in one dimension; what it holds is found out where it is not said."""
    if values.dtype == object and holds in (None, TEXT):
        gone = np.fromiter((is_missing(value) for value in values), dtype=np.bool_, count=len(values))
        missing = gone if missing is None else gone | missing
        holds = _kind_of_objects([value for value, out in zip(values, missing, strict=True) if not out])
        if holds == NUMBERS:
            # NaN among numbers is left for the engine to name.
            nan = (isinstance(value, (float, np.floating)) and value != value for value in values)
            missing = missing & ~np.fromiter(nan, dtype=np.bool_, count=len(values))
    elif holds is None:
        kinds = {
            "b": BOOLEANS,
            "i": NUMBERS,
            "u": NUMBERS,
            "f": NUMBERS,
            "U": TEXT,
            "T": TEXT,
            "S": TEXT,
            "M": DATES,
        }
        kinds |= {"c": "complex numbers", "m": "durations", "V": "records"}
        holds = kinds.get(values.dtype.kind, f"values of type {values.dtype}")
        if values.dtype.kind == "M" and missing is None:
            missing = np.isnat(values)
    is_named = isinstance(name, (str, tuple)) and name != ""
    parts = [str(part) for part in name] if isinstance(name, tuple) else [str(name)]
    return Column("_".join(part for part in parts if part), is_named, holds, values, missing)


def _kind_of_objects(values: list[Any]) -> str:
    # What a value is depends on its type alone, and there are few types among many values.
    present = list({type(value): value for value in values}.values())
    if all(is_number(value) for value in present):
        truths = bool(present) and all(isinstance(value, (bool, np.bool_)) for value in present)
        return BOOLEANS if truths else NUMBERS
    if all(isinstance(value, (datetime.date, np.datetime64)) for value in present):
        return DATES
    if all(label_of(value) is not None for value in present):
        return TEXT
    other = next(value for value in present if label_of(value) is None)
    return (
        "complex numbers" if isinstance(other, numbers.Complex) else f"values of type {type(other).__name__}"
    )
