"""What the plots have in common: colours, marks, legends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BLUE",
    "COLORS",
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
__all__ += ["ink_of", "is_dark", "levels_of", "name_ticks", "outline", "pale_of", "rows", "scale", "scatter", "shades", "values_of"]

# The palette of Okabe and Ito, which readers with any kind of colour vision can tell apart, and greys.
BLUE, VERMILLION = "#0072b2", "#d55e00"
INK, GREY, PALE, EDGE = "#3c4043", "#80868b", "#d5d9de", "#b4bac1"

#: For categories; as many as can be told apart.
COLORS = (BLUE, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8b6f47")

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
        _thin_ticks(ax, ticks)
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


def _thin_ticks(ax: Axes, most: int) -> None:
    """As many ticks as have room for their labels."""
    box = ax.get_window_extent()
    for axis, inches in ((ax.xaxis, box.width / ax.figure.dpi), (ax.yaxis, 2 * box.height / ax.figure.dpi)):
        locator: Any = axis.get_major_locator()
        # Ticks that are named, as categories are, stay.
        if hasattr(locator, "set_params") and not hasattr(locator, "locs"):
            locator.set_params(nbins=int(np.clip(inches / 0.55, 2, most)))


def name_ticks(ax: Axes, names: list[str]) -> None:
    """Categories along the first axis, aslant where they have no room side by side."""
    room = ax.get_window_extent().width / ax.figure.dpi / max(len(names), 1)
    is_narrow = max(map(len, names)) * 0.075 > room
    turned: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if is_narrow else {}
    ax.set_xticks(range(len(names)), names, **turned)


def is_dark(ax: Axes) -> bool:
    """Whether the background of the axes is dark."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(ax.get_facecolor())
    return bool(0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.4)


def pale_of(ax: Axes) -> str:
    """What stands back on the background of the axes."""
    return "#3b444d" if is_dark(ax) else PALE


def shades(ax: Axes) -> Any:
    """Colours of a density, which begin at the background."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = ["#10202f", "#1f77b8"] if is_dark(ax) else ["#f1f6fb", "#5b9bd0"]
    return LinearSegmentedColormap.from_list("density", ends)


def levels_of(largest: float) -> Floats:
    """Round heights for contours from just above zero to above the largest."""
    step = 10.0 ** np.floor(np.log10(largest))
    share = largest / step
    step *= next(width for limit, width in ((1.5, 0.25), (3, 0.5), (6, 1), (10.1, 2)) if share <= limit)
    count = int(np.ceil(largest / step * (1 - 1e-9)))
    return np.asarray(np.concatenate([[0.2 * step], step * np.arange(1, count + 1)]))


def scale(ax: Axes, drawn: Any, label: str) -> None:
    """What the colours of a picture mean, beside it and as high as it is."""
    width = 0.12 / max(ax.get_window_extent().width / ax.figure.dpi, 1.0)
    # Inside of the axes' own box: it keeps their height where that follows from the aspect.
    bar = ax.figure.colorbar(drawn, cax=ax.inset_axes((1.03, 0.0, width, 1.0)), format="%g")
    bar.set_label(label, fontsize="small")
    bar.outline.set_visible(False)
    bar.ax.tick_params(color=GREY, labelsize="small")
    if label == "fitted density":
        bar.set_ticks(list(drawn.levels[1:]))


def ink_of(ax: Axes) -> str:
    """What can be read on the background of the axes."""
    return "#dfe3e8" if is_dark(ax) else INK


def scatter(ax: Axes, points: Floats, label: str | None = "data", color: str | None = None) -> None:
    """Points that stay apart: the more there are, the smaller and fainter."""
    count = max(len(points), 1)
    size, opacity = float(np.clip(2400 / count, 1.5, 14)), float(np.clip(60 / np.sqrt(count), 0.12, 0.7))
    # A vector image of very many points is slow to show.
    many = count > 5000
    ax.scatter(
        points[:, 0], points[:, 1], s=size, color=color or ink_of(ax), alpha=opacity, linewidths=0, zorder=2.5,
        rasterized=many,
    )  # fmt: skip
    if label is not None:
        ax.scatter([], [], s=14, color=color or ink_of(ax), linewidths=0, label=label)


def outline(ax: Axes, boundary: ArrayLike | None, rings: Any = None, curves: Any = None) -> None:
    """The boundary: rings, which are closed, and curves as they are, as lines; points on it as small circles."""
    closed = [np.vstack([ring, ring[:1]]) for ring in map(rows, rings if rings is not None else ())]
    for i, vertices in enumerate([*closed, *map(rows, curves if curves is not None else ())]):
        label = "boundary" if i == 0 and boundary is None else None
        ax.plot(vertices[:, 0], vertices[:, 1], color=VERMILLION, linewidth=1.1, label=label, zorder=2.6)
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
