"""Closed curves as the polygons that they bound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_multipolygon"]

Curve = NDArray[np.float64]


def as_multipolygon(curves: list[Curve]) -> dict[str, Any]:
    """The area inside of closed curves that do not cross, by the even-odd rule, as GeoJSON.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0]])
    >>> area = as_multipolygon([square, 1 + square / 3])
    >>> [len(polygon) for polygon in area["coordinates"]]
    [2]
    """
    rings = [_closed(curve) for curve in curves if len(curve) >= 3]
    # Each ring lies in all that contain one of its vertices.
    around = [[j for j, other in enumerate(rings) if j != i and _is_inside(ring, other)] for i, ring in enumerate(rings)]
    polygons: dict[int, list[Any]] = {}
    for i, ring in enumerate(rings):
        if len(around[i]) % 2 == 0:
            polygons[i] = [_turned(ring, True)]
    for i, ring in enumerate(rings):
        if len(around[i]) % 2 == 1:
            # The innermost of those around a hole.
            owner = max(around[i], key=lambda j: len(around[j]))
            polygons[owner].append(_turned(ring, False))
    return {"type": "MultiPolygon", "coordinates": list(polygons.values())}


def _closed(curve: Curve) -> Curve:
    return curve if np.array_equal(curve[0], curve[-1]) else np.vstack([curve, curve[:1]])


def _turned(ring: Curve, is_outer: bool) -> list[list[float]]:
    """A ring counterclockwise around an area, clockwise around a hole."""
    x, y = ring[:, 0] - ring[0, 0], ring[:, 1] - ring[0, 1]
    is_counterclockwise = float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) > 0
    found: list[list[float]] = (ring if is_counterclockwise == is_outer else ring[::-1]).tolist()
    return found


def _is_inside(ring: Curve, other: Curve) -> bool:
    """Whether a ring lies inside another, by a ray from the middle of its first edge."""
    x, y = (ring[0] + ring[1]) / 2
    (x0, y0), (x1, y1) = other[:-1].T, other[1:].T
    crosses = (y0 > y) != (y1 > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = x0 + (y - y0) * (x1 - x0) / (y1 - y0)
    return bool(np.count_nonzero(crosses & (at > x)) % 2)
