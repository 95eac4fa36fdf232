"""Mixtures behind a truncation for scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._density import components, log_components
from ._density_estimators import DensityEstimator
from ._estimator import Array
from .kernels import Kernel
from .models import GaussianMixture, Model

__all__ = ["TruncatedGaussianMixture"]


#: The shapes of covariances by scikit-learn's names, of which "diag" has none here.
SHAPES = {"full": "full", "tied": "shared", "spherical": "spherical"}


class ComponentsMixin:
    """What estimators of densities with components can tell of points."""

    _checked: Any
    _draws: Any
    result_: Any

    def predict_proba(self, X: Any) -> Array:
        """The probability of each component at each point, n by the number of components.

        It is the same with and without the truncation, which cuts all components alike.
        """
        points = self._checked(X)
        logs = log_components(self.result_, points)
        return np.asarray(np.exp(logs - np.logaddexp.reduce(logs, axis=0)).T)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """The most probable component at each point, counted from 0."""
        points = self._checked(X)
        return np.asarray(log_components(self.result_, points).argmax(axis=0))


class TruncatedGaussianMixture(ComponentsMixin, DensityEstimator):
    """A mixture of normal distributions behind a truncation.

    Parameters
    ----------
    n_components
        How many.
    boundary, domain, method, kernel, bandwidth, ridge, statistic, tune, random_state, diagnostics, options, boundary_normals
        As for :class:`TruncatedGaussian`.
    covariance
        The covariance of every component, where it is known.
    shape
        The shape of unknown covariances: ``"full"``, ``"shared"`` or ``"spherical"``.
    estimate_weights
        Whether the weights of the components are estimated, as scikit-learn does; else they are equal. Where only
        boundary points are known, weights of components that are far apart cannot be estimated.
    start
        The means to start from, ``n_components`` by d, or all parameters; by default they are searched for.

    covariance_type
        The same as ``shape`` by the names of scikit-learn, which take precedence: ``"full"``, ``"tied"`` or
        ``"spherical"``.
    n_init
        How many searches, each from several starts of its own; the best is kept.
    max_iter
        The most steps of a search, by default those of :func:`steinbound.fit`; one that would need more has not
        converged.
    n_jobs
        The number of threads, -1 for all cores, which is the default; results do not depend on it.

    Attributes
    ----------
    weights_
        The weights of the components in the whole space, not inside the domain.
    means_
        Their means, ``n_components`` by d.
    covariances_
        Their covariances, ``n_components`` by d by d whatever the shape.
    result_, converged_, n_iter_, n_features_in_, feature_names_in_
        As for :class:`TruncatedGaussian`.

    Examples
    --------
    >>> import numpy as np, steinbound as sb
    >>> from steinbound.sklearn import TruncatedGaussianMixture
    >>> box, model = sb.Box(-3, 3), sb.GaussianMixture(2, covariance=1.0)
    >>> X = sb.simulate(model, [-2, -1, 2, 1], box, 400, random_state=1)
    >>> estimator = TruncatedGaussianMixture(2, domain=box, covariance=1.0).fit(X)
    >>> bool(np.abs(np.sort(estimator.means_, axis=0) - [[-2, -1], [2, 1]]).max() < 0.5)
    True
    >>> estimator.predict([[-2, -1], [2, 1]]).tolist() == np.argsort(estimator.means_[:, 0]).tolist()
    True
    """

    weights_: Array
    means_: Array
    covariances_: Array

    def __init__(
        self,
        n_components: int = 1,
        boundary: Any = None,
        domain: Any = None,
        *,
        covariance: Any = None,
        shape: str = "full",
        estimate_weights: bool = True,
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
        covariance_type: str | None = None,
        n_init: int = 1,
        n_jobs: int | None = None,
        max_iter: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.boundary = boundary
        self.domain = domain
        self.covariance = covariance
        self.shape = shape
        self.estimate_weights = estimate_weights
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
        self.covariance_type = covariance_type
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.max_iter = max_iter

    def _model(self) -> Model:
        shape = self.shape
        if self.covariance_type is not None:
            if self.covariance_type not in SHAPES:
                raise ValueError(f"covariance_type is {self.covariance_type!r}; behind a truncation it is one of {', '.join(SHAPES)}")
            shape = SHAPES[self.covariance_type]
        # One component has the weight 1.
        has_weights = self.estimate_weights and self.n_components != 1
        return GaussianMixture(self.n_components, self.covariance, shape, has_weights)

    def _keep(self) -> None:
        weights, means, covariances = zip(*components(self.result_), strict=True)
        self.weights_, self.means_ = np.array(weights), np.array(means)
        self.covariances_ = np.array(covariances)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[np.intp]:
        """Fit, and predict for the same points."""
        return self.fit(X, y, sample_weight).predict(X)

    def sample(
        self, n_samples: int = 1, truncated: bool = False, random_state: Any = None
    ) -> tuple[Array, NDArray[np.intp]]:
        """Draws of the fitted density, and the component of each.

        Parameters
        ----------
        n_samples, truncated, random_state
            As for :meth:`TruncatedGaussian.sample`.
        """
        points, seed = self._draws(n_samples, truncated, random_state)
        # The engine does not return the components; given the points they are drawn with these probabilities.
        logs = log_components(self.result_, points)
        noise = np.random.default_rng(seed).gumbel(size=logs.shape)
        return points, np.asarray((logs + noise).argmax(axis=0))
