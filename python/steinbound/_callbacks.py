"""Models written in Python, as the engine asks for them: all derivatives of all points in one array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._differentiation import DifferentiableDensity, jax_density, torch_density
from ._trees import Tree

Array = NDArray[np.float64]

#: The cube root of the rounding error balances both errors of central differences.
STEP = 6e-6
#: Its fourth root does for differences of differences.
WIDE_STEP = 1.2e-4


def _sizes(values: Array) -> Array:
    """The scale of numbers of which nothing else is known."""
    return np.maximum(np.abs(values), 1.0)


class Functions:
    """The derivatives of a log-density at many points; what is not known is found by central differences."""

    has_log_density = False
    #: Whether :meth:`curvature` is known; else the engine takes differences of Jacobians.
    has_curvature = False

    def curvature(self, X: Array, theta: Array, weights: Array) -> Array:
        """The sum of second derivatives of score and slopes in the parameters, each times its weight, p by p."""
        raise NotImplementedError

    def scores(self, X: Array, theta: Array) -> Array:
        """n by d."""
        raise NotImplementedError

    def log_densities(self, X: Array, theta: Array) -> Array:
        """n values."""
        raise NotImplementedError

    def score_jacobians(self, X: Array, theta: Array) -> Array:
        """n by d by p."""
        return _in_parameters(self.scores, X, theta, STEP)

    def slopes(self, X: Array, theta: Array) -> Array:
        """The derivative of each coordinate of the score in that coordinate, n by d."""
        return _along_axes(lambda at: self.scores(at, theta), X, STEP)

    def slope_jacobians(self, X: Array, theta: Array) -> Array:
        """n by d by p."""
        return _along_axes(lambda at: _in_parameters(self.scores, at, theta, WIDE_STEP), X, WIDE_STEP)

    def evaluate(
        self, X: Array, theta: Array, score: bool, slope: bool, score_jacobian: bool, slope_jacobian: bool
    ) -> Array:
        """What is wanted, one row for each point."""
        # A function that changed them would change the input of the next one.
        X.setflags(write=False)
        theta.setflags(write=False)
        parts = []
        wanted = [
            (score, self.scores),
            (slope, self.slopes),
            (score_jacobian, self.score_jacobians),
            (slope_jacobian, self.slope_jacobians),
        ]
        for is_wanted, function in wanted:
            if is_wanted:
                parts.append(function(X, theta).reshape(len(X), -1))
        return np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=np.float64)


def _in_parameters(function: Callable[[Array, Array], Array], X: Array, theta: Array, share: float) -> Array:
    """The derivative of an n by d function in the parameters, n by d by p."""
    columns = []
    here = _length(function(X, theta))
    for place, size in enumerate(_sizes(theta)):
        found, scale = np.empty(0), float(size)
        # The scale of a parameter is the change that changes the function as much as it is large; steps are a share of that.
        for _ in range(4):
            above, below = theta.copy(), theta.copy()
            above[place] += share * scale
            below[place] -= share * scale
            found = _quotient(function(X, above), function(X, below), above[place] - below[place])
            slope = _length(found)
            own = here / slope if slope > 0 and np.isfinite(slope) else scale
            own = max(own, 1e-6 * abs(float(theta[place])), np.finfo(np.float64).tiny)
            if not np.isfinite(own) or 1e-2 * scale <= own <= 1e3 * scale:
                break
            scale = own
        columns.append(found)
    return np.stack(columns, axis=-1)


def _length(values: Array) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sqrt(np.mean(np.square(values))))


def _along_axes(function: Callable[[Array], Array], X: Array, share: float) -> Array:
    """The derivative in each coordinate of what a function, n by d or n by d by p, has there."""
    columns = []
    for axis in range(X.shape[1]):
        values = X[:, axis]
        # As wide as the points, where there are several; but not lost in the digits of their coordinates.
        spread = np.full(len(X), values.std()) if len(X) > 1 and values.std() > 0 else _sizes(values)
        step = np.maximum(share * spread, 1e-12 * np.abs(values))
        above, below = X.copy(), X.copy()
        above[:, axis] += step
        below[:, axis] -= step
        width = above[:, axis] - below[:, axis]
        up, down = function(above)[:, axis], function(below)[:, axis]
        columns.append(_quotient(up, down, width.reshape(-1, *[1] * (up.ndim - 1))))
    return np.stack(columns, axis=1)


def _quotient(above: Array, below: Array, width: Any) -> Array:
    # Where both are infinite there is no difference; the engine says at which point.
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray((above - below) / width)


class ScoreFunctions(Functions):
    """A score given by the user, perhaps with its Jacobian and its log-density."""

    def __init__(
        self,
        score: Callable[[Array, Array], Any],
        jacobian: Callable[[Array, Array], Any] | None,
        log_density: Callable[[Array, Array], Any] | None,
        tree: Tree | None = None,
    ) -> None:
        for name, function in [("score", score), ("jacobian", jacobian), ("log_density", log_density)]:
            if function is not None and not callable(function):
                raise TypeError(f"{name} is a {type(function).__name__}, which cannot be called; give a function")
        if score is None:
            raise TypeError("score is None, which cannot be called; give a function")
        self._score, self._jacobian, self._log_density = score, jacobian, log_density
        self._tree = tree
        self.has_log_density = log_density is not None

    def scores(self, X: Array, theta: Array) -> Array:
        return _shaped(of_tree(self._score, self._tree)(X, theta), X.shape, "score")

    def score_jacobians(self, X: Array, theta: Array) -> Array:
        if self._jacobian is None:
            return super().score_jacobians(X, theta)
        return _shaped(of_tree(self._jacobian, self._tree)(X, theta), (*X.shape, len(theta)), "jacobian")

    def slope_jacobians(self, X: Array, theta: Array) -> Array:
        if self._jacobian is None:
            return super().slope_jacobians(X, theta)
        return _along_axes(lambda at: self.score_jacobians(at, theta), X, STEP)

    def log_densities(self, X: Array, theta: Array) -> Array:
        if self._log_density is None:
            return super().log_densities(X, theta)
        return np.ascontiguousarray(_shaped(of_tree(self._log_density, self._tree)(X, theta), (len(X),), "log_density"))


def _shaped(value: Any, shape: tuple[int, ...], what: str) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.shape == shape:
        return array
    raise ValueError(f"{what} gave an array of shape {array.shape} where {shape} is expected")


#: Who differentiates log-densities.
BACKENDS: dict[str, Callable[[Callable[[Any, Any], Any]], DifferentiableDensity]] = {
    "jax": jax_density,
    "torch": torch_density,
}


class DensityFunctions(Functions):
    """A log-density that JAX or PyTorch differentiates."""

    has_log_density = True
    has_curvature = True

    def __init__(self, log_density: Callable[[Any, Any], Any], backend: str, tree: Tree | None = None) -> None:
        self._given = (log_density, backend, tree)
        self._density = BACKENDS[backend](of_tree(log_density, tree))

    def __reduce__(self) -> tuple[Any, ...]:
        # What the backend has compiled cannot be pickled, but made again.
        return type(self), self._given

    def scores(self, X: Array, theta: Array) -> Array:
        return self._density.scores(X, theta)

    def log_densities(self, X: Array, theta: Array) -> Array:
        return self._density.log_densities(X, theta)

    def score_jacobians(self, X: Array, theta: Array) -> Array:
        return self._density.score_jacobians(X, theta)

    def slopes(self, X: Array, theta: Array) -> Array:
        return self._density.slopes(X, theta)

    def slope_jacobians(self, X: Array, theta: Array) -> Array:
        return self._density.slope_jacobians(X, theta)

    def curvature(self, X: Array, theta: Array, weights: Array) -> Array:
        return self._density.curvature(X, theta, weights)

    def evaluate(
        self, X: Array, theta: Array, score: bool, slope: bool, score_jacobian: bool, slope_jacobian: bool
    ) -> Array:
        asked = {
            "score": score,
            "slope": slope,
            "score_jacobian": score_jacobian,
            "slope_jacobian": slope_jacobian,
        }
        # All of them by one call, which shares what they have in common.
        found = self._density.parts(tuple(part for part, is_wanted in asked.items() if is_wanted), X, theta)
        return np.concatenate([part.reshape(len(X), -1) for part in found], axis=1)


def of_tree(function: Callable[[Any, Any], Any], tree: Tree | None) -> Callable[[Any, Any], Any]:
    """A function of the parameters one after the other, from one that takes them in their structure."""
    if tree is None or tree.is_flat or function is None:
        return function
    return lambda x, theta: function(x, tree.rebuilt(theta))


def differentiated(log_density: Callable[[Any, Any], Any], backend: str, tree: Tree | None = None) -> Functions:
    """The derivatives of a log-density by the backend of that name."""
    if not callable(log_density):
        raise TypeError(f"log_density is a {type(log_density).__name__}, which cannot be called; give a function")
    if backend not in BACKENDS:
        raise ValueError(f"unknown backend {backend!r}; give 'jax' or 'torch'")
    return DensityFunctions(log_density, backend, tree)
