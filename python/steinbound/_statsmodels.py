"""What statsmodels calls the parts of a result, so that its users and its tables find them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["ModelNames", "StatsmodelsNames"]


@dataclass(frozen=True)
class ParameterNames:
    """The names of all parameters."""

    param_names: list[str]


@dataclass(frozen=True)
class ModelNames:
    """What a model is made of, by the names of statsmodels.

    Attributes
    ----------
    endog_names
        The response; of a density its columns.
    exog_names
        The terms of a regression; none for a density.
    formula
        The formula of a regression; None for a density.
    data
        Its ``param_names`` are the names of all parameters.
    """

    endog_names: str
    exog_names: list[str]
    formula: str | None = None
    data: ParameterNames = field(default_factory=lambda: ParameterNames([]))


class StatsmodelsNames:
    """Attributes of results by the names of statsmodels."""

    # The JSON of the result.
    _fit: dict[str, Any]

    @property
    def zvalues(self) -> Any:
        """Estimates divided by their standard errors, by name."""
        raise NotImplementedError

    def _size(self) -> int:
        """The number of estimated parameters, of which weights that sum to one are one less."""
        return len(self._fit["natural"] or self._fit["parameters"])

    def _number(self, name: str) -> float:
        value = self._fit.get(name)
        return float("nan") if value is None else float(value)

    @property
    def tvalues(self) -> Any:
        """The same as ``zvalues``: estimates divided by their standard errors, by name."""
        return self.zvalues

    @property
    def llf(self) -> float:
        """The log-likelihood at the estimate; NaN for methods without one."""
        return self._number("log_likelihood")

    def _criterion(self, name: str, weight: float) -> float:
        known = self._number(name)
        return known if np.isfinite(known) else weight * self._size() - 2 * self.llf

    @property
    def aic(self) -> float:
        """Akaike's criterion; NaN for methods without a likelihood."""
        return self._criterion("aic", 2.0)

    @property
    def bic(self) -> float:
        """The Bayesian criterion; NaN for methods without a likelihood."""
        return self._criterion("bic", float(np.log(self.nobs)))

    @property
    def nobs(self) -> int:
        """The number of observations."""
        return int(self._fit["n"])

    @property
    def df_model(self) -> int:
        """The number of terms of a regression besides the intercept; of a density the number of parameters."""
        terms = self.model.exog_names
        return len([name for name in terms if name != "(Intercept)"]) if terms else self._size()

    @property
    def df_resid(self) -> int:
        """The number of observations less that of the estimated parameters."""
        return self.nobs - self._size()

    @property
    def cov_type(self) -> str:
        """How the covariance of the estimates was found."""
        return str(self._fit["covariance_type"])

    @property
    def model(self) -> ModelNames:
        """The names of response, terms and parameters."""
        raise NotImplementedError
