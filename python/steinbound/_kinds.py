"""Arguments that are one number, name or flag: which there are, and what each may be."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._refusals import quoted

__all__ = ["OPTIONS", "Option", "as_count", "check_kinds", "check_number", "check_order"]


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
        raise TypeError(f"{what} is {_described(value)}; {remedy}") from None
    if count < 0:
        raise ValueError(f"{what} is {quoted(count)}; {remedy}")
    return count


def check_number(value: Any, what: str) -> None:
    """Refuses what is no number.

    Examples
    --------
    >>> check_number(0.5, "level")
    """
    if isinstance(value, str) or np.ndim(value) != 0:
        raise TypeError(f"{what} is {_described(value)}; give a number")
    try:
        float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} is {_described(value)}; give a number") from None


def _text(value: Any, what: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} is {_described(value)}; give it as text")


def _flag(value: Any, what: str) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} is {_described(value)}; give True or False")


def _described(value: Any) -> str:
    return "None" if value is None else f"{quoted(value)}, a {type(value).__name__}"


def _number_or_text(value: Any, what: str) -> None:
    if not isinstance(value, str):
        check_number(value, what)


_Check = Callable[[Any, str], object]

#: How a value of each kind is checked.
_CHECKS: Mapping[str, _Check] = {
    "number": check_number,
    "number-or-word": check_number,
    "count": as_count,
    "seed": as_count,
    "flag": _flag,
    "choice": _text,
}


class Option:
    """An option that the command line has, too, as the engine describes it."""

    def __init__(self, described: Mapping[str, Any]) -> None:
        #: The name of the argument.
        self.name: str = described["name"].replace("-", "_")
        #: What it belongs to: estimator, bootstrap, test or regression.
        self.group: str = described["group"]
        #: The kind of its value.
        self.kind: str = described["kind"]
        #: The default in words, where there is one.
        self.default: str | None = described["default"]
        #: One line, without a full stop.
        self.help: str = described["help"]
        #: More about it, in full sentences, where one line is not enough.
        self.details: str | None = described["details"]
        #: The names to choose from, for a choice.
        self.choices: list[str] = [entry["name"] for entry in described["choices"] or ()]
        is_named = self.group == "estimator" and self.default in self.choices
        #: Whether None leaves the default.
        self.is_optional = not (described["is_required"] or is_named or self.kind == "flag")

    @property
    def is_numbered(self) -> bool:
        """Whether the names to choose from are numbers."""
        return bool(self.choices) and all(_is_number(name) for name in self.choices)

    @property
    def check(self) -> _Check:
        """What refuses values of a wrong kind."""
        return _number_or_text if self.is_numbered else _CHECKS[self.kind]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


#: Every option that is shared with the command line. A name can stand for two: a bootstrap and a test have one each.
#: Columns of files are arrays here, which are looked at where the points are that they belong to.
#: Those of models are arguments of their classes.
OPTIONS = [
    Option(described)
    for described in json.loads(_core.options())
    if described["kind"] != "columns" and described["group"] != "model"
]


def _kinds() -> dict[str, tuple[_Check, bool]]:
    found: dict[str, tuple[_Check, bool]] = {}
    for option in OPTIONS:
        check, is_optional = found.get(option.name, (option.check, False))
        found[option.name] = (check, is_optional or option.is_optional)
    return found


#: How arguments are checked, and whether they may be None: the options, and what only Python has.
_KINDS: Mapping[str, tuple[_Check, bool]] = {
    **_kinds(),
    "formula": (_text, False),
    "method": (_text, False),
    "count": (as_count, True),
    "diagnostics": (_flag, False),
    "drop_missing": (_flag, False),
    "project": (_flag, False),
    "test": (_flag, False),
    "which": (_text, False),
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


def check_order(X: Any, values: Any, what: str, of: str = "data") -> None:
    """Refuses labelled values with the rows of a table in another order: they would be taken as they stand.

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
            f"{what} has the rows of the {of} in another order; give {what}.loc[{of}.index], or {what}.to_numpy() "
            "where they go by place"
        )
