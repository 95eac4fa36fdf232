"""Several methods and models on the same data, side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from ._fit import problem_of, settings_of
from ._kinds import as_count, check_kinds
from ._named import pandas_for
from ._options import Options
from ._problem import progress_bar
from ._results import Forms
from ._summary import Summary
from ._warnings import warn
from .kernels import Kernel
from ._model import NamedModel
from .models import Formula, Gaussian, GaussianMixture, Model, as_model

__all__ = ["ComparedFit", "ComparisonResult", "compare"]


@dataclass(frozen=True)
class ComparedFit:
    """One fit of a comparison.

    Attributes
    ----------
    method, model
        The method, and the name of the model in the comparison.
    parameter_count
        The number of fitted parameters.
    params, bse
        The estimates and their standard errors by name; empty where there is no fit.
    discrepancy, discrepancy_squared
        The distance between data and fitted density, measured in the same way for all fits.
    p_value
        That of the test of goodness of fit, where there is one.
    log_likelihood, aic, bic
        The likelihood of the density inside the domain, and criteria made of it, where the domain is known.
    held_out
        The squared discrepancy on data that were not fitted, where only boundary points are known.
    trustworthy
        Whether the minimum was found, and every parameter exists and has a standard error.
    warnings
        What to know before trusting the estimate.
    reason
        Why there is no fit, no discrepancy or no test.
    """

    method: str
    model: str
    parameter_count: int
    params: dict[str, float]
    bse: dict[str, float]
    discrepancy: float | None
    discrepancy_squared: float | None
    p_value: float | None
    trustworthy: bool
    warnings: list[str]
    reason: str | None
    log_likelihood: float | None = None
    aic: float | None = None
    bic: float | None = None
    held_out: float | None = None


class ComparisonResult:
    """Fits of several methods and models, side by side.

    Attributes
    ----------
    rows
        The fits, one :class:`ComparedFit` for each model and method.
    warnings
        What to know before trusting the fits.
    """

    def __init__(
        self, text: str, forms: Forms, trustworthy: list[bool], warnings: list[tuple[str, str]]
    ) -> None:
        self._json = text
        self._found: dict[str, Any] = json.loads(text)
        self._summary = Summary(*forms)
        #: What each of the warnings is about, such as ``"boundary"``.
        self.warning_kinds = [kind for kind, _ in warnings]
        self.warnings = [text for _, text in warnings]
        self.rows = [_row(found, sound) for found, sound in zip(self._found["fits"], trustworthy, strict=True)]

    @property
    def trustworthy(self) -> bool:
        """Whether at least one fit can be trusted."""
        return any(row.trustworthy for row in self.rows)

    @property
    def projection(self) -> dict[str, Any] | None:
        """The projection, with ``project=True``: its name, its center in degrees and the unit of the plane."""
        found = self._found.get("projection")
        return None if found is None else dict(found)

    def summary(self) -> Summary:
        """The tables that the command line prints, which notebooks show as HTML."""
        return self._summary

    def _repr_html_(self) -> str:
        return self._summary.as_html()

    def __repr__(self) -> str:
        shown = ", ".join(f"{row.method} {row.model}" for row in self.rows)
        return f"<comparison of {len(self.rows)} fits: {shown}>"

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as the command line's JSON has it."""
        found: dict[str, Any] = json.loads(self._json)
        return found

    def to_json(self) -> str:
        """The JSON that ``steinbound compare --format json`` prints."""
        return self._json

    def to_frame(self) -> Any:
        """The fits as a pandas DataFrame, one row for each, with a column for each parameter."""
        first = ("method", "model", "parameter_count", "discrepancy", "p_value", "trustworthy")
        columns = (*first, "log_likelihood", "aic", "bic", "held_out")
        return pandas_for("to_frame").DataFrame([{name: getattr(row, name) for name in columns} | row.params for row in self.rows])


def _row(found: Mapping[str, Any], is_trustworthy: bool) -> ComparedFit:
    fit = found["fit"] or {"parameters": [], "warnings": []}
    test = found.get("test")
    information = found.get("information") or {}
    held_out = found.get("held_out")

    def named(name: str) -> dict[str, float]:
        values = ((parameter["name"], parameter[name]) for parameter in fit["parameters"])
        return {name: float("nan") if value is None else float(value) for name, value in values}

    return ComparedFit(
        method=found["method"],
        model=found["label"],
        parameter_count=found["parameter_count"],
        params=named("estimate"),
        bse=named("std_error"),
        discrepancy=found["discrepancy"],
        discrepancy_squared=found["discrepancy_squared"],
        p_value=None if test is None else float(test["p_value"]),
        trustworthy=is_trustworthy,
        warnings=list(fit["warnings"]),
        reason=found.get("reason"),
        **{name: information.get(name) for name in ("log_likelihood", "aic", "bic")},
        held_out=None if held_out is None else float(held_out["squared"]),
    )


