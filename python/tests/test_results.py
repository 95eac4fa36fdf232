"""What results tell, what follows from them, and that they survive being copied and stored."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import warnings
from functools import cache
from html.parser import HTMLParser
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, assert_same, disc_sample, integral, quiet

import steinbound as sb


@cache
def fitted() -> sb.FitResult:
    with quiet():
        return sb.fit(disc_sample(), domain=DISC, random_state=2)


@cache
def regressed() -> sb.RegressionResult:
    with quiet():
        return sb.regress("achiv ~ langscore + prog", sb.datasets.load_student_scores(), lower=40)


# Estimates and their uncertainty.


def test_numbers_are_those_of_the_json() -> None:
    result = fitted()
    parameters = result.to_dict()["parameters"]
    assert result.names == [parameter["name"] for parameter in parameters]
    assert dict(result.params) == {parameter["name"]: parameter["estimate"] for parameter in parameters}
    assert dict(result.bse) == {parameter["name"]: parameter["std_error"] for parameter in parameters}
    assert np.asarray(result.conf_int()).tolist() == [
        [parameter["lower"], parameter["upper"]] for parameter in parameters
    ]
    assert result.cov_params().tolist() == result.to_dict()["covariance"]
    np.testing.assert_allclose(np.sqrt(np.diag(result.cov_params())), result.std_errors, rtol=1e-12)
    assert (result.n, result.method, result.converged, result.trustworthy) == (200, "efficient", True, True)
    assert result.discrepancy is not None and result.discrepancy_squared is not None
    assert result.discrepancy == pytest.approx(np.sqrt(result.discrepancy_squared))
    assert result.log_likelihood is None
    assert json.loads(result.to_json()) == result.to_dict()


def test_changing_what_was_given_back_changes_no_result() -> None:
    result = fitted()
    before = dict(result.params)
    result.to_dict()["parameters"].clear()
    result.warnings.append("no")
    result.estimates[:] = 0
    assert dict(result.params) == before and "no" not in result.warnings


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_intervals_of_another_level(level: float) -> None:
    result = fitted()
    low, high = np.asarray(result.conf_int(level=level)).T
    reach = NormalDist().inv_cdf(0.5 + level / 2)
    np.testing.assert_allclose((low + high) / 2, result.estimates, rtol=1e-12)
    np.testing.assert_allclose((high - low) / 2, reach * result.std_errors, rtol=1e-9)


@pytest.mark.parametrize("level", [0, 1, -0.1, 2, float("nan")])
def test_levels_that_are_none(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        fitted().conf_int(level=level)
    with pytest.raises(ValueError, match="between 0 and 1"):
        regressed().get_prediction({"langscore": [50.0], "prog": ["general"]}, level)


def test_intervals_of_a_bootstrap_belong_to_its_level() -> None:
    with quiet():
        result = sb.fit(disc_sample(60), domain=DISC, model=KNOWN, bootstrap=50)
    assert result.conf_int(0.05).shape == result.conf_int(level=0.95).shape == (2, 2)
    with pytest.raises(ValueError, match="fit again"):
        result.conf_int(level=0.9)


def test_wald_tests() -> None:
    result = fitted()
    names, covariance = result.names, result.cov_params()
    difference = result.estimates[0] - result.estimates[1]
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    found = result.wald_test(f"{names[0]} = {names[1]}")
    assert found.statistic == pytest.approx(difference**2 / variance, rel=1e-9)
    assert found.degrees_of_freedom == 1
    # A chi-square with one degree of freedom is the square of a normal variable.
    assert found.p_value == pytest.approx(2 * NormalDist().cdf(-np.sqrt(found.statistic)), rel=1e-9)
    row = np.eye(5)[0] - np.eye(5)[1]
    assert result.wald_test(row).statistic == pytest.approx(found.statistic, rel=1e-12)
    assert "1 degree of freedom" in str(found)
    both = result.wald_test(np.eye(5)[:2], [0.5, 0.5])
    offset = result.estimates[:2] - 0.5
    expected = offset @ np.linalg.solve(covariance[:2, :2], offset)
    assert both.statistic == pytest.approx(expected, rel=1e-9) and both.degrees_of_freedom == 2
    assert "2 degrees of freedom" in str(both)
    alone = result.wald_test(f"{names[0]} = 0")
    assert alone.statistic == pytest.approx(result.zvalues[names[0]] ** 2, rel=1e-9)
    assert alone.p_value == pytest.approx(result.pvalues[names[0]], rel=1e-9)


@pytest.mark.parametrize(
    ("hypothesis", "values"),
    [
        ("nothing = 0", None),
        ("", None),
        ([[1, 0]], None),
        (np.eye(5), [1.0]),
        ([[0] * 5], None),
        ([["a"]], None),
    ],
)
def test_hypotheses_that_are_none(hypothesis: Any, values: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        fitted().wald_test(hypothesis, values)


# As text.


class Cells(HTMLParser):
    """The cells of a table, and whether all that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


