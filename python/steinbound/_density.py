"""Fitted densities with their normaliser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .models import Gaussian, GaussianMixture

if TYPE_CHECKING:
    from ._results import FitResult

Array = NDArray[np.float64]


class NoDensity(ValueError):
    """There is no density to be had of this fit."""


def log_density(result: FitResult, places: Array, truncated: bool | None) -> Array:
    """The logarithm of the fitted density, of the whole space or inside the domain."""
    if truncated is None:
        truncated = not _is_known(result)
    if truncated:
        return _inside(result, places)
    return np.asarray(np.logaddexp.reduce(log_components(result, places), axis=0))


def _is_known(result: FitResult) -> bool:
    """Whether the normaliser over the whole space exists and is known."""
    is_normal = isinstance(result.problem.model, (Gaussian, GaussianMixture))
    return is_normal and not bool(np.isnan(result.estimates).any())


def log_components(result: FitResult, places: Array) -> Array:
    """The logarithm of each component's density over the whole space, times its weight, one component in a row."""
    if not _is_known(result):
        raise NoDensity(
            f"the normaliser of a {result.to_dict()['model']} density over the whole space is not known; "
            "ask for the density inside the domain with truncated=True"
        )
    found = components(result)
    means = np.array([mean for _, mean, _ in found])
    if result.projection is not None:
        places, means = (result.problem.core.project(np.ascontiguousarray(points)) for points in (places, means))
    parts = [
        np.log(weight) + _normal(places, mean, covariance)
        for (weight, _, covariance), mean in zip(found, means, strict=True)
    ]
    return np.array(parts)


def _inside(result: FitResult, places: Array) -> Array:
    problem = result.problem
    if problem.domain is None:
        raise NoDensity("a density inside a domain needs one; fit with domain=..., or ask with truncated=False")
    if not problem.model._has_log_density():
        raise NoDensity("the model has no log-density; give it one with Score(..., log_density=...)")
    return problem.core.truncated_log_density(result._fitted(), places)


def _normal(places: Array, mean: Array, covariance: Array) -> Array:
    """The logarithm of a normal density."""
    factor = np.linalg.cholesky(covariance)
    scaled = np.linalg.solve(factor, (places - mean).T)
    size = places.shape[1] * np.log(2 * np.pi) + 2 * np.log(np.diag(factor)).sum()
    return np.asarray(-0.5 * (size + (scaled**2).sum(axis=0)))


def components(result: FitResult) -> list[tuple[float, Array, Array]]:
    """Weight, mean and covariance of each component of a Gaussian or a mixture."""
    problem = result.problem
    columns, params = problem.names, result._values()
    known = problem.model._settings["covariance"]
    count = problem.model._settings.get("components")

    def mean(prefix: str) -> Array:
        return np.array([params[f"mean{prefix}[{column}]"] for column in columns])

    def covariance(prefixes: list[str]) -> Array:
        if known is not None:
            fixed = np.asarray(known, dtype=np.float64)
            return fixed if fixed.ndim == 2 else np.diag(np.broadcast_to(fixed, (len(columns),)))
        matrix = np.zeros((len(columns), len(columns)))
        for prefix in prefixes:
            if f"variance{prefix}" in params:
                return np.eye(len(columns)) * params[f"variance{prefix}"]
            for i, first in enumerate(columns):
                for j, second in enumerate(columns[i:], start=i):
                    value = params.get(f"cov{prefix}[{first},{second}]")
                    if value is not None:
                        matrix[i, j] = matrix[j, i] = value
        return matrix

    if count is None:
        return [(1.0, mean(""), covariance([""]))]
    labels = [f"[{number + 1}]" for number in range(count)]
    weights = [params.get(f"weight{label}", 1 / count) for label in labels]
    return [(weight, mean(label), covariance([label, ""])) for weight, label in zip(weights, labels, strict=True)]
