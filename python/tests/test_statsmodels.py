"""Results as users of statsmodels and pandas expect them, and the predictions of regressions."""

from __future__ import annotations

import math
import sys
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, disc_sample, quiet

import steinbound as sb

FORMULA = "achiv ~ langscore + prog"


@cache
def regressed(method: str = "truncated-mle") -> sb.RegressionResult:
    with quiet():
        return sb.regress(FORMULA, sb.datasets.load_student_scores(), lower=40, method=method)


# Names.


def test_values_have_the_names_of_parameters() -> None:
    pandas = pytest.importorskip("pandas")
    result = regressed()
    for found in (result.params, result.bse, result.zvalues, result.tvalues, result.pvalues):
        assert isinstance(found, pandas.Series) and list(found.index) == result.names
        assert len(found) == len(result.estimates)
    interval = result.conf_int()
    assert isinstance(interval, pandas.DataFrame)
    assert list(interval.index) == result.names and list(interval.columns) == [0, 1]
    assert result.params["langscore"] == result.estimates[1]
    np.testing.assert_array_equal(result.tvalues, result.zvalues)
    np.testing.assert_allclose(result.tvalues, result.estimates / result.std_errors)


def test_without_pandas_values_are_dictionaries_and_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    result = regressed()
    expected = dict(result.params), np.asarray(result.conf_int())
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(result.params, dict) and result.params == expected[0]
    assert isinstance(result.conf_int(), np.ndarray)
    np.testing.assert_array_equal(result.conf_int(), expected[1])
    found = result.get_prediction({"langscore": [50.0], "prog": ["general"]})
    assert isinstance(found, dict) and set(found) == {"mean", "std_error", "lower", "upper"}
    assert isinstance(result.predict(), np.ndarray)
    assert result.summary().as_markdown()


def test_the_first_argument_of_intervals_is_alpha() -> None:
    result = regressed()
    reach = NormalDist().inv_cdf(0.95)
    low, high = np.asarray(result.conf_int(0.1)).T
    np.testing.assert_allclose(high - low, 2 * reach * result.std_errors, rtol=1e-9)
    np.testing.assert_array_equal(result.conf_int(alpha=0.1), result.conf_int(level=0.9))
    np.testing.assert_array_equal(result.conf_int(0.05), result.conf_int())


def test_levels_in_the_place_of_alpha_are_refused() -> None:
    result, place = regressed(), {"langscore": [50.0], "prog": ["general"]}
    with pytest.raises(ValueError, match=r"alpha is 0\.95, .* did you mean level=0\.95, or alpha=0\.05\?"):
        result.conf_int(0.95)
    with pytest.raises(ValueError, match=r"level is 0\.05, .* did you mean alpha=0\.05, which is level=0\.95\?"):
        result.conf_int(level=0.05)
    with pytest.raises(ValueError, match=r"did you mean alpha=0\.05"):
        result.get_prediction(place, 0.05)
    with pytest.raises(TypeError, match="in two ways"):
        result.conf_int(0.05, level=0.95)
    with pytest.raises(ValueError, match="alpha is 0; give one between 0 and 1"):
        result.conf_int(0)
    assert np.shape(result.conf_int(0.5)) == (5, 2)


# The parts by the names of statsmodels.


def test_parts_of_a_regression() -> None:
    result = regressed()
    assert result.nobs == 178 == result.n
    # (Intercept), langscore, two programmes; sigma is estimated as well.
    assert (result.df_model, result.df_resid) == (3, 178 - 5)
    assert result.llf == result.log_likelihood == pytest.approx(-591.309813, abs=1e-6)
    assert result.aic == pytest.approx(2 * 5 + 2 * 591.309813, abs=1e-5)
    assert result.bic == pytest.approx(math.log(178) * 5 + 2 * 591.309813, abs=1e-5)
    assert result.cov_type == "information"
    names = result.model
    assert names.endog_names == "achiv" and names.formula == FORMULA
    assert names.exog_names == ["(Intercept)", "langscore", "prog[general]", "prog[vocational]"]
    assert names.data.param_names == result.names


def test_parts_of_a_density() -> None:
    with quiet():
        result = sb.fit(disc_sample(100), domain=DISC, model=KNOWN)
    assert (result.nobs, result.df_model, result.df_resid) == (100, 2, 98)
    assert result.model.endog_names == "x1, x2" and result.model.exog_names == []
    assert math.isnan(result.llf) and math.isnan(result.aic) and result.cov_type == "sandwich"


@pytest.mark.parametrize("methods", [("mle", "truncated-mle", "efficient")])
def test_tables_of_statsmodels(methods: tuple[str, ...]) -> None:
    summary2 = pytest.importorskip("statsmodels.iolib.summary2")
    results = [regressed(method) for method in methods]
    info = {"N": lambda result: f"{result.nobs:d}", "AIC": lambda result: f"{result.aic:.1f}"}
    found = summary2.summary_col(results, stars=True, model_names=list(methods), info_dict=info)
    frame = found.tables[0]
    assert list(frame.columns) == list(methods)
    for method, result in zip(methods, results, strict=True):
        assert frame.loc["langscore", method].rstrip("*") == f"{result.params['langscore']:.4f}"
        assert frame.loc["N", method] == "178"
    assert "(Intercept)" in found.as_text() and "sigma" in found.as_latex()


