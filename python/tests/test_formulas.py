"""Formulas on tables of pandas and polars: orders of categories, names, functions, predictions for new rows."""

import pickle

import numpy as np
import pytest

import steinbound as sb

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

ROWS = 60


@pytest.fixture(scope="module")
def columns():
    generator = np.random.default_rng(5)
    x, z = generator.normal(size=ROWS), generator.uniform(1, 3, ROWS)
    groups = np.array(["low", "mid", "high"])[np.arange(ROWS) % 3]
    y = np.exp(1.0 + 0.3 * x - 0.2 * z + 0.1 * generator.normal(size=ROWS))
    return {"y": y, "x": x, "z": z, "g": groups.tolist(), "blood pressure (mm)": x * z, "2020": z**2}


def least_squares(formula, data):
    return sb.regress(formula, data, method="mle", diagnostics=False)


def names(result):
    return [name for name in result.names if name != "sigma"]


def test_categories_of_pandas_keep_their_order(columns):
    frame = pandas.DataFrame(columns)
    for is_ordered in (False, True):
        levels = ["none", "low", "mid", "high"]
        frame["g"] = pandas.Categorical(columns["g"], categories=levels, ordered=is_ordered)
        result = least_squares("y ~ g", frame)
        assert names(result) == ["(Intercept)", "g[mid]", "g[high]"]
        assert result.notes == ["no row has these levels of g, which are left out: none"]
    assert names(least_squares("y ~ C(g, base=high)", frame)) == ["(Intercept)", "g[low]", "g[mid]"]
    # Text alone is sorted.
    assert names(least_squares("y ~ g", columns)) == ["(Intercept)", "g[low]", "g[mid]"]
    again = pickle.loads(pickle.dumps(result))
    assert again.notes == result.notes and again.predict(frame).tolist() == result.predict(frame).tolist()


def test_categories_of_numbers_and_of_bins(columns):
    frame = pandas.DataFrame(columns)
    frame["k"] = pandas.Categorical(np.arange(ROWS) % 3, categories=[2, 0, 1])
    assert names(least_squares("y ~ k", frame)) == ["(Intercept)", "k[0]", "k[1]"]
    frame["bin"] = pandas.cut(frame["z"], [0, 1.5, 2.5, 9])
    result = least_squares("y ~ bin", frame)
    assert names(result) == ["(Intercept)", "bin[(1.5, 2.5]]", "bin[(2.5, 9.0]]"]
    means = frame.groupby("bin", observed=True)["y"].mean().to_numpy()
    first = [int(np.flatnonzero(frame["bin"].cat.codes == code)[0]) for code in range(3)]
    np.testing.assert_allclose(result.predict(frame)[first], means, rtol=1e-10)


def test_enums_of_polars_keep_their_order(columns):
    frame = polars.DataFrame(columns).with_columns(polars.col("g").cast(polars.Enum(["mid", "high", "low", "rare"])))
    result = least_squares("y ~ g", frame)
    assert names(result) == ["(Intercept)", "g[high]", "g[low]"]
    assert result.notes == ["no row has these levels of g, which are left out: rare"]


def test_orders_of_categories_do_not_depend_on_the_source(columns):
    pyarrow = pytest.importorskip("pyarrow")
    order = ["mid", "high", "low"]
    frame = polars.DataFrame(columns).with_columns(polars.col("g").cast(polars.Enum(order)))
    ordered = pandas.DataFrame({**columns, "g": pandas.Categorical(columns["g"], categories=order, ordered=True)})
    table = pyarrow.Table.from_pandas(ordered)
    chunked = pyarrow.concat_tables([table.slice(0, 20), table.slice(20)])
    parts = (frame[first : first + 20] for first in range(0, ROWS, 20))
    for source in (frame.lazy(), frame.to_arrow(), table, chunked, table.to_reader(max_chunksize=16), parts):
        result = least_squares("y ~ g", source)
        assert names(result) == ["(Intercept)", "g[high]", "g[low]"], type(source)
    # Pieces whose orders differ have none.
    other = frame.with_columns(polars.col("g").cast(polars.String).cast(polars.Enum(order[::-1])))
    assert names(least_squares("y ~ g", iter([frame, other]))) == ["(Intercept)", "g[low]", "g[mid]"]
    met = table.set_column(table.column_names.index("g"), "g", pyarrow.array(columns["g"]).dictionary_encode())
    assert names(least_squares("y ~ g", met)) == ["(Intercept)", "g[low]", "g[mid]"]


def test_unseen_levels_are_refused_by_name(columns):
    result = least_squares("y ~ g + x", columns)
    with pytest.raises(ValueError, match='row 1: g has the level "top", which is not among the known ones'):
        result.predict({"g": ["low", "top"], "x": [0.0, 1.0]})


