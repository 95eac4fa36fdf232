"""Densities behind a truncation for scikit-learn: what they have in common, and the normal distribution."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import DensityMixin

from ._density import components
from ._estimator import Array, Estimator
from ._fit import discrepancy, fit, fitted, problem_of, settings_of
from ._inputs import seed_of
from ._reach import check_reach
from ._results import FitResult
from .kernels import Kernel
from .models import Gaussian, Model

__all__ = ["DensityEstimator", "TruncatedGaussian", "discrepancy_score"]

#: The settings that have an argument of their own.
CHOSEN = ("method", "kernel", "bandwidth", "ridge", "statistic", "tune")


class DensityEstimator(DensityMixin, Estimator):  # type: ignore[misc]
    """What the density estimators have in common."""

    boundary: Any
    boundary_normals: Any
    domain: Any
    start: Any = None
    n_init: int = 1
    result_: FitResult
    converged_: bool
    n_iter_: int

    def _model(self) -> Model:
        raise NotImplementedError

    def _keep(self) -> None:
        """Sets the attributes that a fit leaves."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Estimate the density behind the truncation.

        Parameters
        ----------
        X
            The data, n by d, all inside the domain.
        y
            Ignored.
        sample_weight
            Observation weights, one for each row.

        Warns
        -----
        FitWarning
            Where an assumption does not hold, or the estimate should not be trusted.
        """
        points = self._learned(X)
        settings = self._settings()
        if settings["method"] not in ("mle", "ksd") and not settings.get("allow_outside", False):
            check_reach(points, self.boundary, self.domain)
        diagnostics = settings.pop("diagnostics")
        seed = seed_of(settings.pop("random_state"))
        if not isinstance(self.n_init, Integral) or self.n_init < 1:
            raise ValueError(f"n_init is {self.n_init!r}; give a whole number, 1 or more")
        best: FitResult | None = None
        for number in range(int(self.n_init)):
            chosen = settings_of(
                *(settings[name] for name in CHOSEN),
                random_state=seed + number,
                options={name: value for name, value in settings.items() if name not in CHOSEN},
                function=fit,
            )
            problem = problem_of(
                self._named(points),
                self.boundary,
                self.domain,
                self._model(),
                sample_weight,
                None,
                self.start,
                chosen,
                self.boundary_normals,
            )
            found = fitted(problem, diagnostics)
            best = found if best is None or _rank(found) < _rank(best) else best
        assert best is not None
        self.result_ = best
        best._warn()
        self.converged_, self.n_iter_ = best.converged, int(best.to_dict()["iterations"])
        self._keep()
        return self

    def score_samples(self, X: Any, truncated: bool = False) -> Array:
        """The log-density at each point.

        Parameters
        ----------
        X
            Where.
        truncated
            Whether the density is that inside the domain, which integrates to one there and is zero elsewhere
            (then its logarithm is minus infinity). By default that of the whole space, behind the truncation.
        """
        points = self._checked(X)
        return self.result_.log_density(points, truncated)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of points, for choosing between estimators.

        Data that were seen only inside a domain are drawn from the density inside it, so that is the one used
        where the domain is known: the density of the whole space would prefer fits that ignore the
        truncation. A point outside the domain scores minus infinity. With neither domain nor boundary the
        data count as not truncated. Boundary points alone do not determine the density inside; choose by
        :func:`discrepancy_score` then.

        Parameters
        ----------
        X
            The points.
        y
            Ignored.
        """
        points = self._checked(X)
        problem = self.result_.problem
        if problem.domain is None and problem.boundary is not None:
            raise ValueError(
                "the likelihood of truncated data needs the domain, but only points on its boundary are "
                "known; give domain=..., or choose by scoring=steinbound.sklearn.discrepancy_score"
            )
        return float(np.mean(self.result_.log_density(points, problem.domain is not None)))

    def bic(self, X: Any) -> float:
        """The Bayesian criterion of points; lower is better.

        Parameters
        ----------
        X
            The points; their likelihood is that of :meth:`score`.
        """
        points = self._checked(X)
        return -2 * len(points) * self.score(points) + self.result_._size() * float(np.log(len(points)))

    def aic(self, X: Any) -> float:
        """Akaike's criterion of points; lower is better.

        Parameters
        ----------
        X
            The points; their likelihood is that of :meth:`score`.
        """
        points = self._checked(X)
        return -2 * len(points) * self.score(points) + 2 * self.result_._size()

    def sample(self, n_samples: int = 1, truncated: bool = False, random_state: Any = None) -> Any:
        """Draws of the fitted density.

        Parameters
        ----------
        n_samples
            How many.
        truncated
            Whether they come from inside the domain.
        random_state
            A seed or a generator; by default the estimator's, so that a seed gives the same draws at every
            call.
        """
        return self._draws(n_samples, truncated, random_state)[0]

    def _draws(self, n_samples: int, truncated: bool, random_state: Any) -> tuple[Array, int]:
        """Draws of the fitted density, and the seed that gave them."""
        self._require_fit()
        if n_samples < 1:
            raise ValueError(f"n_samples is {n_samples}; give 1 or more")
        seed = seed_of(self.random_state if random_state is None else random_state)
        return self.result_.sample(n_samples, truncated, seed), seed


