"""Coordinate systems: which one data and regions are in, and maps in files that say so."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._tables import libraries_of

__all__ = [
    "DEGREES",
    "common_system",
    "file_system",
    "is_degrees",
    "mapping_system",
    "plausible",
    "read_map_table",
    "reprojected",
    "system_of",
]

#: What is said of degrees that are taken for distances.
DEGREES = (
    "the coordinates are degrees of longitude and latitude, which are taken for plane coordinates: distances are wrong "
    "away from the equator; fit with project=True, or bring them into a projected system with to_crs"
)

#: Longitude and latitude.
WORLD = "EPSG:4326"


def system_of(value: Any) -> Any:
    """The coordinate system that a value says it is in, None where it says nothing.

    Examples
    --------
    >>> system_of([[0.0, 1.0]]) is None
    True
    """
    if isinstance(value, (str, os.PathLike)):
        return file_system(value)
    libraries = libraries_of(value)
    if "steinbound" in libraries:
        return getattr(value, "system", None) or getattr(value, "crs", None)
    # Others have attributes of this name that mean something else, such as columns of tables.
    return getattr(value, "crs", None) if "geopandas" in libraries else None


def as_system(name: Any) -> Any:
    """A system by its name or definition, as pyproj has it where that is installed."""
    if name is None:
        return None
    try:
        import pyproj
    except ImportError:
        return name if isinstance(name, str) else None
    try:
        return pyproj.CRS.from_user_input(name)
    except pyproj.exceptions.CRSError:
        return None


def is_same(one: Any, other: Any) -> bool:
    """Whether two systems are the same, whichever of their coordinates they name first."""
    if one is None or other is None or one == other:
        return True
    if hasattr(one, "equals") and hasattr(other, "equals"):
        return bool(one.equals(other, ignore_axis_order=True))
    return text_of(one) == text_of(other)


def is_degrees(system: Any) -> bool:
    """Whether a system's coordinates are longitude and latitude.

    Examples
    --------
    >>> is_degrees(None), is_degrees("EPSG:4326")
    (False, True)
    """
    return system == WORLD if isinstance(system, str) else bool(getattr(system, "is_geographic", False))


def text_of(system: Any) -> str:
    """A system as messages name it."""
    return system.to_string() if hasattr(system, "to_string") else str(system)


def reprojected(value: Any, system: Any, what: str, other: str) -> Any:
    """Points in a system other than that of a fit or region: brought into this one where they can be, refused otherwise."""
    own = system_of(value)
    if own is None or system is None or is_same(own, system):
        return value
    if hasattr(value, "to_crs"):
        return value.to_crs(system)
    raise ValueError(
        f"{what} are in {text_of(own)} and the {other} in {text_of(system)}; bring them into that, with GeoPandas' to_crs for example"
    )


def common_system(given: Mapping[str, Any]) -> Any:
    """The system of several values; refuses two that differ, where both say which they are."""
    known = [(what, system) for what, value in given.items() if (system := system_of(value)) is not None]
    if not known:
        return None
    (first, system), *others = known
    for what, other in others:
        if not is_same(system, other):
            raise ValueError(
                f"{first} is in {text_of(system)} and the {what} in {text_of(other)}; bring both into one with to_crs"
            )
    return system


def file_system(path: str | os.PathLike[str]) -> Any:
    """The system that a map in a file is in, None where it does not say; GeoParquet is asked when it is read.

    GeoJSON without a statement, as older files have one, is in degrees by its standard; see :func:`plausible`.
    """
    base, ending = os.path.splitext(os.fspath(path))
    read = _STATED.get(ending.lower())
    try:
        return None if read is None else read(base, ending)
    except (OSError, ValueError):
        # Who reads the map says what is wrong with it.
        return None


def plausible(system: Any, array: NDArray[np.float64]) -> Any:
    """A system that a file is in, unless coordinates in the plane cannot be the degrees that these would be."""
    if not is_degrees(system) or array.ndim != 2 or array.shape[1] != 2:
        return system
    largest = np.abs(array[np.isfinite(array).all(axis=1)]).max(axis=0, initial=0.0)
    return system if largest[0] <= 360 and largest[1] <= 90 else None


def _of_shapefile(base: str, ending: str) -> Any:
    """What the side file of a shapefile names."""
    for name in (f"{base}.prj", f"{base}.PRJ"):
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                return as_system(file.read())
        except OSError:
            continue
    return None


def _of_geojson(base: str, ending: str) -> Any:
    """What GeoJSON names, and longitude and latitude where it names nothing."""
    with open(base + ending, encoding="utf-8-sig") as file:
        text = file.read()
    # Most files name none, and need not be understood for it.
    parsed = json.loads(text) if '"crs"' in text else None
    if isinstance(parsed, Mapping) and isinstance(parsed.get("crs"), Mapping):
        return mapping_system(parsed)
    return as_system(WORLD)


def _of_geopackage(base: str, ending: str) -> Any:
    """What the tables of a GeoPackage name, where all of its features are in one system."""
    try:
        import sqlite3
    except ImportError:  # Python can be built without it
        return None
    asked = (
        "SELECT DISTINCT system.organization, system.organization_coordsys_id, system.definition "
        "FROM gpkg_geometry_columns AS layer JOIN gpkg_spatial_ref_sys AS system ON layer.srs_id = system.srs_id "
        "WHERE layer.srs_id > 0"
    )
    place = pathlib.Path(base + ending).absolute().as_uri()
    try:
        with closing(sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True)) as file:
            found = file.execute(asked).fetchall()
    except sqlite3.Error:
        return None
    if len(found) != 1:
        return None
    organization, code, definition = found[0]
    named = None if str(organization).upper() == "NONE" else as_system(f"{organization}:{code}".upper())
    return as_system(definition) if named is None else named


#: Who knows the system of a map, by the ending of its name.
_STATED = {
    ".shp": _of_shapefile,
    ".geojson": _of_geojson,
    ".json": _of_geojson,
    ".topojson": _of_geojson,
    ".gpkg": _of_geopackage,
}


def read_map_table(path: str | os.PathLike[str], feature: tuple[str, str] | None = None) -> Any:
    """The table of a GeoParquet file, or of a GeoPackage that the engine does not read; None for other files.

    Parameters
    ----------
    path
        The file.
    feature
        The name of a column and the value it must have.
    """
    name = os.fspath(path)
    is_package = name.lower().endswith(".gpkg") and not _core.is_map(name)
    if not is_package and not _is_geo_parquet(name):
        return None
    try:
        import geopandas
    except ImportError as error:
        kind = "a GeoPackage" if is_package else "GeoParquet"
        raise ImportError(f"{name} is {kind}, which geopandas reads; install it with: pip install geopandas") from error
    if is_package and not os.path.exists(name):
        raise FileNotFoundError(f"{name} cannot be read: there is no such file")
    table = geopandas.read_file(name) if is_package else geopandas.read_parquet(name)
    if feature is None:
        return table
    column, value = feature
    if column not in table.columns:
        names = ", ".join(str(one) for one in table.columns if one != table.geometry.name)
        raise ValueError(f"{name} has no property {column!r}; it has {names}")
    chosen = table[table[column].astype(str) == str(value)]
    if len(chosen) == 0:
        some = ", ".join(sorted({str(one) for one in table[column]})[:8])
        raise ValueError(f"{name} has no feature whose {column} is {value!r}; there are {some}")
    return chosen


def _is_geo_parquet(name: str) -> bool:
    """Whether the footer of a Parquet file describes a column of geometries."""
    try:
        with open(name, "rb") as file:
            if file.read(4) != b"PAR1":
                return False
            file.seek(-8, os.SEEK_END)
            length = int.from_bytes(file.read(4), "little")
            file.seek(-min(8 + length, file.seek(0, os.SEEK_END)), os.SEEK_END)
            return b'"primary_column"' in file.read(length)
    except OSError:
        return False


def mapping_system(mapping: Mapping[str, Any]) -> Any:
    """The system that a GeoJSON mapping names, as older versions of that format do."""
    named = mapping.get("crs")
    properties = named.get("properties") if isinstance(named, Mapping) else None
    return as_system(properties.get("name")) if isinstance(properties, Mapping) else None
