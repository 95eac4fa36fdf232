"""Truncated regression."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._fit import settings_of
from ._inputs import Points, as_labels, as_vector, table_of
from ._kinds import check_kinds, check_order
from ._named import columns_of, index_of, series
from ._options import Options
from ._problem import Problem
from ._report import Facts, regression_facts
from ._results import FitResult, _level_of
from ._statsmodels import ModelNames, ParameterNames
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
    #: The labels of the rows of the data, where these are a DataFrame of pandas.
    index: Any = None
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

    @property
    def notes(self) -> list[str]:
        """What to know of the columns: a response that is a function of its column, levels that no row has."""
        return self.problem.regression.notes

    def predict(self, data: Any = None, which: str = "mean") -> Any:
        """The mean of the response: of all responses, or of those that are seen.

        It is in units of the left side of the formula. Means, polynomials, knots and levels are those of the data that
        were fitted.

        Parameters
        ----------
        data
            A table with the columns of the formula, or the path of one; by default the rows that were fitted.
        which
            ``"mean"`` for the response before truncation and censoring, ``"seen"`` for the response between the limits, and for
            censored responses ``"recorded"`` for what is recorded and ``"uncensored"`` for the probability of not being
            censored. Limits that are a column are taken from ``data``.

        Returns
        -------
        pandas.Series or numpy.ndarray
            One value for each row, with the labels of the rows where these are those of a DataFrame.

        Examples
        --------
        >>> import steinbound as sb
        >>> scores = sb.datasets.load_student_scores()
        >>> result = sb.regress("achiv ~ langscore", scores, lower=40, method="truncated-mle")
        >>> weak = {"langscore": [25.0]}
        >>> bool(result.predict(weak)[0] < 40 < result.predict(weak, which="seen")[0])
        True
        """
        mean, _, index = self._predicted(data, which)
        return series(mean, index)

    def _predicted(
        self, data: Any, which: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], Any]:
        """Means, standard errors, and the labels of the rows where there are any."""
        check_kinds({"which": which})
        known = self.problem
        columns: Any = known.recipe[1]
        if data is not None:
            columns, index = table_of(data), index_of(data)
        elif isinstance(columns, str):
            index = None
        else:
            # The rows that were fitted, and of these only what the formula can need.
            columns, index = {name: _chosen(held, self.rows) for name, held in columns.items()}, self._labels()
        return *known.regression.predict(self._json, columns, which), index

    def _variables(self) -> list[tuple[str, list[str] | None, NDArray[np.float64] | list[str]]]:
        """The columns that covariates are made of in the rows that were fitted, with the levels of categorical ones."""
        recipe = self.problem.recipe
        return self.problem.regression.variables(recipe[1], recipe[8])

    def _labels(self) -> Any:
        """The labels of the rows that were fitted, where the data had any."""
        return None if self.problem.index is None else self.problem.index[self.rows]

    def get_prediction(
        self, data: Any = None, level: float | None = None, *, alpha: float | None = None, which: str = "mean"
    ) -> Any:
        """Predicted means with their standard errors and confidence limits.

        Parameters
        ----------
        data, which
            As for :meth:`predict`.
        level, alpha
            The confidence level, such as 0.95, or the share of intervals that miss, such as 0.05; those of the fit by
            default.

        Returns
        -------
        pandas.DataFrame or dict
            The columns ``mean``, ``std_error``, ``lower`` and ``upper``; arrays by name without pandas.
        """
        reach = self._reach(_level_of(alpha, level))
        mean, error, index = self._predicted(data, which)
        found = {"mean": mean, "std_error": error, "lower": mean - reach * error, "upper": mean + reach * error}
        return columns_of(found, index)

    def effects(self) -> list[dict[str, Any]]:
        """Average marginal effects of the variables of the formula, one dictionary for each variable and quantity.

        ``of`` is what is changed: ``"latent"`` for the mean before truncation and censoring, or ``"seen"``, ``"recorded"`` or
        ``"uncensored"`` as in :meth:`predict`; ``name`` is the variable. ``estimate``, ``std_error``, ``lower`` and ``upper``
        are of the average over the rows: of the derivative, or of the step from the base of a categorical variable.
        """
        found: list[dict[str, Any]] = json.loads(self.problem.regression.effects(self._json))
        return found

    @property
    def fittedvalues(self) -> Any:
        """The means of the untruncated response in the rows that were fitted."""
        return self.predict()

    @property
    def resid(self) -> Any:
        """The responses less ``fittedvalues``. Where responses are cut off their mean is not zero."""
        mean, _, index = self._predicted(None, "mean")
        return series(self.problem.points.array[:, 0] - mean, index)

    @property
    def model(self) -> ModelNames:
        """The names of response, terms and parameters, as statsmodels has them."""
        terms = [name for name in self.names if name != "sigma" or self.problem.recipe[4] is not None]
        names = ParameterNames(self.names)
        return ModelNames(self.problem.regression.response, terms, self.problem.recipe[0], names)

    def log_density(self, points: Any, truncated: bool | None = None) -> NDArray[np.float64]:
        """Not there: a regression knows the response given the covariates, and no density of both."""
        raise ValueError("a regression has no density of response and covariates; use predict or get_prediction")

    def sample(self, n: int, truncated: bool = False, random_state: Any = None) -> NDArray[np.float64]:
        """Not there: a regression knows the response given the covariates, and no density of both."""
        raise ValueError("a regression has no density of response and covariates to draw from; use predict")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw responses against the first column of numbers in the formula, with what is predicted along it and the limits.

        Other columns of numbers are at their mean; categories are groups with a line each.
        """
        from ._pictures import plot_regression_fit

        return plot_regression_fit(self, ax)


