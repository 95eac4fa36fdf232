"""Whether boundary and data can be in the same units, which a transformer before an estimator changes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._inputs import as_points
from .domains import Domain, Polygon, as_domain

__all__ = ["check_reach"]

Array = NDArray[np.float64]

#: A boundary that is farther away than so many widths of the data has no effect on them.
FAR = 10.0

#: Data beside everything that is known of the boundary, by so many of their widths, do not belong to it.
BESIDE = 2.0

REMEDY = (
    "a scaler or another transformer before the estimator changes the units of the data and not those of the "
    "boundary; leave it out, or give the boundary in the units that come after it"
)


def check_reach(X: Array, boundary: Any, domain: Any) -> None:
    """Refuses data that a region or boundary in other units cannot belong to.

    Examples
    --------
    >>> ring = np.array([[-90.0, 0.0], [90.0, 0.0], [0.0, 90.0], [0.0, -90.0]])
    >>> check_reach(30 * np.eye(2), ring, None)
    >>> try:
    ...     check_reach(0.1 * np.eye(2), ring, None)
    ... except ValueError as error:
    ...     print(str(error).split(":")[0])
    the nearest boundary point is 636 times as far from the data as these extend
    """
    if isinstance(boundary, (str, os.PathLike, Domain)):
        boundary, domain = None, boundary if isinstance(boundary, Domain) else Polygon(boundary)
    if domain is not None:
        _check_domain(X, as_domain(domain))
    elif boundary is not None:
        _check_points(X, boundary)


def _check_domain(X: Array, region: Domain) -> None:
    if region.dimension in (None, X.shape[1]) and not region.contains(X).any():
        raise ValueError(f"none of the {len(X)} rows lies in the {region.describe()}: {REMEDY}")


def _check_points(X: Array, boundary: Any) -> None:
    try:
        places = as_points(boundary, "boundary").array
    except (TypeError, ValueError):
        # A geometry, or what the fit refuses with a better reason.
        return
    if places.shape[1] != X.shape[1] or not len(places) or not np.isfinite(places).all():
        return
    low, high = X.min(axis=0), X.max(axis=0)
    widths = high - low
    if not (widths > 0).all():
        return
    beside = np.maximum(places.min(axis=0) - high, low - places.max(axis=0)) / widths
    if beside.max() > BESIDE:
        at = int(beside.argmax())
        raise ValueError(
            f"coordinate {at} is from {low[at]:.4g} to {high[at]:.4g} in the data and from {places[:, at].min():.4g} to "
            f"{places[:, at].max():.4g} on the boundary: {REMEDY}"
        )
    away = np.maximum(np.maximum(low - places, places - high), 0.0)
    nearest = float(np.linalg.norm(away, axis=1).min() / np.linalg.norm(widths))
    if nearest > FAR:
        raise ValueError(
            f"the nearest boundary point is {nearest:.3g} times as far from the data as these extend: {REMEDY}"
        )