def test_summary_as_text_html_and_latex_has_the_same_numbers() -> None:
    result = fitted()
    summary = result.summary()
    text, latex, parser = summary.as_text(), summary.as_latex(), Cells()
    parser.feed(summary.as_html())
    assert not parser.open
    assert summary._repr_html_() == result._repr_html_() == summary.as_html()
    assert str(summary) == repr(summary) == text
    for name in result.names:
        line = next(line for line in text.splitlines() if line.startswith(name))
        for cell in line.split():
            assert cell in parser.cells
            assert cell.replace("[", "{[}").replace("]", "{]}").replace("-", "$-$").replace("<", "") in (
                latex.replace(r"\textless{}", "")
            )
    assert latex.count(r"\begin") == latex.count(r"\end")


def test_names_of_columns_are_escaped() -> None:
    X = disc_sample(80)
    with quiet():
        result = sb.fit({"<b>&": X[:, 0], "a_%": X[:, 1]}, domain=DISC, model=KNOWN)
    assert "mean[&lt;b&gt;&amp;]" in result.summary().as_html()
    assert r"a\_\%" in result.summary().as_latex()


def test_repr_is_one_line() -> None:
    X = disc_sample(60)
    with quiet():
        found = sb.gof_test(X, domain=DISC, model=KNOWN, at=[0.5, 0.5], bootstrap=20)
        held = [fitted(), regressed(), sb.discrepancy(X, [0, 0], domain=DISC, model=KNOWN), found]
    for value in held:
        assert "\n" not in repr(value) and len(repr(value)) < 400
    assert repr(fitted()).startswith("<efficient fit of 200 points: mean[x1]=")


def test_frame() -> None:
    pytest.importorskip("pandas")
    frame = fitted().to_frame()
    assert list(frame.index) == fitted().names
    assert frame["estimate"].to_dict() == dict(fitted().params)
    assert frame.loc["mean[x1]", "p"] == fitted().pvalues["mean[x1]"]
    assert frame[["lower", "upper"]].to_numpy().tolist() == np.asarray(fitted().conf_int()).tolist()


# Stored and used again.


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_results_work(protocol: int) -> None:
    result = fitted()
    again = pickle.loads(pickle.dumps(result, protocol))
    assert_same(again.to_dict(), result.to_dict(), ())
    places = disc_sample(5)
    np.testing.assert_array_equal(again.witness(places), result.witness(places))
    np.testing.assert_array_equal(again.sample(5, True, 3), result.sample(5, True, 3))
    np.testing.assert_array_equal(again.predict_density(places, True), result.predict_density(places, True))
    assert str(again.summary()) == str(result.summary())


def test_pickled_regressions_work() -> None:
    again = pickle.loads(pickle.dumps(regressed()))
    places = {"langscore": [50.0, 45.0], "prog": ["academic", "general"]}
    np.testing.assert_array_equal(again.predict(places), regressed().predict(places))
    np.testing.assert_array_equal(again.rows, np.arange(178))
    assert again.wald_test("langscore = 0").p_value == regressed().wald_test("langscore = 0").p_value


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy])
def test_copies_work(copier: Any) -> None:
    other = copier(fitted())
    places = disc_sample(4)
    np.testing.assert_array_equal(other.witness(places), fitted().witness(places))
    assert dict(other.params) == dict(fitted().params)


