"""Pictures of results: what to draw, on which grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import plotting
from ._density import NoDensity, components
from ._marks import COLORS
from ._systems import is_degrees
from .models import Gaussian, GaussianMixture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._regression import RegressionResult
    from ._results import FitResult

Array = NDArray[np.float64]

#: Places along each side of a grid.
FINE, COARSE = 300, 90

#: Draws for a margin, and rows of data that places are compared with.
MANY_DRAWS, MANY_ROWS = 20_000, 4_000


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
        return plotting.plot_density_2d(
            ax, data, result.boundary, None, x, y, heights, _mean(result), names, _aspect(result, window),
            _curves(result, window),
        )  # fmt: skip
    divided = None if ax is None else _divided(ax, dimension)
    is_normal = isinstance(problem.model, Gaussian) and not np.isnan(result.estimates).any()
    _, mean, covariance = components(result)[0] if is_normal else (1.0, None, None)
    axes = plotting.plot_pairs(divided, data, names, result.boundary, mean, covariance, _draws(result))
    first: Axes = axes[0, 0]
    return first


def _draws(result: FitResult) -> Array | None:
    """Draws of the fitted density inside the domain, where there are any to be had."""
    if result.problem.domain is None or not result.problem.model._has_log_density():
        return None
    try:
        return result.sample(MANY_DRAWS, truncated=True, random_state=0)
    except ValueError:
        # The rest of the picture stands.
        return None


def _divided(ax: Axes, count: int) -> NDArray[np.object_]:
    """Axes for each pair of coordinates in the place of one, so that others of the figure stay as they are."""
    ax.set_axis_off()
    side, gap = 0.88 / count, 0.12 / max(count - 1, 1)
    places = [(j * (side + gap), (count - 1 - i) * (side + gap)) for i in range(count) for j in range(count)]
    axes = np.empty(len(places), dtype=object)
    axes[:] = [ax.inset_axes((x, y, side, side)) for x, y in places]
    return axes.reshape(count, count)


def _curves(result: FitResult, window: list[tuple[float, float]]) -> list[Array] | None:
    """The boundary within the window: closed curves end where they begin, those that leave it do not."""
    domain = result.problem.domain
    return None if domain is None else domain.outline(window)


def _aspect(result: FitResult, window: list[tuple[float, float]]) -> float:
    """The length of a unit of the second coordinate in units of the first; zero where they have nothing in common.

    The region of a map has a shape, unless it is so long that it would vanish; degrees of longitude are shorter away
    from the equator.
    """
    sides = [high - low for low, high in window]
    is_map = result.projection is not None or is_degrees(result.crs)
    unit = 1 / np.cos(np.radians(np.clip(np.mean(window[1]), -85, 85))) if is_map else 1.0
    has_shape = result.problem.domain is not None or result.crs is not None or is_map
    longest = max(sides[0], unit * sides[1]) / min(sides[0], unit * sides[1])
    return float(unit) if has_shape and longest < 4 else 0.0


def _is_near(result: FitResult, places: Array) -> NDArray[np.bool_]:
    """Which places have data within a bandwidth: elsewhere a witness says nothing about the data."""
    data = result.problem.points.array
    some = np.ascontiguousarray(data[:: max(1, len(data) // MANY_ROWS)])
    if result.projection is not None:
        core = result.problem.core
        some, places = core.project(some), core.project(np.ascontiguousarray(places))
    reach = (result.bandwidth or np.inf) ** 2
    squares = (places**2).sum(axis=1)
    near = np.zeros(len(places), dtype=np.bool_)
    for first in range(0, len(places), 1000):
        part = slice(first, first + 1000)
        distances = squares[part, None] + (some**2).sum(axis=1) - 2 * places[part] @ some.T
        near[part] = distances.min(axis=1) <= reach
    return near


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
    values = np.where(_is_near(result, places), values, np.nan)
    if problem.domain is not None:
        values = np.where(problem.domain.contains(places), values, np.nan)
    name = f"witness, {problem.names[coordinate]}"
    g = values.reshape(len(y), len(x))
    return plotting.plot_witness(
        ax, x, y, g, problem.points.array, result.boundary, problem.names, name,
        _aspect(result, window), outline_curves=_curves(result, window),
    )  # fmt: skip


def plot_regression_fit(result: RegressionResult, ax: Axes | None) -> Axes:
    """Responses against the first covariate, with the fitted line, others at their means, and the limits."""
    points, names = result.problem.points.array, result.problem.names
    estimates = result._values()
    covariates = [name for name in names[1:] if name in estimates]
    if not covariates:
        raise ValueError("a regression without covariates has no line to draw")
    lower, upper = (
        points[:, names.index(f"{side} limit")] if f"{side} limit" in names else _constant(limit)
        for side, limit in zip(("lower", "upper"), result.problem.regression.limits, strict=True)
    )
    values = points[:, [names.index(name) for name in covariates]]
    factors = _factors(covariates, values)
    if factors:
        grouped = _Grouped(result, covariates, values, factors)
        if not grouped.has_line:
            return plotting.plot_groups(ax, grouped.labels, points[:, 0], grouped.means, lower, upper, (grouped.factor, names[0]))
        if len(grouped.means) <= len(COLORS):
            return plotting.plot_regression(
                ax, grouped.x, points[:, 0], grouped.line(0.0), lower, upper, names=(grouped.name, names[0]),
                groups=grouped.labels, group_lines={label: grouped.line(at) for label, at in grouped.means.items()},
            )  # fmt: skip
    slopes = np.array([result._values()[name] for name in covariates])
    constant = result._values().get("(Intercept)", 0.0) + float(values[:, 1:].mean(axis=0) @ slopes[1:])
    ends = np.array([values[:, 0].min(), values[:, 0].max()])
    line = (ends, constant + slopes[0] * ends)
    return plotting.plot_regression(
        ax, values[:, 0], points[:, 0], line, lower, upper, names=(covariates[0], names[0])
    )


def _factors(covariates: list[str], values: Array) -> dict[str, str]:
    """The covariates that say whether a row has a category, each with the name of its factor."""
    named = {name: name.rpartition("[")[0] for name in covariates if name.endswith("]") and ":" not in name}
    found = {}
    for name, factor in named.items():
        own = values[:, [at for at, other in enumerate(covariates) if named.get(other) == factor]]
        # Columns of splines and other codings have such names, too.
        if np.isin(own, (0.0, 1.0)).all() and own.sum(axis=1).max() <= 1:
            found[name] = factor
    return found


class _Grouped:
    """The categories of the first factor of a regression, with all other covariates at their means.

    Attributes
    ----------
    factor, labels
        Its name, and the category of each row.
    means
        The fitted response of each category, in the order of the formula; where there is a line, less its slope times
        the covariate.
    has_line, name, x
        Whether there is a covariate that is a number, and which.
    """

    def __init__(
        self, result: RegressionResult, covariates: list[str], values: Array, factors: dict[str, str]
    ) -> None:
        self.factor = next(iter(factors.values()))
        own = [at for at, name in enumerate(covariates) if factors.get(name) == self.factor]
        lines = [at for at, name in enumerate(covariates) if name not in factors and ":" not in name]
        others = [at for at in range(len(covariates)) if at not in own and at not in lines[:1]]
        slopes = np.array([result._values()[name] for name in covariates])
        constant = result._values().get("(Intercept)", 0.0) + float(values[:, others].mean(axis=0) @ slopes[others])
        levels = [covariates[at][len(self.factor) + 1 : -1] for at in own]
        first = _baseline(result, self.factor, levels)
        # Without an intercept every category has a column of its own.
        self.means = {} if values[:, own].any(axis=1).all() else {first: constant}
        self.means |= {level: constant + slopes[at] for level, at in zip(levels, own, strict=True)}
        is_own = values[:, own] > 0.5
        self.labels = [levels[int(row.argmax())] if row.any() else first for row in is_own]
        self.has_line = bool(lines)
        self.name = covariates[lines[0]] if lines else self.factor
        self.x = values[:, lines[0]] if lines else np.zeros(len(values))
        self._slope = float(slopes[lines[0]]) if lines else 0.0

    def line(self, height: float) -> tuple[Array, Array]:
        """The fitted line of a category."""
        ends = np.array([self.x.min(), self.x.max()])
        return ends, height + self._slope * ends


def _baseline(result: RegressionResult, factor: str, levels: list[str]) -> str:
    """The category that has no coefficient, by the name that the data have for it."""
    columns = result.problem.recipe[1]
    name = factor[2:-1] if factor.startswith("C(") and factor.endswith(")") else factor
    held = columns.get(name.strip()) if isinstance(columns, dict) else None
    labels = [] if held is None else [str(label) if isinstance(label, str) else f"{label:g}" for label in held if label is not None]
    others = [label for label in dict.fromkeys(labels) if label not in levels]
    return others[0] if len(others) == 1 else "all others"


def _constant(limit: float) -> float | None:
    """A limit that is the same for all rows, if there is one."""
    return limit if np.isfinite(limit) else None
