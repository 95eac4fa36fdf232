"""Pictures of results: what to draw, on which grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import plotting
from ._density import NoDensity, components
from .models import Gaussian, GaussianMixture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._regression import RegressionResult
    from ._results import FitResult

Array = NDArray[np.float64]

#: Places along each side of a grid.
FINE, COARSE = 300, 60


def _window(result: FitResult) -> list[tuple[float, float]]:
    """What a picture shows: data and boundary, and a little around them."""
    parts = [result.problem.points.array]
    if result.boundary is not None:
        parts.append(result.boundary)
    everything = np.concatenate(parts)
    low, high = everything.min(axis=0), everything.max(axis=0)
    margin = np.where(high > low, 0.04 * (high - low), 0.5)
    return [(float(a), float(b)) for a, b in zip(low - margin, high + margin, strict=True)]


def _shown_density(result: FitResult, places: Array) -> Array | None:
    """The density where data can be: inside the domain, or anywhere where that is all that is known."""
    try:
        if result.problem.domain is not None:
            return result.predict_density(places, truncated=True)
        return result.predict_density(places)
    except NoDensity:
        # The rest of the picture stands.
        return None


def plot_fit(result: FitResult, ax: Axes | None) -> Axes:
    """Data, boundary and fitted density."""
    problem = result.problem
    data, names = problem.points.array, problem.names
    dimension = data.shape[1]
    window = _window(result)
    if dimension == 1:
        grid = np.linspace(*window[0], FINE)
        density = _shown_density(result, grid[:, None])
        shown = np.full_like(grid, np.nan) if density is None else np.where(density > 0, density, np.nan)
        label = "fitted density inside" if problem.domain is not None else "fitted density, whole"
        return plotting.plot_density_1d(ax, data, grid, shown, result.boundary, label, names[0])
    if dimension == 2:
        x, y = (np.linspace(*side, FINE // 2) for side in window)
        density = _shown_density(result, _grid(x, y))
        heights = None if density is None else density.reshape(len(y), len(x))
        if heights is not None and problem.domain is not None:
            heights = np.where(heights > 0, heights, np.nan)
        rings, is_equal = _rings(result, window), _has_one_scale(result, window)
        return plotting.plot_density_2d(
            ax, data, result.boundary, rings, x, y, heights, _mean(result), names, is_equal
        )
    divided = None if ax is None else _divided(ax, dimension)
    is_normal = isinstance(problem.model, Gaussian) and not np.isnan(result.estimates).any()
    _, mean, covariance = components(result)[0] if is_normal else (1.0, None, None)
    axes = plotting.plot_pairs(divided, data, names, result.boundary, mean, covariance)
    first: Axes = axes[0, 0]
    return first


def _divided(ax: Axes, count: int) -> NDArray[np.object_]:
    """Axes for each pair of coordinates in the place of one, so that others of the figure stay as they are."""
    ax.set_axis_off()
    side, gap = 0.88 / count, 0.12 / max(count - 1, 1)
    places = [(j * (side + gap), (count - 1 - i) * (side + gap)) for i in range(count) for j in range(count)]
    axes = np.empty(len(places), dtype=object)
    axes[:] = [ax.inset_axes((x, y, side, side)) for x, y in places]
    return axes.reshape(count, count)


def _rings(result: FitResult, window: list[tuple[float, float]]) -> list[Array] | None:
    domain = result.problem.domain
    return None if domain is None else domain.outline(window)


def _has_one_scale(result: FitResult, window: list[tuple[float, float]]) -> bool:
    """Whether both axes should have one scale: the region has a shape, and is not so long that it would vanish."""
    sides = [high - low for low, high in window]
    return result.problem.domain is not None and max(sides) < 4 * min(sides)


def _mean(result: FitResult) -> Array | None:
    model = result.problem.model
    if not isinstance(model, Gaussian) or isinstance(model, GaussianMixture) or np.isnan(result.estimates).any():
        return None
    return components(result)[0][1]


def _grid(x: Array, y: Array) -> Array:
    return np.ascontiguousarray(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))


def plot_witness(result: FitResult, ax: Axes | None, coordinate: int) -> Axes:
    """One coordinate of the witness function over the plane."""
    problem = result.problem
    if problem.points.array.shape[1] != 2:
        raise ValueError(f"the data have {problem.points.array.shape[1]} columns; the witness is drawn over the plane")
    if coordinate not in (0, 1):
        raise ValueError(f"coordinate is {coordinate}; it is 0 or 1")
    window = _window(result)
    x, y = (np.linspace(*side, COARSE) for side in window)
    places = _grid(x, y)
    values = result.witness(places)[:, coordinate]
    if problem.domain is not None:
        values = np.where(problem.domain.contains(places), values, np.nan)
    name = f"witness, {problem.names[coordinate]}"
    g = values.reshape(len(y), len(x))
    return plotting.plot_witness(
        ax, x, y, g, problem.points.array, result.boundary, problem.names, name,
        _has_one_scale(result, window), _rings(result, window),
    )  # fmt: skip


def plot_regression_fit(result: RegressionResult, ax: Axes | None) -> Axes:
    """Responses against the first covariate, with the fitted line, others at their means, and the limits."""
    points, names = result.problem.points.array, result.problem.names
    estimates = result._values()
    covariates = [name for name in names[1:] if name in estimates]
    if not covariates:
        raise ValueError("a regression without covariates has no line to draw")
    values = points[:, [names.index(name) for name in covariates]]
    slopes = np.array([estimates[name] for name in covariates])
    constant = estimates.get("(Intercept)", 0.0) + float(values[:, 1:].mean(axis=0) @ slopes[1:])
    ends = np.array([values[:, 0].min(), values[:, 0].max()])
    line = (ends, constant + slopes[0] * ends)
    lower, upper = (
        points[:, names.index(f"{side} limit")] if f"{side} limit" in names else _constant(limit)
        for side, limit in zip(("lower", "upper"), result.problem.regression.limits, strict=True)
    )
    return plotting.plot_regression(
        ax, values[:, 0], points[:, 0], line, lower, upper, names=(covariates[0], names[0])
    )


def _constant(limit: float) -> float | None:
    """A limit that is the same for all rows, if there is one."""
    return limit if np.isfinite(limit) else None
