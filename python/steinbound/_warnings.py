"""Warnings of results: a class for each kind, and how they are issued."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

__all__ = [
    "AccuracyWarning",
    "BoundaryWarning",
    "CensoringWarning",
    "ConvergenceWarning",
    "CoordinateWarning",
    "DataWarning",
    "FitWarning",
    "ModelWarning",
    "NotTrustworthyWarning",
    "SteinboundWarning",
    "UncertaintyWarning",
    "category_of",
    "warn",
]


class SteinboundWarning(UserWarning):
    """Any warning of this package."""


class FitWarning(SteinboundWarning):
    """An assumption does not hold, or a result should not be trusted."""


class BoundaryWarning(FitWarning):
    """About boundary points, their normals, the ridge or penalty, or data outside the domain."""


class ConvergenceWarning(FitWarning):
    """About the search: no minimum, a flat one, or perhaps not the lowest."""


class DataWarning(FitWarning):
    """About rows and columns: single rows that decide the result, units, too few observations."""


class ModelWarning(FitWarning):
    """About the model: what it cannot describe, or what cannot be reported of it."""


class AccuracyWarning(FitWarning):
    """About numerical approximations: integrals, landmarks."""


class UncertaintyWarning(FitWarning):
    """About standard errors and intervals."""


class CoordinateWarning(FitWarning):
    """About coordinate systems and projections."""


class CensoringWarning(FitWarning):
    """About censored observations, and limits that look like them."""


class NotTrustworthyWarning(FitWarning):
    """A result should not be trusted: ``trustworthy`` is False, and the command line would exit with code 3.

    All warnings of such a result are of this class, too: ``warnings.simplefilter("error", NotTrustworthyWarning)``
    ends a program at the first. One that is also a :class:`BoundaryWarning`, say, is printed as
    ``NotTrustworthyBoundaryWarning``.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np, steinbound as sb
    >>> X = np.random.default_rng(0).beta(0.5, 0.5, size=(300, 1))
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", sb.NotTrustworthyWarning)
    ...     try:
    ...         result = sb.fit(X, domain=sb.Interval(0, 1))
    ...     except sb.NotTrustworthyWarning as warning:
    ...         print(str(warning)[:46])
    the estimated precision matrix is not positive
    """


#: The classes of the engine's kinds.
KINDS: dict[str, type[FitWarning]] = {
    "boundary": BoundaryWarning,
    "convergence": ConvergenceWarning,
    "data": DataWarning,
    "model": ModelWarning,
    "accuracy": AccuracyWarning,
    "uncertainty": UncertaintyWarning,
    "coordinates": CoordinateWarning,
    "censoring": CensoringWarning,
    "other": FitWarning,
}


def _of_doubtful(kind: type[FitWarning]) -> type[FitWarning]:
    """The class of warnings of one kind about results that should not be trusted."""
    if kind is FitWarning:
        return NotTrustworthyWarning
    # It is a part of this module, so that such a warning can be sent to another process.
    name = f"NotTrustworthy{kind.__name__}"
    both = type(name, (kind, NotTrustworthyWarning), {"__module__": __name__, "__doc__": kind.__doc__})
    globals()[name] = both
    return both


_DOUBTFUL = {name: _of_doubtful(kind) for name, kind in KINDS.items()}


def category_of(kind: str, is_trustworthy: bool = True) -> type[FitWarning]:
    """The class of warnings of a kind; kinds of later engines are plain ones.

    Examples
    --------
    >>> category_of("boundary").__name__
    'BoundaryWarning'
    >>> issubclass(category_of("boundary", False), NotTrustworthyWarning)
    True
    """
    classes = KINDS if is_trustworthy else _DOUBTFUL
    return classes.get(kind, classes["other"])


def _folders() -> tuple[str, ...]:
    """Where code lies that stands between a user and a result."""
    own = [Path(__file__).parent]
    for name in ("sklearn", "joblib"):
        found = find_spec(name)
        if found is not None and found.origin is not None:
            own.append(Path(found.origin).parent)
    return tuple(f"{folder}{os.sep}" for folder in own)


_BETWEEN: list[tuple[str, ...]] = []


def _level() -> int:
    """The stack level, as seen by the caller of this, of the first line that is neither here nor in between."""
    if not _BETWEEN:
        _BETWEEN.append(_folders())
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_BETWEEN[0]):
        level, frame = level + 1, frame.f_back
    return level


def warn(
    texts: Iterable[str], kinds: Sequence[str] = (), is_trustworthy: bool = True, known: Iterable[str] = ()
) -> None:
    """Issues warnings, each once, that point to the user's line.

    Parameters
    ----------
    texts
        What to say.
    kinds
        The engine's kind of each; plain ones where it is not said.
    is_trustworthy
        Whether the result can be trusted.
    known
        What has been said before.
    """
    said = set(known)
    level = _level()
    for place, text in enumerate(texts):
        if text not in said:
            said.add(text)
            kind = kinds[place] if place < len(kinds) else "other"
            warnings.warn(text, category_of(kind, is_trustworthy), stacklevel=level)
    if not is_trustworthy and not said:
        text = "the result should not be trusted: trustworthy is False"
        warnings.warn(text, NotTrustworthyWarning, stacklevel=level)