def _rank(result: FitResult) -> tuple[bool, float]:
    """What is smaller for the better of two fits of the same method."""
    found = result.to_dict()
    likelihood = found["log_likelihood"]
    measured = (found["discrepancy_squared"], found["objective"], None if likelihood is None else -likelihood)
    value = next((value for value in measured if value is not None), float("inf"))
    return not result.trustworthy, value


class TruncatedGaussian(DensityEstimator):
    """A normal distribution behind a truncation.

    Parameters
    ----------
    boundary
        Points on the boundary, m by d; or a geometry, whose rings are the boundary.
    domain
        The region in which data are seen, where it is known. With neither boundary nor domain only
        ``method="mle"`` and ``"ksd"`` can be fitted, which take the data as not truncated; the others say so.
        Both are in the units of ``X`` as it arrives: a scaler before the estimator changes those of ``X``, which is
        refused where it shows.
    covariance
        The covariance where it is known: a number, variances, or a matrix.
    shape
        The shape of an unknown covariance: ``"full"`` or ``"diagonal"``.
    method
        ``"efficient"``, the default, which needs the region or boundary points; ``"tksd"``, ``"bdksd"``,
        ``"truncsm"``, ``"ksd"``, ``"mle"`` or ``"truncated-mle"``.
    kernel, bandwidth, ridge, statistic, tune, diagnostics
        As for :func:`steinbound.fit`.
    random_state
        A seed (default 0) or a NumPy generator, for everything random.
    options
        Other options of :func:`steinbound.fit` by name, such as ``{"boundary_points": 200, "threads": 1}``.
    boundary_normals
        A vector perpendicular to the boundary at each of its points, m by d, as for :func:`steinbound.fit`.
    n_jobs
        The number of threads, -1 for all cores, which is the default; results do not depend on it.

    Attributes
    ----------
    mean_
        The mean, of length d; NaN where it does not exist.
    covariance_
        The covariance, d by d.
    result_
        The :class:`steinbound.FitResult`: standard errors, intervals, tests, plots.
    converged_, n_iter_
        Whether the minimum was found, and after how many steps; none for a closed form.
    n_features_in_, feature_names_in_
        The number of features and, where they are text, their names.

    Examples
    --------
    >>> import numpy as np, steinbound as sb
    >>> from steinbound.sklearn import TruncatedGaussian
    >>> disc = sb.Ball(radius=1.44)
    >>> X = sb.simulate(sb.Gaussian(covariance=1.0), [0.5, 0.5], disc, 300, random_state=1)
    >>> estimator = TruncatedGaussian(boundary=disc.sample_boundary(100), covariance=1.0).fit(X)
    >>> bool(np.all(np.abs(estimator.mean_ - 0.5) < 3 * estimator.result_.std_errors))
    True
    >>> estimator.score_samples(X[:3]).shape, estimator.sample(5).shape
    ((3,), (5, 2))
    """

    mean_: Array
    covariance_: Array

    def __init__(
        self,
        boundary: Any = None,
        domain: Any = None,
        *,
        covariance: Any = None,
        shape: str = "full",
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
        n_jobs: int | None = None,
    ) -> None:
        self.boundary = boundary
        self.domain = domain
        self.covariance = covariance
        self.shape = shape
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
        self.n_jobs = n_jobs

    def _model(self) -> Model:
        return Gaussian(self.covariance, self.shape)

    def _keep(self) -> None:
        ((_, self.mean_, covariance),) = components(self.result_)
        # A known covariance is the one that was given, which stays the user's.
        self.covariance_ = covariance.copy()



def discrepancy_score(estimator: DensityEstimator, X: Any, y: Any = None) -> float:
    """Minus the squared discrepancy of points from a fitted density: a score that needs no domain.

    All estimators are measured alike, by the U-statistic of TKSD with the default kernel and the median
    distance of the points, so that their own kernels and bandwidths can be compared; by KSD where no boundary
    is known.

    Parameters
    ----------
    estimator
        A fitted density.
    X
        Points that it has not seen.
    y
        Ignored.

    Examples
    --------
    >>> import steinbound as sb
    >>> from sklearn.model_selection import GridSearchCV
    >>> from steinbound.sklearn import TruncatedGaussian, discrepancy_score
    >>> disc = sb.Ball(radius=1.44)
    >>> X = sb.simulate(sb.Gaussian(covariance=1.0), [0.5, 0.5], disc, 300, random_state=1)
    >>> density = TruncatedGaussian(boundary=disc.sample_boundary(100), covariance=1.0)
    >>> search = GridSearchCV(density, {"method": ["tksd", "mle"]}, scoring=discrepancy_score).fit(X)
    >>> search.best_params_
    {'method': 'tksd'}
    """
    if not isinstance(estimator, DensityEstimator):
        raise TypeError(
            f"the estimator is a {type(estimator).__name__}; "
            "give a TruncatedDensity, TruncatedGaussian or TruncatedGaussianMixture, not a pipeline around it"
        )
    points = estimator._checked(X)
    if np.isnan(estimator.result_.estimates).any():
        raise ValueError(
            "the fitted density has no mean and covariance to measure from; see result_.warnings"
        )
    found = discrepancy(
        estimator._named(points),
        estimator.result_.estimates,
        estimator.boundary,
        estimator.domain,
        estimator._model(),
        "ksd" if estimator.boundary is None and estimator.domain is None else "tksd",
        statistic="u",
        boundary_normals=estimator.boundary_normals,
        **(estimator.options or {}),
    )
    return -found.squared