FORMULAS = [
    "y ~ poly(x, 3) + g",
    "y ~ bs(x, df=5) * z",
    "y ~ ns(x, df=3) + C(g, Sum)",
    "y ~ scale(x) + center(np.log(z)):g",
    "y ~ I(x**2 - z/2) + (x + z + g)**2",
    "y ~ Q('blood pressure (mm)') + `2020` + g/x",
    'y ~ C(g, Treatment(reference="mid")) + standardize(z) - 1',
    "np.log(y + 1) ~ np.sqrt(z) + np.maximum(x, 0)",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_new_rows_are_predicted_alike_from_every_table(formula, columns):
    fitted = least_squares(formula, pandas.DataFrame(columns))
    whole = fitted.predict(columns)
    some = [5, 1, 40]
    part = {name: [values[row] for row in some] for name, values in columns.items() if name != "y"}
    for table in (part, pandas.DataFrame(part), polars.DataFrame(part)):
        np.testing.assert_array_equal(fitted.predict(table), whole[some])
    # Least squares with an intercept or all levels leave residuals of mean zero.
    response = np.log(np.asarray(columns["y"]) + 1) if formula.startswith("np") else columns["y"]
    assert abs(np.mean(whole - response)) < 1e-9


def test_polynomials_predict_what_numpy_predicts(columns):
    new = np.linspace(-3, 3, 7)
    expected = np.polyval(np.polyfit(columns["x"], columns["y"], 4), new)
    for formula in ("y ~ poly(x, 4)", "y ~ poly(x, 4, raw=TRUE)", "y ~ x + I(x^2) + I(x^3) + I(x**4)"):
        np.testing.assert_allclose(least_squares(formula, columns).predict({"x": new}), expected, rtol=1e-8)


def test_limits_stay_in_units_of_the_column(columns):
    low = float(np.min(columns["y"])) - 0.01
    of_column = sb.regress("log(y) ~ x", columns, lower=low, method="truncated-mle")
    logarithms = {"v": np.log(columns["y"]), "x": columns["x"]}
    by_hand = sb.regress("v ~ x", logarithms, lower=np.log(low), method="truncated-mle")
    np.testing.assert_allclose(of_column.estimates, by_hand.estimates, rtol=1e-12)

    assert "the response is log(y): limits are in units of y" in of_column.notes[0]
    assert by_hand.notes == []
    seen = {which: of_column.predict({"x": [0.0, 1.0]}, which=which) for which in ("mean", "seen")}
    np.testing.assert_allclose(seen["seen"], by_hand.predict({"x": [0.0, 1.0]}, which="seen"), rtol=1e-10)
    assert (seen["seen"] > seen["mean"]).all()
    each = sb.regress("log(y) ~ x", columns, lower=np.full(ROWS, low), method="truncated-mle")
    np.testing.assert_allclose(each.estimates, by_hand.estimates, rtol=1e-8)
    # A decreasing function exchanges the limits.
    exchanged = sb.regress("-log(y) ~ x", columns, lower=low, method="truncated-mle").params
    assert exchanged["x"] == pytest.approx(-by_hand.params["x"], rel=1e-6)
    with pytest.raises(ValueError, match="is -inf at the limit 0"):
        sb.regress("log(y) ~ x", columns, lower=0)
    with pytest.raises(ValueError, match="neither increases nor decreases"):
        sb.regress("I((y - 2)^2) ~ x", columns, lower=low)


def test_a_decreasing_function_exchanges_what_is_censored(columns):
    low, high = np.quantile(columns["y"], [0.2, 0.95])
    piled = {**columns, "y": np.clip(columns["y"], low, None)}
    kept = np.asarray(columns["y"]) < high
    piled = {name: np.asarray(values)[kept] for name, values in piled.items()}
    options = {"lower": low, "upper": high, "censored": "lower", "diagnostics": False}
    increasing, decreasing = (sb.regress(f"{formula} ~ x", piled, **options) for formula in ("log(y)", "-log(y)"))
    assert decreasing.params["x"] == pytest.approx(-increasing.params["x"], rel=1e-5)
    assert decreasing.params["sigma"] == pytest.approx(increasing.params["sigma"], rel=1e-5)
    new = {"x": [0.0, 1.0]}
    np.testing.assert_allclose(-decreasing.predict(new), increasing.predict(new), rtol=1e-5)


def test_pictures_have_limits_in_units_of_the_response(columns):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    low = float(np.min(columns["y"])) - 0.01
    axes = sb.regress("log(y) ~ x", columns, lower=low, method="truncated-mle").plot()
    heights = [line.get_ydata()[0] for line in axes.get_lines()]
    pyplot.close(axes.figure)
    assert any(height == pytest.approx(np.log(low)) for height in heights)


def test_columns_with_any_name(columns):
    odd = {"y": columns["y"], " x ": columns["x"], "a`b": columns["z"], "log(x)": columns["x"], "C": columns["z"]}
    result = least_squares("y ~ Q(' x ') + C", odd)
    assert names(result) == ["(Intercept)", " x ", "C"]
    assert names(least_squares("y ~ Q('a`b') + log(C)", odd)) == ["(Intercept)", "a`b", "log(C)"]
    assert names(least_squares("y ~ `log(x)`", odd)) == ["(Intercept)", "log(x)"]
    with pytest.raises(ValueError, match="did you mean"):
        least_squares("y ~ Q('a b')", odd)


def test_values_that_are_not_finite_are_counted(columns):
    zero = {**columns, "x": np.maximum(columns["x"], 0)}
    count = int(np.sum(np.asarray(columns["x"]) <= 0))
    with pytest.raises(ValueError, match=rf"the term log\(x\) is -inf, not a finite number, also in {count - 1} other rows"):
        least_squares("y ~ log(x)", zero)
