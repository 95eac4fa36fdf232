"""Truncated regression for scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from ._estimator import Array, Estimator
from ._regression import RegressionResult, regress
from .kernels import Kernel

__all__ = ["TruncatedRegressor"]

RESPONSE = "y"

# Names that a result has for something else.
TAKEN = (RESPONSE, "sigma", "(Intercept)")


class TruncatedRegressor(RegressorMixin, Estimator):  # type: ignore[misc]
    """A linear regression whose response is seen only between limits.

    Predictions are means of the response before the truncation. ``score``, which is R squared, compares them
    with responses after it. Of these least squares are the best linear predictor, so do not choose between
    methods by it.

    Parameters
    ----------
    lower, upper
        Responses below or above are not seen: numbers, in the units of ``y`` as it arrives. Limits that
        differ between rows are given to :meth:`fit`. With neither only ``method="mle"`` (least squares) and
        ``"ksd"`` can be fitted.
    fit_intercept
        Whether there is an intercept.
    known_sigma
        The standard deviation of the noise, where it is known.
    kernel_on
        ``"product"`` for response and covariates, ``"y"`` for the response alone.
    method, kernel, bandwidth, ridge, statistic, tune, random_state, diagnostics
        As for :func:`steinbound.regress`.
    options
        Other options of :func:`steinbound.regress` by name, such as ``{"confidence": 0.9}``.
    n_jobs
        The number of threads, -1 for all cores, which is the default; results do not depend on it.

    Attributes
    ----------
    coef_
        The coefficients, one for each feature; NaN where they do not exist.
    intercept_
        The intercept, 0 without one.
    sigma_
        The standard deviation of the noise.
    result_
        The :class:`steinbound.RegressionResult`: standard errors, intervals, tests, plots.
    n_features_in_, feature_names_in_
        The number of features and, where they are text, their names.

    Examples
    --------
    >>> import steinbound as sb
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from steinbound.sklearn import TruncatedRegressor
    >>> scores = sb.datasets.load_student_scores()
    >>> X, y = [[score] for score in scores["langscore"]], scores["achiv"]
    >>> pipeline = make_pipeline(StandardScaler(), TruncatedRegressor(lower=40)).fit(X, y)
    >>> pipeline.predict([[50.0], [60.0]]).shape
    (2,)
    >>> float(pipeline[-1].sigma_) > 5
    True
    """

    coef_: Array
    intercept_: float
    sigma_: float
    result_: RegressionResult

    def __init__(
        self,
        lower: float | None = None,
        upper: float | None = None,
        *,
        fit_intercept: bool = True,
        known_sigma: float | None = None,
        kernel_on: str = "product",
        method: str = "efficient",
        kernel: Kernel | str = "gaussian",
        bandwidth: float | str | None = None,
        ridge: float | None = None,
        statistic: str = "v",
        tune: str | bool | None = None,
        random_state: Any = None,
        diagnostics: bool = True,
        options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lower = lower
        self.upper = upper
        self.fit_intercept = fit_intercept
        self.known_sigma = known_sigma
        self.kernel_on = kernel_on
        self.method = method
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.ridge = ridge
        self.statistic = statistic
        self.tune = tune
        self.random_state = random_state
        self.diagnostics = diagnostics
        self.options = options
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, lower: Any = None, upper: Any = None) -> Self:
        """Estimate the coefficients and the noise.

        Parameters
        ----------
        X
            The covariates, n by d.
        y
            The responses, all between the limits.
        sample_weight
            Observation weights, one for each row.
        lower, upper
            A limit for each row, in place of the one that all rows have.

        Warns
        -----
        FitWarning
            Where an assumption does not hold, or the estimate should not be trusted.
        """
        features, responses = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2
        )
        columns = self._columns(features)
        terms = [f"`{name}`" for name in columns]
        right = " + ".join(terms if self.fit_intercept else [*terms, "0"])
        self.result_ = regress(
            f"{RESPONSE} ~ {right}",
            {**columns, RESPONSE: responses},
            self.lower if lower is None else lower,
            self.upper if upper is None else upper,
            known_sigma=self.known_sigma,
            kernel_on=self.kernel_on,
            weights=sample_weight,
            **self._settings(),
        )
        params = self.result_._values()
        self.coef_ = np.array([params[name] for name in columns])
        self.intercept_ = params["(Intercept)"] if self.fit_intercept else 0.0
        self.sigma_ = params["sigma"] if self.known_sigma is None else float(self.known_sigma)
        return self

    def _columns(self, X: Array) -> dict[str, Array]:
        """The features by name; x1, x2, .. where a formula cannot have their names."""
        named = self._named(X)
        if isinstance(named, dict) and all(map(_is_usable, named)):
            return named
        return {f"x{axis + 1}": column for axis, column in enumerate(X.T)}

    def predict(self, X: Any) -> Array:
        """The mean of the response before the truncation, for each row.

        Parameters
        ----------
        X
            The covariates.
        """
        points = self._checked(X)
        if np.isnan(self.coef_).any():
            raise ValueError("the fit has no coefficients to predict with; see result_.warnings")
        return np.asarray(points @ self.coef_ + self.intercept_)


def _is_usable(name: str) -> bool:
    """Whether a formula can have the name of a column, and a result beside its own names."""
    # A number between backticks stands for the column in that place.
    is_plain = "`" not in name and name == name.strip() and name != "" and not name.isnumeric()
    return is_plain and name not in TAKEN