def test_statsmodels_finds_the_same_regression() -> None:
    api = pytest.importorskip("statsmodels.formula.api")
    scores = sb.datasets.load_student_scores(as_frame=True)
    theirs = api.ols("achiv ~ langscore", scores).fit()
    with quiet():
        # Least squares do not describe scores that are cut off.
        ours = sb.regress("achiv ~ langscore", scores, method="mle")
    np.testing.assert_allclose(ours.params.iloc[:2], theirs.params, rtol=1e-9)
    np.testing.assert_allclose(ours.fittedvalues, theirs.fittedvalues, rtol=1e-9)
    np.testing.assert_allclose(ours.resid, theirs.resid, rtol=1e-6, atol=1e-9)
    assert ours.fittedvalues.index.equals(theirs.fittedvalues.index)
    assert ours.model.endog_names == theirs.model.endog_names
    assert (ours.nobs, ours.df_model) == (theirs.nobs, theirs.df_model)


# Predictions.


def test_predictions_keep_the_labels_of_rows() -> None:
    pd = pytest.importorskip("pandas")
    scores = sb.datasets.load_student_scores(as_frame=True)
    scores.index = pd.Index([f"student {i}" for i in range(len(scores))])
    scores.loc["student 3", "langscore"] = np.nan
    with quiet():
        result = sb.regress(FORMULA, scores, lower=40, method="truncated-mle", drop_missing=True)
    assert len(result.predict()) == len(result.resid) == 177
    assert "student 3" not in result.fittedvalues.index
    np.testing.assert_allclose(result.resid, scores["achiv"].drop("student 3") - result.fittedvalues)
    places = scores.iloc[[5, 9]]
    assert list(result.predict(places).index) == ["student 5", "student 9"]
    np.testing.assert_allclose(result.predict(places), result.fittedvalues.loc[["student 5", "student 9"]])
    found = result.get_prediction(places)
    assert isinstance(found, pd.DataFrame) and list(found.index) == ["student 5", "student 9"]
    assert list(found.columns) == ["mean", "std_error", "lower", "upper"]
    pd.testing.assert_frame_equal(result.get_prediction(places, alpha=0.1), result.get_prediction(places, 0.9))


def seen_mean(mean: float, sigma: float, low: float, high: float) -> float:
    """The mean of a normal distribution between limits, by the midpoint rule."""
    low, high = max(low, mean - 12 * sigma), min(high, mean + 12 * sigma)
    edges = np.linspace(low, high, 200_001)
    middle = (edges[1:] + edges[:-1]) / 2
    density = np.exp(-0.5 * ((middle - mean) / sigma) ** 2)
    return float((middle * density).sum() / density.sum())


@pytest.mark.parametrize(("lower", "upper"), [(40, None), (None, 90), (40, 90)])
def test_means_of_what_is_seen(lower: float | None, upper: float | None) -> None:
    scores = sb.datasets.load_student_scores()
    with quiet():
        result = sb.regress(
            "achiv ~ langscore", scores, lower=lower, upper=upper, method="truncated-mle", allow_outside=True
        )
    places = {"langscore": [25.0, 40.0, 55.0, 70.0]}
    limits = (-math.inf if lower is None else lower, math.inf if upper is None else upper)
    found, whole = result.predict(places, which="seen"), result.predict(places)
    for seen, mean in zip(found, whole, strict=True):
        assert seen == pytest.approx(seen_mean(float(mean), result.params["sigma"], *limits), rel=1e-7)
    assert (found > limits[0]).all() and (found < limits[1]).all()


def test_errors_of_means_of_what_is_seen_are_those_of_the_delta_method() -> None:
    result = regressed()
    place = {"langscore": [45.0], "prog": ["general"]}
    row = np.array([1.0, 45.0, 1.0, 0.0])
    at = result.estimates

    def seen(theta: Any) -> float:
        a = (40 - row @ theta[:4]) / theta[4]
        tail = 0.5 * math.erfc(a / math.sqrt(2))
        return float(row @ theta[:4] + theta[4] * math.exp(-0.5 * a * a) / math.sqrt(2 * math.pi) / tail)

    steps = 1e-5 * np.maximum(np.abs(at), 1)
    slopes = [(seen(at + h * e) - seen(at - h * e)) / (2 * h) for h, e in zip(steps, np.eye(5), strict=True)]
    found = result.get_prediction(place, which="seen")
    assert found["mean"][0] == pytest.approx(seen(at), rel=1e-10)
    expected = math.sqrt(np.array(slopes) @ result.cov_params() @ np.array(slopes))
    assert found["std_error"][0] == pytest.approx(expected, rel=1e-6)


def test_limits_of_rows_are_those_of_the_table() -> None:
    scores = dict(sb.datasets.load_student_scores())
    scores["limit"] = np.full(178, 40.0)
    with quiet():
        by_column = sb.regress(FORMULA, scores, lower="limit", method="truncated-mle")
        by_array = sb.regress(FORMULA, scores, lower=scores["limit"], method="truncated-mle")
    expected = regressed().predict(which="seen")
    np.testing.assert_allclose(by_column.predict(which="seen"), expected, rtol=1e-6)
    np.testing.assert_allclose(by_array.predict(which="seen"), expected, rtol=1e-6)
    place = {"langscore": [50.0], "prog": ["general"], "limit": [45.0]}
    assert by_column.predict(place, which="seen")[0] > regressed().predict(place, which="seen")[0]
    with pytest.raises(ValueError, match="lower was given for each of the 178 rows of the data"):
        by_array.predict(place, which="seen")
    with pytest.raises(ValueError, match='unknown prediction "seem"; did you mean "seen"'):
        by_column.predict(place, which="seem")
