"""What users give becomes what the engine takes, or one message that says what, where and how to mend it."""

from __future__ import annotations

import array as standard_array
import datetime
import fractions
import json
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from steinbound._inputs import as_columns, as_geojson, as_labels, as_points, as_vector, seed_of

ROWS = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]


def test_arrays_that_fit_are_not_copied() -> None:
    data = np.arange(6.0).reshape(3, 2)
    points = as_points(data)
    assert points.array.ctypes.data == data.ctypes.data and np.shares_memory(points.array, data)
    assert points.names is None
    flat = np.arange(3.0)
    assert np.shares_memory(as_points(flat).array, flat) and as_points(flat).array.shape == (3, 1)
    frozen = data.copy()
    frozen.flags.writeable = False
    assert np.shares_memory(as_points(frozen).array, frozen)
    assert np.shares_memory(as_points(memoryview(data)).array, data)
    weights = np.ones(3)
    assert np.shares_memory(as_vector(weights, 3), weights)


@pytest.mark.parametrize(
    "kind", ["bool", "i1", "u1", "i4", "u8", ">i4", "f2", "f4", ">f8", "<f8", "longdouble", "object"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_type_and_order(kind: str, order: str) -> None:
    data = np.array([[0, 1], [1, 1], [1, 0]]).astype(kind, order=order)  # type: ignore[call-overload]
    array = as_points(data).array
    assert array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned
    assert array.dtype.isnative and array.tolist() == [[0, 1], [1, 1], [1, 0]]


def test_arrays_that_lie_otherwise_in_memory() -> None:
    wide = np.arange(24.0).reshape(4, 6)
    assert np.array_equal(as_points(wide[::2, ::3]).array, wide[::2, ::3])
    assert as_points(wide[::2, ::3]).array.flags.c_contiguous
    raw = np.zeros(17, dtype=np.uint8)
    skewed = raw[1:].view(np.float64)
    assert not skewed.flags.aligned and as_points(skewed).array.flags.aligned


@pytest.mark.parametrize(
    "given",
    [
        ROWS,
        tuple(map(tuple, ROWS)),
        [np.array(row) for row in ROWS],
        [[0, True], [Decimal(2), fractions.Fraction(3)], [np.float32(4), 5]],
        np.ma.masked_array(ROWS),
        np.array(ROWS).view(np.matrix),
        SimpleNamespace(__array_interface__=np.array(ROWS).__array_interface__, base=np.array(ROWS)),
        {"a": [0, 2, 4], "b": (1, 3, 5)},
    ],
)
def test_rows_in_other_hands(given: Any) -> None:
    assert as_points(given).array.tolist() == ROWS


def test_one_dimension_makes_one_coordinate() -> None:
    for given in ([1, 2.5], (1, 2.5), standard_array.array("d", [1, 2.5]), np.array([1, 2.5])):
        assert as_points(given).array.tolist() == [[1.0], [2.5]]
    assert as_points(range(2)).array.tolist() == [[0.0], [1.0]]
    assert as_points([10**400, -(10**400)]).array.tolist() == [[np.inf], [-np.inf]]


def test_what_has_an_array_or_a_table_of_itself() -> None:
    class Holder:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array(ROWS)

    class Broken:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise RuntimeError("call detach() first")

    assert as_points(Holder()).array.tolist() == ROWS
    with pytest.raises(TypeError, match="cannot be read as an array.*detach.*give a NumPy array"):
        as_points(Broken())
    pyarrow = pytest.importorskip("pyarrow")

    class Streaming:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pyarrow.table({"a": [1, 2], "b": [0.5, 1.5]}).__arrow_c_stream__(requested_schema)

    class Interchanging:
        def __dataframe__(self, *args: Any, **kwargs: Any) -> Any:
            return pyarrow.table({"a": [1, 2], "b": [0.5, 1.5]}).__dataframe__(*args, **kwargs)

    for given in (Streaming(), Interchanging()):
        points = as_points(given)
        assert points.names == ["a", "b"] and points.array.tolist() == [[1, 0.5], [2, 1.5]]


def test_records_have_names() -> None:
    records = np.array([(1, 0.5), (2, 1.5)], dtype=[("a", "i4"), ("b", "f8")])
    for given in (records, records.view(np.recarray)):
        points = as_points(given)
        assert points.names == ["a", "b"] and points.array.tolist() == [[1, 0.5], [2, 1.5]]
    with pytest.raises(ValueError, match='field "v" holds arrays'):
        as_points(np.zeros(2, dtype=[("v", "f8", (3,))]))


def test_names_can_be_given() -> None:
    assert as_points(ROWS, names=["lon", "lat"]).names == ["lon", "lat"]
    with pytest.raises(ValueError, match="^1 names of the columns of X were given for 2; give one for each$"):
        as_points(ROWS, names=["lon"])
    with pytest.raises(TypeError, match="give a list of them"):
        as_points(ROWS, names="ab")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "X: there are no points; give at least one row"),
        (np.zeros((0, 2)), "X: there are no points; give at least one row"),
        (np.zeros((2, 0)), "X: points need at least one coordinate"),
        ([[], []], "X: points need at least one coordinate"),
        (np.zeros((2, 2, 2)), "X has 3 dimensions; give an array"),
        ([[[1, 2]], [[3, 4]]], "X has 3 dimensions; give an array"),
        ([[1, 2], [3]], "X: row 1 has 1 values where row 0 has 2; give every row the same"),
        ([[1, [2, 3]], [3, 4]], "X: row 0, column 1 holds several values"),
        (
            [[1, 2], [3, None]],
            "X: row 1, column 1 is missing, not a finite number; remove or repair that row",
        ),
        ([[1, 2], None], "X: row 1 is missing"),
        (np.array([1, None], dtype=object), "X: row 1, column 0 is missing"),
        (np.ma.masked_array(ROWS, mask=np.array(ROWS) == 3), "X: row 1, column 1 is missing"),
    ],
)
def test_values_that_cannot_be_points(given: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        as_points(given)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "X is a NoneType; give an array"),
        (3.0, "X is a float; give an array"),
        (np.float64(3), "X is a float64; give an array"),
        (np.array(3.0), "X is a ndarray; give an array"),
        ({1.0, 2.0}, "X is a set; give an array"),
        ((x for x in [1, 2]), "X, batch 0 is a int; give an array"),
        (
            [[1, 2], [3, "a\tb"]],
            'X: row 1, column 1 is "a\\tb", not a number; correct it, or choose other columns',
        ),
        (["1", "2"], 'X: row 0, column 0 is "1", not a number'),
        ([[1, 2j]], "X: row 0, column 1 is 2j, not a number"),
        ([[1, 2], 3], "X: row 1 is 3, not a number"),
        ([datetime.date(2020, 1, 2)], "X: row 0, column 0 is 2020-01-02, not a number"),
        (np.array([1j]), "X holds complex numbers, not numbers"),
        (np.array(["a"]), "X holds text, not numbers"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "X holds dates, not numbers"),
        (SimpleNamespace(toarray=lambda: ROWS), "X is a SimpleNamespace; give a dense array"),
    ],
)
def test_values_of_other_kinds(given: Any, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        as_points(given)
    assert str(caught.value).startswith(message)


def test_numbers_that_are_not_finite_are_left_to_the_engine() -> None:
    assert np.isnan(as_points([[1.0, float("nan")]]).array[0, 1])
    assert np.isinf(as_points(np.array([np.inf])).array[0, 0])
    assert np.isnan(as_points(np.array([1, float("nan")], dtype=object)).array[1, 0])


def test_vectors() -> None:
    assert as_vector([1, 2], 2).tolist() == [1, 2] and as_vector(np.array([[1], [2]]), 2).tolist() == [1, 2]
    with pytest.raises(ValueError, match="^3 weights were given for 2; give one for each$"):
        as_vector([1, 2, 3], 2, "weights")
    with pytest.raises(ValueError, match="weights: row 1 is missing"):
        as_vector([1, None], 2)
    for bad in (["a", "b"], [1j, 2], 3.0, "ab", None, {"a": 1, "b": 2}, [[1], [2]]):
        with pytest.raises(TypeError, match="weights"):
            as_vector(bad, 2)
    with pytest.raises(ValueError, match="2 dimensions"):
        as_vector(np.array(ROWS), 3)


def test_labels() -> None:
    assert as_labels([1, 1.0, np.int8(1), Decimal("1.0"), "1"], 5) == ["1"] * 5
    assert as_labels(np.array([1.5, 2.0, -0.0]), 3) == ["1.5", "2", "0"]
    assert as_labels([2**60, 2**60 + 1], 2) == [str(2**60), str(2**60 + 1)]
    assert as_labels(np.array(["a", "b"]), 2) == ["a", "b"]
    assert as_labels([True, False], 2) == ["True", "False"]
    assert as_labels(np.array(["2020-01-01"], dtype="M8[D]"), 1) == ["2020-01-01"]
    for gap in (None, float("nan"), np.datetime64("NaT")):
        with pytest.raises(ValueError, match="clusters: the label of row 1 is missing"):
            as_labels(["a", gap], 2)
    with pytest.raises(ValueError, match="^1 clusters were given for 2"):
        as_labels(["a"], 2)
    for bad in ([[1], [2]], [{"a": 1}, {"a": 2}], [1j, 2]):
        with pytest.raises(TypeError, match="no labels|one dimension"):
            as_labels(bad, 2)


def test_columns_of_plain_values() -> None:
    columns = as_columns(
        {"n": [1, None, 3], "t": ["a", None, "b"], "b": [True, False, None], "m": [1, "x", 2.5]}
    )
    numbers = columns["n"]
    assert isinstance(numbers, np.ndarray) and numbers.dtype == np.float64
    assert np.array_equal(numbers, [1, np.nan, 3], equal_nan=True)
    assert columns["t"] == ["a", None, "b"] and columns["b"] == ["True", "False", None]
    assert columns["m"] == ["1", "x", "2.5"]
    rows = as_columns([{"x": 1, "g": "a"}, {"x": 2.5}, {"g": "b", "y": 3}])
    assert list(rows) == ["x", "g", "y"] and rows["g"] == ["a", None, "b"]
    assert np.array_equal(rows["x"], [1, 2.5, np.nan], equal_nan=True)  # type: ignore[arg-type]
    records = np.array([(1, "a"), (2, "b")], dtype=[("x", "i4"), ("g", "U3")])
    assert as_columns(records)["g"] == ["a", "b"]
    assert list(as_columns({"x": [1.0], "shape": [object()]})) == ["x"]


def test_columns_that_cannot_be_used() -> None:
    with pytest.raises(
        ValueError, match='column "b" has 1 values where column "a" has 2; give every column the same'
    ):
        as_columns({"a": [1, 2], "b": [1]})
    with pytest.raises(ValueError, match='more than one column "1"; rename'):
        as_columns({1: [1], "1": [2]})
    with pytest.raises(ValueError, match="no rows"):
        as_columns({})
    with pytest.raises(ValueError, match="no rows"):
        as_columns({"a": []})
    with pytest.raises(TypeError, match="without names of columns; give a DataFrame"):
        as_columns(np.zeros((2, 2)))
    with pytest.raises(TypeError, match='column "a" is a float; give a list'):
        as_columns({"a": 1.0})


def test_seeds() -> None:
    assert seed_of(None) == 0 and seed_of(2**64 - 1) == 2**64 - 1 and seed_of(np.uint8(3)) == 3
    makers: list[Any] = [np.random.default_rng, np.random.RandomState, np.random.PCG64]
    for maker in makers:
        assert seed_of(maker(1)) == seed_of(maker(1)) != seed_of(maker(2))
    generator = np.random.default_rng(1)
    assert seed_of(generator) != seed_of(generator), "a generator moves on"
    sequence = np.random.SeedSequence(5)
    assert seed_of(sequence) == seed_of(sequence), "a sequence of seeds does not"
    for bad in (-1, 2**64):
        with pytest.raises(ValueError, match=f"random_state is {bad}; give None, a whole number"):
            seed_of(bad)
    for other in (1.0, "1", True, np.random):
        with pytest.raises(TypeError, match="random_state is a "):
            seed_of(other)


SQUARE = [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]]


