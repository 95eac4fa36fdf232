"""The data and the model of a fit, as names and values for its report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._model import NamedModel

if TYPE_CHECKING:
    from ._problem import Problem

__all__ = ["Facts", "density_facts", "regression_facts"]

Facts = list[tuple[str, str]]


def density_facts(problem: Problem) -> tuple[Facts, Facts]:
    """The data and the model of a density."""
    facts = [("data", f"{len(problem.points.array)} points, columns {', '.join(problem.names)}")]
    facts += [("weights", "one for each point")] if problem.weights is not None else []
    facts += [("clusters", "a label for each point")] if problem.clusters is not None else []
    given = problem.model._settings
    of_model = [
        ("log-density", given.get("log_density")),
        ("components", given.get("components")),
        ("known covariance", given.get("covariance")),
        ("known parameters", problem.model._known() or None if isinstance(problem.model, NamedModel) else None),
        ("start", problem.start if problem.start is not None else given.get("start")),
    ]
    return facts, [(name, _shown(value)) for name, value in of_model if value is not None]


def regression_facts(
    rows: int,
    formula: str,
    _columns: Any,
    lower: Any,
    upper: Any,
    known_sigma: Any,
    _kernel_on: Any,
    weights: Any,
    clusters: Any,
) -> tuple[Facts, Facts]:
    """The data and the model of a regression."""
    limits = [f"{side} {_rows(limit)}" for side, limit in (("above", lower), ("below", upper)) if limit is not None]
    facts = [("formula", formula), ("seen", f"responses {' and '.join(limits)}" if limits else "all responses")]
    facts += [] if known_sigma is None else [("known sigma", _shown(known_sigma))]
    for name, values in (("weights", weights), ("clusters", clusters)):
        facts += [] if values is None else [(name, f"column {values}" if isinstance(values, str) else _rows(values))]
    return [("data", f"{rows} rows")], facts


def _rows(values: Any) -> str:
    """Numbers or labels for rows: one for all, the name of a column, or one for each."""
    return _shown(values) if isinstance(values, (str, float)) else "a value for each row"


def _shown(value: Any) -> str:
    """Values as the command line takes them."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ",".join(f"{name}={_shown(number)}" for name, number in value.items())
    return ",".join(f"{number:.15g}" for number in np.asarray(value, dtype=np.float64).ravel().tolist())
