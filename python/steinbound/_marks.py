"""What the plots have in common: colours, marks, legends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BLUE",
    "EDGE",
    "GREY",
    "INK",
    "PALE",
    "VERMILLION",
    "Floats",
    "axes_of",
    "bins_of",
    "finish",
    "names_of",
]
__all__ += ["outline", "rows", "scatter", "values_of"]

# The palette of Okabe and Ito, which readers with any kind of colour vision can tell apart, and greys.
BLUE, VERMILLION = "#0072b2", "#d55e00"
INK, GREY, PALE, EDGE = "#3c4043", "#80868b", "#d5d9de", "#b4bac1"

Floats = NDArray[np.float64]


def axes_of(ax: Axes | None) -> Axes:
    """The axes to draw in: those given, or the current ones of pyplot."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots are drawn by matplotlib; install it with: pip install matplotlib") from error
    return plt.gca()


def finish(ax: Axes, legend: bool = True, ticks: int = 6) -> Axes:
    """Takes away what does not inform, and puts the legend above the axes, where it hides nothing."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(color=GREY, labelsize="small")
    if ax.get_xscale() == ax.get_yscale() == "linear" and len(ax.get_yticks()) > 0:
        ax.locator_params(nbins=ticks)
    if max(map(abs, (*ax.get_xlim(), *ax.get_ylim()))) >= 1e5 and ax.get_xscale() == ax.get_yscale() == "linear":
        # Map coordinates in full: a factor or an offset would stand where the legend is.
        ax.ticklabel_format(style="plain", useOffset=False)
    _, labels = ax.get_legend_handles_labels()
    if legend and labels:
        # As many columns as fit above the axes; small letters are about 0.065 inches wide.
        width = ax.get_window_extent().width / ax.figure.dpi
        columns = int(width / (0.065 * (max(map(len, labels)) + 6)))
        ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1.01), ncols=min(max(columns, 1), len(labels)),
            frameon=False, borderaxespad=0, fontsize="small", handlelength=1.6, columnspacing=1.4,
        )  # fmt: skip
    return ax


def scatter(ax: Axes, points: Floats, label: str | None = "data") -> None:
    """Points that stay apart: the more there are, the smaller and fainter."""
    count = max(len(points), 1)
    size, opacity = float(np.clip(2400 / count, 1.5, 14)), float(np.clip(60 / np.sqrt(count), 0.12, 0.7))
    # A vector image of very many points is slow to show.
    many = count > 5000
    ax.scatter(
        points[:, 0], points[:, 1], s=size, color=INK, alpha=opacity, linewidths=0, zorder=2.5,
        rasterized=many,
    )  # fmt: skip
    ax.scatter([], [], s=14, color=INK, linewidths=0, label=label)


def outline(ax: Axes, boundary: ArrayLike | None, rings: Any = None) -> None:
    """The boundary: rings as lines, points on it as small circles."""
    for i, ring in enumerate(rings if rings is not None else ()):
        vertices = rows(ring)
        closed = np.vstack([vertices, vertices[:1]])
        label = "boundary" if i == 0 and boundary is None else None
        ax.plot(closed[:, 0], closed[:, 1], color=VERMILLION, linewidth=1.1, label=label, zorder=2.6)
    if boundary is not None:
        places = rows(boundary)
        ax.scatter(
            places[:, 0], places[:, 1], s=11, facecolors="none", edgecolors=VERMILLION, linewidths=0.8,
            label="boundary points", zorder=2.7,
        )  # fmt: skip


def values_of(values: ArrayLike) -> Floats:
    """The numbers to count in a histogram, those that are not finite left out."""
    flat = np.ravel(np.asarray(values, dtype=np.float64))
    finite = flat[np.isfinite(flat)]
    if len(finite) == 0:
        raise ValueError("there are no points to draw; give at least one finite number")
    return finite


def bins_of(values: Floats, ends: ArrayLike = ()) -> list[float]:
    """The edges of bins; where data reach a boundary they end there: a bin across it would look too low."""
    count = int(np.clip(len(np.histogram_bin_edges(values, bins="auto")) - 1, 8, 80))
    low, high = float(values.min()), float(values.max())
    if low == high:
        return [low - 0.5, high + 0.5]
    width = (high - low) / count
    for end in np.ravel(np.asarray(ends, dtype=np.float64)):
        low = float(end) if low - width <= end <= low else low
        high = float(end) if high <= end <= high + width else high
    return [float(edge) for edge in np.linspace(low, high, count + 1)]


def rows(values: ArrayLike) -> Floats:
    """Points in two or more coordinates."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"points to draw have {array.ndim} dimensions; give one point in each row")
    return array


def names_of(names: Any, count: int) -> list[str]:
    """The names of columns, x1, x2, ... where none are given."""
    if names is None:
        return [f"x{i + 1}" for i in range(count)]
    given = [str(name) for name in names]
    if len(given) != count:
        raise ValueError(f"{len(given)} names were given for {count}; give one for each")
    return given
