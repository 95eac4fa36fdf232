"""Data that come from files and in pieces are the same data, and are held once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, SCORES, disc_sample, quiet, run_python

import steinbound as sb
from steinbound import _batches
from steinbound._inputs import as_points, table_of

COLUMNS = ["a", "b", "w", "group"]


def table(rows: int = 10) -> dict[str, Any]:
    X = np.random.default_rng(5).normal(size=(rows, 2))
    return {"a": X[:, 0], "b": X[:, 1], "w": np.arange(1.0, rows + 1), "group": [f"g{i % 3}" for i in range(rows)]}


def arrow() -> Any:
    return pytest.importorskip("pyarrow").table(table())


def duck() -> Any:
    pytest.importorskip("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("points", arrow())
    return connection.sql("select * from points")


def pieces() -> Iterator[Any]:
    whole = table()
    for first in range(0, 10, 4):
        yield {name: values[first : first + 4] for name, values in whole.items()}


def dataset(folder: Path) -> Any:
    pytest.importorskip("pyarrow")
    import pyarrow.dataset as dataset
    import pyarrow.parquet as parquet

    parquet.write_table(arrow(), folder / "data.parquet", row_group_size=3)
    return dataset.dataset(folder / "data.parquet")


SOURCES: dict[str, Callable[[Path], Any]] = {
    "lazy": lambda _: pytest.importorskip("polars").LazyFrame(table()),
    "table": lambda _: arrow(),
    "batch": lambda _: arrow().to_batches()[0],
    "reader": lambda _: arrow().to_reader(max_chunksize=3),
    "dataset": dataset,
    "scanner": lambda folder: dataset(folder).scanner(batch_size=3),
    "duckdb": lambda _: duck(),
    "generator": lambda _: pieces(),
    "csv": lambda folder: written(folder, "csv"),
    "parquet": lambda folder: written(folder, "parquet"),
}


def written(folder: Path, ending: str) -> Path:
    pandas = pytest.importorskip("pandas")
    frame, path = pandas.DataFrame(table()), folder / f"data.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    else:
        pytest.importorskip("pyarrow")
        frame.to_parquet(path, compression="snappy")
    return path


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_gives_the_same_points(name: str, tmp_path: Path) -> None:
    expected = table()
    found = as_points(SOURCES[name](tmp_path), columns=["b", "a"], weights="w", clusters="group")
    assert found.names == ["b", "a"]
    np.testing.assert_array_equal(found.array, np.column_stack([expected["b"], expected["a"]]))
    assert found.array.flags.c_contiguous and found.weights is not None
    np.testing.assert_array_equal(found.weights, expected["w"])
    assert found.clusters == expected["group"]
    by_number = as_points(SOURCES[name](tmp_path), columns=[1])
    np.testing.assert_array_equal(by_number.array[:, 0], expected["b"])


@pytest.mark.parametrize("name", [name for name in SOURCES if name not in ("csv", "parquet")])
def test_columns_that_are_no_numbers_are_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match='X: column "group" holds .*, not numbers'):
        as_points(SOURCES[name](tmp_path))
    with pytest.raises(ValueError, match=r'X has no column "c"; it has a, b, w, group'):
        as_points(SOURCES[name](tmp_path), columns=["c"])


def test_tables_and_arrays_are_chosen_from_alike() -> None:
    frame = pytest.importorskip("pandas").DataFrame(table())
    X = np.arange(12.0).reshape(4, 3)
    assert as_points(frame, columns=["w"]).array.tolist() == [[float(i)] for i in range(1, 11)]
    np.testing.assert_array_equal(as_points(X, columns=[2, 0]).array, X[:, [2, 0]])
    np.testing.assert_array_equal(as_points(X, columns=[-1]).array, X[:, [2]])
    for columns, message in [([3], "X has no column 3; it has 3"), ([0, -3], "more than once"), ("a", "columns is")]:
        with pytest.raises((ValueError, TypeError), match=message):
            as_points(X, columns=columns)
    with pytest.raises(ValueError, match="no names of columns"):
        as_points(X, weights="w")


def test_rows_are_counted_across_pieces() -> None:
    polars = pytest.importorskip("polars")
    whole = polars.LazyFrame({"a": [1.0, 2.0, None], "b": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match="X: row 2, column 0 is missing"):
        as_points(whole)
    parts = ({"a": [1.0]}, {"a": [2.0, None]})
    with pytest.raises(ValueError, match="X: row 2, column 0 is missing"):
        as_points(iter(parts))
    with pytest.raises(ValueError, match="rows from 1 on have 2 columns and those before have 1"):
        as_points(iter([[[1.0]], [[1.0, 2.0]]]))
    with pytest.raises(ValueError, match="the columns of row 1 are c, not a"):
        as_points(iter([{"a": [1.0]}, {"c": [1.0]}]))
    swapped = as_points(iter([{"a": [1.0], "b": [2.0]}, {"b": [4.0], "a": [3.0]}]))
    assert swapped.array.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(ValueError, match="there are no points"):
        as_points(iter([]))
    with pytest.raises(TypeError, match="X, batch 1 is a int; give an array"):
        as_points(iter([[[1.0]], 3]))


def test_an_array_grows_in_its_place() -> None:
    filled = _batches.Filled(None)
    whole = np.random.default_rng(0).normal(size=(1000, 3))
    for first in range(0, 1000, 7):
        filled.add(whole[first : first + 7])
    np.testing.assert_array_equal(filled.finish(), whole)
    assert _batches.Filled(5).finish() is None


@pytest.mark.parametrize("name", ["lazy", "generator", "csv"])
def test_fits_tests_and_comparisons_take_them(name: str, tmp_path: Path) -> None:
    X = disc_sample(60)
    names = {"a": X[:, 0], "b": X[:, 1], "group": [f"g{i % 20}" for i in range(60)]}

    def source() -> Any:
        if name == "lazy":
            return pytest.importorskip("polars").LazyFrame(names)
        if name == "generator":
            return ({key: value[i : i + 25] for key, value in names.items()} for i in range(0, 60, 25))
        path = tmp_path / "points.csv"
        rows = (f"{x!r},{y!r},{g}" for (x, y), g in zip(X.tolist(), names["group"], strict=True))
        path.write_text("\n".join(["a,b,group", *rows]))
        return str(path)

    given: dict[str, Any] = {"domain": DISC, "model": KNOWN, "clusters": "group", "columns": ["a", "b"]}
    with quiet():
        expected = sb.fit(X, domain=DISC, model=KNOWN, clusters=names["group"])
        found = sb.fit(source(), **given)
        assert found.estimates.tolist() == expected.estimates.tolist()
        assert found.std_errors.tolist() == expected.std_errors.tolist()
        assert found.names == ["mean[a]", "mean[b]"]
        tested = sb.gof_test(source(), at=[0.5, 0.5], bootstrap=40, **given)
        again = sb.gof_test(X, domain=DISC, model=KNOWN, clusters=names["group"], at=[0.5, 0.5], bootstrap=40)
        assert tested.p_value == again.p_value
        compared = sb.compare(source(), domain=DISC, models=KNOWN, methods="mle", columns=["a", "b"])
        assert compared.rows[0].params["mean[a]"] == pytest.approx(X[:, 0].mean())


@pytest.mark.parametrize("kind", ["path", "lazy", "reader"])
def test_regressions_take_them(kind: str) -> None:
    formula = "achiv ~ langscore + prog"
    expected = sb.regress(formula, sb.datasets.load_student_scores(), lower=40, method="truncated-mle")
    if kind == "path":
        source: Any = SCORES
    elif kind == "lazy":
        source = pytest.importorskip("polars").scan_csv(SCORES)
    else:
        csv = pytest.importorskip("pyarrow.csv")
        source = csv.read_csv(SCORES).to_reader(max_chunksize=50)
    found = sb.regress(formula, source, lower=40, method="truncated-mle")
    assert found.estimates.tolist() == expected.estimates.tolist() and found.names == expected.names
    if kind == "path":
        np.testing.assert_array_equal(found.predict(SCORES), expected.predict(sb.datasets.load_student_scores()))


def test_only_named_columns_of_a_stream_are_kept() -> None:
    given = iter([{"y": [1.0], "x": [2.0], "id": [object()]}])
    assert list(table_of(given, ["y ~ x"])) == ["y", "x"]


def test_boundaries_come_from_tables_in_files(tmp_path: Path) -> None:
    X, edge = disc_sample(60), DISC.sample_boundary(100)
    path = tmp_path / "edge.csv"
    path.write_text("\n".join(f"{x!r},{y!r}" for x, y in edge.tolist()))
    with quiet():
        found, expected = (sb.fit(X, boundary=given, model=KNOWN) for given in (path, edge))
    assert found.estimates.tolist() == expected.estimates.tolist()


MEMORY = """
import sys
from steinbound._inputs import as_points

def held(what):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(what))

kind, path = sys.argv[1:]
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak begins anew: that of a child begins with its parent's
before = held("VmRSS")
if kind == "lazy":
    import polars
    source = polars.scan_parquet(path)
elif kind == "arrow":
    import pyarrow.dataset
    source = pyarrow.dataset.dataset(path)
else:
    source = path
found = as_points(source)
print(found.array.shape[0], found.array[-1, 1], held("VmHWM") - before)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted as Linux does")
@pytest.mark.parametrize("kind", ["path", "lazy", "arrow"])
def test_five_million_rows_are_held_once(kind: str, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    import pyarrow.parquet as parquet

    rows, path = 5_000_000, tmp_path / "points.parquet"
    values = np.random.default_rng(1).normal(size=(rows, 2))
    parquet.write_table(pyarrow.table({"x": values[:, 0], "y": values[:, 1]}), path)
    said = run_python(MEMORY, kind, str(path))
    count, last, megabytes = map(float, said.split())
    assert (count, last) == (rows, values[-1, 1])
    print(f"{kind}: {megabytes:.0f} MB above the interpreter with NumPy and this package")
    assert megabytes < 400
