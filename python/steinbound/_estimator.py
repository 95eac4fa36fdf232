"""What the estimators for scikit-learn have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ._fit import NAMES

__all__ = ["Array", "Estimator"]

Array = NDArray[np.float64]

# What every estimator hands on as it is.
SHARED = ("method", "kernel", "bandwidth", "ridge", "statistic", "tune", "random_state", "diagnostics")


class Estimator(BaseEstimator):  # type: ignore[misc]
    """An estimator whose settings are those of :func:`steinbound.fit`."""

    random_state: Any
    options: Mapping[str, Any] | None

    def _settings(self) -> dict[str, Any]:
        """The settings by name."""
        options = dict(self.options or {})
        for name in options:
            if name not in NAMES:
                raise ValueError(f"there is no option {name!r}; those there are: {', '.join(NAMES)}")
        jobs = getattr(self, "n_jobs", None)
        if jobs is not None:
            if "threads" in options:
                raise ValueError("n_jobs and options={'threads': ...} say the same in two ways; give one of them")
            options["threads"] = effective_n_jobs(jobs)
        steps = getattr(self, "max_iter", None)
        if steps is not None:
            if "max_iterations" in options:
                raise ValueError(
                    "max_iter and options={'max_iterations': ...} say the same in two ways; give one of them"
                )
            options["max_iterations"] = steps
        return {name: getattr(self, name) for name in SHARED} | options

    def _learned(self, X: Any) -> Array:
        """Data to fit, whose number and names of features are remembered."""
        points: Array = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        return points

    def _checked(self, X: Any) -> Array:
        """Points that have the features of the fit."""
        self._require_fit()
        points: Array = validate_data(self, X, dtype=np.float64, reset=False)
        return points

    def _require_fit(self) -> None:
        check_is_fitted(self, "result_")

    def _named(self, X: Array) -> Any:
        """The data with the names of their features, if no two have the same name."""
        names = getattr(self, "feature_names_in_", None)
        if names is None or len(set(names)) < len(names):
            return X
        return dict(zip(names.tolist(), X.T, strict=True))