def _chosen(values: Any, rows: NDArray[np.intp]) -> Any:
    """Some of the values of a column."""
    return values[rows] if isinstance(values, np.ndarray) else [values[row] for row in rows]


def _limit(value: Any, length: int | None, what: str) -> Any:
    """A limit as the engine takes it: a number, the name of a column, or a value for each row."""
    if value is None or isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.ndim == 0:
        return float(array)
    # Of a file the engine counts the rows.
    return as_vector(value, len(array) if length is None else length, what)


def _labels(clusters: Any, length: int | None) -> Any:
    if clusters is None or isinstance(clusters, str):
        return clusters
    return as_labels(clusters, len(clusters) if length is None else length, "clusters")


def regress(
    formula: str,
    data: Any,
    lower: Any = None,
    upper: Any = None,
    method: str | None = None,
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
    censored: bool | str | None = None,
    cov: str | None = None,
    callback: Callable[[int, float], Any] | None = None,
    **options: Unpack[Options],
) -> RegressionResult:
    """Fit a linear regression whose response is seen only between limits.

    Parameters
    ----------
    formula
        The response and the terms: ``"y ~ x1 + x2"``. Text columns are categorical, ``C(column)`` makes a numeric one so,
        ``a:b`` is an interaction, ``a*b`` both and their interaction, ``-1`` leaves the intercept out. ``log(x + 1)``,
        ``I(x**2)``, ``poly(x, 2)``, ``bs(x, df=5)`` and ``scale(x)`` derive columns; ``Q("name")`` is a column whose name
        is not a word. The response may be ``log(y)``. The book has a table of all.
    data
        A table: a DataFrame, a dictionary of columns, a structured array; the path of a CSV or Parquet file; or a lazy
        frame, reader, relation or iterator as for :func:`fit`, of which only columns that are named here are kept.
        Categories of pandas, of polars' ``Enum`` and of ordered dictionaries of Arrow keep their order, of which the
        first is the base.
    lower, upper
        Responses below or above are not seen: a number, the name of a column, or a value for each row; in units of the
        column, also where the response is ``log(y)``.
    method
        As for :func:`fit`; by default ``"efficient"``, and with ``censored`` a likelihood.
    known_sigma
        The standard deviation of the noise, where it is known.
    kernel_on
        ``"product"`` for response and covariates, ``"y"`` for the response alone.
    weights, clusters
        The name of a column, or a value for each row.
    drop_missing
        Leave out rows that miss a value instead of refusing them.
    censored
        True or ``"both"`` if responses beyond the limits are recorded as the limit, instead of not being seen; ``"lower"`` or
        ``"upper"`` if only that limit censors, and rows beyond the other are not seen.
    cov
        How standard errors are computed: ``"information"``, ``"robust"`` or ``"cluster"``.
    kernel, bandwidth, ridge, statistic, tune, random_state, bootstrap, resampling, interval, diagnostics, progress, derive, callback, **options
        As for :func:`fit`.

    Returns
    -------
    RegressionResult

    Examples
    --------
    >>> import steinbound as sb
    >>> scores = sb.datasets.load_student_scores()
    >>> result = sb.regress("achiv ~ langscore + prog", scores, lower=40)
    >>> result.names
    ['(Intercept)', 'langscore', 'prog[general]', 'prog[vocational]', 'sigma']
    >>> result.predict({"langscore": [50.0], "prog": ["academic"]}).shape
    (1,)
    """
    side = ("both" if censored else None) if isinstance(censored, bool) else censored
    method = _core.regression_method(method, side, [lower is not None, upper is not None])
    settings = settings_of(method, kernel, bandwidth, ridge, statistic, tune, random_state, options, regress)
    settings["cov"] = cov
    check_kinds({"formula": formula, "known_sigma": known_sigma, "drop_missing": drop_missing})
    for what, values in (("lower", lower), ("upper", upper), ("weights", weights), ("clusters", clusters)):
        check_order(data, values, what)
    named = [formula, *(text for text in (lower, upper, weights, clusters) if isinstance(text, str))]
    columns = table_of(data, named)
    length = None if isinstance(columns, str) else len(next(iter(columns.values())))
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
        _labels(clusters, length),
        drop_missing,
        settings["seed"],
        side,
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
    problem.index = index_of(data)
    found = problem.fitted(diagnostics, bootstrap, resampling, interval, derive, progress, callback)
    result = RegressionResult(problem, *found)
    result._warn()
    return result
