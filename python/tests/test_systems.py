"""Coordinate systems are kept, brought together or refused, and maps come from files that name theirs."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import quiet

import steinbound as sb
from steinbound._inputs import as_points
from steinbound._outlines import as_multipolygon
from steinbound._systems import common_system, file_system, is_degrees, is_same, read_map_table, system_of

SQUARE = [[0.0, 44.0], [4.0, 44.0], [4.0, 48.0], [0.0, 48.0]]


def frame(kind: str = "EPSG:4326", n: int = 80) -> Any:
    """Points inside of the square, in degrees or as some system has them."""
    geopandas = pytest.importorskip("geopandas")
    X = np.random.default_rng(4).normal([2.0, 46.0], 1.5, size=(5 * n, 2))
    X = X[(abs(X - [2, 46]) < 1.99).all(axis=1)][:n]
    points = geopandas.points_from_xy(X[:, 0], X[:, 1], crs="EPSG:4326")
    return geopandas.GeoDataFrame(geometry=points).to_crs(kind)


def region(kind: str = "EPSG:4326") -> Any:
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    return geopandas.GeoSeries([shapely.Polygon(SQUARE)], crs="EPSG:4326").to_crs(kind)


def test_results_and_regions_keep_the_system() -> None:
    points = frame("EPSG:2154")
    domain = sb.Polygon(region("EPSG:2154"))
    with quiet():
        found = sb.fit(points, domain=domain)
    assert found.crs == points.crs == domain.crs == found.domain.crs
    assert (~domain).crs == points.crs and (domain & sb.Box(-1e9, 1e9)).crs == points.crs
    again = pickle.loads(pickle.dumps(found.domain))
    assert again.crs == points.crs
    with quiet():
        assert sb.fit(points.get_coordinates().to_numpy(), domain=domain).crs == points.crs
        assert sb.fit(np.random.default_rng(0).normal(size=(30, 2)), method="mle").crs is None


def test_regions_are_geometries_for_others() -> None:
    shapely = pytest.importorskip("shapely")
    ring = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
    holed = sb.Polygon([ring, 1 + ring / 4, 1.25 + ring / 16])
    area = shapely.geometry.shape(holed.__geo_interface__)
    assert area.is_valid and area.area == pytest.approx(16 - 1 + 1 / 16) and len(area.geoms) == 2
    assert shapely.geometry.shape(sb.Ball(radius=2).__geo_interface__).area == pytest.approx(4 * np.pi, rel=2e-3)
    assert sb.Polygon(holed.to_geoseries()).contains([[0.5, 0.5], [1.1, 1.1], [1.5, 1.5]]).tolist() == [True, False, True]
    for domain in (sb.HalfSpace([1, 0], 0), sb.Interval(0, 1), sb.Ball(1).__class__(1, center=[0, 0, 0])):
        assert not hasattr(domain, "__geo_interface__")
    series = sb.Polygon(region("EPSG:2154")).to_geoseries()
    assert series.crs == region("EPSG:2154").crs and series.area.sum() == pytest.approx(region("EPSG:2154").area.sum())


def test_curves_without_an_area_bound_nothing() -> None:
    assert as_multipolygon([np.zeros((2, 2))])["coordinates"] == []


def test_densities_in_another_system_are_brought_into_that_of_the_fit() -> None:
    points = frame("EPSG:2154")
    with quiet():
        found = sb.fit(points, domain=region("EPSG:2154"))
    there = points.to_crs("EPSG:4326")
    np.testing.assert_allclose(found.predict_density(there), found.predict_density(points), rtol=1e-6)
    np.testing.assert_allclose(found.witness(there[:5]), found.witness(points[:5]), rtol=1e-4, atol=1e-9)
    unnamed = points.set_crs(None, allow_override=True)
    np.testing.assert_array_equal(found.predict_density(unnamed), found.predict_density(points))


def test_systems_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="X is in EPSG:2154 and the domain in EPSG:4326; bring both into one with to_crs"):
        sb.fit(frame("EPSG:2154"), domain=region())
    with pytest.raises(ValueError, match="X is in EPSG:2154 and the domain in EPSG:4326"):
        sb.fit(frame("EPSG:2154"), domain=sb.Polygon(region()))
    with pytest.raises(ValueError, match="region 1 is in EPSG:4326 and the region 2 in EPSG:2154"):
        sb.Intersection(region(), region("EPSG:2154"))
    pyproj = pytest.importorskip("pyproj")
    world = pyproj.CRS("EPSG:4326")
    # GeoParquet has longitude first, GeoJSON by its standard, too; the points are the same.
    assert is_same(world, pyproj.CRS("OGC:CRS84")) and is_same(None, world) and not is_same(world, pyproj.CRS("EPSG:2154"))
    assert is_degrees(world) and not is_degrees(pyproj.CRS("EPSG:2154"))
    assert common_system({"X": [[1.0]], "domain": sb.Ball(1)}) is None


def test_degrees_are_warned_of_or_projected() -> None:
    points, domain = frame(), region()
    with pytest.warns(sb.CoordinateWarning, match="the coordinates are degrees of longitude and latitude"):
        flat = sb.fit(points, domain=domain, diagnostics=False, project=False)
    assert flat.projection is None
    with quiet():
        found = sb.fit(points, domain=domain, project=True)
    assert found.projection is not None and is_degrees(found.crs)
    assert system_of(points.get_coordinates()) is None


def test_maps_in_files_are_domains(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    both = geopandas.GeoDataFrame(
        {"name": ["a", "b"]}, geometry=[shapely.Polygon(SQUARE), shapely.box(10, 44, 12, 48)], crs="EPSG:4326"
    ).to_crs("EPSG:2154")
    centers = both.geometry.centroid.get_coordinates().to_numpy()
    both.to_parquet(tmp_path / "map.parquet")
    both.to_file(tmp_path / "map.gpkg")
    both.to_file(tmp_path / "map.shp")
    for name in ("map.parquet", "map.gpkg", "map.shp"):
        whole, one = sb.Polygon(tmp_path / name), sb.Polygon(tmp_path / name, feature=("name", "b"))
        assert whole.contains(centers).tolist() == [True, True], name
        assert one.contains(centers).tolist() == [False, True], name
        assert is_same(whole.crs, both.crs) and whole.crs is not None, name
    with pytest.raises(ValueError, match="no feature whose name is 'c'; there are a, b"):
        sb.Polygon(tmp_path / "map.parquet", feature=("name", "c"))
    with pytest.raises(ValueError, match="no property 'id'; it has name"):
        sb.Polygon(tmp_path / "map.parquet", feature=("id", "c"))
    assert read_map_table(tmp_path / "missing.parquet") is None
    (tmp_path / "short.parquet").write_bytes(b"PAR1")
    assert read_map_table(tmp_path / "short.parquet") is None


def test_boundaries_and_points_come_from_such_files(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    points, border = frame("EPSG:2154"), region("EPSG:2154").to_frame("geometry")
    points.to_parquet(tmp_path / "points.parquet")
    border.to_parquet(tmp_path / "border.parquet")
    with quiet():
        expected = sb.fit(points, domain=border)
        found = sb.fit(tmp_path / "points.parquet", boundary=tmp_path / "border.parquet")
    assert found.estimates.tolist() == expected.estimates.tolist() and is_same(found.crs, points.crs)


def test_pictures_of_degrees_have_the_shape_of_the_map() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    with quiet():
        found = sb.fit(frame(), domain=region(), project=True)
        flat = sb.fit(frame("EPSG:2154"), domain=region("EPSG:2154"))
    _, (left, right) = pyplot.subplots(1, 2)
    assert found.plot(left).get_aspect() == pytest.approx(1 / np.cos(np.radians(46)), rel=0.01)
    assert flat.plot(right).get_aspect() == 1
    pyplot.close("all")


def test_points_are_brought_into_the_system_of_a_region() -> None:
    points, domain = frame(), sb.Polygon(region("EPSG:2154"))
    assert domain.contains(points).all() and (domain & ~sb.Ball(1)).contains(points).all()
    near, there = domain.coverage(50, near=points), domain.coverage(50, near=points.to_crs("EPSG:2154"))
    assert near.leak == pytest.approx(there.leak)
    np.testing.assert_array_equal(domain.sample_boundary(20, near=points), domain.sample_boundary(20))
    with pytest.raises(ValueError, match="region 1 is in EPSG:2154 and the region 2 in EPSG:4326"):
        domain | sb.Polygon(region())
    assert (domain | sb.Ball(1)).crs == domain.crs


def test_systems_of_files(tmp_path: Path) -> None:
    degrees, flat = region(), region("EPSG:2154")
    for name, kind in (("map.geojson", "GeoJSON"), ("map.gpkg", "GPKG")):
        for area in (degrees, flat):
            file = tmp_path / f"{area.crs.to_epsg()} {name}"
            area.to_file(file, driver=kind)
            for domain in (sb.Polygon(file), sb.Domain(f"polygon({file})")):
                assert is_same(domain.crs, area.crs) and domain.crs is not None, file
            points = frame(str(area.crs))
            points.to_file(file, driver=kind)
            assert is_same(system_of(as_points(file)), area.crs) and system_of(as_points(file)) is not None
            with pytest.raises(ValueError, match="points are in .* and the region in EPSG"):
                sb.Polygon(flat if area is degrees else degrees).contains(file)
    # GeoJSON without a statement is in degrees by its standard, unless it cannot be.
    plain = tmp_path / "plain.geojson"
    corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 0.0]]
    for stretch, crs in ((1, True), (1000, False)):
        ring = [[stretch * x, stretch * y] for x, y in corners]
        plain.write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
        assert is_degrees(sb.Polygon(plain).crs) == crs
    assert file_system(tmp_path / "missing.gpkg") is None and file_system(tmp_path / "missing.geojson") is None
    (tmp_path / "broken.gpkg").write_bytes(b"no database")
    assert file_system(tmp_path / "broken.gpkg") is None
    (tmp_path / "broken.geojson").write_text('{"crs"')
    assert file_system(tmp_path / "broken.geojson") is None


def test_degrees_of_files_and_tests_are_warned_of(tmp_path: Path) -> None:
    points, model = frame().get_coordinates(), sb.Gaussian(2.0)
    for name, kind in (("map.geojson", "GeoJSON"), ("map.gpkg", "GPKG")):
        region().to_file(tmp_path / name, driver=kind)
        domain = sb.Polygon(tmp_path / name)
        calls: list[Callable[..., Any]] = [
            lambda **more: sb.fit(points, model=model, method="truncsm", diagnostics=False, **more),
            lambda **more: sb.discrepancy(points, [2, 46], model=model, **more),
            lambda **more: sb.gof_test(points, model=model, at=[2, 46], bootstrap=20, **more),
            lambda **more: sb.compare(points, models=model, methods="truncsm", **more),
        ]
        for call in calls:
            with pytest.warns(sb.CoordinateWarning, match="the coordinates are degrees"):
                call(domain=domain)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", sb.CoordinateWarning)
                call(domain=domain, project=True)