def polygons(value: Any) -> Any:
    text = as_geojson(value)
    assert text is not None
    return json.loads(text)["coordinates"]


def test_mappings_that_are_maps() -> None:
    square = {"type": "Polygon", "coordinates": SQUARE}
    feature = {"type": "Feature", "geometry": square, "properties": {"when": object()}}
    nothing = {"type": "Feature", "geometry": None, "properties": None}
    assert polygons(square) == polygons(feature) == [SQUARE]
    assert polygons({"type": "FeatureCollection", "features": [feature, nothing, feature]}) == [
        SQUARE,
        SQUARE,
    ]
    collection = {
        "type": "GeometryCollection",
        "geometries": [square, {"type": "Point", "coordinates": [0, 0]}],
    }
    assert polygons(collection) == [SQUARE]
    assert polygons(SimpleNamespace(__geo_interface__=square)) == [SQUARE]
    assert polygons({"type": "LineString", "coordinates": SQUARE[0]}) == [SQUARE]
    assert polygons({"type": "MultiLineString", "coordinates": SQUARE}) == [SQUARE]
    exact = {
        "type": "Polygon",
        "coordinates": [[[0.1 + 0.2, 1 / 3], [1, 0], [1e-300, 1], [0.1 + 0.2, 1 / 3]]],
    }
    assert polygons(exact)[0][0][0] == [0.1 + 0.2, 1 / 3]
    for other in ("map.geojson", None, 3, {"a": [1]}, {"type": ["a"]}, np.zeros((3, 2)), {"type": "ball"}):
        assert as_geojson(other) is None


