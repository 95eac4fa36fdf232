"""Regions in which data are seen."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._coverage import BoundaryCoverage
from ._inputs import as_dimension, as_geojson, as_points, seed_of
from ._kinds import check_kinds
from ._outlines import as_multipolygon
from ._systems import common_system, file_system, mapping_system, plausible, read_map_table, reprojected, system_of

__all__ = [
    "Annulus",
    "Ball",
    "Box",
    "Cylinder",
    "Domain",
    "Ellipse",
    "HalfSpace",
    "Intersection",
    "Interval",
    "LevelSet",
    "Outside",
    "Polygon",
    "Union",
    "Where",
]


class Domain:
    """A region.

    Regions are combined by ``|`` (at least one), ``&`` (all), ``-`` (the first without the second) and ``~`` (outside).

    Parameters
    ----------
    spec
        The region as the command line writes it, such as ``"ball(radius=2)"``.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.Domain("box(low=-3, high=3)")
    Domain('box(low=-3, high=3)')
    >>> sb.Domain("box(low=-3, high=3)").contains([[0, 0], [4, 0]])
    array([ True, False])
    """

    #: The coordinate system, where it is known: that of a GeoPandas object, or of a file that names it.
    crs: Any = None

    _recipe: tuple[Any, ...]
    #: The columns of the data that formulas may name, where these are known.
    _columns: tuple[str, ...] | None = None
    _built: _core.Domain | None = None

    def __init__(self, spec: str) -> None:
        if not isinstance(spec, str):
            raise TypeError(f"a domain is written as text, not as a {type(spec).__name__}")
        self._recipe = ("spec", spec)
        # Refused where it is written, not where it is used.
        self._built = _core.Domain(spec)
        named = re.fullmatch(r"\s*polygon\((.*)\)\s*", spec, re.DOTALL)
        if named is not None:
            self.crs = plausible(file_system(named[1].strip().strip('"')), self.bounds(2).T)

    @property
    def _engine(self) -> _core.Domain:
        if self._built is None:
            built = self._build()
            self._built = built if self._columns is None else built.with_columns(self._columns)
        return self._built

    def _for(self, names: Sequence[str] | None) -> Domain:
        """The same region for data with these columns."""
        if names is None:
            return self
        same = copy.copy(self)
        same._columns, same._built = tuple(names), self._engine.with_columns(names)
        return same

    def _build(self) -> _core.Domain:
        kind, *parts = self._recipe
        if kind == "spec":
            return _core.Domain(parts[0])
        if kind == "map":
            return _core.Domain.from_map(*parts)
        if kind == "file":
            return _core.Domain.from_file(*parts)
        if kind == "outside":
            return _core.Domain.outside(parts[0]._engine)
        if kind == "where":
            return _core.Domain.predicate(_name_of(parts[0]), _asked(parts[0]), parts[1])
        combined = _core.Domain.union if kind == "union" else _core.Domain.intersection
        return combined([part._engine for part in parts])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_built"}

    def __repr__(self) -> str:
        return f"Domain({self._recipe[1]!r})" if self._recipe[0] == "spec" else f"<{self.describe()}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self._recipe == other._recipe

    def __hash__(self) -> int:
        return hash(self._recipe)

    def __and__(self, other: Domain) -> Intersection:
        return Intersection(self, other)

    def __or__(self, other: Domain) -> Union:
        return Union(self, other)

    def __sub__(self, other: Domain) -> Intersection:
        return Intersection(self, Outside(other))

    def __invert__(self) -> Outside:
        return Outside(self)

    @property
    def dimension(self) -> int | None:
        """The number of coordinates, where the region tells."""
        return self._engine.dimension

    def _coordinates(self, dimension: Any) -> int | None:
        """A number of coordinates that is asked for, or else that in which such a region is usually meant."""
        given = as_dimension(dimension)
        return given if given is not None or self.dimension is not None else self._usual()

    def _usual(self) -> int | None:
        kind, *parts = self._recipe
        if kind == "spec":
            # A cylinder about the last of two coordinates is a box.
            return 3 if parts[0].strip().startswith("cylinder") else None
        regions = (part for part in parts if isinstance(part, Domain))
        return next((usual for part in regions if (usual := part._usual()) is not None), None)

    def describe(self) -> str:
        """What it is, in words."""
        return self._engine.describe()

    def contains(self, points: Any) -> NDArray[np.bool_]:
        """Which points lie inside.

        Where formulas name columns, the points need these names, as a data frame has them. Points of GeoPandas in
        another coordinate system are brought into that of the region.
        """
        places = as_points(reprojected(points, self.crs, "points", "region"), "points")
        return self._for(places.names)._engine.contains(places.array)

    def bounds(self, dimension: int | None = None) -> NDArray[np.float64]:
        """The smallest and largest value of each coordinate, one row for each."""
        return np.array(self._engine.bounds(self._coordinates(dimension)))

    def sample_boundary(
        self,
        count: int | None = None,
        *,
        dimension: int | None = None,
        sampling: str = "uniform",
        near: Any = None,
        random_state: Any = None,
    ) -> NDArray[np.float64]:
        """Points on the boundary: those that a fit would use by itself, for the same random state.

        Parameters
        ----------
        count
            How many; by default 8 d^2, at least 200 and at most 4,000.
        dimension
            The number of coordinates, if the region does not determine it (default 2, of a cylinder 3).
        sampling
            ``"uniform"`` on the surface, ``"even"`` along a curve in the plane, or ``"radial"``.
        near
            Points over whose extent an unbounded boundary is sampled.
        random_state
            A seed or a generator.

        Examples
        --------
        >>> import numpy as np, steinbound as sb
        >>> edge = sb.Ball(radius=2).sample_boundary(10)
        >>> edge.shape, bool(np.allclose(np.linalg.norm(edge, axis=1), 2))
        ((10, 2), True)
        """
        places, names = self._places(near)
        size = self._coordinates(dimension)
        check_kinds({"count": count, "boundary_sampling": sampling})
        return self._for(names)._engine.sample_boundary(count, seed_of(random_state), sampling, size, places)

    def coverage(
        self,
        count: int | None = None,
        *,
        dimension: int | None = None,
        sampling: str = "uniform",
        near: Any = None,
        random_state: Any = None,
    ) -> BoundaryCoverage:
        """How well points on the boundary cover it, as ``steinbound boundary`` reports it.

        Parameters
        ----------
        count, dimension, sampling, random_state
            As for :meth:`sample_boundary`, whose points are looked at.
        near
            Data: an unbounded boundary is sampled over their extent, and a kernel with their median bandwidth shows
            how much it leaks between the points.

        Examples
        --------
        >>> import steinbound as sb
        >>> few, many = (sb.Ball(radius=2).coverage(count) for count in (10, 100))
        >>> few.fill_distance > many.fill_distance
        True
        """
        places, names = self._places(near)
        size = self._coordinates(dimension)
        check_kinds({"count": count, "boundary_sampling": sampling})
        found = self._for(names)._engine.coverage(count, seed_of(random_state), sampling, size, places)
        return BoundaryCoverage(*found)

    def _places(self, near: Any) -> tuple[NDArray[np.float64] | None, list[str] | None]:
        """Data near which a boundary is sampled, in the region's coordinate system, and the names of their columns."""
        if near is None:
            return None, None
        places = as_points(reprojected(near, self.crs, "near", "region"), "near")
        return places.array, places.names

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The region in the plane as GeoJSON, which Shapely, GeoPandas and others read."""
        return as_multipolygon(self._outlined())

    def to_geoseries(self) -> Any:
        """The region in the plane as a GeoSeries of GeoPandas, with its coordinate system.

        Examples
        --------
        >>> import steinbound as sb
        >>> series = sb.Box([0, 0], [2, 1]).to_geoseries()  # doctest: +SKIP
        >>> float(series.area.sum())  # doctest: +SKIP
        2.0
        """
        import geopandas
        import shapely.geometry

        return geopandas.GeoSeries([shapely.geometry.shape(self.__geo_interface__)], crs=self.crs)

    def _outlined(self) -> list[NDArray[np.float64]]:
        """The closed curves around a bounded region in the plane."""
        if self.dimension not in (None, 2) or not np.isfinite(self.bounds(2)).all():
            # Those who ask whether there is such an interface get an answer, and no error of another kind.
            raise AttributeError(f"the {self.describe()} is no bounded region of the plane, which GeoJSON could describe")
        bounds = self.bounds(2)
        margin = 0.01 * (bounds[:, 1] - bounds[:, 0])
        return self.outline(np.column_stack([bounds[:, 0] - margin, bounds[:, 1] + margin]))

    def outline(self, window: Any = None) -> list[NDArray[np.float64]]:
        """The boundary in the plane as curves, within a window ``[[x0, x1], [y0, y1]]`` (default: its bounds)."""
        (x0, x1), (y0, y1) = self.bounds(2) if window is None else np.asarray(window, dtype=float)
        return self._engine.outline([(float(x0), float(x1)), (float(y0), float(y1))])


def _listed(values: Any, what: str) -> str:
    """A number, or numbers between colons, as the command line writes them."""
    if isinstance(values, str):
        raise TypeError(f"{what} is text; give a number or a list of numbers")
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{what} has the shape {np.shape(values)}; give a number or a list of numbers")
    return ":".join(_number(value) for value in array.tolist())


def _number(value: Any, what: str = "a side") -> str:
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{what} is a {type(value).__name__}; give a number") from None


class Ball(Domain):
    """A ball.

    Parameters
    ----------
    radius
        Its radius.
    norm
        The norm that measures it: 1, 2 or infinity.
    center
        Its centre; the origin by default.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.Ball(radius=2).contains([[1, 1], [2, 2]])
    array([ True, False])
    """

    def __init__(self, radius: float, norm: float | str = 2, center: Any = None) -> None:
        name = norm if isinstance(norm, str) else f"{norm:g}"
        place = "" if center is None else f", center={_listed(center, 'center')}"
        super().__init__(f"ball(radius={_number(radius, 'radius')}, norm={name}{place})")


class Box(Domain):
    """A box with sides along the axes; infinite where a side is open.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.Box([0, 0], [1, float("inf")]).contains([[0.5, 100.0], [2.0, 0.5]])
    array([ True, False])
    """

    def __init__(self, low: Any, high: Any) -> None:
        super().__init__(f"box(low={_listed(low, 'low')}, high={_listed(high, 'high')})")


class Interval(Domain):
    """An interval of the line.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.Interval(-1, 1).sample_boundary().ravel()
    array([-1.,  1.])
    """

    def __init__(self, low: float, high: float) -> None:
        super().__init__(f"interval({_number(low, 'low')}, {_number(high, 'high')})")


class Ellipse(Domain):
    """An ellipse, or an ellipsoid in more coordinates.

    Parameters
    ----------
    radii
        Its half-axes, one for each coordinate.
    center
        Its centre; the origin by default.
    angle
        In the plane: degrees by which it is turned, counter-clockwise.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.Ellipse([2, 1], angle=90).contains([[0, 1.9], [1.9, 0]])
    array([ True, False])
    """

    def __init__(self, radii: Any, center: Any = None, angle: float | None = None) -> None:
        place = "" if center is None else f", center={_listed(center, 'center')}"
        turn = "" if angle is None else f", angle={_number(angle, 'angle')}"
        super().__init__(f"ellipse(radii={_listed(radii, 'radii')}{place}{turn})")


class Annulus(Domain):
    """A ring: what lies between two circles, or two spheres in more coordinates.

    Parameters
    ----------
    inner, outer
        The two radii.
    center
        Its centre; the origin by default.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.Annulus(inner=0.5, outer=2).contains([[1, 0], [0.1, 0]])
    array([ True, False])
    """

    def __init__(self, inner: float, outer: float, center: Any = None) -> None:
        place = "" if center is None else f", center={_listed(center, 'center')}"
        super().__init__(f"annulus(inner={_number(inner, 'inner')}, outer={_number(outer, 'outer')}{place})")


class Cylinder(Domain):
    """A cylinder about the last coordinate.

    Parameters
    ----------
    radius
        Its radius across.
    low, high
        Its ends along the last coordinate, which may be infinite.
    center
        Where its axis is in the other coordinates; at the origin by default.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.Cylinder(radius=1, low=-2, high=2).contains([[0.5, 0.5, 1.9], [0.5, 0.5, 2.1]])
    array([ True, False])
    """

    def __init__(self, radius: float, low: float, high: float, center: Any = None) -> None:
        place = "" if center is None else f", center={_listed(center, 'center')}"
        ends = f"low={_number(low, 'low')}, high={_number(high, 'high')}"
        super().__init__(f"cylinder(radius={_number(radius, 'radius')}, {ends}{place})")


class HalfSpace(Domain):
    """The points whose inner product with a normal is at least an offset.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.HalfSpace(normal=[1, 0], offset=5).contains([[6, 0], [4, 0]])
    array([ True, False])
    """

    def __init__(self, normal: Any, offset: float) -> None:
        super().__init__(f"halfspace(normal={_listed(normal, 'normal')}, offset={_number(offset, 'offset')})")


class LevelSet(Domain):
    """The points at which a formula in ``x1``, ``x2``, .. is negative. It may also name the columns of the data.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.LevelSet("x1^2 + x2^2 - 1").contains([[0, 0], [1, 1]])
    array([ True, False])
    >>> sb.LevelSet("lon^2 + lat^2 - 1").contains({"lon": [0, 1], "lat": [0, 1]})
    array([ True, False])
    """

    def __init__(self, formula: str) -> None:
        if '"' in str(formula):
            raise ValueError("a formula has no quotation marks; leave them out")
        super().__init__(f'level("{formula}")')


class Polygon(Domain):
    """The area of a map: of a geometry, a GeoJSON mapping, rings of points, or a file.

    Parameters
    ----------
    geometry
        A Shapely geometry, a GeoSeries or GeoDataFrame, anything with ``__geo_interface__``, GeoJSON as a mapping, a
        path to a ``.geojson``, ``.wkt``, ``.shp``, ``.gpkg`` or GeoParquet file, or an array of vertices (or a list of
        such, one for each ring).
    feature
        For a file: the name of a property and the value it must have.

    Examples
    --------
    >>> import steinbound as sb
    >>> triangle = sb.Polygon([[0, 0], [2, 0], [0, 2]])
    >>> triangle.contains([[0.5, 0.5], [1.5, 1.5]])
    array([ True, False])
    """

    def __init__(self, geometry: Any, feature: tuple[str, str] | None = None) -> None:
        table = read_map_table(geometry, feature) if isinstance(geometry, (str, os.PathLike)) else None
        if table is not None:
            geometry, feature = table, None
        self.crs = system_of(geometry)
        if isinstance(geometry, Mapping):
            self.crs = mapping_system(geometry)
        if isinstance(geometry, (str, os.PathLike)):
            self._recipe = ("file", os.fspath(geometry), feature)
        elif isinstance(geometry, Domain):
            raise TypeError(f"{geometry!r} is a domain already; use it as it is")
        elif feature is not None:
            raise ValueError("a feature is chosen from a file; leave it out for a geometry in memory")
        else:
            text = as_geojson(geometry)
            self._recipe = ("map", "geometry.geojson", _rings(geometry) if text is None else text)
        self._built = self._build()
        if isinstance(geometry, (str, os.PathLike)):
            self.crs = plausible(self.crs, self.bounds(2).T)


def _rings(value: Any) -> str:
    """GeoJSON of rings given as arrays."""
    import json

    try:
        flat = np.asarray(value, dtype=np.float64)
        rings = [flat] if flat.ndim == 2 else list(flat)
    except (ValueError, TypeError):
        try:
            rings = [np.asarray(ring, dtype=np.float64) for ring in value]
        except (ValueError, TypeError):
            raise TypeError(
                f"a polygon is a geometry, GeoJSON, a file or rings of numbers, not a {type(value).__name__}"
            ) from None
    if not rings or any(ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 3 for ring in rings):
        raise ValueError("a ring is an array of at least three vertices with two coordinates each")
    closed = [[*ring.tolist(), ring[0].tolist()] for ring in rings]
    # The rings of one polygon are taken together by the even-odd rule, whichever of them is a hole; polygons are united.
    return json.dumps({"type": "Polygon", "coordinates": closed})


class Outside(Domain):
    """What lies outside a region; also written ``~region``.

    Examples
    --------
    >>> import steinbound as sb
    >>> (sb.Box(-3, 3) & ~sb.Ball(1)).contains([[2, 0], [0, 0]])
    array([ True, False])
    """

    def __init__(self, domain: Any) -> None:
        self._recipe = ("outside", as_domain(domain))
        self.crs = self._recipe[1].crs


class Intersection(Domain):
    """What lies in all of some regions; also written ``one & other``."""

    def __init__(self, *domains: Any) -> None:
        if len(domains) < 2:
            raise ValueError("an intersection is one of two regions or more")
        self._recipe = ("intersection", *(as_domain(domain) for domain in domains))
        self.crs = common_system({f"region {number}": part for number, part in enumerate(self._recipe[1:], start=1)})
        self._built = self._build()


class Union(Domain):
    """What lies in at least one of some regions; also written ``one | other``.

    Examples
    --------
    >>> import steinbound as sb
    >>> (sb.Interval(-2, -1) | sb.Interval(1, 2)).sample_boundary().ravel()
    array([-2., -1.,  1.,  2.])
    """

    def __init__(self, *domains: Any) -> None:
        if len(domains) < 2:
            raise ValueError("a union is one of two regions or more")
        self._recipe = ("union", *(as_domain(domain) for domain in domains))
        self.crs = common_system({f"region {number}": part for number, part in enumerate(self._recipe[1:], start=1)})
        self._built = self._build()


class Where(Domain):
    """The points of a box for which a function says that they lie inside.

    Parameters
    ----------
    function
        A function of an array of points, one in each row, that gives a boolean for each; or numbers, which are negative
        (or zero) inside. It is called with many points at once.
    bounds
        The box, as the smallest and largest value of each coordinate. Where the region reaches a side of the box, that
        side is part of its boundary; parts much smaller than the box can be missed.

    Examples
    --------
    >>> import numpy as np, steinbound as sb
    >>> heart = sb.Where(lambda x: x[:, 0] ** 2 + (x[:, 1] - np.cbrt(x[:, 0] ** 2)) ** 2 < 1, bounds=[(-2, 2), (-2, 2)])
    >>> heart.contains([[0.5, 0.5], [0.0, 1.2]])
    array([ True, False])
    """

    def __init__(self, function: Callable[[NDArray[np.float64]], Any], bounds: Any) -> None:
        if not callable(function):
            raise TypeError(f"a region is decided by a function of points, not by a {type(function).__name__}")
        box = np.asarray(bounds, dtype=np.float64)
        if box.ndim != 2 or box.shape[1] != 2:
            raise ValueError(
                f"bounds has the shape {box.shape}; give the smallest and largest value of each coordinate"
            )
        self._recipe = ("where", function, tuple((float(low), float(high)) for low, high in box))
        self._built = self._build()


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "region of a function" if name == "<lambda>" else f"region where {name}"


def _asked(function: Callable[[NDArray[np.float64]], Any]) -> Callable[[NDArray[np.float64]], NDArray[np.bool_]]:
    """A function of points, as the engine asks it."""

    def inside(points: NDArray[np.float64]) -> NDArray[np.bool_]:
        # A function that changed them would change the input of the next one.
        points.setflags(write=False)
        found = np.asarray(function(points))
        if found.shape != (len(points),):
            raise ValueError(
                f"the region's function gave an array of shape {found.shape} for {len(points)} points; "
                f"it should be ({len(points)},)"
            )
        if found.dtype != np.bool_:
            if found.dtype.kind not in "iuf":
                raise TypeError(
                    f"the region's function gave values of type {found.dtype}; give booleans, or numbers that are "
                    "negative inside"
                )
            found = found <= 0
        return np.ascontiguousarray(found)

    return inside


def as_domain(value: Any) -> Domain:
    """The domain that a value stands for: itself, text, a path to a map, or a geometry."""
    if isinstance(value, Domain):
        return value
    if isinstance(value, str):
        return Domain(value)
    if isinstance(value, os.PathLike) or as_geojson(value) is not None:
        return Polygon(value)
    raise TypeError(
        f"a domain cannot be made of a {type(value).__name__}; give a Domain such as Ball(radius=2), a geometry, or text"
    )

