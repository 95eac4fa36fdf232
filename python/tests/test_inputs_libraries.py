"""Tables and geometries of other libraries."""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np
import pytest

from steinbound._inputs import as_columns, as_geojson, as_labels, as_points, as_vector


@pytest.fixture
def pandas() -> Any:
    return pytest.importorskip("pandas")


@pytest.fixture
def polars() -> Any:
    return pytest.importorskip("polars")


@pytest.fixture
def pyarrow() -> Any:
    return pytest.importorskip("pyarrow")


def test_pandas_points(pandas: Any) -> None:
    frame = pandas.DataFrame({"lon": [1, 2], "lat": [0.5, 1.5], "in": [True, False]}, index=["p", "q"])
    points = as_points(frame)
    assert points.names == ["lon", "lat", "in"] and points.array.tolist() == [[1, 0.5, 1], [2, 1.5, 0]]
    assert as_points(frame["lat"]).names == ["lat"] and as_points(frame["lat"]).array.tolist() == [
        [0.5],
        [1.5],
    ]
    assert as_points(pandas.DataFrame(np.zeros((2, 2)))).names is None
    assert as_points(pandas.Series([1.0, 2.0])).names is None
    assert as_points(pandas.DataFrame({("a", "x"): [1.0], ("a", "y"): [2.0]})).names == ["a_x", "a_y"]
    assert np.isnan(as_points(pandas.DataFrame({"a": [1.0, np.nan]})).array[1, 0])


@pytest.mark.parametrize(
    "kind", ["Int64", "UInt8", "Float32", "Float64", "boolean", "int64[pyarrow]", "double[pyarrow]"]
)
def test_pandas_nullable(pandas: Any, kind: str) -> None:
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow")
    full = pandas.DataFrame({"a": [1.5, 2.5, 0.5], "b": pandas.array([1, 0, 1], dtype=kind)})
    assert as_points(full).array[:, 1].tolist() == [1, 0, 1]
    gap = pandas.DataFrame({"a": [1.5, 2.5, 0.5], "b": pandas.array([1, 0, None], dtype=kind)})
    with pytest.raises(
        ValueError, match="^X: row 2, column 1 is missing, not a finite number; remove or repair that row$"
    ):
        as_points(gap)
    if kind != "boolean":
        assert np.array_equal(as_columns(gap)["b"], [1, 0, np.nan], equal_nan=True)  # type: ignore[arg-type]


def test_pandas_columns_that_are_not_numbers(pandas: Any) -> None:
    frame = pandas.DataFrame(
        {
            "x": [1.0, 2.0],
            "day": pandas.to_datetime(["2020-01-01", None]),
            "zone": pandas.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("UTC"),
            "span": pandas.to_timedelta([1, 2], unit="s"),
            "town": ["Bonn", None],
            "size": pandas.Categorical([1.0, None], categories=[1.0, 2.0]),
            "phase": [1j, 2j],
            "mixed": [1, "a"],
            "period": pandas.period_range("2020", periods=2, freq="Y"),
        }
    )
    for name, held in {
        "day": "dates", "zone": "dates", "span": "durations", "town": "text", "size": "categories",
        "phase": "complex numbers", "mixed": "text", "period": "values of type Period",
    }.items():  # fmt: skip
        with pytest.raises(TypeError, match=f'X: column "{name}" holds {held}, not numbers; leave it out'):
            as_points(frame[["x", name]])
    columns = as_columns(frame)
    assert (
        columns["town"] == ["Bonn", None]
        and columns["size"] == ["1", None]
        and columns["mixed"] == ["1", "a"]
    )
    day = columns["day"]
    assert isinstance(day, list) and day[0] is not None and day[0].startswith("2020-01-01") and day[1] is None
    assert "phase" not in columns and "period" not in columns
    with pytest.raises(ValueError, match='more than one column "x"'):
        as_columns(frame[["x", "x"]])


def test_pandas_weights_and_labels(pandas: Any) -> None:
    assert as_vector(pandas.Series([1, 2], index=[5, 6]), 2).tolist() == [1, 2]
    assert as_vector(pandas.DataFrame({"w": [1, 2]}), 2).tolist() == [1, 2]
    assert as_labels(pandas.Series(pandas.Categorical(["b", "a"])), 2) == ["b", "a"]
    assert as_labels(pandas.Series([2**60 + 1, None], dtype="Int64").dropna(), 1) == [str(2**60 + 1)]
    for gap in (pandas.Series([1, None], dtype="Int64"), pandas.Series(["a", None]), [1, pandas.NA]):
        with pytest.raises(ValueError, match="clusters: the label of row 1 is missing"):
            as_labels(gap, 2)
        with pytest.raises((ValueError, TypeError)):
            as_vector(gap, 2)
    with pytest.raises(ValueError, match="2 columns; choose one"):
        as_vector(pandas.DataFrame({"w": [1, 2], "v": [1, 2]}), 2)
    mixed = as_columns({"a": pandas.Series([1, None], dtype="Int64"), "b": pandas.Categorical([2, 1])})
    assert np.isnan(mixed["a"][1]) and mixed["b"] == ["2", "1"]  # type: ignore[arg-type]


