"""Data with more coordinates than a page has: each pair of them, and each alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._marks import BLUE, EDGE, Floats, axes_of, bins_of, finish, names_of, outline, pale_of, rows, scatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_pairs"]


def plot_pairs(
    fig_or_axes: Any,
    data: ArrayLike,
    names: Sequence[str] | None = None,
    boundary: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    draws: ArrayLike | None = None,
) -> Any:
    """Data with several coordinates, each pair and each alone, with the fitted normal where it is given.

    Ellipses hold half and 95% of the normal distribution, which is that before truncation. With draws of the density
    inside the domain, each coordinate alone shows theirs, which is comparable with the data; without them that of the
    normal distribution.

    Parameters
    ----------
    fig_or_axes
        A figure to divide, or axes of shape ``(d, d)``; None for the current figure of pyplot.
    data
        The observations, of shape ``(n, d)``.
    names
        Of the coordinates.
    boundary
        Points on the boundary.
    mean, covariance
        Of the fitted normal distribution.
    draws
        Of the fitted density inside the domain.

    Returns
    -------
    ndarray
        The axes, of shape ``(d, d)``; those above the diagonal are empty.

    Examples
    --------
    >>> plot_pairs(None, [[0, 1, 2], [1, 3, 0], [2, 2, 2]], names=["a", "b", "c"]).shape
    (3, 3)
    """
    points = rows(data)
    d = points.shape[1]
    called = names_of(names, d)
    if fig_or_axes is None:
        fig_or_axes = axes_of(None).figure
        fig_or_axes.clear()
    axes = _divided(fig_or_axes, d) if hasattr(fig_or_axes, "subplots") else np.asarray(fig_or_axes)
    if axes.shape != (d, d):
        raise ValueError(
            f"the axes have shape {axes.shape} where the data have {d} coordinates; give {d} by {d} axes"
        )
    border = None if boundary is None else rows(boundary)
    normal = None
    if mean is not None and covariance is not None:
        normal = (
            np.ravel(np.asarray(mean, dtype=np.float64)),
            np.asarray(covariance, dtype=np.float64).reshape(d, d),
        )
    drawn = None if draws is None else rows(draws)
    limits = [_limits(points[:, j]) for j in range(d)]
    for i in range(d):
        for j in range(d):
            ax = axes[i, j]
            if j > i:
                ax.set_visible(False)
                continue
            _alone(ax, points[:, i], i, normal, drawn) if i == j else _pair(ax, points, border, i, j, normal)
            ax.set_xlim(limits[j])
            if i != j:
                ax.set_ylim(limits[i])
            ax.tick_params(labelbottom=i == d - 1, labelleft=j == 0 and i > 0)
            ax.set_xlabel(called[j] if i == d - 1 else "")
            ax.set_ylabel(called[i] if j == 0 and i > 0 else "")
            finish(ax, legend=False, ticks=4)
    _legend(axes)
    return axes


def _divided(figure: Any, d: int) -> Any:
    axes = figure.subplots(d, d, squeeze=False)
    if figure.get_layout_engine() is None and hasattr(figure, "subplots_adjust"):
        figure.subplots_adjust(left=0.1, right=0.98, bottom=0.08, top=0.98, hspace=0.12, wspace=0.12)
    return axes


def _limits(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 1.0
    return low - margin, high + margin


def _alone(
    ax: Axes, values: Floats, i: int, normal: tuple[Floats, Floats] | None, drawn: Floats | None
) -> None:
    bins = bins_of(values)
    ax.hist(values, bins=bins, density=True, color=pale_of(ax), edgecolor=EDGE, linewidth=0.4)
    ax.set_yticks([])
    if drawn is not None:
        # In the bins of the data, so that nothing but chance sets them apart where the model is true.
        heights, edges = np.histogram(drawn[:, i], bins=bins)
        ax.stairs(heights / len(drawn) / np.diff(edges), edges, color=BLUE, linewidth=1.4, label="fitted density inside")
    elif normal is not None and normal[1][i, i] > 0:
        center, variance = normal[0][i], normal[1][i, i]
        grid = np.linspace(*_limits(values), 200)
        ax.plot(
            grid, np.exp(-((grid - center) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance), color=BLUE
        )


def _pair(
    ax: Axes, points: Floats, border: Floats | None, i: int, j: int, normal: tuple[Floats, Floats] | None
) -> None:
    scatter(ax, points[:, [j, i]])
    outline(ax, None if border is None else border[:, [j, i]])
    if normal is None:
        return
    center, spread = normal[0][[j, i]], normal[1][np.ix_([j, i], [j, i])]
    values, axes = np.linalg.eigh(spread)
    if values.min() <= 0:
        return
    turn = np.linspace(0, 2 * np.pi, 200)
    circle = np.sqrt(values)[:, None] * np.stack([np.cos(turn), np.sin(turn)])
    for share, style in ((0.5, "-"), (0.95, "--")):
        x, y = center[:, None] + np.sqrt(-2 * np.log(1 - share)) * axes @ circle
        ax.plot(
            x,
            y,
            color=BLUE,
            linewidth=1.1,
            linestyle=style,
            label=f"{share:.0%} of the fitted normal",
            zorder=2.8,
        )
    ax.plot(*center, marker="X", markersize=6, color=BLUE, markeredgecolor="white", linestyle="", zorder=3)


def _legend(axes: Any) -> None:
    """One legend for all, in the empty corner."""
    if len(axes) > 1:
        handles, labels = axes[1, 0].get_legend_handles_labels()
        of_margins = axes[0, 0].get_legend_handles_labels()
        handles, labels = [*handles, *of_margins[0]], [*labels, *of_margins[1]]
        corner = axes[0, -1]
        inches = (len(axes) - 1) * corner.get_window_extent().width / corner.figure.dpi
        if inches < 0.075 * (max(map(len, labels)) + 8):
            # The empty corner is too narrow for it.
            axes[0, 0].legend(
                handles, labels, loc="lower left", bbox_to_anchor=(0, 1.06), frameon=False, fontsize="small", borderaxespad=0
            )
            return
        corner.set_visible(True)
        corner.axis("off")
        legend = corner.legend(
            handles, labels, loc="upper right", frameon=False, fontsize="small", borderaxespad=0
        )
        # It is wider than its axes, which should not be made wider for it: those beside are empty.
        legend.set_in_layout(False)
