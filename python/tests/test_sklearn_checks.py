"""scikit-learn's own checks, for estimators that are set so that they can be fitted to any data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import steinbound as sb

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks

from steinbound.sklearn import TruncatedDensity, TruncatedGaussian, TruncatedGaussianMixture, TruncatedRegressor

# The checks' data are not truncated, and have any number of columns.
WIDE = sb.Box(-1e3, 1e3)
FEW = {"boundary_points": 16}

ESTIMATORS = [
    TruncatedGaussian(method="mle", shape="diagonal"),
    TruncatedGaussian(domain=WIDE, covariance=1.0, options=FEW),
    # Of the checks' few rows, with any columns, weights of components cannot be told.
    TruncatedGaussianMixture(2, method="mle", covariance=1.0, estimate_weights=False),
    # One check has 15 rows of 30 columns, which is refused: by the method efficient only after a minute.
    TruncatedGaussianMixture(domain=WIDE, covariance=1.0, method="tksd", options=FEW),
    TruncatedDensity(sb.Gaussian(shape="diagonal"), method="mle"),
    TruncatedRegressor(method="mle"),
    TruncatedRegressor(lower=-1e3, method="truncated-mle"),
    TruncatedRegressor(lower=-1e3, known_sigma=0.1),
]

# It fits 15 rows of 30 columns, which determine no density; test_sklearn.py has the same with fewer.
WIDER_THAN_LONG = {
    "check_sample_weight_equivalence_on_dense_data": "there are fewer rows than parameters, which is refused"
}

# Its two columns lie on a line, which determines no coefficients.
DEPENDENT = {"check_sample_weights_shape": "its columns depend on each other, which is refused"}


def expected_failures(estimator: Any) -> dict[str, str]:
    return WIDER_THAN_LONG | (DEPENDENT if isinstance(estimator, TruncatedRegressor) else {})


@pytest.mark.filterwarnings("ignore::steinbound.FitWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_rules(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
