"""Geometries of Shapely, GeoPandas and all that has a ``__geo_interface__``, and GeoJSON mappings."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._tables import libraries_of
from ._values import float_of, is_number

__all__ = ["as_geojson", "point_coordinates"]

LINES = ("LineString", "LinearRing", "MultiLineString")
POINTS = ("Point", "MultiPoint")
KINDS = (*LINES, *POINTS, "Polygon", "MultiPolygon", "GeometryCollection", "Feature", "FeatureCollection")
FLATTEN = "drop the third coordinate, with shapely.force_2d for example"


class NoArea(ValueError):
    """A geometry of points or open lines."""


def as_geojson(value: Any, what: str = "domain") -> str | None:
    """The area that a geometry covers as GeoJSON text, None where the value is no geometry.

    Polygons of all rows and parts are taken together; closed lines are taken as the rings they are; points
    and open lines beside polygons are passed over. Coordinates keep all their digits.

    Parameters
    ----------
    value
        A Shapely geometry, GeoSeries, GeoDataFrame, object with ``__geo_interface__``, or GeoJSON mapping.
    what
        What messages call it.

    Examples
    --------
    >>> as_geojson({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 0.1], [0, 0]]]})
    '{"type": "MultiPolygon", "coordinates": [[[[0.0, 0.0], [1.0, 0.0], [0.0, 0.1], [0.0, 0.0]]]]}'
    >>> as_geojson("border.geojson") is None
    True
    """
    parts = _parts(value)
    if parts is None:
        return None
    polygons: list[Any] = []
    others: set[str] = set()
    for row, part in enumerate(parts):
        place = what if len(parts) == 1 else f"{what}, row {row}"
        for kind, coordinates in _simple(part):
            rings = _rings(place, kind, coordinates)
            if rings:
                polygons.append(rings)
            elif kind not in ("Polygon", "MultiPolygon") and coordinates:
                others.add(kind)
    if polygons:
        return json.dumps({"type": "MultiPolygon", "coordinates": polygons}, allow_nan=False)
    if not others:
        raise ValueError(f"{what}: the geometry is empty; give polygons")
    found = ", ".join(sorted(others))
    remedy = "give the coordinates of points on the boundary as an array, or polygons"
    if others.issubset(LINES):
        remedy = "the lines are open: close them by repeating the first vertex at the end, or give polygons"
    raise NoArea(f"{what} holds no polygon, only {found}; {remedy}")


def point_coordinates(value: Any, what: str) -> tuple[NDArray[np.float64], list[str]] | None:
    """The coordinates of points that are geometries, and their names; None where there is no geometry."""
    if "geopandas" in libraries_of(value) and hasattr(value, "geometry"):
        return _series_coordinates(value.geometry, what)
    parts = _parts(value)
    if parts is None and (
        isinstance(value, (list, tuple)) or getattr(value, "dtype", None) in (object, "geometry")
    ):
        is_geometry = getattr(value, "ndim", 1) == 1 and len(value) > 0 and _interface(value[0]) is not None
        parts = [_interface(item) for item in value] if is_geometry else None
    if parts is None:
        return None
    rows: list[list[float]] = []
    for i, part in enumerate(parts):
        place = what if len(parts) == 1 else f"{what}: row {i}"
        held = list(_simple(part)) if part is not None else []
        before = len(rows)
        for kind, coordinates in held:
            if kind not in POINTS:
                raise ValueError(f"{place} is a {kind}, not a point; data are points, so give those")
            points = coordinates if kind == "MultiPoint" else [coordinates] if coordinates else []
            rows.extend(_vertex(place, point) for point in points)
        if len(rows) == before and len(parts) > 1:
            raise ValueError(f"{place} has no point; remove or repair that row")
    return np.array(rows, dtype=np.float64).reshape(-1, 2), ["x", "y"]


def _series_coordinates(series: Any, what: str) -> tuple[NDArray[np.float64], list[str]]:
    kinds = series.geom_type
    for i in np.flatnonzero(np.asarray(series.isna() | series.is_empty, dtype=np.bool_)):
        raise ValueError(f"{what}: row {i} has no point; remove or repair that row")
    for i in np.flatnonzero(np.asarray(kinds != "Point", dtype=np.bool_)):
        found, remedy = kinds.iloc[i], "data are points, so give those"
        remedy += ", with explode() for example" if found == "MultiPoint" else ""
        raise ValueError(f"{what}: row {i} is a {found}, not a point; {remedy}")
    for i in np.flatnonzero(np.asarray(series.has_z, dtype=np.bool_)):
        raise ValueError(f"{what}: row {i} has three-dimensional coordinates; {FLATTEN}")
    is_degrees = series.crs is not None and series.crs.is_geographic
    array = np.column_stack([np.asarray(series.x, dtype=np.float64), np.asarray(series.y, dtype=np.float64)])
    return array, ["lon", "lat"] if is_degrees else ["x", "y"]


def _parts(value: Any) -> list[Mapping[str, Any] | None] | None:
    """The geometries of a value: one, or one for each row of a table of them."""
    if "geopandas" in libraries_of(value) and hasattr(value, "geometry"):
        return [None if row is None else _interface(row) for row in value.geometry]
    mapping = value if isinstance(value, Mapping) else _interface(value)
    if mapping is None or not isinstance(mapping.get("type"), str):
        return None
    if mapping["type"] not in KINDS:
        return None
    if mapping["type"] == "FeatureCollection":
        return list(_items(mapping, "features"))
    return [mapping]


def _interface(value: Any) -> Mapping[str, Any] | None:
    try:
        found = getattr(value, "__geo_interface__", None)
    except Exception:  # tables without a geometry raise here, each library in its own way
        return None
    return found if isinstance(found, Mapping) else None


def _simple(mapping: Mapping[str, Any] | None) -> Iterator[tuple[str, list[Any]]]:
    """The simple geometries of a geometry, feature or collection, by kind and coordinates."""
    waiting = [mapping]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, Mapping):
            continue
        kind = part.get("type")
        if kind == "Feature":
            waiting.append(part.get("geometry"))
        elif kind == "FeatureCollection":
            waiting.extend(reversed(_items(part, "features")))
        elif kind == "GeometryCollection":
            waiting.extend(reversed(_items(part, "geometries")))
        elif kind in ("MultiPolygon", "MultiLineString"):
            single = "Polygon" if kind == "MultiPolygon" else "LineString"
            yield from ((single, _listed(coordinates)) for coordinates in _items(part, "coordinates"))
        elif kind in KINDS:
            yield str(kind), _items(part, "coordinates")


def _items(mapping: Mapping[str, Any], key: str) -> list[Any]:
    return _listed(mapping.get(key))


def _listed(held: Any) -> list[Any]:
    if isinstance(held, np.ndarray):
        return list(held) if held.ndim > 0 else []
    is_list = isinstance(held, Sequence) and not isinstance(held, (str, bytes, memoryview))
    return list(held) if is_list else []


def _rings(place: str, kind: str, coordinates: list[Any]) -> list[list[list[float]]]:
    if kind == "Polygon":
        return [
            [_vertex(place, vertex) for vertex in ring] for held in coordinates if (ring := _listed(held))
        ]
    if kind in LINES and len(coordinates) > 3:
        ring = [_vertex(place, vertex) for vertex in coordinates]
        return [ring] if ring[0] == ring[-1] else []
    return []


def _vertex(place: str, vertex: Any) -> list[float]:
    held = _listed(vertex)
    if len(held) > 2:
        raise ValueError(f"{place} has three-dimensional coordinates; {FLATTEN}")
    if len(held) < 2 or not all(is_number(coordinate) for coordinate in held):
        raise ValueError(f"{place} has a vertex that is not two numbers; repair the geometry")
    pair = [float_of(coordinate) for coordinate in held]
    if not all(math.isfinite(coordinate) for coordinate in pair):
        raise ValueError(
            f"{place} has a vertex at ({pair[0]}, {pair[1]}), which is not finite; repair the geometry"
        )
    return pair
