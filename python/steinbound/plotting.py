"""Pictures of fits with matplotlib: densities, witnesses, regressions and tests.

The functions take plain arrays, draw into the axes they are given or into the current ones, and return these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._marks import (
    BLUE,
    COLORS,
    EDGE,
    GREY,
    INK,
    VERMILLION,
    Floats,
    axes_of,
    bins_of,
    finish,
    ink_of,
    levels_of,
    name_ticks,
    names_of,
    outline,
    pale_of,
    rows,
    scale,
    scatter,
    shades,
    values_of,
)
from ._pairs import plot_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_density_1d",
    "plot_density_2d",
    "plot_groups",
    "plot_pairs",
    "plot_regression",
    "plot_test",
    "plot_witness",
]

Line = Callable[[Floats], ArrayLike] | tuple[ArrayLike, ArrayLike]


def plot_density_1d(
    ax: Axes | None,
    data: ArrayLike,
    grid: ArrayLike,
    density: ArrayLike,
    boundary: ArrayLike | None = None,
    label: str = "fitted density",
    name: str = "x1",
) -> Axes:
    """A histogram of data with one coordinate, the fitted density, and where the data end.

    Parameters
    ----------
    ax
        Where to draw; None for the current axes.
    data
        The observations.
    grid, density
        Places in order, and the density there; NaN where it is not to be drawn.
    boundary
        The ends of the domain.
    label, name
        What the density and the coordinate are called.

    Examples
    --------
    >>> ax = plot_density_1d(None, [0.1, 0.4, 0.9], [0, 0.5, 1], [1, 1, 1], boundary=[0, 1])
    """
    ax = axes_of(ax)
    values = values_of(data)
    ends = np.empty(0) if boundary is None else np.unique(np.asarray(boundary, dtype=np.float64))
    ax.hist(
        values,
        bins=bins_of(values, ends),
        density=True,
        color=pale_of(ax),
        edgecolor=EDGE,
        linewidth=0.4,
        label="data",
    )
    ax.plot(np.ravel(grid), np.ravel(density), color=BLUE, linewidth=1.8, label=label)
    for i, end in enumerate(ends):
        ax.axvline(end, color=VERMILLION, linewidth=1.2, dashes=(4, 2), label="boundary" if i == 0 else None)
    ax.set_xlabel(name)
    ax.set_ylabel("density")
    ax.set_ylim(bottom=0)
    return finish(ax)


def plot_density_2d(
    ax: Axes | None,
    data: ArrayLike,
    boundary: ArrayLike | None = None,
    outline_rings: Sequence[ArrayLike] | None = None,
    grid_x: ArrayLike | None = None,
    grid_y: ArrayLike | None = None,
    density_grid: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    equal_aspect: bool | float = False,
    outline_curves: Sequence[ArrayLike] | None = None,
) -> Axes:
    """Data with two coordinates, the boundary, and the fitted density as contours.

    Parameters
    ----------
    ax
        Where to draw; None for the current axes.
    data
        The observations, of shape ``(n, 2)``.
    boundary
        Points on the boundary.
    outline_rings
        Vertices of the rings of the domain, an array for each.
    grid_x, grid_y, density_grid
        Coordinates of a grid and the density there, of shape ``(len(grid_y), len(grid_x))``.
    mean
        A place to mark.
    names
        Of the coordinates.
    equal_aspect
        Whether both coordinates are drawn to one scale, as on a map; or the length of a unit of the second in units of
        the first, as for degrees away from the equator.
    outline_curves
        Curves of the boundary that are not closed, an array for each, such as :meth:`Domain.outline` gives of a region
        that reaches beyond its window.

    Examples
    --------
    >>> ax = plot_density_2d(None, [[0, 0], [1, 1]], mean=[0.5, 0.5], equal_aspect=True)
    """
    ax = axes_of(ax)
    points = rows(data)
    if density_grid is not None and grid_x is not None and grid_y is not None:
        heights = np.ma.masked_invalid(np.asarray(density_grid, dtype=np.float64))
        if heights.count() > 0 and heights.max() > 0:
            levels = levels_of(float(heights.max()))
            areas = ax.contourf(grid_x, grid_y, heights, levels=levels, cmap=shades(ax), zorder=1)
            ax.contour(grid_x, grid_y, heights, levels=levels[1:-1], colors=BLUE, linewidths=0.6, zorder=1.5)
            scale(ax, areas, "fitted density")
    scatter(ax, points)
    outline(ax, boundary, outline_rings, outline_curves)
    if mean is not None:
        x, y = np.ravel(np.asarray(mean, dtype=np.float64))
        ax.plot(
            x,
            y,
            marker="X",
            markersize=8,
            color=BLUE,
            markeredgecolor="white",
            linestyle="",
            label="mean",
            zorder=3,
        )
    ax.set_xlabel(names_of(names, 2)[0])
    ax.set_ylabel(names_of(names, 2)[1])
    if equal_aspect:
        ax.set_aspect(float(equal_aspect))
    return finish(ax)


def plot_witness(
    ax: Axes | None,
    grid_x: ArrayLike,
    grid_y: ArrayLike,
    g: ArrayLike,
    data: ArrayLike | None = None,
    boundary: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    label: str = "witness",
    equal_aspect: bool | float = False,
    outline_rings: Sequence[ArrayLike] | None = None,
    outline_curves: Sequence[ArrayLike] | None = None,
) -> Axes:
    """A function on a grid, such as a witness of where data and model disagree: white where it is zero.

    Parameters
    ----------
    ax
        Where to draw; None for the current axes.
    grid_x, grid_y, g
        Coordinates of a grid and the values there, of shape ``(len(grid_y), len(grid_x))``; NaN stays empty.
    data, boundary
        Observations, and points on the boundary.
    names, label
        What the coordinates and the values are called.
    equal_aspect
        As for :func:`plot_density_2d`.
    outline_rings, outline_curves
        As for :func:`plot_density_2d`.

    Examples
    --------
    >>> ax = plot_witness(None, [0, 1], [0, 1], [[-1, 0], [0, 1]])
    """
    ax = axes_of(ax)
    values = np.ma.masked_invalid(np.asarray(g, dtype=np.float64))
    largest = float(np.abs(values).max()) if values.count() > 0 else 0.0
    reach = largest or 1.0
    shading: Any = "nearest" if np.ma.is_masked(values) else "gouraud"
    mesh = ax.pcolormesh(
        grid_x,
        grid_y,
        values,
        cmap="RdBu_r",
        vmin=-reach,
        vmax=reach,
        shading=shading,
        zorder=0.5,
        rasterized=True,
    )
    if data is not None:
        # The colours about zero are light, whatever the background.
        scatter(ax, rows(data), color=INK)
    outline(ax, boundary, outline_rings, outline_curves)
    scale(ax, mesh, label)
    ax.set_xlabel(names_of(names, 2)[0])
    ax.set_ylabel(names_of(names, 2)[1])
    if equal_aspect:
        ax.set_aspect(float(equal_aspect))
    return finish(ax)


def plot_regression(
    ax: Axes | None,
    x: ArrayLike,
    y: ArrayLike,
    line: Line,
    limit_lower: ArrayLike | None = None,
    limit_upper: ArrayLike | None = None,
    naive_line: Line | None = None,
    names: Sequence[str] = ("x", "y"),
    groups: Sequence[str] | None = None,
    group_lines: Mapping[str, Line] | None = None,
) -> Axes:
    """A regression whose response is seen only between limits.

    Parameters
    ----------
    ax
        Where to draw; None for the current axes.
    x, y
        A regressor and the response.
    line, naive_line
        The fitted line and the one that ignores the limits: a function of the regressor, or two arrays.
    limit_lower, limit_upper
        Limits of the response: one number, or one for each observation.
    names
        Of regressor and response.
    groups, group_lines
        The category of each observation, and a fitted line for each category, drawn in its colour in place of ``line``.

    Examples
    --------
    >>> ax = plot_regression(None, [1, 2, 3], [2, 3, 4], lambda x: 1 + x, limit_lower=1.5)
    """
    ax = axes_of(ax)
    places = np.ravel(np.asarray(x, dtype=np.float64))
    points = np.column_stack([places, np.ravel(np.asarray(y, dtype=np.float64))])
    ends = np.linspace(places.min(), places.max(), 200)
    if groups is not None and group_lines:
        held = np.asarray(groups)
        for (group, own), color in zip(group_lines.items(), COLORS, strict=False):
            scatter(ax, points[held == group], None, color)
            ax.plot(*_line(own, ends), color=color, linewidth=2, label=group)
    else:
        scatter(ax, points)
    if naive_line is not None:
        ax.plot(
            *_line(naive_line, ends),
            color=GREY,
            linewidth=1.6,
            dashes=(4, 2),
            label="ignoring the limits",
        )
    if not group_lines:
        ax.plot(*_line(line, ends), color=BLUE, linewidth=2, label="fitted line")
    _limits(ax, places, limit_lower, limit_upper)
    ax.set_xlabel(str(names[0]))
    ax.set_ylabel(str(names[1]))
    return finish(ax)


def plot_groups(
    ax: Axes | None,
    groups: Sequence[str],
    y: ArrayLike,
    means: Mapping[str, float],
    limit_lower: ArrayLike | None = None,
    limit_upper: ArrayLike | None = None,
    names: Sequence[str] = ("group", "y"),
) -> Axes:
    """A response in categories, seen only between limits, with the fitted mean of each category.

    Parameters
    ----------
    ax
        Where to draw; None for the current axes.
    groups, y
        The category of each observation, and its response.
    means
        The fitted mean of each category, in the order in which they are drawn.
    limit_lower, limit_upper
        Limits of the response: one number, or one for each observation.
    names
        Of categories and response.

    Examples
    --------
    >>> ax = plot_groups(None, ["a", "a", "b"], [1, 2, 3], {"a": 1.4, "b": 2.9}, limit_lower=0.5)
    """
    ax = axes_of(ax)
    held, values = np.asarray(groups), np.ravel(np.asarray(y, dtype=np.float64))
    label: str | None = "fitted mean"
    for place, (group, mean) in enumerate(means.items()):
        own = values[held == group]
        # Points side by side in an order that does not depend on chance.
        aside = 0.56 * ((np.arange(len(own)) * 0.618_033_988_75) % 1 - 0.5)
        scatter(ax, np.column_stack([place + aside, own]), "data" if place == 0 else None)
        ax.plot([place - 0.36, place + 0.36], [mean, mean], color=BLUE, linewidth=2.4, label=label, zorder=3)
        label = None
    _limits(ax, np.arange(len(values), dtype=np.float64), limit_lower, limit_upper, lines=False)
    name_ticks(ax, list(means))
    ax.set_xlabel(str(names[0]))
    ax.set_ylabel(str(names[1]))
    return finish(ax)


def _limits(
    ax: Axes, places: Floats, lower: ArrayLike | None, upper: ArrayLike | None, lines: bool = True
) -> None:
    """The limits of a response; those that differ between rows only where they make a line."""
    label: str | None = "limits" if lower is not None and upper is not None else "limit"
    for limit in (lower, upper):
        if limit is not None:
            heights = np.ravel(np.asarray(limit, dtype=np.float64))
            if len(heights) == 1:
                ax.axhline(heights[0], color=VERMILLION, linewidth=1.2, label=label)
            elif lines:
                order = np.argsort(places, kind="stable")
                ax.plot(places[order], heights[order], color=VERMILLION, linewidth=1.2, label=label)
            label = None


def _line(line: Line, places: Floats) -> tuple[Any, Any]:
    return (
        (places, np.ravel(np.asarray(line(places))))
        if callable(line)
        else (np.ravel(line[0]), np.ravel(line[1]))
    )


def plot_test(ax: Axes | None, draws: ArrayLike, statistic: float, p_value: float | None = None) -> Axes:
    """A test: what its statistic would be if the model were true, and what it is.

    Parameters
    ----------
    ax
        Where to draw; None for the current axes.
    draws
        The statistic at each draw of the bootstrap.
    statistic
        The statistic of the data.
    p_value
        To show beside it.

    Examples
    --------
    >>> ax = plot_test(None, [0.1, 0.2, 0.2, 0.3], 0.9, p_value=0.2)
    """
    ax = axes_of(ax)
    values = values_of(draws)
    bins = bins_of(values)
    ax.hist(values, bins=bins, color=pale_of(ax), edgecolor=EDGE, linewidth=0.4, label="if the model is true")
    shown = "statistic of the data" + ("" if p_value is None else f", p = {p_value:.3g}")
    ax.axvline(statistic, color=VERMILLION, linewidth=1.8, label=shown)
    ax.axvline(
        float(np.quantile(values, 0.95)), color=ink_of(ax), linewidth=1, dashes=(4, 2), label="95% of the draws"
    )
    ax.set_xlabel("test statistic")
    ax.set_ylabel("draws")
    return finish(ax)