DOMAINS = [
    DISC,
    sb.Box([-1, -1], [2, 2]),
    sb.HalfSpace([1, 0], 0.5),
    sb.LevelSet("x1^2 + x2^2 - 1"),
    sb.Polygon([[0, 0], [2, 0], [0, 2]]),
    ~DISC,
    sb.Box([-3, -3], [3, 3]) & ~DISC,
]


@pytest.mark.parametrize("domain", DOMAINS)
def test_domains_are_pickled_compared_and_hashed(domain: sb.Domain) -> None:
    places = np.random.default_rng(0).uniform(-3, 3, (50, 2))
    for again in (pickle.loads(pickle.dumps(domain)), copy.deepcopy(domain)):
        assert again == domain and hash(again) == hash(domain) and repr(again) == repr(domain)
        np.testing.assert_array_equal(again.contains(places), domain.contains(places))
    assert domain != sb.Ball(radius=7)


@pytest.mark.parametrize(
    "value",
    [sb.IMQ(0.5), KNOWN, sb.GaussianMixture(2), sb.Formula("-a*x1", {"a": 1.0})],
    ids=lambda value: type(value).__name__,
)
def test_models_and_kernels_are_pickled(value: Any) -> None:
    assert repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_results_of_tests_and_discrepancies_are_pickled() -> None:
    with quiet():
        found = sb.gof_test(disc_sample(60), domain=DISC, model=KNOWN, bootstrap=20)
        apart = sb.discrepancy(disc_sample(60), [0, 0], domain=DISC, model=KNOWN)
    assert pickle.loads(pickle.dumps(found)).p_value == found.p_value
    assert float(pickle.loads(pickle.dumps(apart))) == float(apart)


def test_places_of_another_dimension_are_refused() -> None:
    square = sb.Box([0, 0], [1, 1])
    for ask in (fitted().witness, fitted().predict_density, fitted().log_density, square.contains):
        with pytest.raises(ValueError, match="columns|coordinates"):
            ask([[0.0, 0.0, 0.0]])


def test_witness_takes_any_points() -> None:
    places = disc_sample(6)
    expected = fitted().witness(places)
    for other in (places.tolist(), np.asfortranarray(places), {"x1": places[:, 0], "x2": places[:, 1]}):
        np.testing.assert_array_equal(fitted().witness(other), expected)


def test_sensitivity_begins_with_the_fit_itself() -> None:
    with quiet():
        result = sb.fit(disc_sample(80), domain=DISC, model=KNOWN)
        rows = result.sensitivity()["rows"]
    assert rows[0]["estimates"] == result.estimates.tolist() and rows[0]["difference"] == 0
    assert len(rows) > 5 and {row["kernel"] for row in rows} > {"gaussian"}


# Tests of fit.


def test_true_models_pass_and_wrong_ones_do_not() -> None:
    X = disc_sample(200)
    with quiet():
        true = sb.gof_test(X, domain=DISC, model=KNOWN, at=[0.5, 0.5], bootstrap=200)
        wrong = sb.gof_test(X, domain=DISC, model=KNOWN, at=[2.5, -1.5], bootstrap=200)
    assert not true.rejected and wrong.rejected and wrong.p_value == 1 / 201
    assert wrong.statistic > wrong.draws.max()


# What is told while it runs.


