"""Pictures of results: what to draw, on which grid."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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

#: Places along the curve of a regression.
CURVE = 100

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
    """Responses against the first column of numbers, with what the fit predicts along it, and the limits."""
    points, names = result.problem.points.array, result.problem.names
    variables = _variables(result)
    if not variables:
        raise ValueError("a regression without covariates has no line to draw")
    lower, upper = (
        points[:, names.index(f"{side} limit")] if f"{side} limit" in names else _constant(limit)
        for side, limit in zip(("lower", "upper"), result.problem.regression.limits, strict=True)
    )
    along = next((variable for variable in variables if variable.levels is None), None)
    factor = next((variable for variable in variables if variable.levels is not None), None)
    if along is None:
        assert factor is not None  # every variable is one of both kinds
        means = {level: float(_predicted(result, variables, {factor.name: at})[0]) for level, at in factor.choices().items()}
        return plotting.plot_groups(ax, factor.labels(), points[:, 0], means, lower, upper, (factor.name, names[0]))
    places = np.linspace(along.values.min(), along.values.max(), CURVE)

    def curve(**fixed: Any) -> tuple[Array, Array]:
        return places, _predicted(result, variables, {along.name: places, **fixed})

    choices = {} if factor is None else factor.choices()
    if factor is None or len(choices) > len(COLORS):
        return plotting.plot_regression(
            ax, along.values, points[:, 0], curve(), lower, upper, names=(along.name, names[0])
        )
    lines = {level: curve(**{factor.name: at}) for level, at in choices.items()}
    return plotting.plot_regression(
        ax, along.values, points[:, 0], next(iter(lines.values())), lower, upper, names=(along.name, names[0]),
        groups=factor.labels(), group_lines=lines,
    )  # fmt: skip


@dataclass(frozen=True)
class _Variable:
    """A column that covariates are made of, in the rows that were fitted: numbers, or categories in their order."""

    name: str
    levels: list[str] | None
    values: NDArray[Any]

    def choices(self) -> dict[str, Any]:
        """What stands in the column for each category that a row has."""
        held = dict(zip(self.labels(), self.values.tolist(), strict=True))
        return {level: held[level] for level in self.levels or held if level in held}

    def labels(self) -> list[str]:
        """The category of each row."""
        if self.values.dtype.kind != "f":
            return [str(label) for label in self.values.tolist()]
        written = {float(level): level for level in self.levels or ()}
        return [written[value] for value in self.values.tolist()]


def _variables(result: RegressionResult) -> list[_Variable]:
    """The columns of the covariates. Text is categories, also where a function of the formula makes numbers of it."""
    return [
        _Variable(name, list(dict.fromkeys(values)) if levels is None and isinstance(values, list) else levels, np.asarray(values))
        for name, levels, values in result._variables()
    ]


def _predicted(result: RegressionResult, variables: list[_Variable], fixed: dict[str, Any]) -> Array:
    """What is predicted where some columns are fixed: other numbers are at their mean, other categories as in the data."""
    count = max(np.size(value) for value in fixed.values())
    others = [variable for variable in variables if variable.levels is not None and variable.name not in fixed]
    held = list(zip(*(variable.values.tolist() for variable in others), strict=True)) if others else [()]
    shares = Counter(held)
    columns: dict[str, Any] = {}
    for variable in variables:
        value = fixed.get(variable.name)
        if value is None and variable.levels is None:
            value = variable.values.mean()
        if value is None:
            at = others.index(variable)
            columns[variable.name] = [chosen[at] for chosen in shares for _ in range(count)]
        else:
            columns[variable.name] = np.tile(np.broadcast_to(value, count), len(shares)).tolist()
    try:
        found = np.asarray(result.predict(columns)).reshape(len(shares), count)
    except ValueError:
        # A fit without a covariance predicts nothing; the rest of the picture stands.
        return np.full(count, np.nan)
    return np.asarray(np.average(found, axis=0, weights=list(shares.values())))


def _constant(limit: float) -> float | None:
    """A limit that is the same for all rows, if there is one."""
    return limit if np.isfinite(limit) else None