@pytest.mark.parametrize(
    ("kind", "coordinates", "message"),
    [
        (
            "Point",
            [0, 0],
            "holds no polygon, only Point; give the coordinates of points on the boundary as an array",
        ),
        ("LineString", [[0, 0], [1, 1]], "the lines are open: close them"),
        ("Polygon", [], "the geometry is empty; give polygons"),
        ("FeatureCollection", None, "the geometry is empty"),
        (
            "Polygon",
            [[[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 0, 1]]],
            "three-dimensional coordinates; drop the third",
        ),
        (
            "Polygon",
            [[[0, 0], [1, float("nan")], [1, 1], [0, 0]]],
            r"a vertex at \(1.0, nan\), which is not finite",
        ),
        ("Polygon", [[["a", 0], [1, 0]]], "a vertex that is not two numbers"),
        ("Polygon", [3, 4], "the geometry is empty"),
    ],
)
def test_maps_that_cannot_be_used(kind: str, coordinates: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_geojson({"type": kind, "coordinates": coordinates})


class Unruly:
    """An object that fails whatever it is asked for."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: object) -> Any:
        raise RuntimeError("no")

    def __str__(self) -> str:
        raise RuntimeError("no")

    @property
    def __geo_interface__(self) -> Any:
        raise KeyError("no")


@pytest.mark.parametrize(
    "wrapped", [lambda x: x, lambda x: [x, x], lambda x: [[x, 1.0]], lambda x: {"a": [x, 1]}]
)
def test_unruly_objects_are_refused_like_others(wrapped: Any) -> None:
    for value in (Unruly(), object()):
        for read in (as_points, lambda given: as_vector(given, 2), lambda given: as_labels(given, 2)):
            with pytest.raises((ValueError, TypeError), match=r".+;.+"):
                read(wrapped(value))


def test_unruly_coordinates_are_refused_like_others() -> None:
    with pytest.raises(TypeError, match="X is a MaskedConstant; give an array"):
        as_points(np.ma.masked)
    with pytest.raises(ValueError, match="X: row 0, column 0 is missing"):
        as_points([Decimal("sNaN")])
    polygon = {"type": "Polygon", "coordinates": [[Unruly(), [0, 1j]]]}
    with pytest.raises(ValueError, match="not two numbers"):
        as_geojson(polygon)
    with pytest.raises(ValueError, match="empty"):
        as_geojson({"type": "Polygon", "coordinates": Unruly()})