def _labelled(models: Any) -> dict[str, Model]:
    """Models by the names that tables give them."""
    if isinstance(models, Mapping):
        found = {str(label): as_model(model, None)[0] for label, model in models.items()}
    else:
        is_one = models is None or isinstance(models, (str, Model))
        if not is_one and not isinstance(models, Sequence):
            raise TypeError(f"models is a {type(models).__name__}; give a list of models, or models by name")
        listed = [
            one
            for model in ([models] if is_one else models)
            for one in _one_by_one(as_model(model, None)[0])
        ]
        labels = [_label(model) for model in listed]
        # Models of one family are named by their settings.
        labels = [label if labels.count(label) == 1 else repr(model) for label, model in zip(labels, listed, strict=True)]
        again = next((label for label in labels if labels.count(label) > 1), None)
        if again is not None:
            raise ValueError(f"models has {again} more than once; give each a name: {{'first': ..., 'second': ...}}")
        found = dict(zip(labels, listed, strict=True))
    if not found:
        raise ValueError("models is empty; give at least one, such as [Gaussian()]")
    return found


def _one_by_one(model: Model) -> list[Model]:
    """A model for each number of components."""
    candidates = model._candidates() if isinstance(model, GaussianMixture) else None
    return [model] if candidates is None else list(candidates.values())


def _label(model: Model) -> str:
    """The name that the command line would give a model."""
    if isinstance(model, GaussianMixture):
        return f"gaussian-mixture {model._settings['components']}"
    if isinstance(model, NamedModel):
        return model._family
    names = {Gaussian: "gaussian", Formula: "formula"}
    return names.get(type(model)) or str(model._settings.get("name", "model"))


def compare(
    X: Any,
    boundary: Any = None,
    domain: Any = None,
    models: Mapping[str, Model] | Sequence[Model | str] | Model | str | None = None,
    methods: Sequence[str] | str | None = None,
    *,
    test: bool = False,
    bootstrap: int = 500,
    level: float = 0.05,
    resampling: str | None = None,
    kernel: Kernel | str = "gaussian",
    bandwidth: float | str | None = None,
    ridge: float | None = None,
    statistic: str = "v",
    tune: str | bool | None = None,
    random_state: Any = None,
    weights: Any = None,
    clusters: Any = None,
    progress: bool = False,
    project: bool = False,
    boundary_normals: Any = None,
    columns: Sequence[str | int] | None = None,
    **options: Unpack[Options],
) -> ComparisonResult:
    """Fit several methods and models to the same data and lay them side by side.

    The discrepancy of every fitted density is measured with the same kernel, bandwidth, ridge and boundary, whatever
    method fitted it. It is computed on the data that were fitted, so that a model with more parameters comes closer,
    needed or not; ``test=True`` compares it with chance.

    Parameters
    ----------
    X, boundary, domain, kernel, bandwidth, ridge, statistic, tune, random_state, weights, clusters, progress, project, boundary_normals, columns, **options
        As for :func:`fit`.
    models
        The densities: a list, or models by the names that the tables show; a Gaussian with unknown mean and covariance
        by default.
    methods
        The methods; by default all that use what is known of the boundary.
    test
        Whether to test the goodness of fit of every model that was fitted by efficient, tksd, bdksd or ksd.
    bootstrap, level, resampling
        The settings of these tests, as for :func:`gof_test`.

    Returns
    -------
    ComparisonResult

    Examples
    --------
    >>> import steinbound as sb
    >>> disc = sb.Ball(radius=1.44)
    >>> X = sb.simulate(sb.Gaussian(covariance=1.0), [0.5, 0.5], disc, 300, random_state=1)
    >>> found = sb.compare(X, domain=disc, models=sb.Gaussian(covariance=1.0), methods=["tksd", "truncsm"])
    >>> [row.method for row in found.rows]
    ['tksd', 'truncsm']
    """
    settings = settings_of("tksd", kernel, bandwidth, ridge, statistic, tune, random_state, options, compare, project)
    check_kinds({"test": test, "level": level, "resampling": resampling})
    named = _labelled(models)
    chosen = [methods] if isinstance(methods, str) else methods
    for method in chosen or ():
        check_kinds({"method": method})
    if chosen is not None and not chosen:
        raise ValueError("methods is empty; give at least one such as 'tksd', or None")
    problem = problem_of(
        X, boundary, domain, next(iter(named.values())), weights, clusters, None, settings, boundary_normals, columns
    )
    dimension = problem.points.array.shape[1]
    built = [(label, model._build(dimension, problem.names)) for label, model in named.items()]
    tests = (as_count(bootstrap, "bootstrap"), level, resampling) if test else None
    with progress_bar("test", progress and test) as step:
        found = problem.core.compare(built, None if chosen is None else list(chosen), tests, step)
    result = ComparisonResult(*found)
    degrees = problem.degrees()
    kinds = [*("coordinates" for _ in degrees), *result.warning_kinds]
    warn([*degrees, *result.warnings], kinds, result.trustworthy)
    return result
