"""Any density behind a truncation for scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from ._density import components
from ._density_estimators import DensityEstimator
from ._estimator import Array
from ._mixture_estimator import ComponentsMixin
from .kernels import Kernel
from .models import Gaussian, GaussianMixture, Model, as_model

__all__ = ["TruncatedDensity"]


def _has_components(estimator: TruncatedDensity) -> bool:
    """Whether the model has components; the error of who asks for them says so."""
    if isinstance(estimator.model, GaussianMixture):
        return True
    raise AttributeError("only mixtures have components; give model=GaussianMixture(...)")


class TruncatedDensity(DensityEstimator):
    """Any density behind a truncation, such as a formula or a score of your own.

    Parameters
    ----------
    model
        A model such as ``Formula("-rate*x1", start={"rate": 1.0})``, or text as for :func:`steinbound.fit`; a
        Gaussian with unknown mean and covariance by default.
    start
        Where the search starts, as for :func:`steinbound.fit`.
    boundary, domain, method, kernel, bandwidth, ridge, statistic, tune, random_state, diagnostics, options, boundary_normals, n_jobs
        As for :class:`TruncatedGaussian`.
    n_init
        How many searches, each from several starts of its own; the best is kept.
    max_iter
        The most steps of a search, by default those of :func:`steinbound.fit`; one that would need more has not
        converged.

    Attributes
    ----------
    names_, estimates_
        The names of the parameters, and their estimates in this order.
    weights_, means_, covariances_
        Of the components of a Gaussian or a mixture; other models have none.
    result_, converged_, n_iter_, n_features_in_, feature_names_in_
        As for :class:`TruncatedGaussian`.

    Examples
    --------
    >>> import steinbound as sb
    >>> from steinbound.sklearn import TruncatedDensity
    >>> waits = [[0.3], [1.7], [0.8], [2.9], [0.1], [1.1]]
    >>> model = sb.Formula("-rate*x1", start={"rate": 1.0})
    >>> estimator = TruncatedDensity(model, domain=sb.Interval(0, 3)).fit(waits)
    >>> estimator.names_, estimator.score_samples([[0.5]], truncated=True).shape
    (['rate'], (1,))
    """

    names_: list[str]
    estimates_: Array
    weights_: Array
    means_: Array
    covariances_: Array

    def __init__(
        self,
        model: Model | str | None = None,
        boundary: Any = None,
        domain: Any = None,
        *,
        start: Any = None,
        method: str = "efficient",
        kernel: Kernel | str = "gaussian",
        bandwidth: float | str | None = None,
        ridge: float | None = None,
        statistic: str = "v",
        tune: str | bool | None = None,
        random_state: Any = None,
        diagnostics: bool = True,
        options: Mapping[str, Any] | None = None,
        boundary_normals: Any = None,
        n_init: int = 1,
        n_jobs: int | None = None,
        max_iter: int | None = None,
    ) -> None:
        self.model = model
        self.boundary = boundary
        self.domain = domain
        self.start = start
        self.method = method
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.ridge = ridge
        self.statistic = statistic
        self.tune = tune
        self.random_state = random_state
        self.diagnostics = diagnostics
        self.options = options
        self.boundary_normals = boundary_normals
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.max_iter = max_iter

    def _model(self) -> Model:
        return as_model(self.model, self.start)[0]

    def _keep(self) -> None:
        self.names_, self.estimates_ = self.result_.names, self.result_.estimates
        if isinstance(self.result_.problem.model, (Gaussian, GaussianMixture)):
            weights, means, covariances = zip(*components(self.result_), strict=True)
            self.weights_, self.means_ = np.array(weights), np.array(means)
            self.covariances_ = np.array(covariances)

    predict = available_if(_has_components)(ComponentsMixin.predict)
    predict_proba = available_if(_has_components)(ComponentsMixin.predict_proba)