def test_polars(polars: Any) -> None:
    frame = polars.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "c": [True, False, True]})
    points = as_points(frame)
    assert points.names == ["a", "b", "c"] and points.array.tolist() == [
        [1, 0.5, 1],
        [2, 1.5, 0],
        [3, 2.5, 1],
    ]
    assert as_points(frame["b"]).names == ["b"]
    with pytest.raises(ValueError, match="X: row 1, column 0 is missing"):
        as_points(polars.DataFrame({"a": [1, None]}))
    np.testing.assert_array_equal(as_points(frame.lazy()).array, points.array)
    mixed = polars.DataFrame(
        {
            "n": [1, None],
            "t": ["a", None],
            "k": polars.Series(["u", None], dtype=polars.Categorical),
            "d": [datetime.date(2020, 1, 2), None],
            "l": [[1], [2]],
            "e": [None, None],
            "b": [True, None],
        }
    )
    columns = as_columns(mixed)
    assert list(columns) == ["n", "t", "k", "d", "e", "b"]
    assert (
        columns["t"] == ["a", None] and columns["k"] == ["u", None] and columns["d"] == ["2020-01-02", None]
    )
    assert columns["b"] == ["True", None] and np.isnan(columns["e"]).all()  # type: ignore[arg-type]
    for name, held in {"t": "text", "k": "categories", "d": "dates", "l": "values of type"}.items():
        with pytest.raises(TypeError, match=f'column "{name}" holds {held}'):
            as_points(mixed.select(name))
    assert as_labels(polars.Series([1, 2]), 2) == ["1", "2"]


def test_arrow(pyarrow: Any) -> None:
    table = pyarrow.table({"a": [1, 2], "b": [0.5, 1.5]})
    for given in (table, table.to_batches()[0], pyarrow.concat_tables([table])):
        points = as_points(given)
        assert points.names == ["a", "b"] and points.array.tolist() == [[1, 0.5], [2, 1.5]]
    assert as_points(pyarrow.chunked_array([[1], [2]])).array.tolist() == [[1], [2]]
    with pytest.raises(ValueError, match="row 1, column 0 is missing"):
        as_points(pyarrow.table({"a": [1, None]}))
    days = pyarrow.array([datetime.date(2020, 1, 2), None])
    words = pyarrow.array(["u", None]).dictionary_encode()
    columns = as_columns(pyarrow.table({"n": [1, None], "d": days, "k": words, "b": [True, None]}))
    assert np.array_equal(columns["n"], [1, np.nan], equal_nan=True)  # type: ignore[arg-type]
    assert (
        columns["d"] == ["2020-01-02", None]
        and columns["k"] == ["u", None]
        and columns["b"] == ["True", None]
    )


def test_shapely_points() -> None:
    shapely = pytest.importorskip("shapely")
    rows = [[0.0, 1.0], [2.0, 3.0]]
    singles = [shapely.Point(*row) for row in rows]
    for given in (shapely.MultiPoint(rows), singles, np.array(singles)):
        points = as_points(given)
        assert points.array.tolist() == rows and points.names == ["x", "y"]
    with pytest.raises(ValueError, match="X: row 1 is a LineString, not a point"):
        as_points([singles[0], shapely.LineString(rows)])
    with pytest.raises(ValueError, match="X: row 1 has no point"):
        as_points([singles[0], shapely.Point()])
    with pytest.raises(ValueError, match="X: row 1 has no point"):
        as_points([singles[0], None])
    with pytest.raises(ValueError, match="third coordinate"):
        as_points(shapely.MultiPoint([[0, 1, 2]]))
    with pytest.raises(ValueError, match="no points"):
        as_points(shapely.MultiPoint())


def test_shapely_areas() -> None:
    shapely = pytest.importorskip("shapely")
    disc = shapely.Point(0.1, 1 / 3).buffer(1.0)
    holed = disc.difference(shapely.Point(0.1, 1 / 3).buffer(0.5))
    ring = shapely.LinearRing(disc.exterior.coords)
    line = shapely.LineString(disc.exterior.coords)
    collection = shapely.GeometryCollection([disc, shapely.Point(0, 0)])
    for given in (disc, holed, ring, line, shapely.MultiPolygon([disc]), collection):
        back = shapely.from_geojson(as_geojson(given))
        expected = holed if given is holed else disc
        assert back.equals(expected) and list(back.geoms[0].exterior.coords) == list(expected.exterior.coords)
    for bad in (
        shapely.Point(0, 0),
        shapely.Polygon(),
        shapely.LineString([(0, 0), (1, 1)]),
        shapely.MultiPoint(),
    ):
        with pytest.raises(ValueError, match="domain"):
            as_geojson(bad)


def test_geopandas() -> None:
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    points = geopandas.GeoDataFrame({"t": ["a", "b"]}, geometry=geopandas.points_from_xy([0, 2], [1, 3]))
    for given in (points, points.geometry, points.geometry.array):
        assert as_points(given).array.tolist() == [[0, 1], [2, 3]]
    assert as_points(points).names == ["x", "y"] and as_points(points.set_crs(4326)).names == ["lon", "lat"]
    assert as_geojson(points[["t"]]) is None and list(as_columns(points)) == ["t"]
    with pytest.raises(ValueError, match="holds no polygon, only Point"):
        as_geojson(points)
    with pytest.raises(ValueError, match="X: row 1 has no point"):
        as_points(geopandas.GeoSeries([shapely.Point(0, 0), None]))
    with pytest.raises(ValueError, match="X: row 0 is a Polygon"):
        as_points(geopandas.GeoSeries([shapely.box(0, 0, 1, 1)]))
    boxes = geopandas.GeoSeries([shapely.box(0, 0, 1, 1), None, shapely.box(1, 0, 2, 1)])
    for area in (boxes, geopandas.GeoDataFrame({"when": [datetime.date(2020, 1, 1)] * 3}, geometry=boxes)):
        text = as_geojson(area)
        assert text is not None and len(json.loads(text)["coordinates"]) == 2