class Bar:
    """A bar that remembers what it was told."""

    made: list[Bar] = []

    def __init__(self, desc: str, leave: bool) -> None:
        self.desc, self.n, self.total, self.steps = desc, 0, 0, [0]
        Bar.made.append(self)

    def update(self, more: int) -> None:
        assert more >= 0
        self.n += more
        self.steps.append(self.n)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    auto = pytest.importorskip("tqdm.auto")
    monkeypatch.setattr(auto, "tqdm", Bar)
    X = disc_sample(60)
    scores = sb.datasets.load_student_scores()
    with quiet():
        result = sb.fit(X, domain=DISC, model=KNOWN, bootstrap=150, progress=True)
        sb.gof_test(X, domain=DISC, model=KNOWN, bootstrap=150, progress=True)
        result.test(bootstrap=150, progress=True)
        sb.regress("achiv ~ langscore", scores, lower=40, bootstrap=150, progress=True)
        sb.fit(X, domain=DISC, model=KNOWN, progress=True)
    assert [bar.desc for bar in Bar.made] == ["bootstrap", "test", "test", "bootstrap"]
    for bar in Bar.made:
        assert bar.n == bar.total == 150 and len(bar.steps) > 2


def test_progress_with_tqdm_itself(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    with quiet():
        sb.fit(disc_sample(60), domain=DISC, model=KNOWN, bootstrap=40, progress=True)
    assert "bootstrap" in capsys.readouterr().err


def test_missing_tqdm_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        sb.fit(disc_sample(60), domain=DISC, model=KNOWN, bootstrap=40, progress=True)


def test_warnings_point_at_the_caller() -> None:
    few = DISC.sample_boundary(3)
    scores = sb.datasets.load_student_scores()
    ends = sb.LevelSet("x1^2 + x2^2 - 2.08")
    # A boundary that is too sparse for tksd; for the method efficient data that are pressed against it.
    angles = np.linspace(0, 2 * np.pi, 200)
    pressed = np.column_stack([np.cos(angles), np.sin(angles)]) * np.linspace(1.2, 1.43, 200)[:, None]
    sparse: dict[str, Any] = {"model": KNOWN, "method": "tksd"}
    calls = [
        lambda: sb.fit(disc_sample(60), boundary=few, **sparse),
        lambda: sb.gof_test(disc_sample(60), boundary=few, bootstrap=20, **sparse),
        lambda: sb.fit(disc_sample(60), boundary=few, diagnostics=False, **sparse).test(bootstrap=20),
        lambda: sb.discrepancy(disc_sample(60), [0, 0], few, **sparse),
        lambda: sb.regress("achiv ~ langscore", scores, lower=40, method="tksd", boundary_points=1),
        lambda: sb.fit(disc_sample(60), domain=ends, boundary=few, **sparse),
        lambda: sb.fit(pressed, domain=DISC),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert caught, call.__code__.co_firstlineno
        for warning in caught:
            assert issubclass(warning.category, sb.FitWarning) and issubclass(sb.FitWarning, UserWarning)
            assert warning.filename == __file__
            assert warning.lineno == call.__code__.co_firstlineno


def test_estimates_that_do_not_exist_are_nan() -> None:
    # Data that grow towards the border have no Gaussian with a positive covariance.
    angles = np.linspace(0, 2 * np.pi, 200)
    X = np.column_stack([np.cos(angles), np.sin(angles)]) * np.linspace(1.2, 1.43, 200)[:, None]
    with pytest.warns(sb.FitWarning):
        result = sb.fit(X, domain=DISC)
    assert not result.trustworthy
    moments, natural = result.estimates[:5], result.estimates[5:]
    assert np.isnan(moments).all() and np.isfinite(natural).all()
    assert result.names[5] == "eta[x1]" and np.isnan(result.std_errors[:5]).all()
    assert np.isnan(np.asarray(result.zvalues)[:5]).all() and np.isnan(result.pvalues["mean[x1]"])
    assert "nan" in repr(result)
    assert result.summary().as_html() and result.summary().as_latex()
    for ask in (result.cov_params, lambda: result.wald_test("mean[x1] = 0")):
        with pytest.raises(ValueError, match="covariance"):
            ask()
    with pytest.raises(ValueError, match="no parameters at which"):
        result.witness(X)
    assert integral(result, -1.44, 1.44, True) == pytest.approx(1, abs=5e-3)
    assert DISC.contains(result.sample(50, truncated=True)).all()
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.sample(5, True), result.sample(5, True))
