"""Truncated regression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._fit import settings_of
from ._inputs import Points, as_columns, as_labels, as_vector
from ._kinds import check_kinds, check_order
from ._options import Options
from ._problem import Problem
from ._report import Facts, regression_facts
from ._results import FitResult, warn
from .kernels import Kernel
from .models import Model

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RegressionResult", "regress"]


class _Regression(Model):
    """The model of a regression, which the engine makes itself."""

    def __init__(self, formula: str) -> None:
        self._settings = {"formula": formula}


class RegressionProblem(Problem):
    """What was given for a regression."""

    recipe: tuple[Any, ...]
    _regression: _core.Regression | None = None

    @property
    def regression(self) -> _core.Regression:
        """The engine's regression."""
        if self._regression is None:
            self._regression = _core.Regression(*self.recipe)
        return self._regression

    @property
    def core(self) -> _core.Problem:
        return self.regression.problem(self.settings)

    def facts(self) -> tuple[Facts, Facts]:
        return regression_facts(len(self.points.array), *self.recipe[:8])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_regression": None}


class RegressionResult(FitResult):
    """A finished regression; see :class:`FitResult`."""

    problem: RegressionProblem

    @property
    def rows(self) -> NDArray[np.intp]:
        """The rows of the data that were used, counted from zero."""
        return np.array(self.problem.regression.rows, dtype=np.intp)

    def predict(self, data: Any) -> NDArray[np.float64]:
        """The mean of the untruncated response for other rows.

        Parameters
        ----------
        data
            A table with the columns of the formula.
        """
        return self._predicted(data)[0]

    def _predicted(self, data: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.problem.regression.predict(self._json, as_columns(data))

    def get_prediction(self, data: Any, level: float | None = None) -> dict[str, NDArray[np.float64]]:
        """Predicted means with their standard errors and confidence limits."""
        reach = self._reach(level)
        mean, error = self._predicted(data)
        return {"mean": mean, "std_error": error, "lower": mean - reach * error, "upper": mean + reach * error}

    def log_density(self, points: Any, truncated: bool | None = None) -> NDArray[np.float64]:
        """Not there: a regression knows the response given the covariates, and no density of both."""
        raise ValueError("a regression has no density of response and covariates; use predict or get_prediction")

    def sample(self, n: int, truncated: bool = False, random_state: Any = None) -> NDArray[np.float64]:
        """Not there: a regression knows the response given the covariates, and no density of both."""
        raise ValueError("a regression has no density of response and covariates to draw from; use predict")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw responses against the first covariate, with the fitted line and the limits."""
        from ._pictures import plot_regression_fit

        return plot_regression_fit(self, ax)


def _limit(value: Any, length: int, what: str) -> Any:
    """A limit as the engine takes it: a number, the name of a column, or a value for each row."""
    if value is None or isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.ndim == 0:
        return float(array)
    return as_vector(value, length, what)


def regress(
    formula: str,
    data: Any,
    lower: Any = None,
    upper: Any = None,
    method: str = "efficient",
    *,
    known_sigma: float | None = None,
    kernel_on: str = "product",
    kernel: Kernel | str = "gaussian",
    bandwidth: float | str | None = None,
    ridge: float | None = None,
    statistic: str = "v",
    tune: str | bool | None = None,
    random_state: Any = None,
    weights: Any = None,
    clusters: Any = None,
    drop_missing: bool = False,
    bootstrap: int | None = None,
    resampling: str = "nonparametric",
    interval: str = "percentile",
    diagnostics: bool = True,
    progress: bool = False,
    derive: str | Sequence[str] | Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> RegressionResult:
    """Fit a linear regression whose response is seen only between limits.

    Parameters
    ----------
    formula
        The response and the terms: ``"y ~ x1 + x2"``. Text columns are categorical, ``C(column)`` makes a numeric one so,
        ``a:b`` is an interaction, ``a*b`` both and their interaction, ``-1`` leaves the intercept out.
    data
        A table: a DataFrame, a dictionary of columns, a structured array.
    lower, upper
        Responses below or above are not seen: a number, the name of a column, or a value for each row.
    method
        As for :func:`fit`.
    known_sigma
        The standard deviation of the noise, where it is known.
    kernel_on
        ``"product"`` for response and covariates, ``"y"`` for the response alone.
    weights, clusters
        The name of a column, or a value for each row.
    drop_missing
        Leave out rows that miss a value instead of refusing them.
    kernel, bandwidth, ridge, statistic, tune, random_state, bootstrap, resampling, interval, diagnostics, progress, derive, **options
        As for :func:`fit`.

    Returns
    -------
    RegressionResult

    Examples
    --------
    >>> import steinbound as sb
    >>> scores = sb.datasets.load_student_scores()
    >>> result = sb.regress("achiv ~ langscore + prog", scores, lower=40)
    >>> list(result.params)
    ['(Intercept)', 'langscore', 'prog[general]', 'prog[vocational]', 'sigma']
    >>> result.predict({"langscore": [50.0], "prog": ["academic"]}).shape
    (1,)
    """
    settings = settings_of(method, kernel, bandwidth, ridge, statistic, tune, random_state, options)
    check_kinds({"formula": formula, "known_sigma": known_sigma, "drop_missing": drop_missing})
    check_order(data, weights, "weights")
    check_order(data, clusters, "clusters")
    columns = as_columns(data)
    length = len(next(iter(columns.values())))
    if lower is None and upper is None and method not in ("mle", "ksd"):
        raise ValueError(
            "no limit of the response is given; add lower=V or upper=V (a number, a column or an array), or use "
            "method='mle' for data that are not truncated"
        )
    recipe = (
        formula,
        columns,
        _limit(lower, length, "lower"),
        _limit(upper, length, "upper"),
        known_sigma,
        kernel_on,
        _limit(weights, length, "weights"),
        clusters if clusters is None or isinstance(clusters, str) else as_labels(clusters, length, "clusters"),
        drop_missing,
        settings["seed"],
    )
    regression = _core.Regression(*recipe)
    names, values = regression.points()
    problem = RegressionProblem(
        points=Points(values, names),
        weights=None,
        clusters=None,
        model=_Regression(formula),
        boundary=None,
        boundary_normals=None,
        domain=None,
        start=None,
        settings=settings,
    )
    problem.recipe, problem._regression = recipe, regression
    found = problem.fitted(diagnostics, bootstrap, resampling, interval, derive, progress)
    result = RegressionResult(problem, *found)
    warn(result.warnings)
    return result
